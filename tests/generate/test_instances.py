from pathlib import Path

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.generate.instances import generate_instances
from wokflow.generate.rewrites import generate_rewrites
from wokflow.generate.settings import InstancesSettings
from wokflow.pivot.schemas import INSTANCES

from tests.train.recipes import write_pairs, write_recipes, write_silver

PAIRS = [
    ("zh:0", "en:0", "test"),
    ("zh:0", "en:1", "test"),
    ("zh:1", "en:2", "test"),
    ("zh:2", "en:1", "train"),
    ("zh:2", "en:0", "train"),
]
GOLD = "source_id\ttitle\tingredients\tsteps\tsource_title\tsource_ingredients\tsource_steps\n"


def made(
    tmp_path: Path, gold: str | None = None, silver: list[tuple[str, str]] | None = None
) -> pl.DataFrame:
    path, data = None, str(tmp_path / "data.parquet")
    chosen = [] if silver is None else [write_silver(tmp_path, *silver)]
    if gold is not None:
        (tmp_path / "gold.tsv").write_text(GOLD + gold, encoding="utf-8")
        path = str(tmp_path / "gold.tsv")
    generate_instances(
        pairs=write_pairs(tmp_path, *PAIRS),
        silver=chosen,
        recipes=write_recipes(tmp_path),
        direction="zh-en",
        data=data,
        digest=str(tmp_path / "digest"),
        settings=InstancesSettings(gold=path, published=None, simplified=False),
        job=Job(),
    )
    return tables.read(data)


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
        "reference_id": "en:0",
        "retrieved": "tea1\nwater1\nBoil1.",
    }
    assert (two["instance_id"], two["retrieved"]) == ("silver:zh:1", None)


def test_a_silver_set_takes_the_place_of_the_test_pairs(tmp_path: Path) -> None:
    """Its sources need be in no pair; what is retrieved is the best match that is not the reference."""
    silver = [("zh:0", "en:0"), ("zh:2", "en:2"), ("zh:1", "en:1")]
    rows = made(tmp_path, silver=silver)
    assert rows.select("instance_id", "reference", "retrieved").rows() == [
        ("silver:zh:0", "tea0\nwater0\nBoil0.", "tea1\nwater1\nBoil1."),
        ("silver:zh:2", "tea2\nwater2\nBoil2.", "tea1\nwater1\nBoil1."),
        ("silver:zh:1", "tea1\nwater1\nBoil1.", "tea2\nwater2\nBoil2."),
    ]
    assert made(tmp_path, silver=[]).equals(made(tmp_path))


def test_what_is_retrieved_for_a_gold_source_is_its_silver_reference(tmp_path: Path) -> None:
    gold = "zh:2\tMy tea\twater\tBoil\t茶2\t\t\n"
    rows = made(tmp_path, gold, [("zh:2", "en:2")])
    assert rows["retrieved"].to_list() == ["tea1\nwater1\nBoil1.", "tea2\nwater2\nBoil2."]


def test_a_gold_source_is_compared_with_what_people_wrote(tmp_path: Path) -> None:
    rows = made(tmp_path, "zh:2\tMy tea\twater | leaves\tBoil\t茶2\t\t\n").filter(pl.col("dataset") == "gold")
    assert rows.select("instance_id", "title", "reference", "retrieved").rows() == [
        ("gold:zh:2", "茶2", "My tea\nwater, leaves\nBoil.", "tea1\nwater1\nBoil1.")
    ]


def test_a_gold_source_may_be_in_no_corpus(tmp_path: Path) -> None:
    [row] = (
        made(tmp_path, "mine\tTea\twater\tBoil\t茶\t水\t烧\n").filter(pl.col("dataset") == "gold").to_dicts()
    )
    assert (row["source"], row["retrieved"]) == ("Title: 茶\nIngredients: 水\nSteps: 烧。\n", None)
    with pytest.raises(UserError, match=r"gold\.tsv, line 2: zh:9 is in no corpus"):
        made(tmp_path, "zh:9\tTea\twater\tBoil\t茶\t\t\n")


def test_a_gold_source_whose_id_is_another_recipe_in_the_corpus_is_refused(tmp_path: Path) -> None:
    for own in ("\t", "水\t烧"):
        with pytest.raises(UserError, match=r"line 2: the title of zh:2 is '茶2' in the corpus.* '汤'"):
            made(tmp_path, f"zh:2\tSoup\twater\tBoil\t汤\t{own}\n")


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
    instances, data, digest = (str(tmp_path / name) for name in ("in.parquet", "data.parquet", "digest"))
    generate_rewrites(instances=instances, data=data, digest=digest, job=Job())
    found = tables.read(data).row(0)
    assert found == ("zh:0:奶茶", "counterfactual", "zh:0", "奶茶", "茶", "烧水。", None, None, None)
