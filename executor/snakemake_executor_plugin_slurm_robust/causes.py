"""Why a job failed or waits, and what to do, in words."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from snakemake_executor_plugin_slurm_robust import slurm_questions

FAILURES = {
    "BOOT_FAIL": "its node did not start.",
    "CANCELLED": "somebody, or the cluster, cancelled it (scancel).",
    "DEADLINE": "it could not end before its deadline.",
    "NODE_FAIL": "its node went down.",
    "OUT_OF_MEMORY": "it needed more memory than it had. A next try asks for more.",
    "PREEMPTED": "it had to give way to a job of higher priority.",
    "SPECIAL_EXIT": "the cluster holds it back after its exit code. It is cancelled.",
    "TIMEOUT": "it needed more time than it had. A next try asks for more.",
}
LOST = "Slurm does not know it any more, and its outputs are not all there."
EXIT_CODES = {
    126: "the command could not be run on that node",
    127: "a command was not found on that node",
}
STEP = "slurmstepd"  # whose lines in a job's log these are
NOT_STARTED = "execve(): "  # srun's exit code is 2 then
OUT_OF_MEMORY = re.compile(r"exceeded (?:job |step )?memory limit|oom[-_ ]kill", re.IGNORECASE)
ERROR = re.compile(r"^(.+)\n\(log: ", re.MULTILINE)  # an error that names its own log
TAIL = 65_536  # bytes at the end of a log that are read
CONTROL = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)], "?")  # all but tabs and line ends
LITTLE = 1 << 20  # bytes: a disk with less room is full
SITE = "in {site}"  # which stands for the site file
# Reasons to wait that do not go away by themselves, as patterns of squeue's reason, and what to do; the first match
# counts. In phrases, Slurm writes spaces or underscores.
STUCK = tuple(
    (re.compile(pattern.replace(" ", "[ _]+"), re.IGNORECASE | re.DOTALL), text)
    for pattern, text in (
        (
            ".*requeued held|job requeued in held state|JobHoldMaxRequeue",
            "it is held after it was queued again, mostly because a node could not start it: `scontrol release` it, "
            "and tell the administrators of the node",
        ),
        ("JobHeldUser", "it is held: `scontrol release` it"),
        ("JobHeldAdmin", "an administrator holds it: ask why"),
        ("DependencyNeverSatisfied", "it waits for a job that failed"),
        (
            "(Assoc|QOS)Grp(Wall|(?!.*Run).*Minutes).*",
            f"the hours of your account or qos are used up: set another account or qos {SITE}, or ask for more hours "
            "(`sshare` shows what is used)",
        ),
        (
            "(Assoc|QOS)Max.*(WallDuration|Minutes)PerJob.*",
            f"your account or qos allows less time for one job: set max_runtime {SITE}",
        ),
        (
            "(Assoc|QOS)Max.*Per(Job|Node).*",
            f"your account or qos allows less for one job: set max_mem_mb, max_threads, max_gpu or max_nodes {SITE} "
            "to what it allows (`sacctmgr show qos`)",
        ),
        ("MaxMemPerLimit", f"it asks for more memory than a job may have there: set max_mem_mb {SITE}"),
        ("QOSMin.*", f"the qos is for larger jobs than this: set another qos, or another partition, {SITE}"),
        ("QOSUsageThreshold", f"the qos is for those who have used less: set another qos {SITE}"),
        ("InvalidAccount|AccountNotAllowed", f"the account may not be used there: set account {SITE}"),
        ("InvalidQOS|QOSNotAllowed", f"the qos may not be used there: set qos {SITE}"),
        ("PartitionTimeLimit", f"it asks for more time than the partition allows: set max_runtime {SITE}"),
        (
            "PartitionNodeLimit|PartitionConfig",
            f"it asks for more nodes than one job may have there: set max_nodes, or name another partition, {SITE}",
        ),
        ("PartitionDown", f"its partition is down: name another {SITE}, or wait"),
        ("PartitionInactive", f"its partition takes no jobs: name another {SITE}, or wait"),
        ("BadConstraints", f"no node can ever fulfil what it asks for: compare it with the limits {SITE}"),
        ("ReservationDeleted", "its reservation is gone: Ctrl-C, then the same command without it"),
        (
            "ReqNodeNotAvail.*|Reserved for maintenance.*|Nodes required for job are.*",
            "the nodes that it may have are down, drained or reserved, for maintenance perhaps, or given to jobs of "
            "higher priority: it waits until one is free (`sinfo -R`; `scontrol show reservation` says until when). "
            f"Before a reservation a job starts if it ends in time: set max_runtime {SITE}. Or name another "
            "partition there, or wait",
        ),
    )
)
# Slurm's reason where nodes are down, and where all are up but a job of a partition of higher priority waits.
PERHAPS_STUCK = re.compile("Nodes[ _]+required[ _]+for[ _]+job[ _]+are.*", re.IGNORECASE | re.DOTALL)


def stuck(reason: str, site: str) -> str | None:
    """What to do about a job that waits for a reason that never goes away by itself; None for other reasons.

    `site` is the name of the site file.
    Queues, and limits on how much may run at once (of a user, an account, a qos), go away as jobs end.
    """
    texts = (text for pattern, text in STUCK if pattern.fullmatch(reason.strip()))
    return next((text.replace("{site}", site) for text in texts), None)


def may_pass(reason: str) -> bool:
    """Whether a reason that `stuck` takes is also given to jobs that only wait for jobs of higher priority."""
    return bool(PERHAPS_STUCK.fullmatch(reason.strip()))


async def failure(job: str, state: str) -> str:
    """What happened to a failed job, where, and what to do, in one or two lines."""
    about = await slurm_questions.describe(job)
    rule = about.get("Comment", "").replace("_wildcards_", " ").removeprefix("rule_")
    node = about.get("NodeList", "").replace("(null)", "") or "no node"
    code, _, signal = about.get("ExitCode", "0:0").partition(":")
    log = about.get("StdOut", "")
    head = f"Slurm job {job} ({rule}) on {node} after {about.get('RunTime', '?')}: {state}"
    not_run = EXIT_CODES.get(int(code)) or not_started(log)
    if why := FAILURES.get(state):
        what = why
    elif not_run:
        what = f"{not_run}. To leave the node out: --slurm-robust-exclude-failed-nodes {node}"
    elif signal == "9":
        what = "it was killed, most often for want of memory. A next try asks for more."
    else:
        what = cause(log) or full(log) or "its log says why"
    return (f"{head}: {what}" + (f"\n  log: {log}" if log else "")).translate(CONTROL)


def cause(log: str) -> str:
    """Why a job failed, if its Slurm log says it in one line; empty if it does not, or cannot be read."""
    text = read(log)
    if is_out_of_memory(text):
        return FAILURES["OUT_OF_MEMORY"]
    errors = ERROR.findall(text)
    return errors[-1] if errors else ""


def is_out_of_memory(text: str) -> bool:
    """Whether Slurm says in a job's log that the job needed more memory than it had."""
    return any(OUT_OF_MEMORY.search(message) for message in _of_step(text))


def not_started(log: str) -> str:
    """A message if a job's Slurm log says that srun could not start its command; empty otherwise."""
    for message in _of_step(read(log)):
        command, _, _ = message.partition(NOT_STARTED)[2].rpartition(": ")  # the reason follows
        if command:
            return f"{command} could not be run on that node"
    return ""


def _of_step(text: str) -> Iterator[str]:
    """What slurmstepd says in a job's log, line by line."""
    for line in text.splitlines():
        _, named, message = line.partition(STEP)
        if named:
            yield message


def read(log: str) -> str:
    """The end of a log, which says why a job ended; empty if it cannot be read."""
    try:
        with Path(log).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
            return file.read(TAIL).decode("utf-8", "replace")
    except OSError:
        return ""


def full(log: str) -> str:
    """A message if the disk of a log is full; empty otherwise."""
    try:
        free = shutil.disk_usage(Path(log).parent).free
    except OSError:
        return ""
    return "No space left on device. Make room, then give the same command again." if free < LITTLE else ""
