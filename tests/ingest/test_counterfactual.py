"""The testbed's lines become recipes of one step; nothing is lost."""

from pathlib import Path

import polars as pl
from wokflow.frame.job import Job
from wokflow.ingest.recipes import ingest_recipes

from tests.ingest.defaults import recipes_settings

LINES = "白灼菜心\t白灼秋葵\t菜心洗干净，焯水。\n\n焖鸡\t鲍鱼焖鸡\n焖鸡\t鲍鱼焖鸡\t 🔥\n焖鸡\t鲍鱼焖鸡\t鸡肉剁块。\n"


def ingest(tmp_path: Path, text: bytes) -> tuple[pl.DataFrame, pl.DataFrame]:
    raw, recipes, rejects = tmp_path / "base.tsv", tmp_path / "recipes.parquet", tmp_path / "rejects.parquet"
    raw.write_bytes(text)
    source = tmp_path / "source.json"
    source.write_text('{"sha256": "1a"}')
    ingest_recipes(
        source=str(source),
        recipes=[str(recipes)],
        rejects=[str(rejects)],
        corpus="counterfactual",
        settings=recipes_settings(raw, mostly_rejected="keep"),
        job=Job(),
    )
    return pl.read_parquet(recipes), pl.read_parquet(rejects)


def test_a_line_is_a_recipe_of_its_base_dish_with_one_step(tmp_path: Path) -> None:
    recipes, rejects = ingest(tmp_path, LINES.encode())
    assert recipes.select("title", "dish", "steps", "ingredients").rows() == [
        ("白灼菜心", "白灼菜心", ["菜心洗干净，焯水。"], []),
        ("焖鸡", "焖鸡", ["鸡肉剁块。"], []),
    ]
    assert rejects["reason"].to_list() == ["broken_record", "empty_steps"]
    assert recipes["recipe_id"][0] == "counterfactual:0"


def test_damaged_bytes_are_rejected(tmp_path: Path) -> None:
    recipes, rejects = ingest(tmp_path, "焖鸡\t炖鸡\t".encode() + b"\xff\xfe\n" + LINES.encode())
    assert rejects["reason"].to_list() == ["invalid_utf8", "broken_record", "empty_steps"]
    assert recipes.height == 2


def test_every_published_line_is_accounted_for(shared: Path, tmp_path: Path) -> None:
    raw = (shared / "real" / "counterfactual" / "base_recipes.tsv").read_bytes()
    recipes, rejects = ingest(tmp_path, raw)
    assert recipes.height + rejects.height == 2500
    assert set(rejects["reason"]) == {"duplicate"}
    assert recipes["dish"].n_unique() == 50
