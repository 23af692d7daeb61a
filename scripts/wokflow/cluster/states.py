"""What Snakemake's executor for Slurm is told of its jobs.

snakemake-executor-plugin-slurm 2.8.0 asks squeue for the states of all jobs of a run at once, and waits for ever in
three cases: a job that was preempted for good, a job that the controller no longer knows (it forgets jobs MinJobAge
seconds after their end), and all jobs of the run once the controller has not answered several times. `States` stands
between the two and turns these into states that end a wait rightly. It also says what the executor does not: why a
job failed and what to do, and that a job waits for something that will never come.
"""

import asyncio
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from typing import Protocol

# What the executor asks squeue for; what is asked instead, so that reasons are told, and each task of an array.
FORMAT, WITH_REASON, EACH_TASK = "%i|%T", "%i|%T|%r", "--array"
FORGOTTEN = "UNKNOWN"  # taken as a success by the executor: whether the outputs are there decides
FAILURES = {
    "BOOT_FAIL": "its node did not start.",
    "CANCELLED": "somebody, or the cluster, cancelled it (scancel).",
    "DEADLINE": "it could not end before its deadline.",
    "NODE_FAIL": "its node went down.",
    "OUT_OF_MEMORY": "it needed more memory than it had. A next try asks for more.",
    "PREEMPTED": "it had to give way to a job of higher priority.",
    "TIMEOUT": "it needed more time than it had. A next try asks for more.",
}
TOLD = {
    "PREEMPTED": "FAILED",
    "SPECIAL_EXIT": "FAILED",
}  # the executor waits on where a job is in these states
EXIT_CODES = {
    126: "the command could not be run on that node",
    127: "a command was not found on that node",
}
OUT_OF_MEMORY = re.compile(r"slurmstepd.*(exceeded (job |step )?memory limit|oom[-_ ]kill)", re.IGNORECASE)
ERROR = re.compile(r"^(.+)\n\(log: ", re.MULTILINE)  # what wokflow.job says of an error
LITTLE = 1 << 20  # bytes: a disk with less room is full
STUCK = {  # reasons to wait that do not go away by themselves
    "PartitionTimeLimit": "it asks for more time than the partition allows: set max_runtime in slurm/site.yaml",
    "PartitionNodeLimit": "it asks for more nodes than the partition has: name another in slurm/site.yaml",
    "PartitionDown": "its partition is down: name another in slurm/site.yaml, or wait",
    "PartitionInactive": "its partition takes no jobs: name another in slurm/site.yaml, or wait",
    "BadConstraints": "no node can ever fulfil what it asks for: compare with limits in slurm/site.yaml",
    "AssocMaxWallDurationPerJobLimit": "your account allows less time: set max_runtime in slurm/site.yaml",
    "QOSMaxWallDurationPerJobLimit": "the qos allows less time: set max_runtime in slurm/site.yaml",
    "InvalidAccount": "the account is not valid: set account in slurm/site.yaml",
    "InvalidQOS": "the qos is not valid: set qos in slurm/site.yaml",
    "JobHeldUser": "it is held: scontrol release it",
    "JobHeldAdmin": "an administrator holds it: ask why",
    "DependencyNeverSatisfied": "it waits for a job that failed",
}


class Logger(Protocol):
    def warning(self, text: str) -> None: ...


class Answer(dict[str, str]):
    """States by job id. A job that is not there has been forgotten: the controller knows a job before sbatch ends."""

    def __contains__(self, job: object) -> bool:
        return True

    def __missing__(self, job: str) -> str:
        return FORGOTTEN


class States:
    """Answers the executor's question for the states of a run's jobs."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}
        self._said: set[tuple[str, str]] = set()
        self._silent = False

    async def __call__(self, command: str, logger: Logger) -> tuple[dict[str, str], float]:
        """States by job id, and how long the question took, in seconds.

        `command` is the executor's squeue command. Where nothing answers, the last known states are given,
        so that the executor goes on to wait.
        """
        start = time.monotonic()
        found = await ask(command)
        if found is None:
            if not self._silent:
                logger.warning(
                    "Slurm does not answer. The jobs go on by themselves; it is asked again and again."
                )
            self._silent = True
            return dict(self._last), 0.0
        if self._silent:
            logger.warning("Slurm answers again.")
            self._silent = False
        for job, (state, reason) in found.items():
            if state == "FAILED" or state in FAILURES:
                self._say(job, state, logger)
            elif reason in STUCK:
                self._say(job, reason, logger)
        states = {job: TOLD.get(state, state) for job, (state, _) in found.items()}
        self._last = states
        return Answer(states), time.monotonic() - start

    def _say(self, job: str, about: str, logger: Logger) -> None:
        """Say once why a job failed, or why it waits for ever."""
        if (job, about) in self._said:
            return
        self._said.add((job, about))
        if about in STUCK:
            logger.warning(f"Slurm job {job} waits and would wait for ever: {STUCK[about]}")
        else:
            logger.warning(failure(job, about))


async def ask(command: str) -> dict[str, tuple[str, str]] | None:
    """(state, reason to wait) by job id; None where squeue fails or does not answer in a minute."""
    words = [word.replace(FORMAT, WITH_REASON) for word in shlex.split(command)] + [EACH_TASK]
    try:
        process = await asyncio.create_subprocess_exec(
            *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
    except OSError:
        return None
    try:
        output, _ = await asyncio.wait_for(process.communicate(), timeout=60)
    except TimeoutError:
        process.kill()
        return None
    if process.returncode:
        return None
    rows = [line.split("|", 2) for line in output.decode(errors="replace").splitlines()]
    return {job: (state, reason) for job, state, reason in rows}


def failure(job: str, state: str) -> str:
    """What happened to a failed job, where, and what to do, in one or two lines."""
    about = describe(job)
    rule = about.get("Comment", "").replace("_wildcards_", " ").removeprefix("rule_")
    node = about.get("NodeList", "").replace("(null)", "") or "no node"
    code, _, signal = about.get("ExitCode", "0:0").partition(":")
    log = about.get("StdOut", "")
    head = f"Slurm job {job} ({rule}) on {node} after {about.get('RunTime', '?')}: {state}"
    if why := FAILURES.get(state):
        what = why
    elif int(code) in EXIT_CODES:
        what = f"{EXIT_CODES[int(code)]}. To leave the node out: --slurm-exclude-failed-nodes {node}"
    elif signal == "9":
        what = "it was killed, most often for want of memory. A next try asks for more."
    else:
        what = cause(log) or full(log) or "its log says why"
    return f"{head}: {what}" + (f"\n  log: {log}" if log else "")


def cause(log: str) -> str:
    """Why a job failed, as far as its Slurm log says it in a line; nothing where it does not, or cannot be read."""
    try:
        text = Path(log).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    if OUT_OF_MEMORY.search(text):
        return FAILURES["OUT_OF_MEMORY"]
    said = ERROR.findall(text)
    return said[-1] if said else ""


def full(log: str) -> str:
    """That nothing more can be written where a log is; nothing where there is room."""
    try:
        free = shutil.disk_usage(Path(log).parent).free
    except OSError:
        return ""
    return "No space left on device. Make room, then give the same command again." if free < LITTLE else ""


def describe(job: str) -> dict[str, str]:
    """What the controller says of a job, by name; nothing where it does not answer or has forgotten the job."""
    command = ["scontrol", "show", "job", "--oneliner", job]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return dict(re.findall(r"(\w+)=(\S*)", done.stdout))
