"""The private Slurm of the gate: two nodes, and no accounting, which would need a database."""

from collections.abc import Iterator

import pytest

from tests.slurm.cluster import Cluster, started
from tests.slurm.conftest import built, no_run_is_left

__all__ = ["built", "no_run_is_left"]


@pytest.fixture
def small_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with started(tmp_path_factory.mktemp("slurm"), accounting=False, nodes=2) as cluster:
        yield cluster
