"""What raters are given: blind, balanced, with checks, and the same as long as those before them are."""

import re
from collections import Counter
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from wokflow.frame.job import UserError

from tests.annotate.studies import DIMENSIONS, GIVEN, OWN, Study

CHECKS = str(OWN / "rating.zh-en.tsv")


def test_sheets_name_no_system_and_no_id(tmp_path: Path) -> None:
    study = Study(tmp_path, ("secret-run", "human"))
    study.hand_out("r1", "r2")
    rows = study.sheet("r1")
    assert list(rows[0]) == [*GIVEN, *DIMENSIONS, "comment"]
    texts = [{**row, "recipe": ""} for row in rows]  # texts of this study name their systems
    assert not re.search(r"secret|human|gold", repr(texts))
    assert all(row["id"][0] == "t" for row in rows)  # no spreadsheet takes it for a number
    assert rows[0]["source"].startswith("source-") and "\ncook" in rows[0]["source"]
    told = (tmp_path / "sheets" / "instructions.md").read_text(encoding="utf-8")
    assert told.startswith("# What you agree to") and "- grammar: Is the recipe" in told


def test_the_first_page_of_a_workbook_shows_no_marks_of_markdown(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.hand_out("r1")
    page = openpyxl.load_workbook(tmp_path / "sheets" / "r1.xlsx")["instructions"]
    lines = [cell or "" for (cell,) in page.iter_rows(values_only=True)]
    assert lines[0] == "What you agree to" and "• grammar: Is the recipe grammatical and fluent?" in lines
    assert not [line for line in lines if line.startswith(("'", "#", "-")) or "`" in line]


def test_both_sheets_of_a_rater_hold_the_same_and_are_the_same_bytes_again(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.hand_out("r1", "r2", checks=CHECKS)
    before = {path.name: path.read_bytes() for path in (tmp_path / "sheets").iterdir()}
    lines = [
        {name: cell.replace("\n", " | ") for name, cell in row.items()} for row in study.sheet("r1", "xlsx")
    ]
    assert lines == study.sheet("r1", "tsv")
    study.hand_out("r1", "r2", checks=CHECKS)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "sheets").iterdir()}
    assert before.keys() == {"instructions.md", "r1.xlsx", "r1.tsv", "r2.xlsx", "r2.tsv"}


def test_examples_come_first_and_attention_checks_between_tasks(tmp_path: Path) -> None:
    study = Study(tmp_path, items=15)
    study.hand_out(*(f"r{n}" for n in range(6)), checks=CHECKS)
    places = set()
    for _, rows in study.read("assigned").sort("rater", "position").group_by("rater"):
        kinds = rows["kind"].to_list()
        assert kinds[:2] == ["comprehension"] * 2 and Counter(kinds)["attention"] == 1
        assert kinds[2] == "task"
        places.add(kinds.index("attention"))
    assert len(places) > 1


def test_raters_who_come_later_change_no_sheet(tmp_path: Path) -> None:
    study = Study(tmp_path, items=9)
    study.hand_out("r1", "r2", per_rater=6)
    before = {path.name: path.read_bytes() for path in (tmp_path / "sheets").iterdir()}
    study.hand_out("r1|yes||", "r2|yes||", "r3|yes||", "r4|yes||r1", per_rater=6)
    after = {path.name: path.read_bytes() for path in (tmp_path / "sheets").iterdir()}
    assert {name: after[name] for name in before} == before
    tasks = study.read("assigned").group_by("rater").agg(pl.col("task_id").sort())
    given = dict(tasks.iter_rows())
    assert given["r4"] == given["r1"] and not {*given["r1"]} & {*given["r3"]}
    assert {*study.sheet("r4")[0]["id"]} != {*study.sheet("r1")[0]["id"]}


def test_only_raters_who_have_consented_and_take_part_get_sheets(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.hand_out("r1|yes||", "r2|||", "r3|yes|excluded|", "r4|yes|withdrawn|")
    assert {path.name for path in (tmp_path / "sheets").iterdir()} == {"instructions.md", "r1.xlsx", "r1.tsv"}
    assert "r4" not in study.read("assigned")["rater"].to_list()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("=cmd|yes||", "line 3: '=cmd' is not a valid pseudonym"),
        ("007|yes||", "line 3: '007' is not a valid pseudonym"),
        ("sept2|yes||", "line 3: spreadsheet programs turn sept2 into something else"),
        ("R1|yes||", "line 3: the pseudonym R1 occurs twice"),
        ("r2|yes|gone|", "line 3: state 'gone' is neither excluded nor withdrawn"),
        ("r2|yes||r9", "line 3: r2 replaces 'r9', who is in no earlier line"),
    ],
)
def test_a_table_of_raters_that_cannot_be_used_is_refused(tmp_path: Path, row: str, message: str) -> None:
    study = Study(tmp_path)
    with pytest.raises(UserError, match=message):
        study.hand_out("r1|yes||", row)


def test_a_check_that_no_answer_or_any_answer_passes_is_refused(tmp_path: Path) -> None:
    study = Study(tmp_path)
    checks = tmp_path / "checks.tsv"
    header = "\t".join(("name", "kind", "source", "recipe", *DIMENSIONS))
    for cells, message in {
        "x\tattention\ts\tr\t9\t\t\t": "line 2: 9 is not a value of grammar",
        "x\tattention\ts\tr\t\t\t\t": "line 2: the check accepts every answer",
        "x\tquiz\ts\tr\t1\t\t\t": "line 2: a check needs a name, and a kind",
        "x\tattention\ts\tr\t1\t\t\t\nx\tattention\ts\tr\t2\t\t\t": "line 3: the check x occurs twice",
    }.items():
        checks.write_text(f"{header}\n{cells}\n", encoding="utf-8")
        with pytest.raises(UserError, match=message):
            study.hand_out("r1", checks=str(checks))


def test_the_best_and_the_worst_are_letters_that_change_from_row_to_row(tmp_path: Path) -> None:
    study = Study(tmp_path, ("a", "b", "c"), items=4, kind="best_worst")
    study.hand_out("r1", "r2", per_task=2)
    rows = study.sheet("r1")
    aspects = [
        f"{name}: {end}" for name in ("grammar", "correctness", "preservation") for end in ("best", "worst")
    ]
    assert list(rows[0]) == ["id", "rater", "source", "A", "B", "C", *aspects, "comment"]
    both = [*rows, *study.sheet("r2")]
    for letter in "ABC":  # 8 rows: each system 2 or 3 times at each letter
        assert {*Counter(row[letter][0] for row in both).values()} <= {2, 3}
