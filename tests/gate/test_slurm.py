"""A small house through a private Slurm: one stage, an edit whose first job is lost, and then nothing to do."""

from pathlib import Path

from tests.conftest import rules_run
from tests.slurm.cluster import Cluster
from tests.slurm.faults import out_of_service
from tests.slurm.runs import Run, results, write_site
from tests.workflow.changes import replace
from tests.workflow.conftest import new_house

ONE_JOB = ("--", "results/ingest/source/recipenlg.json")
ONLY = ("--", "match")
BEFORE = {"ingest_source", "ingest_recipes", "match_eligible", "match_titles"}
WORD, OTHER = "Apple Pie", "Deep Dish Apple Pie"  # a title has the word
EDITED = {"match", *(f"match_{step}" for step in ("translate", "texts", "embed", "vectors", "search"))}
EDITED |= {"match_pair", "match_split", "match_statistics"}


def test_a_stage_then_an_edit_with_a_lost_job_then_nothing(
    built: Path, small_cluster: Cluster, tmp_path: Path
) -> None:
    """The edit gives the house the content of the built one, whose jobs ran on this machine.

    A job starts as users' jobs do, all others in forks: each would import Snakemake twice.
    """
    house = new_house(tmp_path / "house")
    write_site(house, account=None)
    assert rules_run(Run(house, small_cluster, *ONE_JOB).ends()) == {"ingest_source"}

    words = "resources/lexicon/words.tsv"
    replace(words, WORD, OTHER)(house)
    assert rules_run(Run(house, small_cluster, *ONLY, quick=True).ends()) == BEFORE | EDITED
    before = results(house)

    replace(words, OTHER, WORD)(house)
    old = translated(house)
    with out_of_service(small_cluster, "n[1-2]", "drain"):
        run = Run(house, small_cluster, *ONLY, latency=1, quick=True)
        lost = run.job("match_translate", "PENDING")["id"]
        assert translated(house) < old, "the old result goes when the job is submitted"
        with run.stopped():
            small_cluster.forget_all()
    said = run.ends()
    assert rules_run(said) == EDITED
    assert f"Slurm job {lost} (match_translate): Slurm does not know it any more" in said

    assert "Nothing to be done" in Run(house, small_cluster, *ONLY).ends()
    local = results(built)
    assert results(house) == {path: local.get(path) for path in before} != before


def translated(house: Path) -> set[Path]:
    """What match_translate has written."""
    return set((house / "results/match/translate").rglob("*.parquet"))
