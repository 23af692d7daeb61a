"""Outputs of Snakemake's jobs around their submission: old ones are removed, new ones tell how a lost job ended."""

import os
from collections.abc import Iterator
from typing import Any

KEPT = ("update", "pipe", "service")  # outputs that are changed in place, or that live while their group runs
NOT_NEEDED = (*KEPT, "temp", "nodelocal")  # that may be gone when a job has ended


async def remove_outputs(job: Any) -> None:
    """Remove what a job, or each job of a group, is about to make, and record that it is being made.

    Snakemake itself removes them only within the job. A job that never starts would leave the old files in place,
    and they would be taken for its own.

    The record of a job (its key, among others) is written at its end, unless Snakemake is killed before. Then files
    of the new key would stand under the record of the old one, and a run with the old key would find nothing to do.
    So the record is written here, too, while the files do not exist.
    """
    for each in members(job):
        await each.check_protected_output()
    for each in members(job):
        for file in _files(each, KEPT):
            await file.remove(remove_non_empty_dir=False)
    for each in members(job):
        if not list(_flagged(each, ("update",))):
            await each.dag.workflow.persistence.finished(each)


async def are_complete(job: Any) -> bool:
    """Whether all outputs of a job are there, and the job itself has noted their completion.

    Snakemake marks outputs as incomplete when it submits a job, and takes the mark away on the node when the job has
    ended well: a folder that is half written, by a job that died or still runs, has its mark.
    """
    for each in members(job):
        if not all(os.path.lexists(file) for file in _files(each, NOT_NEEDED)):
            return False
        persistence = each.dag.workflow.persistence
        persistence._clear_cache()  # other processes change the marks
        if await persistence.incomplete(each):
            return False
    return True


def members(job: Any) -> Iterator[Any]:
    """The jobs of a group, or the one job that is none."""
    if job.is_group():
        yield from job.jobs
    else:
        yield job


def _files(job: Any, without: tuple[str, ...]) -> Iterator[Any]:
    """The outputs that are not flagged as one of `without`."""
    flagged = set(_flagged(job, without))
    return (file for file in job.output if file not in flagged)


def _flagged(job: Any, flags: tuple[str, ...]) -> Iterator[Any]:
    """The outputs that are flagged as one of `flags`, in the rule (as `update` is) or for the job."""
    from snakemake.io import is_flagged

    for file, declared in zip(job.output, job.rule.output, strict=True):
        if any(is_flagged(each, flag) for each in (file, declared) for flag in flags):
            yield file
