"""Questions to Slurm about a run's jobs, asked without blocking the loop that waits for them."""

import asyncio
import re
from collections.abc import Iterable

LINE = re.compile(r"(\d+)\|([A-Z_]+)[^|]*(?:\|(.*))?")  # job, state, reason to wait
FIELD = re.compile(r"\b(\w++)=(\S*)")  # name and value of what the controller says about a job
PATIENCE = 60  # seconds that an answer may take


async def ask(*command: str, patience: float = PATIENCE) -> str | None:
    """The output of a command; None where it fails, is not there or does not answer in time."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return None
    try:
        output, _ = await asyncio.wait_for(process.communicate(), patience)
    except TimeoutError:
        process.kill()
        return None
    return None if process.returncode else output.decode(errors="replace")


async def queue(run: str) -> dict[str, tuple[str, str]] | None:
    """(state, reason to wait) of each job of a run that the controller lists; None where it does not answer.

    Ended jobs are listed too, until MinJobAge has passed.
    """
    what = ("--noheader", "--states=all", "--format=%i|%T|%r", f"--name={run}")
    output = await ask("squeue", *what)
    return None if output is None else read(output)


async def accounting(run: str, jobs: Iterable[str]) -> dict[str, str]:
    """States of some jobs of a run in the accounting database; empty where there is none, or no answer."""
    what = ("--noheader", "-X", "--parsable2", "--format=JobID,State", f"--name={run}")
    output = await ask("sacct", *what, f"--jobs={','.join(sorted(jobs))}")
    return {job: state for job, (state, _) in read(output or "").items()}


async def cancel(jobs: Iterable[str]) -> None:
    """Cancel jobs. Those that Slurm does not know, or that have ended, are no error."""
    await ask("scancel", *sorted(jobs))


async def describe(job: str) -> dict[str, str]:
    """The controller's fields of a job, by name; empty where it does not answer or has forgotten the job."""
    output = await ask("scontrol", "show", "job", "--oneliner", job, patience=10)
    return dict(FIELD.findall(output or ""))


def read(output: str) -> dict[str, tuple[str, str]]:
    """(state, reason to wait) by job, from lines `job|state|reason` or `job|state`; other lines are skipped.

    Some sites print a banner before an answer. Accounting writes after the state who cancelled a job
    ("CANCELLED by 0"); that is left out.
    """
    rows = map(LINE.fullmatch, output.splitlines())
    return {row[1]: (row[2], row[3] or "") for row in rows if row}
