"""Commands of Slurm, and the environment that they run in."""

import getpass
import os
import re
import subprocess
from pathlib import Path

from snakemake_interface_common.exceptions import WorkflowError

PATIENCE = 60  # seconds that an answer may take
CONFIGURATION = frozenset({"SLURM_CONF"})  # tells Slurm's commands where their cluster is
LEFT = re.compile(r"(\d+)\|([A-Z_]+)\|([^|]*)\|(.*)")
NAMED = 10  # jobs at most that a message names
hints: list[str] = []  # sentences that a Snakefile adds to what is said of Slurm itself


class SlurmError(Exception):
    """Slurm refused something, or does not answer; the message is Slurm's own."""


def ask(*command: str, text: str = "") -> str:
    """The output of a command of Slurm on a text. Raises SlurmError if it fails, is absent or takes a minute."""
    try:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired as error:
        raise SlurmError(f"{command[0]} gave no answer in {PATIENCE} s") from error
    except OSError as error:
        raise SlurmError(f"{command[0]} cannot be run: {error.strerror}") from error
    if done.returncode:
        raise SlurmError(
            (done.stderr.strip() or done.stdout.strip()) or f"{command[0]} failed without a message"
        )
    return done.stdout


def hinted(message: str) -> str:
    """A message about Slurm itself, with what the Snakefile advises."""
    return "\n".join((message, *hints))


def leave_allocation() -> None:
    """Delete the variables of the Slurm job that this process runs in, if any, which its jobs would inherit.

    CONFIGURATION stays.
    """
    if "SLURM_JOB_ID" in os.environ:
        for name in [name for name in os.environ if name.startswith("SLURM_") and name not in CONFIGURATION]:
            del os.environ[name]


def refuse_beside_jobs(folder: Path) -> None:
    """Raise WorkflowError if jobs of an earlier run in this folder are in the queue: they write the same files."""
    try:
        left = left_jobs(folder)
    except SlurmError as error:
        raise WorkflowError(hinted(f"Slurm does not answer: {error}")) from error
    if not left:
        return
    named = "".join(f"\n  {job}: {what}" for job, what in list(left.items())[:NAMED])
    more = f"\n  and {len(left) - NAMED} more" if len(left) > NAMED else ""
    raise WorkflowError(
        f"{len(left)} jobs of an earlier run in this folder are still in the queue:{named}{more}\n"
        f"They write the same files as a new run. Wait until they have ended, or end them, then start again:\n"
        f"  scancel {' '.join(left)}"
    )


def left_jobs(folder: Path) -> dict[str, str]:
    """Jobs of Snakemake that wait or run in a folder: rule, wildcards and state by job id."""
    output = ask("squeue", "--noheader", "--user", getpass.getuser(), "--format", "%A|%T|%k|%Z")
    left = {}
    for row in filter(None, map(LEFT.fullmatch, output.splitlines())):
        job, state, comment, workdir = row.groups()
        if comment.startswith(("rule_", "group_")) and Path(workdir) == folder:
            left[job] = f"{comment.replace('_wildcards_', ' ')}, {state}"
    return left
