"""Faults of Snakemake itself: killed, interrupted, started beside an earlier run's jobs. All over old results."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.faults import ALIVE, empty_queue, ended, locked
from tests.slurm.runs import Run
from tests.slurm.toy import NEW, THEN, is_at_work, key_of, let_go, new_toy

__all__ = ["empty_queue"]
pytestmark = pytest.mark.usefixtures("empty_queue")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    return new_toy(tmp_path / "house")


def left_alone(house: Path, cluster: Cluster) -> str:
    """Kill a run with -9 while its job is at work; give the job's id."""
    run = Run(house, cluster, *NEW)
    cluster.until(lambda: is_at_work(house), "a job is at work")
    job = run.job("made")["id"]
    run.kill()
    return job


def unlock(house: Path, cluster: Cluster) -> None:
    """Do what the message of a stale lock says."""
    assert "--unlock" in Run(house, cluster, *NEW).fails()
    Run(house, cluster, "--unlock").ends()


def test_killed_it_starts_no_job_a_second_time(house: Path, cluster: Cluster) -> None:
    job = left_alone(house, cluster)
    unlock(house, cluster)
    output = Run(house, cluster, *NEW).fails()
    assert "1 jobs of an earlier run in this folder are still in the queue" in output
    assert f"{job}: rule_made" in output and f"scancel {job}" in output
    assert [each["id"] for each in cluster.jobs(*ALIVE)] == [job]
    cluster.run("scancel", job)
    assert ended(cluster, job) == "CANCELLED" and key_of(house) == ""
    let_go(house)
    Run(house, cluster, *NEW, quick=True).ends()
    assert key_of(house) == "new"


def test_interrupted(house: Path, cluster: Cluster) -> None:
    run = Run(house, cluster, *NEW)
    cluster.until(lambda: is_at_work(house), "a job is at work")
    job = run.job("made")["id"]
    run.interrupt()
    run.fails()
    assert ended(cluster, job) == "CANCELLED" and not locked(house) and key_of(house) == ""
    let_go(house)
    Run(house, cluster, *NEW, quick=True).ends()
    assert key_of(house) == "new"


def test_terminated(house: Path, cluster: Cluster) -> None:
    """The job that runs ends; no other is started."""
    run = Run(house, cluster, *NEW, THEN)
    cluster.until(lambda: is_at_work(house), "a job is at work")
    job = run.job("made")["id"]
    run.terminate()
    run.says("Will exit after finishing currently running jobs")
    let_go(house)
    run.fails()
    assert ended(cluster, job) == "COMPLETED" and not locked(house)
    assert [key_of(house), key_of(house, THEN)] == ["new", "old"]
    Run(house, cluster, *NEW, THEN, quick=True).ends()
    assert key_of(house, THEN) == "new"


def test_nothing_but_a_run_asks_slurm(house: Path, cluster: Cluster) -> None:
    """Neither a Slurm that does not answer nor jobs of an earlier run are in the way of what does not submit."""
    job = left_alone(house, cluster)
    with cluster.without("slurmctld"):
        Run(house, cluster, "--unlock").ends()
        assert "rule made" in Run(house, cluster, "--dry-run", *NEW).ends()
        assert "Slurm does not answer" in Run(house, cluster, *NEW).fails()
    Run(house, cluster, "--dry-run", *NEW).ends()
    cluster.run("scontrol", "suspend", job)
    let_go(house)
    local = [sys.executable, "-m", "snakemake", "--cores", "1", "--rerun-incomplete", *NEW]
    done = subprocess.run(local, cwd=house, env=cluster.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [each["id"] for each in cluster.jobs(*ALIVE)] == [job]
    cluster.run("scancel", job)
    assert key_of(house) == "new"
