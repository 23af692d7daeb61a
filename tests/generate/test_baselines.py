"""Predictions without a model."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.generate import schemas
from wokflow.generate.baselines import generate_baselines, substitution
from wokflow.generate.settings import BaselinesSettings
from wokflow.ingest.schemas import SCHEMAS as INGESTED
from wokflow.parse.glossary import Glossary
from wokflow.pivot import schemas as pivot_schemas

RUNS = ("copy", "substitute", "retrieve")
FOODS = {
    **dict.fromkeys(("鸡", "鸡肉", "鸡块", "嫩鸡"), "鸡"),
    **dict.fromkeys(("鸡精", "味精"), "鸡精"),
    **dict.fromkeys(("牛蛙", "田鸡"), "牛蛙"),
    **dict.fromkeys(("土豆丝", "土豆"), "土豆"),
}
GLOSSARY = Glossary({"洗": "洗"}, FOODS, {"鸡公煲": "锅"})


def test_names_of_the_class_are_replaced_and_longer_words_stay() -> None:
    change = substitution("鸡", "牛蛙", GLOSSARY)
    assert (
        change("嫩鸡洗净，鸡块焯水，加鸡精、田鸡，入鸡公煲") == "牛蛙洗净，牛蛙焯水，加鸡精、田鸡，入鸡公煲"
    )


def test_an_ingredient_of_the_same_class_replaces_the_name_alone() -> None:
    assert substitution("土豆", "土豆丝", GLOSSARY)("土豆切成土豆丝") == "土豆丝切成土豆丝"


def test_a_name_that_the_glossary_lacks_is_replaced_too() -> None:
    assert substitution("龙虾", "龙", GLOSSARY)("洗龙虾.*") == "洗龙.*"


@given(st.text("鸡肉块嫩精味牛蛙田公煲洗"))
def test_nothing_of_the_class_is_left_but_in_longer_words(text: str) -> None:
    changed = substitution("鸡", "牛蛙", GLOSSARY)(text)
    assert substitution("鸡", "牛蛙", GLOSSARY)(changed) == changed
    for word in ("鸡精", "田鸡", "鸡公煲"):
        changed = changed.replace(word, "")
    assert "鸡" not in changed


def written(path: Path, schema: Any, **columns: Any) -> str:
    types = tables.columns(schema)
    frame = pl.DataFrame(columns, {name: types[name] for name in columns})
    rest = [pl.lit(None, types[name]).alias(name) for name in types if name not in columns]
    frame.with_columns(rest).write_parquet(path)
    return str(path)


def written_glossary(folder: Path) -> str:
    """GLOSSARY as a folder of tables."""
    folder.mkdir(exist_ok=True)
    for name in ("verbs", "ingredients", "tools"):
        rows = [f"{surface}\t{kind}" for surface, kind in getattr(GLOSSARY, name).items()]
        (folder / f"{name}.tsv").write_text("\n".join(["surface\tclass", *rows]) + "\n", encoding="utf-8")
    return str(folder)


def made(folder: Path, seed: int = 13, extra: bool = False, progress: Progress | None = None) -> Any:
    """The baselines of two rewritings to 烧牛蛙 and one to 烧鸡精, with 20 recipes of the former (or 21)."""
    ids = [f"x:{number}" for number in range(21 if extra else 20)]
    instances = written(
        folder / "instances",
        pivot_schemas.INSTANCES,
        instance_id=["a", "b", "c"],
        target_dish=["烧牛蛙", "烧牛蛙", "烧鸡精"],
        text=["洗鸡。", "切鸡块。", "洗鸡。"],
        ingredient_removed=["鸡", "鸡", None],
        ingredient_added=["牛蛙", "牛蛙", "鸡精"],
    )
    recipes = written(
        folder / "recipes",
        INGESTED["ingest/recipes/{corpus}"],
        recipe_id=[*ids, "x:100"],
        lang=["zh"] * (len(ids) + 1),
        steps=[["洗", name] for name in ids] + [[]],
    )
    dishes = written(
        folder / "dishes",
        pivot_schemas.DISHES,
        recipe_id=[*ids, "x:100"],
        dish=["烧牛蛙"] * len(ids) + ["烧鸡精"],
    )
    out = {f"{run}_run": str(folder / run) for run in RUNS}
    generate_baselines(
        instances=instances,
        recipes=[recipes],
        dishes=dishes,
        **out,
        settings=BaselinesSettings(glossary=written_glossary(folder / "glossary"), seed=seed),
        job=Job(progress=progress or Progress()),
    )
    return {run: tables.read(out[f"{run}_run"]) for run in RUNS}


def test_the_three_runs(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+") as log:
        found = made(tmp_path, progress=Progress(log))
        log.seek(0)
        said = log.read().splitlines()
    assert any("3 of 3 recipes drawn (100 %" in line for line in said)
    assert (
        sum(
            "1 of 2 dishes have no recipe to retrieve, so 1 of 3 predictions are empty: 烧鸡精" in line
            for line in said
        )
        == 1
    )
    for run in RUNS:
        assert found[run].columns == schemas.PREDICTIONS.names
        assert found[run]["instance_id"].to_list() == ["a", "b", "c"]
        assert found[run]["run"].unique().to_list() == [run]
    assert found["copy"]["prediction"].to_list() == ["洗鸡。", "切鸡块。", "洗鸡。"]
    assert found["substitute"]["prediction"].to_list() == ["洗牛蛙。", "切牛蛙。", "洗鸡。"]
    one, two, none = found["retrieve"]["prediction"]
    assert none == "" and one != two
    assert {one, two} <= {f"洗。x:{number}。" for number in range(20)}


def test_recipes_are_drawn_by_seed_and_instance(tmp_path: Path) -> None:
    drawn = [made(tmp_path, seed)["retrieve"]["prediction"].to_list() for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize("seed", range(5))
def test_a_new_recipe_changes_only_the_draws_it_wins(tmp_path: Path, seed: int) -> None:
    before, after = (made(tmp_path, seed, extra)["retrieve"]["prediction"] for extra in (False, True))
    assert all(old == new or new == "洗。x:20。" for old, new in zip(before, after, strict=True))
