"""The private Slurm of the gate: without accounting, which needs a database."""

from collections.abc import Iterator

import pytest

from tests.slurm.cluster import Cluster, missing
from tests.slurm.runs import Run


@pytest.fixture
def small_cluster(tmp_path: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two nodes, no accounting."""
    if reason := missing(accounting=False):
        pytest.skip(reason)
    cluster = Cluster(tmp_path_factory.mktemp("slurm") / "cluster", accounting=False, nodes=2)
    try:
        cluster.start()
        yield cluster
    finally:
        for run in list(Run.alive):
            run.kill()
        cluster.stop()
