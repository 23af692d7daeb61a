"""Translations of items that people choose between: handed out blind, read again, held against a model's choices."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import polars as pl
import pytest
from scipy.stats import pearsonr
from wokflow.annotate.ratings import annotate_ratings
from wokflow.annotate.settings import RatingsSettings, SheetsSettings, TasksSettings
from wokflow.annotate.sheets import annotate_sheets
from wokflow.annotate.tasks import annotate_tasks
from wokflow.frame import tables
from wokflow.frame.intervals import wilson
from wokflow.frame.job import Job, UserError
from wokflow.frame.tsv_sheets import write_sheet
from wokflow.frame.workbooks import read_filled
from wokflow.judge.schemas import TASKS

from tests.annotate.studies import OWN
from tests.generate.servers import endpoint, of_text
from tests.judge.pairs import Compared, Sentence, chooses

pytestmark = pytest.mark.usefixtures("keyed")
ITEMS, WON = 20, {"good": 15, "poor": 5}  # of so many items, each run is better than the reference


def compared(folder: Path) -> Compared:
    sentences: list[Sentence] = [(f"Dish {n}", f"菜{n}", [(f"Q{n}", "Dish")]) for n in range(ITEMS)]
    runs: dict[str, dict[int, str | None]] = {
        run: {n: ("好" if n < won else "坏") + f"译{n}" for n in range(ITEMS)} for run, won in WON.items()
    }
    return Compared(folder, sentences, runs)


def better(a: str, b: str) -> str:
    own, is_a = (a, True) if a[0] in "好坏" else (b, False)
    return "A" if (own[0] == "好") == is_a else "B"


def but_for_one(a: str, b: str) -> str:
    """The better one, but the reference of item 0."""
    return better(a, b) if "菜0" not in (a, b) else "A" if a == "菜0" else "B"


def hand_out(made: Compared, rater: str = "r1", checks: str | None = None, **own: object) -> None:
    given = {
        "study": "choices",
        "kind": "rating",
        "data": "pta",
        "systems": [],
        "texts": None,
        "dimensions": None,
    }
    annotate_tasks(
        instances=[],
        predictions=[],
        rated=[made.path("tasks")],
        sources=[],
        tasks=made.path("asked"),
        settings=TasksSettings(**given | own),
        job=Job(),
    )
    (made.folder / "raters.tsv").write_text(
        f"rater\tconsent\tstate\treplaces\n{rater}\tyes\t\t\n", encoding="utf-8"
    )
    files = {"consent": str(OWN / "consent.en.md"), "instructions": str(OWN / "pta.en.md"), "checks": checks}
    annotate_sheets(
        tasks=made.path("asked"),
        assigned=made.path("assigned"),
        sheets=str(made.folder / "sheets"),
        settings=SheetsSettings(
            study="choices", kind="rating", raters=str(made.folder / "raters.tsv"), **files
        ),
        job=Job(),
    )


def collect(made: Compared, known: Mapping[str, str] = MappingProxyType({})) -> pl.DataFrame:
    """The sheet comes back, filled in by the rule `better`; items of checks are `known`."""
    rows = [row for _, row in read_filled(made.folder / "sheets" / "r1.xlsx", ("id",))]
    filled = [
        [*(row | {"preferred": known.get(row["item"]) or better(row["A"], row["B"])}).values()]
        for row in rows
    ]
    (made.folder / "answers").mkdir()
    write_sheet(made.folder / "answers" / "r1.tsv", list(rows[0]), filled)
    places = {name: made.path(f"people_{name}") for name in ("ratings", "raters", "rejects")}
    annotate_ratings(
        tasks=made.path("asked"),
        assigned=made.path("assigned"),
        **places,
        criteria=str(made.folder / "criteria.tsv"),
        settings=RatingsSettings(
            answers=str(made.folder / "answers"), raters=str(made.folder / "raters.tsv")
        ),
        job=Job(),
    )
    return tables.read(places["ratings"])


def test_people_s_win_rate_and_pearson_with_a_model_are_those_that_were_planted(tmp_path: Path) -> None:
    """The model chooses as people do, but for the two runs' item 0, of which it prefers the reference."""
    made = compared(tmp_path)
    hand_out(made)
    assert collect(made).height == 2 * ITEMS
    with endpoint(of_text(chooses(but_for_one))) as server:
        made.ask("judge", server.url, concurrency=8)
    found = made.measure("judge", "people")
    for run, won in WON.items():
        row = found["pta"].filter(kind="people", run=run, items="all").row(0, named=True)
        assert (row["pairs"], row["pta"]) == (ITEMS, 100 * won / ITEMS)
        ends = tuple(round(100 * end, 4) for end in wilson(won / ITEMS, ITEMS))
        assert (row["low"], row["high"]) == ends
    pairs, runs = found["agreement"].filter(other="people").rows(named=True)
    # Of 40 pairs both give 18 to the run and 20 to the reference; people alone give two more to the run.
    expected = pearsonr([1] * 18 + [0] * 22, [1] * 20 + [0] * 20).statistic
    assert pairs["pearson"] == pytest.approx(expected, abs=1e-4)
    assert (runs["units"], runs["pearson"]) == (2, 1)
    biases = found["biases"].filter(kind="people", bias="position", run="good").row(0, named=True)
    assert biases["units"] == ITEMS and biases["low"] < 50 < biases["high"]


def test_each_pair_is_shown_once_without_the_names_of_run_and_item(tmp_path: Path) -> None:
    made = compared(tmp_path)
    hand_out(made, sample=5)
    asked = tables.read(made.path("asked"))
    assert asked["item"].n_unique() == 5 and asked.height == 10  # both runs of five items
    rows = [row for _, row in read_filled(made.folder / "sheets" / "r1.xlsx", ("id",))]
    names = ["id", "rater", "item", "language", "source", "A", "B", "preferred", "comment"]
    assert list(rows[0]) == names and not [row for row in rows if "good" in repr(row) or "pta:" in repr(row)]
    pairs = {row["pair_id"]: row["a"] for row in made.table("pairs").iter_rows(named=True)}
    for row in asked.iter_rows(named=True):
        texts = {each["name"]: each["text"] for each in row["shown"]}
        assert (texts["A"][0] in "好坏") == (pairs[row["task_id"].removesuffix(":1")] == "system")


def test_choices_are_no_ratings_that_metrics_are_correlated_with(tmp_path: Path) -> None:
    made = compared(tmp_path)
    hand_out(made, sample=2)
    collect(made)
    assert (tmp_path / "criteria.tsv").read_text(encoding="utf-8-sig").count("\n") == 1


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({}, None),
        ({"pierogi": "A"}, "failed_comprehension"),
        ({"sauerkraut": "B"}, "failed_comprehension"),
        ({"bagel": "A"}, "failed_attention"),
    ],
)
def test_choices_count_of_raters_alone_who_choose_rightly_in_the_checks_that_ship(
    tmp_path: Path, wrong: dict[str, str], reason: str | None
) -> None:
    made = compared(tmp_path)
    hand_out(made, sample=2, checks=str(OWN / "pta.checks.tsv"))
    rated = collect(made, {"pierogi": "B", "sauerkraut": "C", "bagel": "B"} | wrong)
    assert rated.height == (0 if reason else 4)
    assert made.table("people_raters")["left_out"].to_list() == [reason]
    assert {*made.table("people_rejects")["reason"]} == ({reason} if reason else set())


def test_translations_into_two_languages_are_refused(tmp_path: Path) -> None:
    made = compared(tmp_path)
    tasks = made.table("tasks")
    field = pl.element().struct.field
    other = pl.when(field("text") == "Chinese").then(pl.lit("English")).otherwise(field("text")).alias("text")
    shown = pl.col("shown").list.eval(pl.struct(field("name"), other))
    mixed = tasks.with_columns(
        pl.when(pl.col("system") == "poor").then(shown).otherwise("shown").alias("shown")
    )
    tables.write(made.path("tasks"), TASKS, mixed, {})
    with pytest.raises(UserError, match="translate into Chinese and English"):
        hand_out(made)
    hand_out(made, systems=["good"])
