"""The heart of the house: edit something, run again, and exactly the rules that the edit touches run."""

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from tests.conftest import rules_run, snakemake
from tests.workflow.changes import setting
from tests.workflow.conftest import EVERY, digests, new_house, writer
from tests.workflow.edits import EDITS, PLANNED_EDITS, PLANNED_SETTINGS, SETTINGS, sometimes
from tests.workflow.run_edits import RUN_EDITS, RUN_SETTINGS

PLANNED = PLANNED_EDITS | PLANNED_SETTINGS | RUN_EDITS | RUN_SETTINGS

pytestmark = pytest.mark.workflow


@pytest.mark.parametrize("name", [*EDITS, *SETTINGS])
def test_edit_runs_exactly(name: str, built: Path, tmp_path: Path) -> None:
    house = tmp_path / "house"
    shutil.copytree(built, house, symlinks=True)
    before = digests(house)
    edit, expected = (EDITS | SETTINGS)[name]
    edit(house)
    maybe = sometimes(name)
    assert rules_run(snakemake(house).stdout) - maybe == expected - maybe
    after = digests(house)
    untouched = {path for path in before if writer(path) not in expected | maybe}
    assert {path: after.get(path) for path in untouched} == {path: before[path] for path in untouched}
    assert rules_run(snakemake(house).stdout) == set(), "a second run has nothing to do"


@pytest.mark.parametrize("name", PLANNED)
def test_edit_would_run_exactly(name: str, built: Path, tmp_path: Path) -> None:
    house = tmp_path / "house"
    shutil.copytree(built, house, symlinks=True)
    edit, expected = PLANNED[name]
    edit(house)
    assert rules_run(snakemake(house, "--dry-run").stdout) == expected


def test_what_an_edited_house_holds_is_what_one_built_with_the_edit_holds(
    built: Path, tmp_path: Path
) -> None:
    edited = tmp_path / "edited"
    shutil.copytree(built, edited, symlinks=True)
    anew = new_house(tmp_path / "anew")
    edit, _ = EDITS["a source row with a new title, and settings behind it, at once"]
    for house in (edited, anew):
        edit(house)
        snakemake(house, cores=2)
    ours, theirs = digests(edited), digests(anew)
    assert ours.keys() == theirs.keys()
    timed = "report/page/index.html"  # it shows run times
    other = {path for path in ours if ours[path] != theirs[path]} - {timed}
    for path in other:  # what a frontier spared names the sources that it was made of, which were others
        assert pq.read_table(edited / "results" / path).equals(pq.read_table(anew / "results" / path)), path


def test_another_results_folder_is_filled_and_the_old_one_stays(built: Path, tmp_path: Path) -> None:
    house = tmp_path / "house"
    shutil.copytree(built, house, symlinks=True)
    before = digests(house)
    setting("results", "elsewhere/run 2")(house)
    assert rules_run(snakemake(house, cores=2).stdout) == EVERY
    assert digests(house) == before
    moved = digests(house, "elsewhere/run 2")
    assert {path: digest for path, digest in moved.items() if writer(path) != "report_page"} == {
        path: digest for path, digest in before.items() if writer(path) != "report_page"
    }


def test_the_table_holds_every_key_of_the_config(built: Path) -> None:
    schema = yaml.safe_load((built / "config" / "config.schema.yaml").read_text(encoding="utf-8"))

    def keys(block: dict, prefix: str = "") -> set[str]:
        if "properties" not in block:
            return {prefix}
        return {
            key
            for name, inner in block["properties"].items()
            for key in keys(inner, f"{prefix}.{name}" if prefix else name)
        }

    hub_only = {"match.translate.revision", "match.translate.beams", "match.translate.batch"}
    tested = (
        {name.split(",")[0] for name in SETTINGS | PLANNED_SETTINGS | RUN_SETTINGS} | {"results"} | hub_only
    )
    assert tested == keys(schema)
