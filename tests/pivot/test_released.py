"""A run's orders are compared with released ones: those found, and those claimed the other way round."""

import json
from pathlib import Path

import polars as pl
import pytest
from wokflow import cli
from wokflow.frame import tables
from wokflow.frame.usage import UsageError
from wokflow.parse import schemas as parse_schemas
from wokflow.pivot import schemas
from wokflow.pivot.released import MEANINGS, compared_results, released_orders


def action(verb: str, *foods: str) -> dict[str, object]:
    return {"verb": verb, "ingredients": list(foods), "tools": []}


def published(folder: Path) -> str:
    """Of dish 乙: 洗 before 切, 切 before 炒, 切 before 盛, and one order twice; of 丙, which no run has, one."""
    cut = action("切", "葱", "姜")
    before, after = ({"before": action("洗"), "after": cut}, {"before": cut, "after": action("炒")})
    last = {"before": cut, "after": action("盛")}
    dishes = {
        "乙": {"pivots": [], "orders": [{"insert": cut, "constraints": [before, after, last, before]}]},
        "丙": {"pivots": [], "orders": [{"insert": cut, "constraints": [before]}]},
    }
    (folder / "experts.json").write_text(json.dumps(dishes), encoding="utf-8")
    return str(folder / "experts.json")


def effects(*rows: tuple[str, str, int, int]) -> pl.DataFrame:
    """Tests of dish 乙: before, after, recipes with both, and those in order."""
    empty = dict.fromkeys(schemas.ORDERS.names)
    named = [
        empty
        | {"base_dish": "甲", "target_dish": "乙", "pivot": "切/姜,葱/", "before": one, "after": two}
        | {"both": both, "in_order": first, "effect": 0.5 if both > 4 else None, "flag": ""}
        for one, two, both, first in rows
    ]
    return tables.frame(schemas.ORDERS, named)


def proto(*recipes: str) -> pl.DataFrame:
    """Rows of parse/proto: for each recipe its verbs; 切 is of 姜 and 葱, and others name nothing."""
    rows = [
        {"recipe_id": f"web:{number}", "position": position, "verb_class": verb, "tool_classes": []}
        | {"ingredient_classes": ["姜", "葱"] if verb == "切" else [], "inherited": False}
        for number, verbs in enumerate(recipes)
        for position, verb in enumerate(verbs)
    ]
    return tables.frame(parse_schemas.PROTO_ACTIONS, rows)


def write_results(folder: Path, tested: pl.DataFrame, orders: pl.DataFrame, *recipes: str) -> None:
    """Results of a run with recipes of dish 乙; see `proto`."""
    dishes = [
        {"recipe_id": f"web:{number}", "dish": "乙", "found_by": "field"} for number in range(len(recipes))
    ]
    for name, schema, frame in (
        ("pivot/effects", schemas.ORDERS, tested),
        ("pivot/orders", schemas.ORDERS, orders),
        ("pivot/dishes/web", schemas.DISHES, tables.frame(schemas.DISHES, dishes)),
        ("parse/proto/web", parse_schemas.PROTO_ACTIONS, proto(*recipes)),
    ):
        path = folder / name / "part-00000.parquet"
        path.parent.mkdir(parents=True)
        tables.write(path, schema, frame, {})


def test_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    released = released_orders(published(tmp_path))
    cut = "切/姜,葱/"
    assert released.rows() == [
        ("乙", "洗//", cut),
        ("乙", cut, "炒//"),
        ("乙", cut, "盛//"),
        ("丙", "洗//", cut),
    ]
    tested = effects(("洗//", cut, 9, 8), (cut, "洗//", 9, 1), (cut, "炒//", 3, 1), ("炒//", cut, 3, 2))
    orders = effects(("洗//", cut, 9, 8), ("炒//", cut, 3, 2))
    expected = {
        "released": 3,
        "together": 2,
        "agreed": 1,
        "opposed": 1,
        "tested": 1,
        "found": 1,
        "against": 1,
    }
    write_results(tmp_path, tested, orders, "洗切", "洗洗切炒", "切洗", "炒切", "炒切", "洗洗")
    assert compared_results(str(tmp_path), published(tmp_path)) == expected
    assert expected.keys() == MEANINGS.keys()
    assert cli.main(["papers", "testbed-orders", published(tmp_path), "--results", str(tmp_path)]) == 0
    assert f"     1  {MEANINGS['found']}" in capsys.readouterr().out


def test_orders_of_actions_that_the_run_does_not_insert_are_counted_too(tmp_path: Path) -> None:
    write_results(tmp_path, effects(), effects(), "洗切", "切炒", "盛切")
    counts = compared_results(str(tmp_path), published(tmp_path))
    assert counts == dict.fromkeys(MEANINGS, 0) | {"released": 3, "together": 3, "agreed": 2, "opposed": 1}


def test_results_without_proto_actions_are_refused_by_name(tmp_path: Path) -> None:
    write_results(tmp_path, effects(), effects(), "洗切")
    (tmp_path / "parse/proto/web/part-00000.parquet").unlink()
    with pytest.raises(UsageError, match=r"there is no parse/proto\. Run snakemake parse"):
        compared_results(str(tmp_path), published(tmp_path))
