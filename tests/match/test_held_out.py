"""No pair of train or valid holds a recipe of a test set, one with its title, or one that is paired with these."""

from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.match import schemas
from wokflow.match.edges import Edges, coded
from wokflow.match.held_out import held_out, whole_components
from wokflow.match.settings import SplitSettings
from wokflow.match.split import match_split

from tests.match.test_candidates import eligible

Ends = list[tuple[int, int]]
Kind = Literal["sources", "grouped"]
KINDS: tuple[Kind, ...] = ("sources", "grouped")
DISHES = {"x": "肉鱼鸡鸭菇茄", "r": ["Pork", "Fish", "Chicken", "Duck", "Mushroom", "Eggplant"]}
GOLD = "source_id\tsource_title\ttitle\tingredients\tsteps\tsource_ingredients\tsource_steps\n"


def title(recipe: str) -> str:
    """Recipes whose numbers differ by 6 have one title, but for what does not count."""
    corpus, number = recipe.split(":")
    return DISHES[corpus][int(number) % 6] + "!" * (int(number) // 6)


def frame(direction: str, edges: Ends) -> pl.DataFrame:
    """Pairs of recipes x:0 and r:0, Chinese and English."""
    sides = ("x", "r") if direction == "zh-en" else ("r", "x")
    ids = [[f"{side}:{end}" for side, end in zip(sides, edge, strict=True)] for edge in edges]
    columns = ("source_id", "target_id", "source_title", "target_title")
    rows = [(*pair, *map(title, pair)) for pair in ids]
    return pl.DataFrame(rows, dict.fromkeys(columns, pl.String), orient="row")


def split(
    folder: Path,
    zh: Ends,
    en: Ends,
    silver: Ends | None = None,
    gold: str | None = None,
    kind: Kind = "grouped",
) -> dict[str, list[tuple[str, str, str]]]:
    """Source, target and split of the pairs of each direction; the silver set is one of Chinese to English."""
    accepted, chosen = {}, []
    for direction, edges in {"zh-en": zh, "en-zh": en}.items():
        accepted[direction] = str(folder / direction)
        filled = frame(direction, edges).with_columns(
            score=pl.lit(0.9, pl.Float32),
            rank=pl.lit(1, pl.Int32),
            source_title_translated=pl.lit(None, pl.String),
            target_title_translated=pl.lit(None, pl.String),
        )
        tables.write(accepted[direction], schemas.ACCEPTED, filled, {})
        if silver is not None:
            chosen.append(str(folder / f"silver-{direction}"))
            rows = frame(direction, silver if direction == "zh-en" else []).with_columns(
                *(pl.lit("a").alias(f"{side}_dish") for side in ("source", "target")),
                *(pl.lit(100, pl.Float32).alias(f"{side}_score") for side in ("source", "target")),
            )
            tables.write(chosen[-1], schemas.SILVER, rows, {})
    match_split(
        accepted=[accepted["zh-en"], accepted["en-zh"]],
        silver=chosen,
        eligible=[eligible(folder / "eligible", "x", [title(f"x:{number}") for number in range(18)])],
        pairs=[str(folder / "out" / name / "part-00000.parquet") for name in ("zh-en", "en-zh")],
        leaks=str(folder / "leaks.json"),
        settings=SplitSettings(kind=kind, gold_zh_en=gold, gold_en_zh=None, simplified=False),
        job=Job(),
    )
    columns = ["source_id", "target_id", "split"]
    return {
        name: tables.read(folder / "out" / name / "part-00000.parquet", columns).rows() for name in accepted
    }


def recipes_away(pairs: list[tuple[str, str]], silver: Ends) -> set[str]:
    """The recipes that no model may learn from, recipe by recipe."""
    tested = {recipe for left, right in silver for recipe in (f"x:{left}", f"r:{right}")}
    dishes = {(recipe[0], int(recipe[2:]) % 6) for recipe in tested}
    recipes = {recipe for pair in pairs for recipe in pair}
    same = {recipe for recipe in recipes if (recipe[0], int(recipe[2:]) % 6) in dishes}
    return same | {recipe for pair in pairs if same & set(pair) for recipe in pair}


edges = st.lists(st.tuples(st.integers(0, 17), st.integers(0, 17)), max_size=25, unique=True)
few = st.lists(st.tuples(st.integers(0, 17), st.integers(0, 17)), max_size=2)


@settings(deadline=None)
@given(edges, edges, few)
def test_nothing_that_is_tested_or_connected_with_it_is_learnt(zh: Ends, en: Ends, silver: Ends) -> None:
    frames = {"zh-en": frame("zh-en", zh), "en-zh": frame("en-zh", en)}
    pairs = {name: rows.select("source_id", "target_id").rows() for name, rows in frames.items()}
    chosen = frame("zh-en", silver)
    tested = pl.concat(
        chosen.select(lang=pl.lit(lang), recipe_id=f"{side}_id", title=f"{side}_title")
        for side, lang in (("source", "zh"), ("target", "en"))
    )
    scanned = {name: rows.lazy() for name, rows in frames.items()}
    held = held_out(tested, scanned, *coded(scanned))
    away = recipes_away([pair for rows in pairs.values() for pair in rows], silver)
    for name, rows in pairs.items():
        assert held["sources"][name].tolist() == [bool(set(pair) & away) for pair in rows]
        assert (held["grouped"][name] >= held["sources"][name]).all()
    if sum(map(len, pairs.values())) <= 10:  # no component is large
        ends = [
            (bool(there), set(pair))
            for name in pairs
            for there, pair in zip(held["grouped"][name], pairs[name], strict=True)
        ]
        assert not {recipe for there, pair in ends if there for recipe in pair} & {
            recipe for there, pair in ends if not there for recipe in pair
        }


@pytest.mark.parametrize("kind", KINDS)
def test_other_pairs_stay_where_they_were_drawn(kind: Kind, tmp_path: Path) -> None:
    pairs = [(number, number) for number in range(18)]
    drawn, found = (
        split(tmp_path, pairs, pairs, kind=kind),
        split(tmp_path, pairs, pairs, [(0, 1)], kind=kind),
    )
    for direction, rows in found.items():
        for (source, target, name), before in zip(rows, drawn[direction], strict=True):
            tested = int(source[2:]) % 6 in (0, 1)
            assert (source, target, "test" if tested else name) == (
                *before[:2],
                name if tested else before[2],
            )
    assert split(tmp_path, pairs, pairs, [], kind=kind) == drawn


def test_a_small_component_is_held_out_whole_and_a_large_one_is_not() -> None:
    """Recipes 0 and 2 are a component, 1 and 3 to 30 another; both have one that is near a tested recipe."""
    source = np.array([0, *range(3, 30)], np.int32)
    target = np.array([2, *[1] * 27], np.int32)
    near = np.isin(np.arange(31), [0, 3])
    whole = whole_components(near, {"zh-en": Edges(source, target, source)})
    assert np.flatnonzero(whole).tolist() == [0, 2, 3]


@pytest.mark.parametrize("kind", KINDS)
def test_sources_of_gold_sets_are_held_out_by_id_and_title(kind: Kind, tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text(GOLD + "x:1\t鱼\tA\tb\tc\t\t\nmine:1\t鸡\tA\tb\tc\t水\t煮\n", encoding="utf-8")
    pairs = [(number, number) for number in range(18)]
    found = split(tmp_path, pairs, [(right, left) for left, right in pairs], gold=str(gold), kind=kind)
    for rows in found.values():
        held = {int(source[2:]) % 6 for source, _, name in rows if name == "test"}
        assert held >= {1, 2}
        assert not {int(source[2:]) % 6 for source, _, name in rows if name != "test"} & {1, 2}
    gold.write_text(GOLD + "x:1\t汤\tA\tb\tc\t\t\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 2: the title of x:1 is '鱼' in the corpus"):
        split(tmp_path, pairs, [], gold=str(gold))
