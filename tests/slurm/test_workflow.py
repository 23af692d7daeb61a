"""The workflow on a cluster gives what it gives on one machine: all of it, GPU jobs, edits."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.conftest import rules_run, snakemake
from tests.slurm.cluster import Cluster
from tests.slurm.runs import QUICK, Run, house_without, results, write_site
from tests.workflow.conftest import EVERY, new_house, write_corpora, write_sentences
from tests.workflow.edits import EDITS, sometimes
from tests.workflow.setting_edits import SETTINGS
from tests.workflow.touched_rules import COMPARED

GPU_RULES = ("match_translate", "match_embed", "match_search")
PARTITIONS = "{cpu: {max_mem_mb: 16000}, gpu: {max_mem_mb: 16000, max_gpu: 2}}"

# Runs go through Slurm with the whole and in test_training.py; edits go through it in a house that has none.
OF_RUNS = {"train_pairs", "train_recipes", "train_model", "generate_instances", "generate_rewrites"}
OF_RUNS |= {"generate_decode", "generate_predictions", "generate_retrieval", "evaluate_metrics"}
OF_RUNS |= {"evaluate_outputs"}
OF_RUNS |= {"evaluate_summary", "evaluate_correlations", "evaluate_literal"}  # they are there even of no runs
# One that a cutoff stops, and one that goes through it; tests/workflow holds all others.
ON_SLURM = ("a word of the lexicon that no title has", "a word of the lexicon that a title has")


@pytest.fixture(scope="session")
def without_runs(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built house whose table of runs is empty."""
    house = house_without(built, tmp_path_factory.mktemp("without_runs") / "house")
    table = house / "data" / "runs.tsv"
    table.write_text(table.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    snakemake(house)
    return house


def test_it_ends_in_the_bytes_of_a_local_run(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = new_house(tmp_path / "house")
    write_site(house, account="lab", partitions=PARTITIONS)
    on_cpu = {step: {"device": "cpu"} for step in ("translate", "embed")}  # the cluster's GPUs are not real
    (house / "mine.yaml").write_text(yaml.safe_dump({"match": on_cpu}))
    gpus = [f"{rule}:gpu=1" for rule in GPU_RULES]
    run = Run(house, cluster, "--configfile", "mine.yaml", "--set-resources", *gpus, quick=True)
    for rule in GPU_RULES:
        job = run.job(rule, "RUNNING", "COMPLETED")
        assert job["partition"] == "gpu"
        assert "gres/gpu=1" in cluster.run("scontrol", "show", "job", job["id"])
    assert rules_run(run.ends(2400)) == EVERY
    assert results(house) == results(built)


SOON = ("--slurm-robust-init-seconds-before-status-checks", "1")
PART = "out/ingest/recipes/xiachufang/part-00000.parquet"


@pytest.mark.parametrize("how", ["-s", "--directory"])
def test_a_run_from_elsewhere_within_an_allocation_finds_the_site_and_slurm(
    how: str, bare_cluster: Cluster, tmp_path: Path
) -> None:
    """The site's file lies beside the profile; SLURM_CONF stays where all that tells of the allocation goes."""
    house, elsewhere = new_house(tmp_path / "house"), tmp_path / "elsewhere"
    write_site(house, account=None, partitions="{cpu: {max_mem_mb: 16000}}")
    write_corpora(elsewhere / "data")
    write_sentences(elsewhere / "data")
    (elsewhere / "my.yaml").write_text("results: out\n", encoding="utf-8")
    where = {
        "-s": ("-s", str(house / "Snakefile"), "--profile", str(house / "slurm"), "--configfile", "my.yaml"),
        "--directory": (
            "--profile",
            "slurm",
            "--directory",
            str(elsewhere),
            "--configfile",
            "../elsewhere/my.yaml",
        ),
    }
    allocation = {"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "nowhere", "SLURM_MEM_PER_CPU": "1"}
    done = subprocess.run(
        [sys.executable, str(QUICK), *where[how], *SOON, "--", PART],
        cwd=elsewhere if how == "-s" else house,
        env=bare_cluster.environment | allocation,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "SLURM job context" in done.stdout
    assert (elsewhere / PART).exists()


# Where a job's input is made anew with the same bytes, Snakemake runs the job if it looked before that was so. On a
# cluster jobs end in any order, so the quick steps of COMPARED may run without need, with the same bytes.
@pytest.mark.parametrize("name", ON_SLURM)
def test_edit_runs_exactly(
    name: str, without_runs: Path, writer: Callable[[str], str], cluster: Cluster, tmp_path: Path
) -> None:
    house = house_without(without_runs, tmp_path / "house")
    before = results(house)
    edit, expected = (EDITS | SETTINGS)[name]
    expected = expected - OF_RUNS
    edit(house)
    ran = rules_run(Run(house, cluster, quick=True).ends(1800))
    maybe = sometimes(name)
    assert expected - maybe <= ran <= expected | maybe | COMPARED
    after = results(house)
    untouched = {path for path in before if writer(path) not in expected | maybe}
    assert {path: after.get(path) for path in untouched} == {path: before[path] for path in untouched}
