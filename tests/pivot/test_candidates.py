"""Actions that differ are sorted by the paper's thresholds, to the recipe; phrases come from different recipes."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.pivot.candidates import kinds, pivot_candidates
from wokflow.pivot.occurrences import occurrences, parted, written
from wokflow.pivot.settings import CandidatesSettings

PAPER = {"alpha": 5.0, "tau_remove": 0.01, "tau_insert": 0.1}


def counted(base: int, bases: int, target: int, targets: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "base_count": [base],
            "base_recipes": [bases],
            "target_count": [target],
            "target_recipes": [targets],
            "base_frequency": [base / bases],
            "target_frequency": [target / targets],
        }
    )


def kind(base: int, bases: int, target: int, targets: int) -> str | None:
    rows = kinds(counted(base, bases, target, targets), *PAPER.values())["kind"].to_list()
    return rows[0] if rows else None


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((20, 100, 0, 100), "remove"),
        ((6, 100, 1, 200), "remove"),
        ((20, 100, 1, 100), "ask"),  # 0.01 is not below 0.01
        ((20, 100, 4, 100), None),  # not more than five times
        ((21, 100, 4, 100), "ask"),
        ((0, 100, 11, 100), "insert"),
        ((0, 100, 10, 100), "ask"),  # 0.1 is not above 0.1
        ((2, 100, 11, 100), "insert"),
        ((2, 100, 10, 100), None),
        ((3, 30, 3, 30), None),
        ((7, 20, 7, 100), None),  # 0.35 is five times 0.07, no more
        ((1, 1000, 0, 100), "remove"),
    ],
)
def test_kinds(numbers: tuple[int, int, int, int], expected: str | None) -> None:
    assert kind(*numbers) == expected


@given(st.integers(0, 50), st.integers(0, 50))
def test_no_action_is_both_removed_and_inserted(base: int, target: int) -> None:
    forth, back = kind(base, 50, target, 50), kind(target, 50, base, 50)
    assert not (forth == back == "remove" or forth == back == "insert")
    assert (forth is None) == (back is None)


Recipe = tuple[str, str, list[tuple[str, list[str], list[str]]]]


def write_tables(
    folder: Path, recipes: list[Recipe], parts: int = 1
) -> tuple[list[str], list[str], list[str]]:
    """Parts of proto, actions and dishes of (recipe_id, dish, actions)."""
    rows = [
        (name, dish, place, *action)
        for name, dish, actions in recipes
        for place, action in enumerate(actions)
    ]
    strings = pl.List(pl.String)
    columns = ["recipe_id", "dish", "position", "verb_class", "ingredient_classes", "tool_classes"]
    types = [pl.String, pl.String, pl.Int32, pl.String, strings, strings]
    frame = pl.DataFrame(rows, dict(zip(columns, types, strict=True)), orient="row")
    text = pl.concat_str(pl.lit("那就"), "verb_class", pl.col("ingredient_classes").list.join("和"))
    numbers = frame["recipe_id"].rank("dense") % parts if parts > 1 else pl.zeros(frame.height, eager=True)
    out: tuple[list[str], list[str], list[str]] = ([], [], [])
    for number in range(parts):
        part = frame.filter(numbers == number)
        for paths, name, table in (
            (out[0], "proto", part.drop("dish")),
            (out[1], "actions", part.select("recipe_id", "position", text=text)),
            (out[2], "dishes", part.select("recipe_id", "dish").unique(maintain_order=True)),
        ):
            path = folder / f"{name}{parts}{number}"
            table.write_parquet(path)
            paths.append(str(path))
    return out


def compare(
    proto: list[str], actions: list[str], dishes: list[str], pairs: Path, out: Path, **settings: float
) -> None:
    pivot_candidates(
        proto=proto,
        actions=actions,
        dishes=dishes,
        candidates=str(out),
        rejects=f"{out}.rejects",
        settings=CandidatesSettings(**{"pairs": str(pairs), "recipes": 1, "level": 1.0} | PAPER | settings),
        job=Job(),
    )


def steak(cut: bool, washed: bool = True) -> list[tuple[str, list[str], list[str]]]:
    return [("切", ["牛排"], ["刀"])] * cut + [("洗", ["牛排"], [])] * washed + [("煎", [], [])]


RECIPES: list[Recipe] = [
    *((f"x:{number}", "牛排", steak(cut=number < 3)) for number in range(4)),
    *((f"x:{number}", "羊排", steak(cut=False, washed=number < 5)) for number in range(4, 6)),
    ("x:7", "别的", [("炸", [], [])]),
]


def test_candidates_of_a_pair(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text(
        "base_dish\ttarget_dish\tingredient_removed\tingredient_added\n"
        "羊排\t牛排\t羊排\t牛排\n牛排\t羊排\t牛排\t羊排\n牛排\t没有\t牛排\t没有\n"
    )
    for parts in (1, 2):
        out = tmp_path / f"out{parts}"
        compare(*write_tables(tmp_path, RECIPES, parts), pairs, out)
    assert (tmp_path / "out1").read_bytes() == (tmp_path / "out2").read_bytes()
    shared = {
        "verb_class": "切",
        "ingredient_classes": ["牛排"],
        "tool_classes": ["刀"],
        "phrases": ["那就切牛排"],
    }
    assert tables.read(tmp_path / "out1").to_dicts() == [
        shared
        | {"base_dish": "羊排", "target_dish": "牛排", "base_frequency": 0.0, "target_frequency": 0.75}
        | {"base_recipes": 2, "target_recipes": 4, "kind": "insert", "p_value": 1.0},
        shared
        | {"base_dish": "牛排", "target_dish": "羊排", "base_frequency": 0.75, "target_frequency": 0.0}
        | {"base_recipes": 4, "target_recipes": 2, "kind": "remove", "p_value": 1.0},
    ]


def dishes(base: dict[str, int], target: dict[str, int], recipes: int) -> list[Recipe]:
    """Recipes of the dishes 鸡 and 虾: each verb, in the first so many of a dish's recipes."""
    return [
        (
            f"{dish}:{number}",
            dish,
            [("洗", [], []), *((verb, [], []) for verb in verbs if number < verbs[verb])],
        )
        for dish, verbs in (("鸡", base), ("虾", target))
        for number in range(recipes)
    ]


@pytest.mark.parametrize(
    ("settings", "claimed", "rejects"),
    [
        ({}, {"切": "remove", "拍": "remove", "剥": "insert"}, {}),
        ({"level": 0.05}, {"切": "remove", "剥": "insert"}, {"拍": "chance"}),
        (
            {"level": 0.05, "recipes": 21},
            {},
            {"切": "few_recipes", "拍": "few_recipes", "剥": "few_recipes"},
        ),
        ({"least": 0.2}, {"切": "remove", "剥": "insert"}, {}),
    ],
)
def test_what_recipes_are_too_few_for_is_not_claimed_and_said(
    settings: dict[str, float], claimed: dict[str, str], rejects: dict[str, str], tmp_path: Path
) -> None:
    pairs, out = tmp_path / "pairs.tsv", tmp_path / "out"
    pairs.write_text("base_dish\ttarget_dish\tingredient_removed\tingredient_added\n鸡\t虾\t\ta\n")
    recipes = dishes({"切": 12, "拍": 2, "煮": 10}, {"剥": 12, "煮": 1}, 20)
    compare(*write_tables(tmp_path, recipes), pairs, out, **settings)
    found = tables.read(out)
    said = tables.read(f"{out}.rejects")
    assert dict(found.filter(pl.col("kind") != "ask").select("verb_class", "kind").iter_rows()) == claimed
    assert {
        action.rstrip("/"): reason for action, reason in said.select("raw", "reason").iter_rows()
    } == rejects
    assert found.filter(kind="ask")["verb_class"].to_list() == ["煮"]  # people decide whatever the support
    if "拍" in rejects and "level" in settings:
        (detail,) = said.filter(raw="拍//")["detail"]
        assert detail == "2 of 20 recipes of the base dish, 0 of 20 of the target dish, p 0.487"


def test_phrases_are_different_clauses_of_different_recipes(tmp_path: Path) -> None:
    recipes: list[Recipe] = [(f"x:{number}", "甲", [("洗", [], []), ("洗", [], [])]) for number in range(6)]
    proto, _, dishes = write_tables(tmp_path, [*recipes, ("x:6", "乙", [("煮", [], [])])])
    texts = ["一", "二", "二", "三", "四", "五"]
    rows = [
        (f"x:{number}", place, text if not place else "再")
        for number, text in enumerate(texts)
        for place in (0, 1)
    ]
    rows.append(("x:6", 0, "煮"))
    frame = pl.DataFrame(
        rows, {"recipe_id": pl.String, "position": pl.Int32, "text": pl.String}, orient="row"
    )
    frame.write_parquet(tmp_path / "texts")
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("base_dish\ttarget_dish\tingredient_removed\tingredient_added\n甲\t乙\t\ta\n")
    compare(proto, [str(tmp_path / "texts")], dishes, pairs, tmp_path / "out")
    assert tables.read(tmp_path / "out")["phrases"].to_list()[0] == ["一", "二", "三"]


words = st.lists(st.sampled_from(["盐", "水", "肉"]), max_size=3, unique=True).map(sorted)


@given(st.sampled_from(["切", "煮"]), words, words)
def test_an_action_is_written_and_read_again(verb: str, ingredients: list[str], tools: list[str]) -> None:
    types = {"ingredient_classes": pl.List(pl.String), "tool_classes": pl.List(pl.String)}
    row = pl.DataFrame([(verb, ingredients, tools)], {"verb_class": pl.String} | types, orient="row")
    again = row.select(action=written()).select(parted(pl.col("action")))
    assert again.rows() == [(verb, ingredients, tools)]


def test_occurrences_are_those_of_the_named_dishes_in_order(tmp_path: Path) -> None:
    proto, _, dishes = write_tables(tmp_path, RECIPES, parts=2)
    found = occurrences(proto, dishes, ["羊排"])
    assert found.rows() == [
        ("羊排", "x:4", 0, "洗/牛排/"),
        ("羊排", "x:4", 1, "煎//"),
        ("羊排", "x:5", 0, "煎//"),
    ]
