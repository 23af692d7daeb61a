"""The time that Slurm leaves to this job, and how the job is requeued before that is over."""

import os
import re
import subprocess

from wokflow.frame.processes import ask_program

PATIENCE = 60  # seconds that an answer of Slurm may take
SUBMITTED = "SNAKEMAKE_SLURM_ROBUST"  # the environment variable that marks jobs of the executor for Slurm
LEFT = re.compile(r"(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)")  # days-hours:minutes:seconds


def minutes_left(asked: float) -> float | None:
    """Minutes until Slurm ends this job; where Slurm does not say, `asked`, the minutes that it asked for.

    None where there is no limit: on a workstation, and in an allocation in which the user runs Snakemake.
    """
    if not (job := _own_job()):
        return None
    answer, _ = _ask("squeue", "--noheader", f"--jobs={job}", "--format=%L")
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
    _, refusal = _ask("scontrol", "requeue", job)
    if refusal:
        return f"Slurm does not queue its job again: {refusal}"
    return "Slurm queues its job again, so that it goes on."


def _ask(*command: str) -> tuple[str, str]:
    """The output of a command of Slurm, and why it failed: empty if it did not."""
    try:
        done = ask_program(command, patience=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", str(error)
    if done.returncode:
        return "", done.stderr.strip() or f"{command[0]} failed without a message"
    return done.stdout.strip(), ""


def _own_job() -> str:
    return os.environ.get("SLURM_JOB_ID", "") if SUBMITTED in os.environ else ""
