"""Jobs that ask an endpoint on the cluster get its key."""

from pathlib import Path

import pytest
from wokflow.frame import tables

from tests.generate.servers import endpoint
from tests.slurm.cluster import Cluster
from tests.slurm.faults import empty_queue
from tests.slurm.runs import Run, house_without
from tests.workflow.changes import append

__all__ = ["empty_queue"]
pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("empty_queue")]

PREDICTED = "results/generate/predictions/asked/part-00000.parquet"
KEY = "sk-a-key-that-nobody-else-has"


@pytest.mark.parametrize("site", [{}, {"SBATCH_EXPORT": "NONE", "SLURM_EXPORT_ENV": "NONE"}])
def test_a_prompt_job_has_its_key(
    site: dict[str, str], built: Path, cluster: Cluster, tmp_path: Path
) -> None:
    house = house_without(built, tmp_path / "house")
    with endpoint() as server:
        settings = f"prompt.endpoint={server.url}; prompt.key_variable=LAB_API_KEY"
        append("data/runs.tsv", f"asked\tnone\tprompt\tgpt-9\tcounterfactual\trewrite\t{settings}\t\n")(house)
        before = dict(cluster.environment)
        cluster.environment |= site | {"LAB_API_KEY": KEY}
        try:
            output = Run(house, cluster, PREDICTED).ends()
        finally:
            cluster.environment.clear()
            cluster.environment.update(before)
    assert {asked.headers["Authorization"] for asked in server.asked} == {f"Bearer {KEY}"}
    assert len(tables.read(f"{house}/{PREDICTED}")) == 2 and KEY not in output
