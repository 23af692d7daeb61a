"""The grouped split keeps connected recipes together; that of sources draws one by one, and leaks."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.match import schemas
from wokflow.match import split as splitting
from wokflow.match.edges import coded, components
from wokflow.match.settings import SplitSettings
from wokflow.match.split import SPLITS, cut, match_split, order
from wokflow.match.stage import problems

from tests.test_docs import defaults

Edges = list[tuple[int, int]]
TENTHS = (0.1, 0.1)


def pairs(edges: Edges, source: str = "x", target: str = "r") -> pl.DataFrame:
    """Accepted pairs of a direction; each recipe's title is its own."""
    rows = [(f"{source}:{left}", f"{target}:{right}", f"title {source}:{left}") for left, right in edges]
    return pl.DataFrame(rows, ["source_id", "target_id", "source_title"], orient="row").cast(pl.String)


def by_component(
    frames: dict[str, pl.DataFrame], seed: int, shares: tuple[float, float] = TENTHS
) -> dict[str, pl.DataFrame]:
    return drawn(splitting.by_component, frames, seed, shares)


def by_source(
    frames: dict[str, pl.DataFrame], seed: int, shares: tuple[float, float] = TENTHS
) -> dict[str, pl.DataFrame]:
    return drawn(splitting.by_source, frames, seed, shares)


def drawn(
    kind: Any, frames: dict[str, pl.DataFrame], seed: int, shares: tuple[float, float]
) -> dict[str, pl.DataFrame]:
    """The pairs with the names of their splits."""
    found = kind(*coded({name: frame.lazy() for name, frame in frames.items()}), seed, shares)
    return {
        name: frame.with_columns(split=pl.Series([SPLITS[one] for one in found[name]], dtype=pl.String))
        for name, frame in frames.items()
    }


def leak(table: pl.DataFrame) -> dict[str, float]:
    _, edges = coded({"zh-en": table.lazy()})
    return splitting.leak(edges["zh-en"], np.array([SPLITS.index(name) for name in table["split"]], np.uint8))


def directions(zh: Edges, en: Edges) -> dict[str, pl.DataFrame]:
    return {"zh-en": pairs(zh, "x", "r"), "en-zh": pairs(en, "r", "x")}


def sides(split: dict[str, pl.DataFrame]) -> dict[str, set[str]]:
    """The splits that each recipe stands in, as source or as target, in any direction."""
    found: dict[str, set[str]] = {}
    for table in split.values():
        for source, target, name in table.select("source_id", "target_id", "split").rows():
            found.setdefault(source, set()).add(name)
            found.setdefault(target, set()).add(name)
    return found


def sizes(table: pl.DataFrame) -> list[int]:
    """Sources in train, valid, test."""
    return [
        table.filter(pl.col("split") == name)["source_id"].n_unique() for name in ("train", "valid", "test")
    ]


edges = st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), max_size=40, unique=True)


@settings(deadline=None)
@given(edges, edges, st.integers(0, 5))
def test_grouped_no_recipe_stands_on_two_sides_in_no_direction(zh: Edges, en: Edges, seed: int) -> None:
    split = by_component(directions(zh, en), seed)
    assert all(len(names) == 1 for names in sides(split).values())
    for direction, table in directions(zh, en).items():
        assert split[direction].drop("split").equals(table)
        assert set(leak(split[direction]).values()) == {0.0}


@settings(deadline=None)
@given(edges, edges, st.randoms(use_true_random=False))
def test_a_split_depends_neither_on_the_order_of_the_pairs_nor_on_chance(
    zh: Edges, en: Edges, random: "st.random.Random"
) -> None:
    split = {"grouped": by_component(directions(zh, en), 1), "sources": by_source(directions(zh, en), 1)}
    random.shuffle(zh)
    random.shuffle(en)
    again = {"grouped": by_component(directions(zh, en), 1), "sources": by_source(directions(zh, en), 1)}
    for kind, tables_of in split.items():
        for direction, table in tables_of.items():
            assert table.sort("source_id", "target_id").equals(
                again[kind][direction].sort("source_id", "target_id")
            )


def test_grouped_sizes_are_near_80_10_10_for_many_small_components() -> None:
    zh = [(recipe, recipe // 3) for recipe in range(900)]
    split = by_component({"zh-en": pairs(zh)}, 13)["zh-en"]
    assert np.abs(np.array(sizes(split)) - [720, 90, 90]).max() <= 3


@pytest.mark.parametrize(
    ("giant", "expected"), [(300, [800, 100, 100]), (900, [900, 50, 50]), (980, [980, 10, 10])]
)
def test_a_giant_component_goes_to_train_and_valid_and_test_share_the_rest(
    giant: int, expected: list[int]
) -> None:
    zh = [(recipe, 0 if recipe < giant else recipe) for recipe in range(1000)]
    split = by_component({"zh-en": pairs(zh)}, 13)["zh-en"]
    assert sizes(split) == expected
    assert split[:giant]["split"].unique().to_list() == ["train"]


def test_several_large_components_go_to_train_until_it_is_full() -> None:
    drawn = np.arange(5)
    assert cut(drawn, np.array([10, 500, 400, 10, 80]), TENTHS).tolist() == [1, 0, 0, 1, 2]
    assert cut(np.arange(10), np.full(10, 12), TENTHS).tolist() == [0] * 8 + [1, 2]
    assert cut(np.arange(3), np.array([40, 40, 40]), TENTHS).tolist() == [0, 0, 0]


def test_very_few_recipes_are_split_all_the_same() -> None:
    assert cut(np.arange(10), np.ones(10, np.int64), TENTHS).tolist() == [0] * 8 + [1, 2]
    assert cut(np.arange(1), np.ones(1, np.int64), TENTHS).tolist() == [0]
    assert cut(np.arange(0), np.ones(0, np.int64), TENTHS).tolist() == []


def test_one_recipe_more_leaves_the_others_where_they_were() -> None:
    zh = [(recipe, recipe // 2) for recipe in range(1000)]
    for more in ((1000, 1000), (1000, 7), (0, 500)):
        for split in (by_component, by_source):
            before, after = (split({"zh-en": pairs(some)}, 13)["zh-en"] for some in (zh, [*zh, more]))
            moved = (before["split"] != after["split"][: before.height]).sum()
            assert moved <= 6


def test_another_seed_is_another_split() -> None:
    zh = [(recipe, recipe) for recipe in range(100)]
    for split in (by_component, by_source):
        one, two = (split({"zh-en": pairs(zh)}, seed)["zh-en"] for seed in (1, 2))
        assert not one.equals(two) and sizes(one) == sizes(two) == [80, 10, 10]


@pytest.mark.parametrize(
    ("shares", "expected", "of_small"), [((0.1, 0.0), [90, 10, 0], 0), ((0.2, 0.05), [75, 20, 5], 4)]
)
def test_shares_are_those_of_the_settings(
    shares: tuple[float, float], expected: list[int], of_small: int
) -> None:
    """Without a share of test, nothing is in it, also where one component has 90 of 110 sources."""
    zh = [(recipe, recipe) for recipe in range(100)]
    for split in (by_component, by_source):
        assert sizes(split({"zh-en": pairs(zh)}, 1, shares)["zh-en"]) == expected
    large = [(recipe, max(0, recipe - 89)) for recipe in range(110)]
    assert sizes(by_component({"zh-en": pairs(large)}, 1, shares)["zh-en"])[2] == of_small


@pytest.mark.parametrize(("test", "sheet", "said"), [(0, None, 1), (0, "sheet.tsv", 0), (0.1, None, 0)])
def test_no_test_part_needs_a_silver_set(test: float, sheet: str | None, said: int) -> None:
    match = defaults()["match"] | {"split": {"test": test}, "silver": {"accepted": sheet}}
    assert sum("there is no silver test set" in line for line in problems({"match": match})) == said


@settings(deadline=None)
@given(st.integers(1, 300), st.integers(0, 3))
def test_sources_of_each_direction_are_drawn_80_10_10(sources: int, seed: int) -> None:
    zh = [(recipe, target) for recipe in range(sources) for target in (0, 1)]
    split = by_source({"zh-en": pairs(zh), "en-zh": pairs(zh[: sources + sources % 2], "r", "x")}, seed)
    for table in split.values():
        count = table["source_id"].n_unique()
        assert np.abs(np.array(sizes(table)) - np.array([0.8, 0.1, 0.1]) * count).max() <= 1
        assert sum(sizes(table)) == count, "all pairs of a source are in one split"


def test_draws_of_sources_keep_the_order_of_the_pairs() -> None:
    table = pairs([(3, 1), (1, 2), (3, 0), (2, 2)])
    assert by_source({"zh-en": table}, 5)["zh-en"].drop("split").equals(table)


def test_leaks_by_hand() -> None:
    table = pl.DataFrame(
        {
            "source_id": ["x:0", "x:1", "x:2", "x:2"],
            "target_id": ["r:0", "r:0", "r:1", "r:2"],
            "source_title": ["soup", "rice", "soup", "soup"],
            "split": ["train", "valid", "test", "test"],
        }
    )
    assert leak(table) == {"valid_target": 1.0, "valid_title": 0.0, "test_target": 0.0, "test_title": 1.0}
    more = pl.concat([table, table[:1].with_columns(source_id=pl.lit("x:3"), split=pl.lit("valid"))])
    assert leak(more) | {"test_target": 0.0} == leak(more) and leak(more)["valid_title"] == 0.5
    assert set(leak(table.clear()).values()) == {0.0}


def test_components_by_hand() -> None:
    left, right = np.array([0, 3, 4, 0]), np.array([2, 4, 5, 2])
    assert components(7, left, right).tolist() == [0, 1, 0, 2, 2, 2, 3]
    assert components(3, np.zeros(256, np.int64), np.full(256, 2)).tolist() == [0, 1, 0]
    assert components(0, left[:0], right[:0]).tolist() == []


@settings(deadline=None)
@given(st.sets(st.text("ab:", max_size=4), max_size=8), st.text("ab", max_size=3))
def test_the_order_of_names_stays_when_one_goes(names: set[str], gone: str) -> None:
    def ordered(some: list[str]) -> list[str]:
        return [some[index] for index in order(some, 7)]

    rest = sorted(names - {gone})
    assert [name for name in ordered(sorted(names)) if name != gone] == ordered(rest)
    assert ordered(rest[::-1]) == ordered(rest)


@pytest.mark.parametrize("kind", ["grouped", "sources"])
def test_files_hold_the_split_that_is_asked_for_and_the_leaks_of_both(kind: str, tmp_path: Path) -> None:
    frames = directions([(row, row // 4) for row in range(80)], [(row // 4, row) for row in range(80)])
    accepted, out = (
        {name: str(tmp_path / what / name / "part-00000.parquet") for name in frames}
        for what in ("accepted", "pairs")
    )
    for name, frame in frames.items():
        filled = frame.with_columns(
            score=pl.lit(0.9, pl.Float32),
            rank=pl.lit(1, pl.Int32),
            source_title_translated=pl.lit(None, pl.String),
            target_title=pl.lit("a"),
            target_title_translated=pl.lit(None, pl.String),
        )
        tables.write(accepted[name], schemas.ACCEPTED, filled, {})
    leaks = tmp_path / "leaks.json"
    match_split(
        accepted=[accepted["zh-en"], accepted["en-zh"]],
        silver=[],
        eligible=[],
        pairs=[out["zh-en"], out["en-zh"]],
        leaks=str(leaks),
        settings=SplitSettings(kind=kind, gold_zh_en=None, gold_en_zh=None, simplified=False),
        job=Job(),
    )
    assert (tmp_path / "pairs" / "README.md").read_text(encoding="utf-8") == splitting.CARD
    written = {name: tables.read(path) for name, path in out.items()}
    expected = (by_component if kind == "grouped" else by_source)(frames, 13)
    for name, table in written.items():
        assert table.columns == schemas.PAIRS.names
        assert table["split"].equals(expected[name]["split"])
    written_leaks = json.loads(leaks.read_text(encoding="utf-8"))
    assert written_leaks["kind"] == kind
    assert written_leaks["leaks"][kind] == {name: leak(table) for name, table in written.items()}
    assert set(written_leaks["leaks"]["grouped"]["zh-en"].values()) == {0.0}
    assert written_leaks["leaks"]["sources"]["zh-en"]["test_target"] > 0


def test_no_pairs_are_split_too(tmp_path: Path) -> None:
    for split in (by_component, by_source):
        empty = split(directions([], []), 13)
        assert all(table.columns[-1] == "split" and table.height == 0 for table in empty.values())
        assert all(table["split"].dtype == pl.String for table in empty.values())
