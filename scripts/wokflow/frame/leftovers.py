"""Temporary files beside outputs, and their removal once nobody can be writing to them any more.

A name is `.<output>.<host>.<Slurm job>.<process>.part`, where the Slurm job is `<cluster>_<id>`, or 0 without one.
<host> is the host's name with a digest of its boot id and PID namespace, within which process numbers are unique.
"""

import functools
import hashlib
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

from wokflow.frame.processes import ask_program

# A job in one of these states has ended. NODE_FAIL is not among them: the processes of a node that Slurm has lost
# sight of may live.
OVER = {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "OUT_OF_MEMORY", "TIMEOUT"}
WRITER = re.compile(r"(?P<host>[\w-]+)\.(?P<job>[\w-]+)\.(?P<process>\d+)")
PATIENCE = 20  # seconds for one question to Slurm


def temporary_name(path: Path, aside: bool = False) -> Path:
    """This process's temporary name for an output; with `aside`, for the file that the output replaces."""
    ending = "old.part" if aside else "part"
    return path.with_name(f".{path.name}.{writer()}.{ending}")


def writer() -> str:
    """A name of this process that no other process of the same time has, on any host or in any container."""
    return f"{_host()}.{_slurm_job()}.{os.getpid()}"


def remove_leftovers(path: Path) -> None:
    """Remove temporary files and folders of an output whose writers have provably ended.

    These are processes of this host that no longer exist, and Slurm jobs of this cluster that have ended. All others
    stay, since a second copy of this job may still run on another node.
    """
    begin, end = f".{path.name}.", ".part"
    for left in path.parent.iterdir():
        ours = left.name.startswith(begin) and left.name.endswith(end)
        if ours and is_over(left.name[len(begin) : -len(end)].removesuffix(".old")):
            remove(left)


def is_over(writer: str) -> bool:
    """Whether the process that `writer` named has provably ended; False if `writer` is no such name."""
    match = WRITER.fullmatch(writer)
    return match is not None and (process_is_over(writer) or _slurm_job_is_over(match["job"]))


def process_is_over(writer: str) -> bool:
    """Whether `writer` named a process of this host that is gone; Slurm is not asked."""
    match = WRITER.fullmatch(writer)
    return match is not None and _process_is_over(match["host"], int(match["process"]))


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@functools.cache
def _host() -> str:
    """The host's name with a digest of boot id and PID namespace: containers may share the host's name."""
    identity = "".join(map(_content, ("/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid")))
    return (
        re.sub(r"[^\w-]", "_", socket.gethostname()) + "-" + hashlib.sha256(identity.encode()).hexdigest()[:8]
    )


def _content(path: str) -> str:
    """The content of a file in /proc, or the target of a link; empty if there is none."""
    try:
        return (
            str(Path(path).readlink()) if Path(path).is_symlink() else Path(path).read_text(encoding="utf-8")
        )
    except OSError:
        return ""


def _slurm_job() -> str:
    cluster = re.sub(r"[^\w-]", "_", os.environ.get("SLURM_CLUSTER_NAME", ""))
    job = os.environ.get("SLURM_JOB_ID", "")
    return f"{cluster}_{job}" if job.isdigit() else "0"


def _process_is_over(host: str, process: int) -> bool:
    """Whether a process of this host no longer exists; this process's own number means an earlier process."""
    if host != _host():
        return False
    if process == os.getpid():
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _slurm_job_is_over(job: str) -> bool:
    """Whether Slurm says that a job of this cluster has ended; a job that it does not know may live."""
    cluster, _, number = job.rpartition("_")
    if not cluster or cluster != _slurm_job().rpartition("_")[0] or job == _slurm_job():
        return False
    questions = (
        ["squeue", "--noheader", "--states=all", "--format=%T", f"--jobs={number}"],
        ["sacct", "--noheader", "-X", "--parsable2", "--format=State", f"--jobs={number}"],
    )
    for question in questions:
        try:
            answer = ask_program(question, patience=PATIENCE).stdout
        except (OSError, subprocess.TimeoutExpired):
            continue
        states = {line.split()[0] for line in answer.splitlines() if line.strip()}
        if states:
            return states <= OVER
    return False
