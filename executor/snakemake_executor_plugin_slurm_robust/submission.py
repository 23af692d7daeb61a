"""Before jobs are submitted, remove their old outputs and cancel earlier copies of them."""

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any

from snakemake_executor_plugin_slurm_robust import commands
from snakemake_executor_plugin_slurm_robust.commands import SlurmError
from snakemake_executor_plugin_slurm_robust.job_outputs import remove_outputs

END = 60  # seconds that cancelled copies may take to end


def prepare_jobs(executor: Any, jobs: Sequence[Any], known: Collection[str]) -> None:
    """Cancel earlier copies of jobs that are retried, then remove the outputs of all.

    `known` are the ids of jobs that the executor waits for.
    """
    if retried := [job for job in jobs if job.attempt > 1]:
        with suppress(SlurmError):
            cancel_copies(executor, retried, known)
    for job in jobs:
        executor.workflow.async_run(remove_outputs(job))


def cancel_copies(executor: Any, jobs: Sequence[Any], known: Collection[str]) -> None:
    """Cancel copies of jobs that Slurm took although sbatch failed, and wait for their end.

    An sbatch that gets no answer in time fails, though its job may be in the queue. Such a copy is found by the
    comment that the executor gives to a job: its rule and wildcards. Raises SlurmError where Slurm does not answer.
    """
    comments = {comment_of(job) for job in jobs}
    latest, cancelled = time.monotonic() + END, set(known)
    while copies := _live(executor.run_uuid, comments) - set(known):
        if new := sorted(copies - cancelled):
            executor.logger.warning(f"Cancelling what an earlier try left in the queue: {', '.join(new)}")
            commands.ask("scancel", *new)
            cancelled.update(new)
        if time.monotonic() > latest:
            executor.logger.warning(
                f"{', '.join(sorted(copies))} have not ended in {END} s. The jobs are submitted all the same."
            )
            return
        time.sleep(0.5)


def comment_of(job: Any) -> str:
    """The comment that the executor gives to a job; that of a group begins with `rule_`, too."""
    wildcards = "_".join(job.wildcards).replace("/", "_") if getattr(job, "wildcards", None) else ""
    return f"rule_{job.name}" + (f"_wildcards_{wildcards}" if wildcards else "")


def _live(run: str, comments: Collection[str]) -> set[str]:
    """Jobs of a run that have not ended and have one of the comments."""
    output = commands.ask("squeue", "--noheader", f"--name={run}", "--format=%i|%k")
    rows = (line.split("|", 1) for line in output.splitlines() if "|" in line)
    return {job for job, comment in rows if job.isdigit() and comment in comments}
