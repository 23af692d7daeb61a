"""Private Slurm clusters for a session's tests: one with accounting, one without. Tests that break one mend it."""

from collections.abc import Iterator

import pytest

from tests.slurm.cluster import Cluster, started
from tests.slurm.runs import Run
from tests.workflow.conftest import built, planner, writer

__all__ = ["built", "planner", "writer"]


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with accounting: account lab, nodes n1 to n3, partitions cpu, gpu, short and high."""
    with started(tmp_path_factory.mktemp("slurm"), accounting=True) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def bare_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster without accounting, on which preemption ends jobs for good."""
    with started(tmp_path_factory.mktemp("slurm"), accounting=False, preempt_mode="CANCEL") as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def no_run_is_left() -> Iterator[None]:
    """A test that fails leaves no Snakemake behind that would wait for its jobs."""
    yield
    for run in list(Run.alive):
        run.kill()
