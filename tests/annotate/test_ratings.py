"""Sheets that came back: what is read of them, what is refused and why, and whose ratings do not count."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from wokflow.evaluate.best_worst import evaluate_best_worst
from wokflow.evaluate.people import evaluate_people
from wokflow.evaluate.settings import BestWorstSettings, PeopleSettings
from wokflow.evaluate.stage import RATING_TABLES
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError

from tests.annotate.studies import DIMENSIONS, OWN, Study, by_system

CHECKS = str(OWN / "rating.zh-en.tsv")
Rows = list[dict[str, str]]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """One rater with six tasks."""
    made = Study(tmp_path)
    made.hand_out("r1")
    return made


def filled(study: Study) -> Rows:
    return [{**row, **by_system(row)} for row in study.sheet("r1")]


def reasons(rejects: pl.DataFrame) -> dict[str, int]:
    return dict(Counter(rejects["reason"]))


@pytest.mark.parametrize("ending", ["xlsx", "tsv"])
def test_a_sheet_goes_out_and_comes_back(study: Study, ending: str) -> None:
    study.answer("r1", lambda row: {**by_system(row), "comment": "=fine"}, ending)
    found = study.collect()
    assert found["ratings"].height == 6 * 4 and not found["rejects"].height
    values = {(task[-1], value) for task, value in found["ratings"].select("task_id", "value").iter_rows()}
    assert values == {("a", "7"), ("b", "2")}
    assert {*found["ratings"]["kind"]} == {"person"} and {*found["ratings"]["rationale"]} == {"=fine"}
    assert found["raters"].row(0, named=True)["left_out"] is None
    criteria = (study.folder / "criteria.tsv").read_text(encoding="utf-8-sig").splitlines()
    assert criteria[:2] == ["run\tinstance_id\tcriterion\trating\trater", "a\tgold:0\tconsistency\t7\tr1"]


def test_a_workbook_that_was_saved_again_sorted_and_extended_is_read(study: Study) -> None:
    """Rows in another order, a title above, a column and a worksheet more; numbers, also as 7.0, or wide."""
    rows = filled(study)
    book = openpyxl.load_workbook(study.folder / "sheets" / "r1.xlsx")
    sheet = book["tasks"]
    sheet.delete_rows(2, sheet.max_row)
    for row in reversed(rows):
        cells = [int(cell) if cell in ("2", "7") else cell for cell in row.values()]
        sheet.append([*cells, "my notes"])
    sheet.cell(1, len(rows[0]) + 1).value = "mine"
    grammar = [*rows[0]].index("grammar") + 1
    sheet.cell(2, grammar).value = float(sheet.cell(2, grammar).value)
    sheet.cell(3, grammar).value = "２" if sheet.cell(3, grammar).value == 2 else "７"
    sheet.insert_rows(1)
    sheet["A1"] = "Ratings of r1"
    book.create_sheet("notes")["A1"] = "thanks"
    (study.folder / "answers").mkdir()
    book.save(study.folder / "answers" / "r1.xlsx")
    (study.folder / "answers" / "~$r1.xlsx").write_bytes(b"lock")
    found = study.collect()
    assert found["ratings"].height == 24 and not found["rejects"].height


def change(rows: Rows, **cells: str) -> Rows:
    return [{**rows[0], **cells}, *rows[1:]]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda rows: change(rows, id="0123456789ab"), {"foreign": 1, "missing": 4}),
        (lambda rows: change(rows, id=""), {"foreign": 1, "missing": 4}),
        (lambda rows: change(rows, rater='=HYPERLINK("x")'), {"other_rater": 1, "missing": 4}),
        (lambda rows: change(rows, recipe="another text"), {"changed": 1, "missing": 4}),
        (lambda rows: [*rows, rows[0]], {"repeated": 1}),
        (lambda rows: [*rows, {**rows[0], "grammar": "4"}], {"several": 1}),
        (lambda rows: change(rows, grammar="8"), {"off_scale": 1}),
        (lambda rows: change(rows, grammar="6-7"), {"off_scale": 1}),
        (lambda rows: change(rows, grammar="2026-05-06"), {"off_scale": 1}),
        (lambda rows: change(rows, grammar="=1+1"), {"off_scale": 1}),
        (lambda rows: change(rows, grammar="6,0"), {}),
        (lambda rows: change(rows, grammar="6,5"), {"off_scale": 1}),
        (lambda rows: change(rows, grammar=" "), {"missing": 1}),
        (lambda rows: rows[1:], {"missing": 4}),
        (lambda rows: change(rows, recipe=rows[0]["recipe"].replace("-", "-") + "  "), {}),
    ],
)
def test_a_row_that_is_not_as_handed_out_costs_no_other(
    study: Study, edit: Callable[[Rows], Rows], expected: dict[str, int]
) -> None:
    study.send(edit(filled(study)))
    found = study.collect()
    assert reasons(found["rejects"]) == expected
    kept = sum(count for reason, count in expected.items() if reason in ("missing", "off_scale", "several"))
    assert found["ratings"].height == 24 - kept
    for row in found["rejects"].iter_rows(named=True):
        assert row["reason"] == "missing" or (row["file"] == "r1.tsv" and row["source_row"])


def test_two_files_of_a_rater_are_read_as_one_as_long_as_they_agree(study: Study) -> None:
    rows = filled(study)
    empty = dict.fromkeys(DIMENSIONS, "")
    study.send([*rows[:3], *({**row, **empty} for row in rows[3:])], "r1")
    study.send([*({**row, **empty} for row in rows[:3]), *rows[3:]], "r1 (2)")
    assert study.collect()["ratings"].height == 24
    study.send([{**row, "culture": "5"} for row in rows], "r1 (3)")
    found = study.collect()
    assert found["ratings"].height == 18 and reasons(found["rejects"]) == {"several": 6}


def test_sheets_of_another_study_and_files_that_are_no_sheets_are_refused(study: Study) -> None:
    study.send([{**row, "id": f"x{n}"} for n, row in enumerate(filled(study))])
    with pytest.raises(UserError, match="none of 6 rows is a task of this study"):
        study.collect()
    (study.folder / "answers" / "r1.tsv").rename(study.folder / "answers" / "r1.ods")
    with pytest.raises(UserError, match=r"r1.ods cannot be a sheet. Save it as .xlsx"):
        study.collect()
    (study.folder / "answers" / "r1.ods").rename(study.folder / "answers" / "r1.xlsx")
    with pytest.raises(UserError, match=r"r1\.xlsx cannot be read as a workbook"):
        study.collect()


def test_raters_who_fail_a_check_or_rule_do_not_count(tmp_path: Path) -> None:
    study = Study(tmp_path, items=9)
    names = ["good", "unread", "asleep", "idle", "flat", "out|yes|excluded|", "silent|||"]
    study.hand_out(*names, checks=CHECKS, per_task=7)
    right = {"tomatoes": "6", "Scrambled": "6", "Tomato soup": "2", "This row": "1"}

    def careful(row: dict[str, str]) -> dict[str, str]:
        known = [value for begin, value in right.items() if row["recipe"].startswith(begin)]
        return dict.fromkeys(DIMENSIONS, known[0]) if known else by_system(row)

    answers = {
        "unread": lambda row: {**careful(row), **({"grammar": "1"} if row["recipe"][:5] == "Scram" else {})},
        "asleep": lambda row: {**careful(row), **({"culture": "7"} if row["recipe"][:4] == "This" else {})},
        "idle": lambda row: careful(row) if not row["recipe"].startswith("b-") else {},
        "flat": lambda row: {
            **careful(row),
            **(dict.fromkeys(DIMENSIONS, "4") if row["recipe"][1] == "-" else {}),
        },
    }
    given = study.sheet("good")
    by_hand = study.read("assigned")
    for name in ("good", "unread", "asleep", "idle", "flat", "out", "silent"):
        own = by_hand.filter(pl.col("rater") == name).sort("position").to_dicts()
        rows = [
            {
                **dict.fromkeys(given[0], ""),
                "id": row["id"],
                "rater": name,
                **{each["name"]: each["text"] for each in row["shown"]},
            }
            for row in own
        ]
        answer = answers.get(name, careful)
        study.send([{**row, **answer(row)} for row in rows], name)
    found = study.collect(answered=0.6, alike=5)
    assert dict(found["raters"].select("rater", "left_out").iter_rows()) == {
        "good": None,
        "unread": "failed_comprehension",
        "asleep": "failed_attention",
        "idle": "few_answers",
        "flat": "all_alike",
        "out": "excluded",
        "silent": "no_consent",
    }
    assert {*found["ratings"]["rater"]} == {"good"} and found["ratings"].height == 18 * 4
    assert found["rejects"].height == 6 * 18 * 4
    silent = found["rejects"].filter(rater="silent")
    assert (
        silent.height == 18 * 4 and {*silent["raw"]} == {""} and not silent["detail"].str.contains(":").any()
    )


def test_a_rater_who_answers_just_the_share_that_is_asked_for_counts(tmp_path: Path) -> None:
    """11 of 20: 0.55 * 20 is more than 11 in floating-point numbers."""
    study = Study(tmp_path, items=10)
    study.hand_out("r1")
    answered = [row["id"] for row in study.sheet("r1")][:11]
    study.answer("r1", lambda row: by_system(row) if row["id"] in answered else {})
    assert study.collect(answered=0.55)["raters"]["left_out"].to_list() == [None]


def test_nothing_is_kept_of_a_rater_who_withdraws(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.hand_out("r1", "r2")
    for name in ("r1", "r2"):
        study.answer(name, by_system)
    assert {*study.collect()["ratings"]["rater"]} == {"r1", "r2"}
    sheet = (tmp_path / "sheets" / "r1.tsv").read_bytes()
    study.hand_out("r1|yes||", "r2|yes|withdrawn|")
    found = study.collect()
    assert (tmp_path / "sheets" / "r1.tsv").read_bytes() == sheet
    assert not (tmp_path / "sheets" / "r2.tsv").exists()
    tables_left = [*found.values(), study.read("assigned")]
    assert all({*table["rater"]} <= {"r1"} for table in tables_left) and not found["rejects"].height


def test_nothing_is_kept_of_a_pseudonym_that_was_taken_out_of_the_table(tmp_path: Path) -> None:
    """The sheet that came back still lies there: its rows are rejects without a name and without answers."""
    study = Study(tmp_path)
    study.hand_out("r1", "secret")
    study.answer("r1", by_system)
    study.answer("secret", lambda row: {**by_system(row), "comment": "I am Ann"})
    study.hand_out("r1|yes||", "gone|yes|withdrawn|")
    found = study.collect()
    assert found["rejects"].height and {*found["rejects"]["reason"]} == {"foreign"}
    assert {*found["rejects"].select("rater", "raw").rows()} == {("", "")}
    for table in (*found.values(), study.read("assigned")):
        assert not re.search("secret|Ann", str(table.to_dicts()))


def measure(paths: dict[str, str]) -> None:
    evaluate_people(
        tasks=paths["tasks"],
        ratings=paths["ratings"],
        figures=[paths[name] for name in RATING_TABLES],
        settings=PeopleSettings(),
        job=Job(),
    )


def test_means_and_deviations_by_method_are_those_of_the_ratings(tmp_path: Path) -> None:
    """As table 5 of Cultural Adaptation of Recipes: a has 7, 5 and 3, b has 1, 2 and 6 of three recipes."""
    study = Study(tmp_path)
    study.hand_out("r1", "r2", per_task=2)
    values = {"a": ("7", "5", "3"), "b": ("1", "2", "6")}
    for name in ("r1", "r2"):
        study.answer(name, lambda row: {"grammar": values[row["recipe"][0]][int(row["recipe"][-1])]})
    study.collect()
    paths = {name: study.path(name) for name in ("tasks", "ratings", *RATING_TABLES)}
    measure(paths)
    means = tables.read(paths["means"]).filter(pl.col("by") == "system")
    assert means.select("system", "ratings", "mean", pl.col("deviation").round(3)).rows() == [
        ("a", 6, 5.0, 1.789),
        ("b", 6, 3.0, 2.366),
    ]
    assert tables.read(paths["agreement"]).row(0, named=True)["alpha"] == 1.0


def test_the_best_and_the_worst_are_read_by_the_systems_behind_their_letters(tmp_path: Path) -> None:
    """Six systems, of which a is always the best and f the worst of those that a row shows."""
    study = Study(tmp_path, "abcdef", items=3, kind="best_worst")
    study.hand_out("r1", "r2", per_task=2)

    def choose(row: dict[str, str]) -> dict[str, str]:
        """The same letters for all aspects, in small letters; of the last row, one is both."""
        shown = sorted("ABCD", key=lambda letter: row[letter])
        cells = {
            name: {": best": shown[0].lower(), ": worst": shown[-1]}[name[name.find(":") :]]
            for name in aspects
        }
        return {**cells, "grammar: worst": shown[0]} if row["id"] == last else cells

    for rater in ("r1", "r2"):
        aspects = [name for name in study.sheet(rater)[0] if ": " in name]
        last = study.sheet("r1")[-1]["id"]
        study.answer(rater, choose)
    found = study.collect()
    assert reasons(found["rejects"]) == {"same": 2}
    assert found["ratings"].height == 12 * 6 - 2
    paths = {name: study.path(name) for name in ("tasks", "ratings", "scores")}
    evaluate_best_worst(**paths, settings=BestWorstSettings(), job=Job())
    scores = tables.read(paths["scores"]).filter(pl.col("dimension") == "correctness")
    assert scores.filter(pl.col("system").is_in(["a", "f"]))["score"].to_list() == [100.0, -100.0]
    assert scores["compared"].sum() == 12 * 4 and {*scores["compared"]} == {8}
    figures = {name: study.path(name) for name in ("tasks", "ratings", *RATING_TABLES)}
    measure(figures)
    agreement = tables.read(figures["agreement"]).filter(pl.col("rater").is_null())
    assert dict(agreement.select("dimension", "alpha").iter_rows())["correctness.best"] == 1.0
    assert {*agreement.filter(pl.col("dimension").str.starts_with("correctness"))["units"]} == {6}
