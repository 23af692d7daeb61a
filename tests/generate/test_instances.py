from pathlib import Path

import polars as pl
import pytest
from wokflow import tables
from wokflow.generate.instances import instances
from wokflow.generate.rewrites import rewrites
from wokflow.job import UserError
from wokflow.pivot.schemas import INSTANCES

from tests.train.recipes import write_pairs, write_recipes

PAIRS = [
    ("zh:0", "en:0", "test"),
    ("zh:0", "en:1", "test"),
    ("zh:1", "en:2", "test"),
    ("zh:2", "en:1", "train"),
    ("zh:2", "en:0", "train"),
]
GOLD = "source_id\ttitle\tingredients\tsteps\tsource_title\tsource_ingredients\tsource_steps\n"


def made(tmp_path: Path, gold: str | None = None) -> pl.DataFrame:
    pairs, recipes, out = (
        write_pairs(tmp_path, *PAIRS),
        write_recipes(tmp_path),
        str(tmp_path / "out.parquet"),
    )
    path = None
    if gold is not None:
        (tmp_path / "gold.tsv").write_text(GOLD + gold, encoding="utf-8")
        path = str(tmp_path / "gold.tsv")
    instances(pairs, recipes, path, out, str(tmp_path / "digest"), data="zh-en", metadata={})
    return tables.read(out)


def test_a_test_source_is_compared_with_its_best_match(tmp_path: Path) -> None:
    one, two = made(tmp_path).to_dicts()
    assert one == {
        "instance_id": "silver:zh:0",
        "dataset": "silver",
        "source_id": "zh:0",
        "title": "茶0",
        "base": None,
        "source": "Title: 茶0\nIngredients: 水0\nSteps: 烧0。\n",
        "reference": "tea0\nwater0\nBoil0.",
        "retrieved": "tea1\nwater1\nBoil1.",
    }
    assert (two["instance_id"], two["retrieved"]) == ("silver:zh:1", None)


def test_a_gold_source_is_compared_with_what_people_wrote(tmp_path: Path) -> None:
    rows = made(tmp_path, "zh:2\tMy tea\twater | leaves\tBoil\t\t\t\n").filter(pl.col("dataset") == "gold")
    assert rows.select("instance_id", "title", "reference", "retrieved").rows() == [
        ("gold:zh:2", "茶2", "My tea\nwater, leaves\nBoil.", "tea1\nwater1\nBoil1.")
    ]


def test_a_gold_source_may_be_in_no_corpus(tmp_path: Path) -> None:
    [row] = (
        made(tmp_path, "mine\tTea\twater\tBoil\t茶\t水\t烧\n").filter(pl.col("dataset") == "gold").to_dicts()
    )
    assert (row["source"], row["retrieved"]) == ("Title: 茶\nIngredients: 水\nSteps: 烧。\n", None)
    with pytest.raises(UserError, match="zh:9 is in no corpus"):
        made(tmp_path, "zh:9\tTea\twater\tBoil\t\t\t\n")


def test_rewrites_name_both_dishes(tmp_path: Path) -> None:
    row = {
        "instance_id": "zh:0:奶茶",
        "base_dish": "茶",
        "target_dish": "奶茶",
        "recipe_id": "zh:0",
        "text": "烧水。",
        "ingredient_removed": None,
        "ingredient_added": "奶",
    }
    frame = pl.DataFrame([row], schema_overrides={"ingredient_removed": pl.String})
    tables.write(tmp_path / "in.parquet", INSTANCES, frame, {})
    rewrites(*(str(tmp_path / name) for name in ("in.parquet", "out.parquet", "digest")), metadata={})
    found = tables.read(tmp_path / "out.parquet").row(0)
    assert found == ("zh:0:奶茶", "counterfactual", "zh:0", "奶茶", "茶", "烧水。", None, None)
