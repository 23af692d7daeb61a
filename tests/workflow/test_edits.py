"""The heart of the house: edit something, run again, and exactly the rules that the edit touches run."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.conftest import rules_run, snakemake
from tests.workflow.changes import setting
from tests.workflow.conftest import EVERY, copy_of, digests, new_house
from tests.workflow.edits import BUILT_ANEW, EDITS, SETTINGS, sometimes

TIMED = "report/page/index.html"  # it shows run times
NOTHING = "Nothing to be done"  # and not even the rule of the target, which Snakemake lists where it looked too early


@pytest.mark.parametrize("name", [*EDITS, *SETTINGS])
def test_edit_runs_exactly(name: str, built: Path, writer: Callable[[str], str], tmp_path: Path) -> None:
    house = copy_of(built, tmp_path / "house")
    before = digests(house)
    edit, expected = (EDITS | SETTINGS)[name]
    edit(house)
    maybe = sometimes(name)
    assert rules_run(snakemake(house).stdout) - maybe == expected - maybe
    after = digests(house)
    untouched = {path for path in before if writer(path) not in expected | maybe}
    assert {path: after.get(path) for path in untouched} == {path: before[path] for path in untouched}
    assert NOTHING in snakemake(house, "--dry-run").stdout, "a second run has nothing to do"


def test_what_an_edited_house_holds_is_what_one_built_with_the_edit_holds(
    built: Path, tmp_path: Path
) -> None:
    edited = copy_of(built, tmp_path / "edited")
    anew = new_house(tmp_path / "anew")
    edit, expected = BUILT_ANEW
    edit(edited)
    assert rules_run(snakemake(edited, cores=2).stdout) == expected
    edit(anew)
    snakemake(anew, cores=2)
    ours, theirs = digests(edited), digests(anew)
    assert ours.keys() == theirs.keys()
    other = {path for path in ours if ours[path] != theirs[path]} - {TIMED}
    for path in other:  # what a cutoff spared names the sources that it was made of, which were others
        assert pq.read_table(edited / "results" / path).equals(pq.read_table(anew / "results" / path)), path


def test_another_results_folder_is_filled_and_the_old_one_stays(built: Path, tmp_path: Path) -> None:
    house = copy_of(built, tmp_path / "house")
    before = digests(house)
    setting("results", "elsewhere/run 2")(house)
    assert rules_run(snakemake(house, cores=2).stdout) == EVERY
    assert digests(house) == before
    before.pop(TIMED)
    moved = digests(house, "elsewhere/run 2")
    moved.pop(TIMED)
    assert moved == before
