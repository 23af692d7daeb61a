"""Questions about actions go to raters as other tasks do, and pivot reads what comes back."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.annotate.settings import TasksSettings
from wokflow.annotate.tasks import annotate_tasks
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.pivot.people_answers import read_answers
from wokflow.pivot.schemas import QUESTIONS

from tests.annotate.studies import OWN, Study

CHECKS = str(OWN / "asking.checks.tsv")
KNOWN = {
    "蒸：鱼（蒸锅）": "总是出现",
    "炸：鸡翅（油锅）": "不出现",
    "煮：鸡蛋": "很少出现",
}  # the checks that ship
ASKED = pl.DataFrame({"question_id": ["拌", "切", "焯"]})
VERBS = {"拌": "总是出现", "切": "有时出现", "焯": "不出现"}
MEANT = {"拌": "always", "切": "sometimes", "焯": "never"}


class Asked(Study):
    """A study about three actions of a pair of dishes; their ids are their verbs."""

    def __init__(self, folder: Path, **own: Any) -> None:
        self.folder, self.kind = folder, "asking"
        actions = [
            {"question_id": verb, "base_dish": "凉拌豆腐", "target_dish": "凉拌皮蛋豆腐", "verb_class": verb}
            | {"ingredient_classes": ["姜", "葱"], "tool_classes": ["碗"] if verb == "拌" else []}
            | {"phrases": [f"{verb}一下", f"再{verb}"]}
            for verb in VERBS
        ]
        self.write("questions", QUESTIONS, actions)
        given = {"study": "s", "kind": "asking", "data": "pivot", "systems": [], "texts": None}
        annotate_tasks(
            **{name: [] for name in ("instances", "predictions", "rated")},
            sources=[self.path("questions")],
            tasks=self.path("tasks"),
            settings=TasksSettings(**given | {"dimensions": str(OWN / "asking.zh.tsv")} | own),
            job=Job(),
        )

    def hand_out(self, *raters: str, **own: Any) -> None:
        super().hand_out(*raters, **{"instructions": str(OWN / "asking.zh.md"), "checks": CHECKS, **own})

    def answer_all(self, rater: str, **differently: str) -> None:
        said = VERBS | KNOWN | differently
        self.answer(rater, lambda row: {"occurs": said.get(row["action"]) or said[row["action"][0]]})


def test_what_raters_answer_is_what_pivot_reads(tmp_path: Path) -> None:
    study = Asked(tmp_path)
    study.hand_out("ann", "bo", "cy", per_task=3)
    shown = {row["action"]: row["phrases"] for row in study.sheet("ann")}
    assert shown.keys() == {"拌：姜、葱（碗）", "切：姜、葱", "焯：姜、葱", *KNOWN}
    assert shown["切：姜、葱"] == "切一下\n再切"
    study.answer_all("ann")
    study.answer_all("bo", **{"煮：鸡蛋": "总是出现"})  # has not read the line
    study.answer_all("cy", 切="always")
    found = study.collect()
    assert found["raters"].filter(rater="bo")["left_out"].to_list() == ["failed_attention"]
    assert {*found["rejects"].filter(rater="cy")["reason"]} == {"off_scale"}
    read = read_answers([str(tmp_path / "criteria.tsv")], ASKED, Progress())
    expected = [(verb, rater, MEANT[verb]) for verb in VERBS for rater in ("ann", "cy")]
    assert read.rows() == sorted(set(expected) - {("切", "cy", "sometimes")})


def test_pivot_reads_the_sheet_of_a_study_whose_raters_knew_no_answer(tmp_path: Path) -> None:
    study = Asked(tmp_path)
    study.hand_out("ann", per_task=1)
    study.answer("ann", lambda row: {"occurs": ""})
    assert study.collect()["ratings"].is_empty()
    assert read_answers([str(tmp_path / "criteria.tsv")], ASKED, Progress()).is_empty()


def test_answers_that_pivot_does_not_know_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text(
        "name\tscale\tvalues\tquestion\noccurs\tordinal\tno maybe yes\tDoes it?\n", encoding="utf-8"
    )
    with pytest.raises(UserError, match=r"mine.tsv must have one dimension, whose values say never, rarely"):
        Asked(tmp_path, dimensions=str(path))


def test_a_sample_is_one_of_pairs_of_dishes(tmp_path: Path) -> None:
    assert tables.read(Asked(tmp_path, each=2).path("tasks")).height == 2
