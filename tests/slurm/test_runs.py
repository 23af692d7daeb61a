"""Faults of Snakemake itself and of the machine that it runs on."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.faults import ALIVE, RELEASE, TARGET, empty_queue, ended, fill, locked, small_disk
from tests.slurm.runs import Run, house_without, results

__all__ = ["empty_queue"]
pytestmark = pytest.mark.usefixtures("empty_queue")


def left_alone(built: Path, cluster: Cluster, to: Path) -> tuple[Path, str]:
    """A house whose Snakemake was killed with -9, and the id of its job, which is suspended."""
    house = house_without(built, to, RELEASE)
    run = Run(house, cluster, TARGET)
    job = run.job("export_pairs")["id"]
    cluster.run("scontrol", "suspend", job)
    run.kill()
    return house, job


def unlock(house: Path, cluster: Cluster) -> None:
    """Do what the message of a stale lock says."""
    assert "--unlock" in Run(house, cluster, TARGET).fails()
    Run(house, cluster, "--unlock").ends()


def test_killed_it_starts_no_job_a_second_time(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house, job = left_alone(built, cluster, tmp_path / "house")
    unlock(house, cluster)
    output = Run(house, cluster, TARGET).fails()
    assert "1 jobs of an earlier run in this folder are still in the queue" in output
    assert f"{job}: rule_export_pairs" in output and f"scancel {job}" in output
    assert [each["id"] for each in cluster.jobs(*ALIVE)] == [job]
    cluster.run("scancel", job)
    assert ended(cluster, job) == "CANCELLED"
    Run(house, cluster, TARGET).ends()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_killed_its_job_may_be_waited_for(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house, job = left_alone(built, cluster, tmp_path / "house")
    cluster.run("scontrol", "resume", job)
    assert ended(cluster, job) == "COMPLETED"
    assert "Nothing to be done" in Run(house, cluster, TARGET).ends()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_a_lock_alone(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", RELEASE)
    run = Run(house, cluster, TARGET)
    cluster.until(lambda: locked(house), "the house is locked")
    run.kill()
    assert not cluster.jobs(*ALIVE)
    unlock(house, cluster)
    Run(house, cluster, TARGET).ends()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_interrupted(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    """Between two questions for states; in the middle of one Snakemake knows of no job, and cancels none."""
    house = house_without(built, tmp_path / "house", RELEASE)
    run = Run(house, cluster, TARGET, "--slurm-init-seconds-before-status-checks", "20", fast=False)
    run.says("has been submitted with SLURM jobid")
    job = run.job("export_pairs")["id"]
    run.interrupt()
    run.fails()
    assert ended(cluster, job) == "CANCELLED" and not locked(house)
    Run(house, cluster, TARGET).ends()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_terminated(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", "match/pairs", "match/split", RELEASE)
    run = Run(house, cluster, TARGET)
    cluster.until(lambda: cluster.jobs("RUNNING"), "a job runs")
    job = cluster.jobs("RUNNING")[0]["id"]
    run.terminate()
    output = run.fails()
    assert "Will exit after finishing currently running jobs" in output
    assert ended(cluster, job) == "COMPLETED" and not locked(house)
    assert (house / "results" / "match" / "pairs").exists() and not (house / TARGET).exists()
    Run(house, cluster, TARGET).ends()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_nothing_but_a_run_asks_slurm(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    """Neither a Slurm that does not answer nor jobs of an earlier run are in the way of what does not submit."""
    house, job = left_alone(built, cluster, tmp_path / "house")
    with cluster.without("slurmctld"):
        Run(house, cluster, "--unlock").ends()
        assert "export_pairs" in Run(house, cluster, TARGET, "--dry-run").ends()
        assert "Slurm does not answer" in Run(house, cluster, TARGET).fails()
    Run(house, cluster, TARGET, "--dry-run").ends()
    local = [sys.executable, "-m", "snakemake", "--cores", "1", "--rerun-incomplete", TARGET]
    done = subprocess.run(local, cwd=house, env=cluster.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [each["id"] for each in cluster.jobs(*ALIVE)] == [job]
    cluster.run("scancel", job)
    assert results(house) == results(built)


@pytest.mark.cluster
def test_a_full_disk(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", RELEASE)
    with small_disk(house, 128 << 20):
        run = Run(house, cluster, TARGET, "--retries", "0")
        run.job("export_pairs")
        fill(house / "filling")
        output = run.fails()
        assert "No space left on device" in output
        (house / "filling").unlink()
        if locked(house):
            unlock(house, cluster)
        Run(house, cluster, TARGET).ends()
        assert results(house) == results(built)
