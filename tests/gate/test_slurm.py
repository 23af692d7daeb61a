"""A small house through a private Slurm: one stage, an edit whose first job is lost, and then nothing to do."""

from pathlib import Path

from tests.conftest import rules_run, snakemake
from tests.slurm.cluster import Cluster
from tests.slurm.faults import out_of_service
from tests.slurm.runs import Run, results, write_site
from tests.workflow.changes import replace
from tests.workflow.conftest import new_house

ONLY = ("--", "match")
BEFORE = {"ingest_source", "ingest_recipes", "match_eligible", "match_titles"}
EDIT = replace("resources/lexicon/words.tsv", "Apple Pie", "Deep Dish Apple Pie")  # a title has the word
EDITED = {"match", *(f"match_{step}" for step in ("translate", "texts", "embed", "vectors", "search"))}
EDITED |= {"match_pair", "match_split", "match_statistics"}


def test_a_stage_then_an_edit_with_a_lost_job_then_nothing(small_cluster: Cluster, tmp_path: Path) -> None:
    house = new_house(tmp_path / "house")
    write_site(house, account=None)
    assert rules_run(Run(house, small_cluster, *ONLY).ends()) == BEFORE | EDITED

    EDIT(house)
    old = translated(house)
    with out_of_service(small_cluster, "n[1-2]", "drain"):
        run = Run(house, small_cluster, *ONLY, latency=1)
        lost = run.job("match_translate", "PENDING")["id"]
        assert translated(house) < old, "the old result goes when the job is submitted"
        with run.stopped():
            small_cluster.forget_all()
    said = run.ends()
    assert rules_run(said) == EDITED
    assert f"Slurm job {lost} (match_translate): Slurm does not know it any more" in said

    assert "Nothing to be done" in Run(house, small_cluster, *ONLY).ends()
    local = new_house(tmp_path / "local")
    EDIT(local)
    snakemake(local, *ONLY)
    assert results(house) == results(local)


def translated(house: Path) -> set[Path]:
    """What match_translate has written."""
    return set((house / "results/match/translate").rglob("*.parquet"))
