"""Test sets that are collected apart from the pairs, and what no model may learn for their sake."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.frame import tables
from wokflow.match.directions import DIRECTIONS
from wokflow.match.edges import Edges, grouped, large
from wokflow.match.gold import gold_set
from wokflow.match.names import normal

SIDES = ("source", "target")
Mask = NDArray[np.bool_]


def tested_recipes(
    silver: Sequence[str], gold: Mapping[str, str | None], eligible: Sequence[str], *, simplified: bool
) -> pl.DataFrame:
    """The recipes of the test sets (lang, recipe_id, title): both sides of silver ones, the sources of gold ones.

    `silver` are the tables match/silver of both directions, or none; `gold` has the gold set of each direction. Gold
    sources are held against the `eligible` recipes of both corpora, as wokflow.match.gold.gold_set does.
    """
    found = [pl.DataFrame(schema=dict.fromkeys(("lang", "recipe_id", "title"), pl.String))]
    for direction, path in zip(DIRECTIONS, silver, strict=False):
        rows = tables.read(path)
        for side, lang in zip(SIDES, direction.split("-"), strict=True):
            found.append(rows.select(lang=pl.lit(lang), recipe_id=f"{side}_id", title=f"{side}_title"))
    for direction, given in gold.items():
        rows = gold_set(given, eligible, simplified=simplified)
        lang = direction.split("-")[0]
        found.append(rows.select(lang=pl.lit(lang), recipe_id="source_id", title="source_title"))
    return pl.concat(found)


def held_out(
    tested: pl.DataFrame,
    directions: Mapping[str, pl.LazyFrame],
    names: Sequence[str],
    edges: Mapping[str, Edges],
) -> dict[str, dict[str, Mask]]:
    """By kind of split and direction: which pairs must be in test.

    These are the pairs of recipes that are tested, or have the title of a tested one, and of what is paired with
    these. In the grouped split the components go with them, as whole_components says.
    """
    same = pl.Series(names, dtype=pl.String).is_in(same_dishes(tested, directions).implode()).to_numpy()
    near = connected(same, edges)
    recipes = {"paper": near, "grouped": whole_components(near, edges)}
    return {
        kind: {name: held[pairs.source] | held[pairs.target] for name, pairs in edges.items()}
        for kind, held in recipes.items()
    }


def same_dishes(tested: pl.DataFrame, directions: Mapping[str, pl.LazyFrame]) -> pl.Series:
    """Ids of the recipes in pairs that are tested, or have the title of a tested one (as normal forms)."""
    found = [pl.DataFrame(schema={"id": pl.String})]
    for direction, pairs in directions.items():
        for side, lang in zip(SIDES, direction.split("-"), strict=True):
            own = tested.filter(pl.col("lang") == lang)
            forms = normal(own["title"], lang)
            titles = pairs.select(pl.col(f"{side}_title").unique()).collect().to_series()
            alike = titles.filter(normal(titles, lang).is_in(forms.filter(forms != "").implode()))
            chosen = pl.col(f"{side}_title").is_in(alike.implode()) | pl.col(f"{side}_id").is_in(
                own["recipe_id"].implode()
            )
            found.append(pairs.filter(chosen).select(id=pl.col(f"{side}_id")).unique().collect())
    return pl.concat(found)["id"].unique()


def connected(tested: Mask, edges: Mapping[str, Edges]) -> Mask:
    """Tested recipes, and those that stand in a pair with one; by number of the recipe."""
    near = tested.copy()
    for pairs in edges.values():
        near[pairs.target[tested[pairs.source]]] = True
        near[pairs.source[tested[pairs.target]]] = True
    return near


def whole_components(near: Mask, edges: Mapping[str, Edges]) -> Mask:
    """`near`, and all of each component that has one of them, unless it is large: that would leave too few to learn.

    So the grouped split stays free of leaks, but for pairs at the rim of what is taken out of a large component.
    """
    component, sizes = grouped(len(near), edges)
    touched = np.zeros(len(sizes), bool)
    touched[component[near]] = True
    return near | (touched & ~large(sizes))[component]
