from pathlib import Path

import polars as pl
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.pivot.schemas import CORPUS, DISHES
from wokflow.train.recipes import train_recipes
from wokflow.train.settings import RecipesSettings

from tests.train.recipes import write_recipes


def learnt(tmp_path: Path, most: int | None, valid: float = 0.5) -> pl.DataFrame:
    recipes = write_recipes(tmp_path)[:1]
    corpus, dishes = str(tmp_path / "corpus.parquet"), str(tmp_path / "dishes.parquet")
    tables.write(corpus, CORPUS, pl.DataFrame({"recipe_id": ["zh:0", "zh:2"]}), {})
    found = pl.DataFrame({"recipe_id": ["zh:2"], "dish": ["奶茶"], "found_by": ["field"]})
    tables.write(dishes, DISHES, found, {})
    data = str(tmp_path / "data.parquet")
    train_recipes(
        recipes=recipes,
        untested=corpus,
        dishes=dishes,
        data=data,
        digest=str(tmp_path / "digest"),
        settings=RecipesSettings(valid=valid, most=most, seed=1),
        job=Job(),
    )
    return tables.read(data)


def test_recipes_go_by_their_dish_or_else_their_title(tmp_path: Path) -> None:
    rows = learnt(tmp_path, None).select("instance_id", "title", "source", "target").rows()
    assert rows == [
        ("zh:0", "茶0", "茶0的做法如下。", "烧0。"),
        ("zh:2", "奶茶", "奶茶的做法如下。", "烧2。"),
    ]


def test_a_share_validates(tmp_path: Path) -> None:
    assert sorted(learnt(tmp_path, None)["split"]) == ["train", "valid"]


def test_a_draw_does_not_change_with_its_size(tmp_path: Path) -> None:
    [one] = learnt(tmp_path, 1, valid=0.1)["instance_id"]
    assert one in learnt(tmp_path, 2)["instance_id"]
