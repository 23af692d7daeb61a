"""Recipes become rows of actions or rejects; none is lost."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.frame.wordlists import word_table
from wokflow.ingest.schemas import RECIPES
from wokflow.parse import actions as actions_module
from wokflow.parse import schemas
from wokflow.parse.actions import parse_actions
from wokflow.parse.proto import compared, parse_proto
from wokflow.parse.settings import ActionsSettings

from tests.bench.measure import ROOT

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


@pytest.mark.parametrize(
    ("style", "said"), [("house", "1 ingredients of the glossary are ignored"), ("paper", "")]
)
def test_the_log_counts_what_is_ignored_of_the_published_glossary(
    style: str, said: str, tmp_path: Path
) -> None:
    noise = next(row for row in word_table("grammar/noise.tsv") if row["kind"] == "ingredients")
    path, log = tmp_path / "glossary.json", StringIO()
    words = {noise["words"].split()[0]: noise["class"], "盐": "盐"}
    path.write_text(json.dumps({"verbs": {"放": "放"}, "ingredients": words, "tools": {}}), encoding="utf-8")
    run(tmp_path, [["放盐"]], str(path), Progress(log, seconds=1000), style=style)
    assert ("ignored" in log.getvalue()) == bool(said)
    assert said in log.getvalue()


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
    folder: Path, steps: list[list[str]], glossary: str, log: Progress | None = None, **more: Any
) -> tuple[pl.DataFrame, pl.DataFrame]:
    recipes, actions, rejects = (folder / f"{each}.parquet" for each in ("recipes", "actions", "rejects"))
    write_recipes(recipes, steps)
    settings = ActionsSettings(glossary=glossary, **{"max_characters": 1000} | more)
    files = {"recipes": str(recipes), "actions": str(actions), "rejects": str(rejects)}
    parse_actions(**files, dependencies=[], settings=settings, job=Job(progress=log or Progress()))
    return pl.read_parquet(actions), pl.read_parquet(rejects)


def test_a_row_says_what_is_done_to_what_and_where(tmp_path: Path, glossary: str) -> None:
    actions, rejects = run(tmp_path, [["土豆切成丝", "锅里放油，炒。"]], glossary)
    assert rejects.is_empty()
    assert actions.select("position", "step", "start", "end", "text", "verb", "verb_class").rows() == [
        (0, 0, 2, 4, "土豆切成丝", "切成", "切"),
        (1, 1, 2, 3, "锅里放油", "放", "加入"),
        (2, 1, 5, 6, "炒", "炒", "炒"),
    ]
    assert actions["ingredients"].to_list() == [["土豆"], ["油"], ["油", "土豆"]]
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
    parse_proto(actions=[str(tmp_path / "actions.parquet")], proto=[str(proto)], job=Job())
    row = pl.read_parquet(proto).row(0, named=True)
    assert row == {
        "recipe_id": "xiachufang:0",
        "position": 0,
        "verb_class": "加入",
        "ingredient_classes": ["土豆", "盐"],
        "tool_classes": [],
        "inherited": False,
    }


def test_a_part_reads_the_table_of_parses_once(
    tmp_path: Path, glossary: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not once for each batch of recipes; and the parses that it finds are those of the clauses."""
    clauses_parsed = [
        "油盐切",
        "盐油炒",
        "没有的",
    ]  # each of three words, the first of which hangs on the last
    frame = tables.frame(
        schemas.DEPENDENCIES,
        [
            (clause, list(clause), ["X"] * 3, [2, 2, -1], ["obj", "dep", "root"], ["other", "other", "root"])
            for clause in clauses_parsed
        ],
    )
    dependencies = str(tmp_path / "dependencies.parquet")
    tables.write(dependencies, schemas.DEPENDENCIES, frame, {})
    reads: list[object] = []
    scan = tables.scan

    def counted(parts: Any, *columns: Any) -> pl.LazyFrame:
        reads.extend([parts] if parts == [dependencies] else [])
        return scan(parts, *columns)

    monkeypatch.setattr(tables, "scan", counted)
    write_recipes(tmp_path / "recipes", [["油盐切，盐油炒"], ["炒土豆"]] * 5)
    found = []
    for batch in (2, 1000):
        monkeypatch.setattr(actions_module, "BATCH", batch)
        outputs = {name: str(tmp_path / f"{name}-{batch}") for name in ("actions", "rejects")}
        settings = ActionsSettings(glossary=glossary, method="parser")
        recipes = str(tmp_path / "recipes")
        parse_actions(recipes=recipes, dependencies=[dependencies], **outputs, settings=settings, job=Job())
        found.append(tables.read(outputs["actions"]))
    assert len(reads) == 2
    assert found[0].equals(found[1]) and found[0]["recipe_id"].n_unique() == 10


def test_recipes_whose_parses_are_not_held_together_find_theirs(
    tmp_path: Path, glossary: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions_module, "BATCH", 1)
    monkeypatch.setattr(actions_module, "HELD", 2)
    frame = tables.frame(
        schemas.DEPENDENCIES,
        [
            (f"{food}切", [food, "切"], ["X"] * 2, [1, -1], ["obj", "root"], ["other", "root"])
            for food in ("油", "盐", "土豆")
        ],
    )
    path = str(tmp_path / "dependencies.parquet")
    tables.write(path, schemas.DEPENDENCIES, frame, {})
    steps = pl.DataFrame({"steps": [["土豆切"], ["盐切，洋芋切"], ["油切"]]})
    for start, clauses_found in ((0, ["土豆切"]), (1, ["盐切"])):
        held = actions_module.Parses([path], steps.lazy().slice(start, 2))
        found = held.of(steps["steps"].slice(start, 1))
        assert list(found) == clauses_found
        assert all("".join(parse.words) == clause for clause, parse in found.items())
    assert actions_module.Parses([path], steps.lazy().slice(0, 2)).of(pl.Series([["油切"]])) == {}
    assert actions_module.Parses([], steps.lazy()).of(steps["steps"]) == {}


def test_inherited_ingredients_that_only_flavour_are_not_compared(tmp_path: Path) -> None:
    house = str(ROOT / "resources" / "glossary")
    run(
        tmp_path,
        [["锅里放油，下姜丝爆香，下牛肉炒散，加盐，翻炒"], ["锅里放油，爆香"], ["加油和盐，炒"]],
        house,
    )
    proto = tmp_path / "proto.parquet"
    parse_proto(actions=[str(tmp_path / "actions.parquet")], proto=[str(proto)], job=Job())
    rows = pl.read_parquet(proto).select("recipe_id", "verb_class", "ingredient_classes").rows()
    assert rows[6] == ("xiachufang:0", "翻炒", ["牛肉"])
    assert set(rows[2][2]) == {"食用油", "姜"}  # nothing else is in the pot
    assert rows[8] == ("xiachufang:1", "爆香", ["食用油"])
    assert set(rows[9][2]) == set(rows[10][2]) == {"盐", "食用油"}
    assert compared(["牛肉", "盐"]) == {"牛肉"} and compared(["盐", "水"]) == {"盐", "水"}
