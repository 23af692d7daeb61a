"""What tests of faults share: the job that they make fail, and looks at jobs from outside."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster

RELEASE = "export/pairs/zh-en"  # one job of export_pairs
TARGET = f"results/{RELEASE}"
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
    """The process ids of a job and of the daemons that Slurm started for it."""
    found = set()
    wanted = {f"SLURM_JOB_ID={job}".encode(), f"SLURM_CONF={cluster.conf}".encode()}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted <= set((folder / "environ").read_bytes().split(b"\0")):
                parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
                found.add(int(folder.name))
                if (Path("/proc") / parent / "comm").read_text().startswith("slurmstepd"):
                    found.add(int(parent))
    return found


def locked(house: Path) -> bool:
    """Whether Snakemake has a lock on a house."""
    return any((house / ".snakemake" / "locks").glob("*"))


def waits_again(cluster: Cluster, job: str) -> None:
    """Wait until a job is in the queue once more."""
    cluster.until(
        lambda: any(each["id"] == job for each in cluster.jobs("PENDING")), f"{job} is queued again"
    )


def begins_soon(cluster: Cluster, job: str) -> None:
    """What an administrator can do about the two minutes that a job waits after it was queued again.

    In the same second its old node would still refuse it ("Job credential revoked").
    """
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


def send(number: int, house: Path, job: str) -> None:
    """Send a signal to each process of a job, Slurm's own daemons aside."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes().split(b"\0")
            if f"SLURM_JOB_ID={job}".encode() in environment and (process / "cwd").readlink() == house:
                os.kill(int(process.name), number)
        except OSError:  # it ended meanwhile, or is somebody else's
            continue
