"""The workflow on a cluster gives what it gives on one machine: the demo, GPU jobs, edits."""

import shutil
from pathlib import Path

import pytest

from tests.conftest import copy_house, rules_run, snakemake
from tests.slurm.cluster import Cluster
from tests.slurm.runs import Run, house_without, results, write_site
from tests.workflow.conftest import EVERY, writer
from tests.workflow.edits import COMPARED, EDITS, PLANNED_EDITS, PLANNED_SETTINGS, SETTINGS, sometimes

GPU_RULES = ("match_translate", "match_embed", "match_search")
PARTITIONS = "{cpu: {max_mem_mb: 16000}, gpu: {max_mem_mb: 16000, max_gpu: 2}}"

# Edits of ingestion redo nearly everything and are alike: one of them goes through Slurm.
# Runs go through Slurm with the demo and in test_training.py; edits go through it in a house that has none.
OF_RUNS = {"train_pairs", "train_recipes", "train_model", "generate_instances", "generate_rewrites"}
OF_RUNS |= {"generate_decode", "generate_predictions", "generate_retrieval", "evaluate_metrics"}
OF_ALL_RUNS = {"evaluate_summary", "evaluate_correlations", "evaluate_literal"}  # they are there even of none
LONG = {name for name in SETTINGS if name.startswith("ingest.recipes.")} - {"ingest.recipes.emoji"}


@pytest.fixture(scope="session")
def without_runs(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built house whose table of runs is empty."""
    house = house_without(built, tmp_path_factory.mktemp("without_runs") / "house")
    table = house / "data" / "runs.tsv"
    table.write_text(table.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    snakemake(house)
    return house


def test_one_job_goes_through_slurm(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", "export/pairs/zh-en")
    output = Run(house, cluster, "results/export/pairs/zh-en").ends()
    assert rules_run(output) == {"export_pairs"}
    assert results(house) == results(built)


@pytest.mark.cluster
def test_the_demo_ends_in_the_bytes_of_a_local_run(cluster: Cluster, tmp_path: Path) -> None:
    local, house = copy_house(tmp_path / "local"), copy_house(tmp_path / "cluster")
    every = rules_run(snakemake(local, cores=2).stdout)
    write_site(house, account="lab", partitions=PARTITIONS)
    run = Run(house, cluster, "--set-resources", *(f"{rule}:gpu=1" for rule in GPU_RULES))
    seen = {rule: run.job(rule, "RUNNING", "COMPLETED", seconds=900) for rule in GPU_RULES}
    for job in seen.values():
        assert job["partition"] == "gpu"
        assert "gres/gpu=1" in cluster.run("scontrol", "show", "job", job["id"])
    assert rules_run(run.ends(2400)) == every
    assert results(house) == results(local)


# Where a job's input is made anew with the same bytes, Snakemake runs the job if it looked before that was so. On a
# cluster jobs end in any order, so the quick steps of COMPARED may run without need, with the same bytes.
@pytest.mark.cluster
@pytest.mark.parametrize("name", [name for name in (EDITS | SETTINGS) if name not in LONG])
def test_edit_runs_exactly(name: str, without_runs: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(without_runs, tmp_path / "house")
    before = results(house)
    edit, expected = (EDITS | SETTINGS)[name]
    expected = expected - OF_RUNS - (set() if expected == EVERY else OF_ALL_RUNS)
    edit(house)
    ran = rules_run(Run(house, cluster).ends(1800))
    maybe = sometimes(name)
    assert expected - maybe <= ran <= expected | maybe | COMPARED
    after = results(house)
    untouched = {path for path in before if writer(path) not in expected | maybe}
    assert {path: after.get(path) for path in untouched} == {path: before[path] for path in untouched}


@pytest.mark.cluster
@pytest.mark.parametrize("name", [*PLANNED_EDITS, *PLANNED_SETTINGS])
def test_edit_would_run_exactly(name: str, built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house")
    edit, expected = (PLANNED_EDITS | PLANNED_SETTINGS)[name]
    edit(house)
    assert rules_run(Run(house, cluster, "--dry-run").ends()) == expected
    shutil.rmtree(house)
