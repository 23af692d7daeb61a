"""Nodes and login nodes whose file systems show things late, or not at all, or are full."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.slurm.checks import NEEDS_ROOT, blind
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


@NEEDS_ROOT
def test_results_are_seen_late(house: Path, cluster: Cluster, tmp_path: Path) -> None:
    """The old one, which is all that could be seen, is not taken for the new one."""
    shadow = tmp_path / "shadow"  # where jobs write results, unseen by all others
    shutil.copytree(house / "results", shadow)
    with (
        blind(cluster, "n1", f"--bind {shadow} {house}/results"),
        out_of_service(cluster, "n[2-3]", "drain"),
    ):
        run = Run(house, cluster, *NEW, latency=LATENCY)
        assert ended(cluster, run.job("made", "RUNNING", "COMPLETED")["id"]) == "COMPLETED"
        run.says(f"Waiting at most {LATENCY} seconds for missing files")
        assert key_of(house) == ""
        shutil.copytree(shadow / "made" / "dish", house / "arriving")
        (house / MADE).parent.mkdir(exist_ok=True)
        (house / "arriving").rename(house / MADE)
        run.ends()
    assert key_of(house) == "new"


@NEEDS_ROOT
def test_a_node_without_the_environment(house: Path, cluster: Cluster) -> None:
    if sys.prefix == sys.base_prefix:
        pytest.skip("an environment that can be hidden is a virtual one")
    with blind(cluster, "n2", f"-t tmpfs none {sys.prefix}"):
        with out_of_service(cluster, "n[1,3]", "drain"):
            output = Run(house, cluster, "--retries", "0", *NEW).fails()
            assert "on n2 after" in output and "--slurm-robust-exclude-failed-nodes n2" in output
            assert key_of(house) == ""
        Run(house, cluster, "--slurm-robust-exclude-failed-nodes", "n2", *NEW, quick=True).ends()
    assert key_of(house) == "new"


def test_the_login_node_s_disk_is_full(tmp_path: Path, cluster: Cluster) -> None:
    house = new_toy(tmp_path / "house")
    with small_disk(house, 16 << 20):
        run = Run(house, cluster, "--retries", "0", *NEW)
        cluster.until(lambda: is_at_work(house), "a job is at work")
        fill(house / "filling")
        let_go(house)
        assert "No space left on device" in run.fails()
        assert key_of(house) == ""
        (house / "filling").unlink()
        if locked(house):
            Run(house, cluster, "--unlock").ends()
        Run(house, cluster, *NEW, quick=True).ends()
        assert key_of(house) == "new"
