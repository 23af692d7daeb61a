"""Private Slurm clusters for a session's tests: one with accounting, one without. Tests that break one mend it."""

from collections.abc import Iterator

import pytest

from tests.slurm.cluster import Cluster, missing
from tests.slurm.runs import Run
from tests.workflow.conftest import built, planner, writer

__all__ = ["built", "planner", "writer"]


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with accounting: account lab, nodes n1 to n3, partitions cpu, gpu, short and high."""
    yield from _started(tmp_path_factory, accounting=True)


@pytest.fixture(scope="session")
def bare_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster without accounting, on which preemption ends jobs for good."""
    yield from _started(tmp_path_factory, accounting=False, preempt_mode="CANCEL")


def _started(
    folders: pytest.TempPathFactory, *, accounting: bool, preempt_mode: str = "REQUEUE"
) -> Iterator[Cluster]:
    if reason := missing(accounting):
        pytest.skip(reason)
    cluster = Cluster(folders.mktemp("slurm") / "cluster", accounting=accounting, preempt_mode=preempt_mode)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(autouse=True)
def no_run_is_left() -> Iterator[None]:
    """A test that fails leaves no Snakemake behind that would wait for its jobs."""
    yield
    for run in list(Run.alive):
        run.kill()
