"""The time that Slurm leaves to this job, and how the job is requeued before that is over."""

import os
import re

from wokflow.cluster.commands import SlurmError, ask

SUBMITTED = "SNAKEMAKE_SLURM_ROBUST"  # the environment variable that marks jobs of the executor for Slurm
LEFT = re.compile(r"(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)")  # days-hours:minutes:seconds


def minutes_left(asked: float) -> float | None:
    """Minutes until Slurm ends this job; where Slurm does not say, `asked`, the minutes that it asked for.

    None where there is no limit: on a workstation, and in an allocation in which the user runs Snakemake.
    """
    if not (job := _own_job()):
        return None
    try:
        answer = ask("squeue", "--noheader", f"--jobs={job}", "--format=%L").strip()
    except SlurmError:
        return asked
    if answer == "UNLIMITED":
        return None
    if not (parts := LEFT.fullmatch(answer)):
        return asked
    days, hours, minutes, seconds = (int(part or 0) for part in parts.groups())
    return 1440 * days + 60 * hours + minutes + seconds / 60


def queue_again() -> str:
    """Have Slurm end this job and start it again later, if the executor submitted it; return what comes next."""
    if not (job := _own_job()):
        return "Run again to go on."
    try:
        ask("scontrol", "requeue", job)
    except SlurmError as error:
        return f"Slurm does not queue its job again: {error}"
    return "Slurm queues its job again, so that it goes on."


def _own_job() -> str:
    return os.environ.get("SLURM_JOB_ID", "") if SUBMITTED in os.environ else ""
