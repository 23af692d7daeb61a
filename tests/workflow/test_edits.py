"""The heart of the house: edit something, run again, and exactly the rules that the edit touches run."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.conftest import rules_run, snakemake
from tests.workflow.changes import setting
from tests.workflow.conftest import EVERY, copy_of, digests
from tests.workflow.edits import BUILT_ANEW, EDITS, sometimes
from tests.workflow.setting_edits import MOVED, SETTINGS

TIMED = "report/page/index.html"  # it shows run times
NOTHING = "Nothing to be done"  # and not even the rule of the target, which Snakemake lists where it looked too early


@pytest.mark.parametrize("name", [name for name in (*EDITS, *SETTINGS) if name not in {BUILT_ANEW, MOVED}])
def test_edit_runs_exactly(name: str, built: Path, writer: Callable[[str], str], tmp_path: Path) -> None:
    edit_exactly(copy_of(built, tmp_path / "house"), name, writer)


def test_an_edited_house_holds_what_one_built_with_the_edit_holds(
    built: Path, writer: Callable[[str], str], tmp_path: Path
) -> None:
    """It is built in another folder of results; the old one stays."""
    house = copy_of(built, tmp_path / "house")
    edit_exactly(house, BUILT_ANEW, writer)
    edited = digests(house)
    setting("results", "elsewhere/run 2")(house)
    assert rules_run(snakemake(house, cores=2).stdout) == EVERY
    assert digests(house) == edited
    anew = digests(house, "elsewhere/run 2")
    assert anew.keys() == edited.keys()
    for path in {path for path in anew if anew[path] != edited[path]} - {TIMED}:
        # What a cutoff spared names the sources that it was made of, which were others; so does what is made of it.
        old, new = (pq.read_table(house / results / path) for results in ("results", "elsewhere/run 2"))
        assert old.equals(new), path
        about = [{**each.schema.metadata, b"sources": b""} for each in (old, new)]
        assert about[0] == about[1], path


def edit_exactly(house: Path, name: str, writer: Callable[[str], str]) -> None:
    """Edit a built house and run it; just what the edit touches runs, and changes."""
    before = digests(house)
    edit, expected = (EDITS | SETTINGS)[name]
    edit(house)
    maybe = sometimes(name)
    assert rules_run(snakemake(house).stdout) - maybe == expected - maybe
    after = digests(house)
    untouched = {path for path in before if writer(path) not in expected | maybe}
    assert {path: after.get(path) for path in untouched} == {path: before[path] for path in untouched}
    assert NOTHING in snakemake(house, "--dry-run").stdout, "a second run has nothing to do"
