"""Nodes and login nodes whose file systems show things late, or not at all, or are full."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.faults import empty_queue, ended, fill, locked, out_of_service, small_disk
from tests.slurm.runs import Run
from tests.slurm.toy import MADE, NEW, is_at_work, key_of, let_go, new_toy

__all__ = ["empty_queue"]
pytestmark = pytest.mark.usefixtures("empty_queue")


LATENCY = 100  # seconds; Snakemake looks ten times


@pytest.fixture
def house(tmp_path: Path) -> Path:
    house = new_toy(tmp_path / "house")
    let_go(house)
    return house


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
def late_results(cluster: Cluster, house: Path, shadow: Path) -> Iterator[None]:
    """All jobs go to a node that writes results to a shadow of the house's, where the others do not see them."""
    shutil.copytree(house / "results", shadow)
    with (
        mounted(cluster, "n1", f"mount --bind {shadow} {house}/results"),
        out_of_service(cluster, "n[2-3]", "drain"),
    ):
        yield


def show(shadow: Path, house: Path) -> None:
    """Let a late result appear."""
    arriving = house / "arriving"
    shutil.copytree(shadow / "made" / "dish", arriving)
    (house / MADE).parent.mkdir(exist_ok=True)
    arriving.rename(house / MADE)


def test_results_are_seen_late(house: Path, cluster: Cluster, tmp_path: Path) -> None:
    """The old one, which is all that could be seen, is not taken for the new one."""
    shadow = tmp_path / "shadow"
    with late_results(cluster, house, shadow):
        run = Run(house, cluster, *NEW, latency=LATENCY)
        assert ended(cluster, run.job("made", "RUNNING", "COMPLETED")["id"]) == "COMPLETED"
        run.says(f"Waiting at most {LATENCY} seconds for missing files")
        assert key_of(house) == ""
        show(shadow, house)
        run.ends()
    assert key_of(house) == "new"


def test_results_are_seen_too_late(house: Path, cluster: Cluster, tmp_path: Path) -> None:
    shadow = tmp_path / "shadow"
    with late_results(cluster, house, shadow):
        output = Run(house, cluster, "--retries", "0", *NEW, latency=2).fails()
        assert "--latency-wait" in output and key_of(house) == ""
        show(shadow, house)
    Run(house, cluster, *NEW).ends()
    assert key_of(house) == "new"


def test_a_node_without_the_environment(house: Path, cluster: Cluster) -> None:
    if sys.prefix == sys.base_prefix:
        pytest.skip("an environment that can be hidden is a virtual one")
    with mounted(cluster, "n2", f"mount -t tmpfs none {sys.prefix}"):
        with out_of_service(cluster, "n[1,3]", "drain"):
            output = Run(house, cluster, "--retries", "0", *NEW).fails()
            assert "on n2 after" in output and "--slurm-robust-exclude-failed-nodes n2" in output
            assert key_of(house) == ""
        Run(house, cluster, "--slurm-robust-exclude-failed-nodes", "n2", *NEW).ends()
    assert key_of(house) == "new"


def test_the_login_node_s_disk_is_full(tmp_path: Path, cluster: Cluster) -> None:
    house = new_toy(tmp_path / "house")
    with small_disk(house, 4 << 20):
        run = Run(house, cluster, "--retries", "0", *NEW)
        cluster.until(lambda: is_at_work(house), "a job is at work")
        fill(house / "filling")
        let_go(house)
        assert "No space left on device" in run.fails()
        assert key_of(house) == ""
        (house / "filling").unlink()
        if locked(house):
            Run(house, cluster, "--unlock").ends()
        Run(house, cluster, *NEW).ends()
        assert key_of(house) == "new"
