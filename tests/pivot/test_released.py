"""A run's orders are compared with released ones: those found, and those claimed the other way round."""

import json
from pathlib import Path

import polars as pl
import pytest
from wokflow import cli
from wokflow.frame import tables
from wokflow.pivot import schemas
from wokflow.pivot.released import KEY, MEANINGS, compared, released_orders


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
    assert compared(tested, orders, released) == expected and expected.keys() == MEANINGS.keys()
    for name, frame in (("effects", tested), ("orders", orders)):
        path = tmp_path / "pivot" / name / "part-00000.parquet"
        path.parent.mkdir(parents=True)
        tables.write(path, schemas.ORDERS, frame, {})
    assert cli.main(["papers", "testbed-orders", published(tmp_path), "--results", str(tmp_path)]) == 0
    assert f"     1  {MEANINGS['found']}" in capsys.readouterr().out


def test_only_an_order_in_some_recipe_is_together(tmp_path: Path) -> None:
    nothing = effects((f"{KEY[1]}//", "炒//", 9, 9))
    counts = compared(nothing, nothing, released_orders(published(tmp_path)))
    assert counts == {"released": 3} | dict.fromkeys(list(MEANINGS)[1:], 0)
