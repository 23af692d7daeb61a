"""What tests of faults share: faults made from outside, and looks at jobs from there."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster

ALIVE = ("PENDING", "RUNNING", "SUSPENDED")


@pytest.fixture
def empty_queue(cluster: Cluster) -> Iterator[None]:
    """The test leaves no job to the next."""
    yield
    for job in cluster.jobs(*ALIVE):
        cluster.run("scancel", job["id"], check=False)
    cluster.until(lambda: not cluster.jobs(*ALIVE, "COMPLETING"), "no job is left")


def ended(cluster: Cluster, job: str) -> str:
    """Wait until a job has ended and give its state."""
    cluster.until(lambda: not any(each["id"] == job for each in cluster.jobs(*ALIVE, "COMPLETING")), job)
    return next(each["state"] for each in cluster.jobs() if each["id"] == job)


def at_work(cluster: Cluster, job: str) -> None:
    """Wait until a job's step runs, so that it needs the controller no more."""
    cluster.until(lambda: f"{job}.0" in cluster.run("squeue", "--steps", "--noheader", "-o", "%i"), job)


def processes(cluster: Cluster, job: str) -> set[int]:
    """The process ids of a job and of the daemons of its steps."""
    own = {number for number, variables in _processes(cluster) if f"SLURM_JOB_ID={job}" in variables}
    return own | daemons(cluster, job)


def daemons(cluster: Cluster, job: str) -> set[int]:
    """The process ids of the daemons of a job's steps, which outlive its processes for a moment."""
    found = set()
    for number, _ in _processes(cluster):
        with suppress(OSError):
            if Path(f"/proc/{number}/cmdline").read_text().startswith(f"slurmstepd: [{job}."):
                found.add(number)
    return found


def _processes(cluster: Cluster) -> Iterator[tuple[int, list[str]]]:
    """The processes of a cluster that may be looked at, with their environment."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            variables = (folder / "environ").read_bytes().decode(errors="replace").split("\0")
            if f"SLURM_CONF={cluster.conf}" in variables:
                yield int(folder.name), variables


def kill_node(cluster: Cluster, node: str, job: str) -> None:
    """Kill a node's daemon with -9, and a job on it: first the daemons of its steps, which would report its end."""
    cluster.end(f"slurmd.{node}", signal.SIGKILL)
    for found in (daemons, processes):
        for process in found(cluster, job):
            with suppress(ProcessLookupError):  # one of them may end by itself
                os.kill(process, signal.SIGKILL)


def locked(house: Path) -> bool:
    """Whether Snakemake has a lock on a house."""
    return any((house / ".snakemake" / "locks").glob("*"))


def waits_again(cluster: Cluster, job: str) -> None:
    """Wait until a job is in the queue once more."""
    cluster.until(
        lambda: any(each["id"] == job for each in cluster.jobs("PENDING")), f"{job} is queued again"
    )


def begins_soon(cluster: Cluster, job: str) -> None:
    """Wait until a job is queued again, and let it begin then, and not in two minutes: an administrator can.

    Not before its daemons are gone from its old node, which would refuse it otherwise, so that Slurm held it.
    Processes that outlive them are killed, as they are where Slurm keeps jobs in control groups.
    """
    waits_again(cluster, job)
    cluster.until(lambda: not daemons(cluster, job), f"the daemons of {job} are gone")
    for process in processes(cluster, job):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    cluster.run("scontrol", "update", f"jobid={job}", "StartTime=now+2")


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """A folder, with its content, on a file system of its own, of so many bytes; root alone can have one."""
    if os.geteuid():
        pytest.skip("only root can mount a file system")
    content = folder.with_name("moved")
    folder.rename(content)
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=False)
    if mounted.returncode:
        pytest.skip("mount is not allowed here")
    try:
        shutil.copytree(content, folder, dirs_exist_ok=True, symlinks=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(file: Path) -> None:
    """Write to a file until its disk is full."""
    with file.open("wb", buffering=0) as out, pytest.raises(OSError, match="No space left"):
        while True:
            out.write(bytes(4096))


@contextmanager
def preempting(cluster: Cluster) -> Iterator[None]:
    """The cluster with a job of higher priority that takes all nodes for itself."""
    options = (
        "--parsable",
        "--partition=high",
        f"--nodes={cluster.nodes}",
        "--exclusive",
        "--output=/dev/null",
    )
    account = ("--account=lab",) if cluster.accounting else ()
    job = cluster.run("sbatch", *options, *account, "--wrap", "sleep 300").strip()
    try:
        yield
    finally:
        cluster.run("scancel", job)


def send(cluster: Cluster, number: int, house: Path, job: str) -> None:
    """Send a signal to each process of a job, Slurm's own daemons aside."""
    for process, variables in _processes(cluster):
        with suppress(OSError):  # it ended meanwhile
            if f"SLURM_JOB_ID={job}" in variables and Path(f"/proc/{process}/cwd").readlink() == house:
                os.kill(process, number)


@contextmanager
def out_of_service(cluster: Cluster, nodes: str, state: str) -> Iterator[None]:
    """The cluster with some nodes down or drained."""
    update = ("scontrol", "update", f"nodename={nodes}", "reason=test")
    cluster.run(*update, f"state={state}")
    try:
        yield
    finally:
        cluster.run(*update, "state=resume", check=False)  # a node that answers may be back by itself
        cluster.until(lambda: cluster.idle() == cluster.nodes, "all nodes are idle")


@contextmanager
def configured(cluster: Cluster, old: str, new: str) -> Iterator[None]:
    """The cluster with another line in slurm.conf."""
    before = cluster.conf.read_text()
    assert old in before
    try:
        cluster.conf.write_text(before.replace(old, new))
        cluster.run("scontrol", "reconfigure")
        yield
    finally:
        cluster.conf.write_text(before)
        cluster.run("scontrol", "reconfigure")


@contextmanager
def stopped(processes: set[int]) -> Iterator[None]:
    """Processes that do not get on."""
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


def jobs_of(house: Path, cluster: Cluster) -> list[dict[str, str]]:
    """Slurm jobs of the runs in a house that the controller knows, oldest first: id, state, mem, time limit."""
    output = cluster.run("squeue", "-h", "-S", "i", "--states=all", "-o", "%i|%T|%m|%l|%Z")
    rows = [line.split("|") for line in output.splitlines()]
    names = ("id", "state", "mem", "limit")
    return [dict(zip(names, row[:4], strict=True)) for row in rows if row[4] == str(house)]
