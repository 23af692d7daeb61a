"""The end of a run names what was not found, and nothing that was not looked for."""

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.pivot.schemas import DISHES, PIVOTS
from wokflow.report.outcome import RUN_TABLES, Outcome

from tests.conftest import ROOT


@pytest.mark.parametrize(("given", "notes"), [(None, 1), ("expert_pivots.json", 0)])
def test_dishes_without_recipes_are_no_fault_where_pivot_actions_are_given(
    given: str | None, notes: int, tmp_path: Path
) -> None:
    dishes = str(tmp_path / "pivot/dishes/counterfactual/part-00000.parquet")
    empty = DISHES.empty_table()
    tables.write(dishes, DISHES, pl.DataFrame(empty), {})
    (tmp_path / "pairs.tsv").write_text(
        "base_dish\ttarget_dish\tingredient_removed\tingredient_added\n粥\t饭\t水\t米\n", encoding="utf-8"
    )
    config: dict[str, Any] = {
        "results": str(tmp_path),
        "sources": {},
        "match": {"pair": {"threshold": 0.85}, "rerank": {"by": "titles"}},
        "pivot": {
            "dishes": {"corpus": "counterfactual"},
            "pairs": {"path": str(tmp_path / "pairs.tsv")},
            "pivots": {"given": given},
            "orders": {"preset": "strict", "units": 5},
        },
        "parse": {"glossary": {"path": "glossary"}},
    }
    found = list(Outcome(config, {dishes}, []).notes())
    assert len([note for note in found if "cannot be compared" in note]) == notes


@pytest.mark.parametrize("rows", [0, 1])
def test_a_table_without_rows_is_no_result(rows: int, tmp_path: Path) -> None:
    pivots = str(tmp_path / "pivot/pivots/part-00000.parquet")
    mined = pl.DataFrame(
        [("粥", "饭", "煮", ["米"], [], "remove", "frequency")],
        [
            "base_dish",
            "target_dish",
            "verb_class",
            "ingredient_classes",
            "tool_classes",
            "kind",
            "decided_by",
        ],
        orient="row",
    )
    empty = tables.frame(PIVOTS)
    tables.write(pivots, PIVOTS, pl.concat([empty, mined.head(rows)], how="diagonal_relaxed"), {})
    config: dict[str, Any] = {
        "results": str(tmp_path),
        "sources": {},
        "export": {"release": {"name": "recipes", "version": "0.1.0"}},
    }
    shown = [name for name, _ in Outcome(config, {pivots}, []).results()]
    assert shown == ["Pivots"] * rows


def test_what_runs_left_that_are_not_in_the_table_any_more_is_named(tmp_path: Path) -> None:
    folders = ["train/model/old", "train/model/old.checkpoints", "train/model/new", "train/model/.made-anew"]
    folders += [f"generate/predictions/{name}" for name in ("copy", "new", "old")] + ["generate/calls/old"]
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
    config: dict[str, Any] = {
        "results": str(tmp_path),
        "sources": {},
        "match": {"pair": {"threshold": 0.85}, "rerank": {"by": "titles"}},
        "pivot": {"dishes": {"corpus": "xiachufang"}},
    }
    outputs = {f"{tmp_path}/train/model/new", f"{tmp_path}/generate/predictions/new/part-00000.parquet"}
    [note] = Outcome(config, outputs, ["new"], ["copy"]).notes()
    kept = [
        f"{tmp_path}/{name}"
        for name in ("train/model/old", "train/model/old.checkpoints", "generate/predictions/old")
    ]
    assert note.endswith(f"do not need: {', '.join(kept)}.")
    assert not list(Outcome(config, outputs, ["new", "old"], ["copy"]).notes())
    assert not list(Outcome(config, {f"{tmp_path}/match/pairs/zh-en/part-00000.parquet"}, [], []).notes())
    lost = "Left out of runs.tsv, as there are no dialogues: old."
    assert list(Outcome(config, outputs, ["new"], ["copy"], ["old"], [lost]).notes()) == [lost]


def test_all_tables_with_a_folder_a_run_are_known() -> None:
    rules = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "rules").glob("*.smk"))
    assert set(re.findall(r"{RESULTS}/((?:\w+/)+\w+)/{{run}}", rules)) == set(RUN_TABLES)
