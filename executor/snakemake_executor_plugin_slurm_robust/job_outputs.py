"""Outputs of jobs: old ones are removed before submission, new ones show whether a lost job completed."""

import os
from collections.abc import Iterator
from typing import Any

from snakemake_executor_plugin_slurm_robust.jobs import members

KEPT = ("update", "pipe", "service")  # outputs that are changed in place, or that live while their group runs
NOT_NEEDED = (*KEPT, "temp", "nodelocal")  # that may be gone when a job has ended


async def remove_outputs(job: Any) -> None:
    """Remove the outputs of a job, or of each job of a group, before it runs, and write its record.

    Snakemake itself removes them only within the job. A job that never starts would leave the old files in place,
    to be taken for its own.

    The record of a job (its key, among others) is written at its end, unless Snakemake is killed before. Then files
    of the new key would stand under the record of the old one, and a run with the old key would find nothing to do.
    So the record is written here, too, while the files do not exist.
    """
    for member in members(job):
        await member.check_protected_output()
    for member in members(job):
        for file in _files(member, KEPT):
            await file.remove(remove_non_empty_dir=False)
    for member in members(job):
        if not list(_flagged(member, ("update",))):
            await member.dag.workflow.persistence.finished(member)


async def are_complete(job: Any) -> bool:
    """Whether all outputs of a job are there, and the job itself has marked them as complete.

    Snakemake marks outputs as incomplete when it submits a job, and removes the mark on the node when the job has
    ended well: a half-written folder, of a job that died or still runs, still has its mark.
    """
    for member in members(job):
        if not all(os.path.lexists(file) for file in _files(member, NOT_NEEDED)):
            return False
        persistence = member.dag.workflow.persistence
        persistence.deactivate_cache()  # it keeps marks that other processes have removed
        if await persistence.incomplete(member):
            return False
    return True


def _files(job: Any, without: tuple[str, ...]) -> Iterator[Any]:
    """The outputs that are not flagged as one of `without`."""
    flagged = set(_flagged(job, without))
    return (file for file in job.output if file not in flagged)


def _flagged(job: Any, flags: tuple[str, ...]) -> Iterator[Any]:
    """The outputs that are flagged as one of `flags`, in the rule (as `update` is) or for the job."""
    from snakemake.io import is_flagged

    for file, declared in zip(job.output, job.rule.output, strict=True):
        if any(is_flagged(output, flag) for output in (file, declared) for flag in flags):
            yield file
