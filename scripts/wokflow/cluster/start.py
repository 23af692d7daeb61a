"""What has to be so before a run submits its first job to Slurm."""

import functools
import getpass
import math
from pathlib import Path

import snakemake_executor_plugin_slurm as executor

from wokflow.cluster import slurm
from wokflow.cluster.states import States
from wokflow.job import UserError

REFUSED = ("SLURM sbatch failed", "Job submission failed")  # what the executor says of it
NAMED = 10  # jobs at most that a message names


def prepare_run() -> None:
    """Refuse to start beside an earlier run's jobs, and have States answer for the states of this run's jobs.

    Raises UserError where jobs of an earlier run in this folder are still in the queue: they write the same files.
    """
    if left := left_jobs(Path.cwd()):
        ids = " ".join(left)
        named = "".join(f"\n  {job}: {what}" for job, what in list(left.items())[:NAMED])
        more = f"\n  and {len(left) - NAMED} more" if len(left) > NAMED else ""
        raise UserError(
            f"{len(left)} jobs of an earlier run in this folder are still in the queue:{named}{more}\n"
            f"They write the same files as a new run. Wait until they have ended, or end them, then start again:\n"
            f"  scancel {ids}"
        )
    executor.query_job_status = States()
    # The executor would turn to sacct where Slurm forgets jobs soon; States does not mind.
    executor.get_min_job_age = lambda: math.inf
    # Once, and not before each submission: it asks the accounting database.
    executor.validate_account = functools.cache(executor.validate_account)


def left_jobs(folder: Path) -> dict[str, str]:
    """Jobs of Snakemake that wait or run in a folder: what they are, by job id."""
    command = ["squeue", "--noheader", "--user", getpass.getuser(), "--format", "%A|%T|%k|%Z"]
    try:
        output = slurm.ask(*command)
    except slurm.SlurmError as error:
        raise UserError(f"Slurm does not answer: {error}\n`make check-site` says more.") from error
    left = {}
    for line in output.splitlines():
        job, state, comment, workdir = line.split("|", 3)
        if comment.startswith(("rule_", "group_")) and Path(workdir) == folder:
            left[job] = f"{comment.replace('_wildcards_', ' ')}, {state}"
    return left


def advice(logs: list[str]) -> str:
    """What to do where Slurm refused jobs, as the logs of a run that failed tell; nothing where it did not."""
    text = "".join(Path(log).read_text(encoding="utf-8", errors="replace") for log in logs)
    if not any(words in text for words in REFUSED):
        return ""
    return (
        "Slurm refused jobs; its reason is above. Where it does not like an account, a partition or what a job asks "
        "for, mend slurm/site.yaml (`make check-site` says what is wrong there). Then give the same command again."
    )
