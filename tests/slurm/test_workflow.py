"""The workflow on a cluster gives what it gives on one machine: all of it, GPU jobs, edits."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.conftest import rules_run
from tests.slurm.cluster import Cluster
from tests.slurm.runs import QUICK, Run, results, write_site
from tests.workflow.changes import append
from tests.workflow.conftest import EVERY, new_house, write_corpora, write_sentences
from tests.workflow.touched_rules import COMPARED, TRANSLATED

GPU_RULES = ("match_translate", "match_embed", "match_search")
PARTITIONS = "{cpu: {max_mem_mb: 16000}, gpu: {max_mem_mb: 16000, max_gpu: 2}}"

# Its rule runs, and a cutoff stops it. Of what stands behind other cutoffs, tests/workflow tries every edit.
WORD = append("resources/lexicon/words.tsv", "鱼\tfish\tingredient\n")  # which no title has


def test_it_ends_in_the_bytes_of_a_local_run_and_an_edit_runs_what_follows_from_it(
    built: Path, writer: Callable[[str], str], cluster: Cluster, tmp_path: Path
) -> None:
    """Jobs end in any order here, so that quick steps (COMPARED) may run without need, with the same bytes."""
    house = new_house(tmp_path / "house")
    write_site(house, account="lab", partitions=PARTITIONS)
    on_cpu = {step: {"device": "cpu"} for step in ("translate", "embed")}  # the cluster's GPUs are not real
    (house / "mine.yaml").write_text(yaml.safe_dump({"match": on_cpu}))
    gpus = [f"{rule}:gpu=1" for rule in GPU_RULES]
    options = ("--configfile", "mine.yaml", "--set-resources", *gpus)
    run = Run(house, cluster, *options, quick=True)
    for rule in GPU_RULES:
        job = run.job(rule, "RUNNING", "COMPLETED")
        assert job["partition"] == "gpu"
        assert "gres/gpu=1" in cluster.run("scontrol", "show", "job", job["id"])
    assert rules_run(run.ends(2400)) == EVERY
    before = results(house)
    assert before == results(built)
    WORD(house)
    ran = rules_run(Run(house, cluster, *options, quick=True).ends(1800))
    assert TRANSLATED <= ran <= TRANSLATED | COMPARED
    after = results(house)
    assert {path for path in before if after.get(path) != before[path]} <= {
        path for path in before if writer(path) in TRANSLATED
    }


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
