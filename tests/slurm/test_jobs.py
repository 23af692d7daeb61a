"""Faults of single jobs."""

from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.runs import Run, house_without, results
from tests.workflow.conftest import built

__all__ = ["built"]
RELEASE = "export/pairs/zh-en"


def test_a_cancelled_job_is_tried_again(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", RELEASE)
    run = Run(house, cluster, f"results/{RELEASE}")
    cluster.run("scancel", run.job("export_pairs")["id"])
    output = run.ends()
    assert "CANCELLED: somebody, or the cluster, cancelled it" in output
    assert results(house) == results(built)
