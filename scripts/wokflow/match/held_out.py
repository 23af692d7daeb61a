"""Test sets collected apart from the pairs, and the pairs that they keep out of training."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.frame import tables
from wokflow.match.directions import DIRECTIONS
from wokflow.match.dish_names import normal
from wokflow.match.edges import Edges, grouped, large
from wokflow.match.gold import gold_set

SIDES = ("source", "target")
Mask = NDArray[np.bool_]


def tested_recipes(
    silver: Sequence[str], gold: Mapping[str, str | None], eligible: Sequence[str], *, simplified: bool
) -> pl.DataFrame:
    """The recipes of the test sets (lang, recipe_id, title): both sides of silver ones, the sources of gold ones.

    `silver` are the tables match/silver of both directions, or none; `gold` has the gold set of each direction. Gold
    sources are checked against the `eligible` recipes of both corpora, as wokflow.match.gold.gold_set does.
    """
    tested = [pl.DataFrame(schema=dict.fromkeys(("lang", "recipe_id", "title"), pl.String))]
    for direction, path in zip(DIRECTIONS, silver, strict=False):
        rows = tables.read(path)
        for side, lang in zip(SIDES, direction.split("-"), strict=True):
            tested.append(rows.select(lang=pl.lit(lang), recipe_id=f"{side}_id", title=f"{side}_title"))
    for direction, given in gold.items():
        rows = gold_set(given, eligible, simplified=simplified)
        lang = direction.split("-")[0]
        tested.append(rows.select(lang=pl.lit(lang), recipe_id="source_id", title="source_title"))
    return pl.concat(tested)


def held_out(
    tested: pl.DataFrame,
    directions: Mapping[str, pl.LazyFrame],
    names: Sequence[str],
    edges: Mapping[str, Edges],
) -> dict[str, dict[str, Mask]]:
    """By kind of split and direction: which pairs must be in test.

    These are the pairs that contain a tested recipe, one with a tested recipe's title, or one that is paired with
    either. In the grouped split, whole components are added (see whole_components).
    """
    same = pl.Series(names, dtype=pl.String).is_in(same_dishes(tested, directions).implode()).to_numpy()
    near = connected(same, edges)
    recipes = {"sources": near, "grouped": whole_components(near, edges)}
    return {
        kind: {name: held[pairs.source] | held[pairs.target] for name, pairs in edges.items()}
        for kind, held in recipes.items()
    }


def same_dishes(tested: pl.DataFrame, directions: Mapping[str, pl.LazyFrame]) -> pl.Series:
    """Ids of the recipes in pairs that are tested, or whose title has the normal form of a tested one's."""
    ids = [pl.DataFrame(schema={"id": pl.String})]
    for direction, pairs in directions.items():
        for side, lang in zip(SIDES, direction.split("-"), strict=True):
            own = tested.filter(pl.col("lang") == lang)
            forms = normal(own["title"], lang)
            titles = pairs.select(pl.col(f"{side}_title").unique()).collect().to_series()
            alike = titles.filter(normal(titles, lang).is_in(forms.filter(forms != "").implode()))
            chosen = pl.col(f"{side}_title").is_in(alike.implode()) | pl.col(f"{side}_id").is_in(
                own["recipe_id"].implode()
            )
            ids.append(pairs.filter(chosen).select(id=pl.col(f"{side}_id")).unique().collect())
    return pl.concat(ids)["id"].unique()


def connected(tested: Mask, edges: Mapping[str, Edges]) -> Mask:
    """A mask of the tested recipes and those paired with one, by number of the recipe."""
    near = tested.copy()
    for pairs in edges.values():
        near[pairs.target[tested[pairs.source]]] = True
        near[pairs.source[tested[pairs.target]]] = True
    return near


def whole_components(near: Mask, edges: Mapping[str, Edges]) -> Mask:
    """`near`, with all recipes of their components, except large ones, or too little is left to train on.

    So the grouped split stays free of leaks, except around the recipes that are taken out of a large component.
    """
    component, sizes = grouped(len(near), edges)
    touched = np.zeros(len(sizes), bool)
    touched[component[near]] = True
    return near | (touched & ~large(sizes))[component]
