"""Faults of nodes, of Slurm's daemons and of file systems."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster, missing
from tests.slurm.faults import (
    RELEASE,
    TARGET,
    at_work,
    begins_soon,
    empty_queue,
    ended,
    processes,
    waits_again,
)
from tests.slurm.runs import Run, house_without, results

__all__ = ["empty_queue"]
pytestmark = [pytest.mark.usefixtures("empty_queue")]


@pytest.fixture
def house(built: Path, tmp_path: Path) -> Path:
    """A house that lacks one release."""
    return house_without(built, tmp_path / "house", RELEASE)


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
def mounted(cluster: Cluster, node: str, mount: str) -> Iterator[None]:
    """The cluster with a node whose daemon and jobs have a mount that nobody else has."""
    if os.geteuid() or subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        pytest.skip("mounts of a node's own take root")
    cluster.end(f"slurmd.{node}")
    try:
        cluster.start_node(node, "unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh")
        cluster.until(lambda: cluster.idle() == cluster.nodes, "all nodes are idle")
        yield
    finally:
        cluster.end(f"slurmd.{node}")
        cluster.start_node(node)
        cluster.until(lambda: cluster.idle() == cluster.nodes, "all nodes are idle")


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


def test_a_node_goes_down(built: Path, house: Path, cluster: Cluster) -> None:
    run = Run(house, cluster, TARGET)
    job = run.job("export_pairs")
    with out_of_service(cluster, job["nodes"], "down"):
        waits_again(cluster, job["id"])
        begins_soon(cluster, job["id"])
        run.ends()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_a_node_dies(built: Path, house: Path, cluster: Cluster) -> None:
    run = Run(house, cluster, TARGET)
    job = run.job("export_pairs")
    at_work(cluster, job["id"])
    cluster.end(f"slurmd.{job['nodes']}", signal.SIGKILL)
    try:
        for process in processes(cluster, job["id"]):
            with suppress(ProcessLookupError):  # one of them may end by itself
                os.kill(process, signal.SIGKILL)
        waits_again(cluster, job["id"])
        begins_soon(cluster, job["id"])
        run.ends()
    finally:
        cluster.start_node(job["nodes"])
        cluster.until(lambda: cluster.idle() == cluster.nodes, "all nodes are idle")
    assert results(house) == results(built)


@pytest.mark.cluster
def test_the_controller_is_restarted(built: Path, house: Path, cluster: Cluster) -> None:
    run = Run(house, cluster, TARGET)
    at_work(cluster, run.job("export_pairs")["id"])
    with cluster.without("slurmctld"):
        time.sleep(5)
    run.ends()
    assert results(house) == results(built)


@pytest.mark.cluster
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_the_controller_is_away_while_a_job_ends(
    built: Path, house: Path, cluster: Cluster, how: int
) -> None:
    run = Run(house, cluster, TARGET)
    job = run.job("export_pairs")["id"]
    at_work(cluster, job)
    with stopped(processes(cluster, job)):
        now = time.time()
        saved = cluster.home / "state" / "job_state"
        cluster.run("scontrol", "update", f"jobid={job}", "AdminComment=tested")  # something to save
        cluster.until(lambda: saved.stat().st_mtime > now, "the controller has saved what it knows")
        cluster.end("slurmctld", how)
    try:
        run.says("Slurm does not answer. The jobs go on by themselves")
        cluster.until(lambda: (house / TARGET).exists(), "the job has ended")
        assert run.process.poll() is None
    finally:
        cluster.start_controller()
    assert "Slurm answers again." in run.ends()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_the_controller_forgets_jobs(built: Path, house: Path, tmp_path: Path) -> None:
    """A job ends and is forgotten before it was ever asked for, and sacct, which is there, does not work."""
    if reason := missing(accounting=False):
        pytest.skip(reason)
    cluster = Cluster(tmp_path / "cluster", accounting=False, nodes=1, min_job_age=2)
    try:
        cluster.start()
        run = Run(house, cluster, TARGET, "--slurm-init-seconds-before-status-checks", "90", fast=False)
        cluster.until(lambda: (house / TARGET).exists(), "the job has ended")
        cluster.until(lambda: not cluster.jobs(), "the job is forgotten", 75)
        run.ends()
    finally:
        cluster.stop()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_accounting_is_down_from_the_start(built: Path, house: Path, cluster: Cluster) -> None:
    with cluster.without("slurmdbd"):
        Run(house, cluster, TARGET).ends()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_accounting_goes_down(built: Path, house: Path, cluster: Cluster) -> None:
    run = Run(house, cluster, TARGET)
    run.job("export_pairs")
    with cluster.without("slurmdbd"):
        run.ends()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_without_accounting(built: Path, tmp_path: Path, bare_cluster: Cluster) -> None:
    house = house_without(built, tmp_path / "house", RELEASE, account=None)
    Run(house, bare_cluster, TARGET).ends()
    assert results(house) == results(built)


@contextmanager
def late_results(cluster: Cluster, house: Path, shadow: Path) -> Iterator[None]:
    """All jobs go to a node that writes results to a shadow of the house's, where the others do not see them."""
    shutil.copytree(house / "results", shadow)
    with (
        mounted(cluster, "n1", f"mount --bind {shadow} {house}/results"),
        out_of_service(cluster, "n[2-3]", "drain"),
    ):
        yield


def show(shadow: Path, house: Path) -> None:
    """Let a late release appear."""
    arriving = house / "arriving"
    shutil.copytree(shadow / RELEASE, arriving)
    arriving.rename(house / TARGET)


@pytest.mark.cluster
def test_a_file_system_shows_results_late(built: Path, house: Path, cluster: Cluster, tmp_path: Path) -> None:
    shadow = tmp_path / "shadow"
    with late_results(cluster, house, shadow):
        run = Run(house, cluster, TARGET)
        assert ended(cluster, run.job("export_pairs")["id"]) == "COMPLETED"
        run.says("Waiting at most 10 seconds for missing files")
        time.sleep(3)
        show(shadow, house)
        run.ends()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_a_file_system_shows_results_too_late(
    built: Path, house: Path, cluster: Cluster, tmp_path: Path
) -> None:
    shadow = tmp_path / "shadow"
    quick = ("--retries", "0", "--slurm-init-seconds-before-status-checks", "1", "--latency-wait", "2")
    with late_results(cluster, house, shadow):
        output = Run(house, cluster, TARGET, *quick, fast=False).fails()
        assert "--latency-wait" in output
        show(shadow, house)
    Run(house, cluster, TARGET).ends()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_a_node_without_the_environment(built: Path, house: Path, cluster: Cluster) -> None:
    if sys.prefix == sys.base_prefix:
        pytest.skip("an environment that can be hidden is a virtual one")
    with mounted(cluster, "n2", f"mount -t tmpfs none {sys.prefix}"):
        with out_of_service(cluster, "n[1,3]", "drain"):
            output = Run(house, cluster, TARGET, "--retries", "0").fails()
            assert "on n2 after" in output and "--slurm-exclude-failed-nodes n2" in output
        Run(house, cluster, TARGET, "--slurm-exclude-failed-nodes", "n2").ends()
    assert results(house) == results(built)
