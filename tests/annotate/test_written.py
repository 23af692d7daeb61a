"""Recipes that people adapted come back as a gold set."""

from pathlib import Path

import polars as pl
import pytest
from wokflow.annotate.schemas import ASSIGNED
from wokflow.annotate.settings import TasksSettings, WrittenSettings
from wokflow.annotate.studio import labels
from wokflow.annotate.tasks import annotate_tasks
from wokflow.annotate.written import annotate_written
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.workbooks import Page, write_workbook
from wokflow.generate.schemas import INSTANCES
from wokflow.ingest.schemas import RECIPES
from wokflow.match.gold import read_gold

from tests.annotate.studies import OWN, Study

SOURCES = {"xiachufang:1": ("粥", ["米", "水"], ["煮。", "吃。"]), "xiachufang:2": ("=饭", ["米"], ["蒸。"])}
TEXTS = {
    "title": "Congee",
    "ingredients": "- 1 c. rice\n• 8 c. water\n\n",
    "steps": "Boil the rice. | =Simmer | Serve.",
}
Rows = list[dict[str, str]]


class Writing(Study):
    """A study in which the sources are adapted."""

    def __init__(self, folder: Path, name: str = "s") -> None:
        self.folder, self.kind = folder, "writing"
        instances = [
            {"instance_id": f"silver:{source}", "dataset": "silver", "source_id": source, "title": title}
            | {"source": title, "base": None, "reference": None, "retrieved": None}
            for source, (title, *_) in SOURCES.items()
        ]
        recipes = [
            {"recipe_id": source, "title": title, "ingredients": foods, "steps": steps}
            for source, (title, foods, steps) in SOURCES.items()
        ]
        self.write("instances", INSTANCES, instances)
        empty = tables.frame(RECIPES)
        filler = {name: "" for name in empty.columns if empty.schema[name] == pl.String}
        self.write("recipes", RECIPES, [{**filler, "source_row": 0, **row} for row in recipes])
        given = {
            "study": name,
            "kind": "writing",
            "data": "zh-en",
            "systems": [],
            "texts": None,
            "dimensions": None,
        }
        annotate_tasks(
            instances=[self.path("instances")],
            predictions=[],
            rated=[],
            sources=[self.path("recipes")],
            tasks=self.path("tasks"),
            settings=TasksSettings(**given),
            job=Job(),
        )

    def gold(self) -> pl.DataFrame:
        """What came back, as a gold set."""
        answers, raters = str(self.folder / "answers"), str(self.folder / "raters.tsv")
        written = str(self.folder / "gold.tsv")
        annotate_written(
            assigned=self.path("assigned"),
            written=written,
            raters=self.path("raters"),
            rejects=self.path("rejects"),
            settings=WrittenSettings(answers=answers, raters=raters),
            job=Job(),
        )
        return read_gold(written)


@pytest.fixture
def study(tmp_path: Path) -> Writing:
    made = Writing(tmp_path)
    made.hand_out("r1")
    return made


def adapted(study: Writing, source: str = "粥") -> Rows:
    """The rows of r1's sheet, in which one source is adapted."""
    rows = study.sheet("r1")
    (key,) = [row["id"] for row in rows if row["source"] == source and row["part"] == "title"]
    return [{**row, "target": TEXTS[row["part"]] if row["id"] == key else ""} for row in rows]


def test_the_source_stands_left_and_the_adaptation_right(study: Writing) -> None:
    rows = [row for row in study.sheet("r1") if row["source"] in ("粥", "米\n水", "煮。\n吃。")]
    assert [list(row.values())[2:] for row in rows] == [
        ["title", "粥", "", ""],
        ["ingredients", "米\n水", "", ""],
        ["steps", "煮。\n吃。", "", ""],
    ]
    assert list(rows[0]) == ["id", "rater", "part", "source", "target", "comment"]


def test_what_was_written_is_read_as_a_gold_set_and_what_was_skipped_is_not(study: Writing) -> None:
    study.send(list(reversed(adapted(study))))
    (row,) = study.gold().to_dicts()
    assert row["source_id"] == "xiachufang:1" and row["source_title"] == "粥" and row["title"] == "Congee"
    assert row["ingredients"] == ["1 c. rice", "8 c. water"]
    assert row["steps"] == ["Boil the rice.", "Simmer", "Serve."]
    assert not study.read("rejects").height


def test_marks_before_an_entry_are_taken_away_and_quotation_marks_around_words_stay(study: Writing) -> None:
    foods = '- "dry" wine\n• \'rice｜–"one cup\n2-3 c. water'
    study.send([{**row, "target": foods if row["target"] else ""} for row in adapted(study)])
    assert study.gold()["ingredients"].to_list() == [['"dry" wine', "rice", "one cup", "2-3 c. water"]]


def test_entries_end_at_any_line_break_and_where_a_program_lost_them_all_there_are_none(
    study: Writing,
) -> None:
    foods = "1 cup rice\x85a pinch of salt\u20282 eggs"
    rows = [{**row, "target": foods if row["target"] else ""} for row in adapted(study)]
    (study.folder / "answers").mkdir()
    pages = [Page("tasks", [*rows[0]], [[*row.values()] for row in rows], [9] * len(rows[0]))]
    write_workbook(study.folder / "answers" / "r1.xlsx", pages)
    assert study.gold()["ingredients"].to_list() == [["1 cup rice", "a pinch of salt", "2 eggs"]]
    (study.folder / "answers" / "r1.xlsx").unlink()
    flat = [{name: " ".join(cell.split()) for name, cell in row.items()} for row in adapted(study)]
    study.send(flat)
    assert study.gold().is_empty()
    assert study.read("rejects").select("reason", "detail").rows() == [
        ("changed", "no line breaks in ingredients"),
        ("incomplete", None),
    ]


@pytest.mark.parametrize(
    ("part", "cells", "reason"),
    [
        ("steps", {"target": ""}, "incomplete"),
        ("steps", {"source": "烤。"}, "changed"),
        ("steps", {"rater": "r2"}, "other_rater"),
        ("steps", {"id": "0"}, "foreign"),
        ("steps", {"part": "remarks"}, "foreign"),
    ],
)
def test_a_recipe_that_is_not_whole_is_none(study: Writing, part: str, cells: Rows, reason: str) -> None:
    rows = adapted(study)
    study.send([{**row, **(cells if row["part"] == part and row["target"] else {})} for row in rows])
    assert not study.gold().height
    assert {reason} <= {*study.read("rejects")["reason"]} <= {reason, "incomplete"}


CHECKS = str(OWN / "writing.checks.zh-en.tsv")
KNOWN = {
    "番茄炒蛋": "Tomatoes and Scrambled Eggs",
    "白切鸡": "Poached Chicken with Ginger and Scallion Sauce",
    "凉拌黄瓜": "basil",
}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({}, None),
        ({"番茄炒蛋": "番茄炒蛋"}, "failed_comprehension"),
        ({"番茄炒蛋": "Eggplants with tomatoes"}, "failed_comprehension"),  # no word of its own
        ({"白切鸡": ""}, "failed_comprehension"),  # a check cannot be skipped
        ({"凉拌黄瓜": "Cucumber salad"}, "failed_attention"),
    ],
)
def test_adaptations_count_of_raters_alone_whose_checks_have_the_words_that_are_known(
    tmp_path: Path, said: dict[str, str], reason: str | None
) -> None:
    study = Writing(tmp_path)
    study.hand_out("r1", checks=CHECKS)
    known = KNOWN | said
    rows = [
        row | {"target": known.get(row["source"], row["target"])} if row["part"] == "title" else row
        for row in adapted(study)
    ]
    study.send(rows)
    assert study.gold()["source_id"].to_list() == ([] if reason else ["xiachufang:1"])
    assert {*study.read("rejects")["reason"]} == ({reason} if reason else set())
    assert len({labels(row) for row in study.read("assigned").to_dicts()}) == 1  # in Label Studio, too
    row = study.read("raters").row(0, named=True)
    assert (row["left_out"], row["tasks"], row["answered"], row["examples"]) == (reason, 2, 1, 2)


def test_a_check_of_adaptations_without_words_is_refused(tmp_path: Path) -> None:
    checks = tmp_path / "checks.tsv"
    checks.write_text(
        "name\tkind\ttitle\tingredients\tsteps\twords\nx\tattention\tt\ti\ts\tegg;\n", encoding="utf-8"
    )
    with pytest.raises(UserError, match="line 2: the check accepts every text"):
        Writing(tmp_path).hand_out("r1", checks=str(checks))


def test_two_versions_of_one_adaptation_are_refused_and_so_are_two_writers(
    study: Writing, tmp_path: Path
) -> None:
    rows = adapted(study)
    study.send(rows, "r1")
    study.send([{**row, "target": row["target"] and "Porridge"} for row in rows], "r1 (2)")
    assert not study.gold().height and "several" in study.read("rejects")["reason"].to_list()
    (tmp_path / "answers" / "r1 (2).tsv").unlink()
    study.hand_out("r1", "r2", per_task=2)
    study.send([{**row, "target": TEXTS[row["part"]]} for row in study.sheet("r2")], "r2")
    with pytest.raises(UserError, match="xiachufang:1 was also adapted by somebody else"):
        study.gold()
    assert study.read("assigned").columns == ASSIGNED.names
