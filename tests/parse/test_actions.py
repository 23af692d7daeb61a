"""Recipes become rows of actions or rejects; none is lost."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow import tables
from wokflow.ingest.schemas import RECIPES
from wokflow.parse import schemas
from wokflow.parse.actions import parse_actions
from wokflow.parse.proto import parse_proto

WORDS = {
    "verbs.tsv": "surface\tclass\n切\t切\n切成\t切\n加入\t加入\n放\t加入\n炒\t炒\n",
    "ingredients.tsv": "surface\tclass\n土豆\t土豆\n洋芋\t土豆\n盐\t盐\n油\t油\n",
    "tools.tsv": "surface\tclass\n锅\t锅\n",
}


@pytest.fixture(scope="session")
def glossary(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("glossary")
    for file, text in WORDS.items():
        (folder / file).write_text(text, encoding="utf-8")
    return str(folder)


def write_recipes(path: Path, steps: list[list[str]]) -> None:
    rows = pl.DataFrame(
        {
            "recipe_id": [f"xiachufang:{row}" for row in range(len(steps))],
            "corpus": ["xiachufang"] * len(steps),
            "lang": ["zh"] * len(steps),
            "title": ["菜"] * len(steps),
            "ingredients": pl.Series([["土豆"]] * len(steps), dtype=pl.List(pl.String)),
            "steps": pl.Series(steps, dtype=pl.List(pl.String)),
            "dish": pl.Series([None] * len(steps), dtype=pl.String),
            "url": pl.Series([None] * len(steps), dtype=pl.String),
            "source_row": pl.Series(range(len(steps)), dtype=pl.Int64),
        }
    )
    tables.write(path, RECIPES, rows, {})


def run(
    folder: Path, steps: list[list[str]], glossary: str, **more: Any
) -> tuple[pl.DataFrame, pl.DataFrame]:
    recipes, actions, rejects = (folder / f"{each}.parquet" for each in ("recipes", "actions", "rejects"))
    write_recipes(recipes, steps)
    how = {"method": "rules", "style": "house", "max_characters": 1000} | more
    parse_actions(str(recipes), [], str(actions), str(rejects), glossary=glossary, metadata={}, **how)
    return pl.read_parquet(actions), pl.read_parquet(rejects)


def test_a_row_says_what_is_done_to_what_and_where(tmp_path: Path, glossary: str) -> None:
    actions, rejects = run(tmp_path, [["土豆切成丝", "锅里放油，炒。"]], glossary)
    assert rejects.is_empty()
    assert actions.select("position", "step", "start", "end", "text", "verb", "verb_class").rows() == [
        (0, 0, 2, 4, "土豆切成丝", "切成", "切"),
        (1, 1, 2, 3, "锅里放油", "放", "加入"),
        (2, 1, 5, 6, "炒", "炒", "炒"),
    ]
    assert actions["ingredients"].to_list() == [["土豆"], ["油"], ["油"]]
    assert actions["tools"].to_list() == [[], ["锅"], []]
    assert actions["inherited"].to_list() == [False, False, True]


def test_recipes_without_actions_and_too_long_ones_are_rejected(tmp_path: Path, glossary: str) -> None:
    actions, rejects = run(tmp_path, [["好吃"], ["土豆切成丝"], ["切" * 1001]], glossary)
    assert set(actions["recipe_id"]) == {"xiachufang:1"}
    assert rejects.select("source_row", "reason", "raw").rows() == [
        (0, "no_action", "xiachufang:0"),
        (2, "too_long", "xiachufang:2"),
    ]


def test_an_empty_part_gives_empty_tables(tmp_path: Path, glossary: str) -> None:
    actions, rejects = run(tmp_path, [], glossary)
    assert actions.schema.names() == schemas.ACTIONS.names
    assert actions.is_empty()
    assert rejects.is_empty()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(
            st.text(st.sampled_from("土豆洋芋切成丝炒放盐油锅里的了，。1、😀 abc"), max_size=30), max_size=3
        )
    )
)
def test_no_recipe_is_lost_and_offsets_point_at_the_verb(
    tmp_path_factory: pytest.TempPathFactory, glossary: str, steps: list[list[str]]
) -> None:
    actions, rejects = run(tmp_path_factory.mktemp("run"), steps, glossary)
    ids = set(actions["recipe_id"]) | set(rejects["raw"])
    assert ids == {f"xiachufang:{row}" for row in range(len(steps))}
    assert not set(actions["recipe_id"]) & set(rejects["raw"])
    for recipe, step, start, end, verb in actions.select("recipe_id", "step", "start", "end", "verb").rows():
        assert steps[int(recipe.split(":")[1])][step][start:end] == verb


def test_proto_actions_are_sets_of_classes(tmp_path: Path, glossary: str) -> None:
    run(tmp_path, [["加入土豆、洋芋和盐"]], glossary)
    proto = tmp_path / "proto.parquet"
    parse_proto([str(tmp_path / "actions.parquet")], [str(proto)], metadata={})
    row = pl.read_parquet(proto).row(0, named=True)
    assert row == {
        "recipe_id": "xiachufang:0",
        "position": 0,
        "verb_class": "加入",
        "ingredient_classes": ["土豆", "盐"],
        "tool_classes": [],
        "inherited": False,
    }
