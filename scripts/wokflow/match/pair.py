"""Neighbours of texts to pairs of recipes: expanded to recipes, cut at k, and at the threshold."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from wokflow import tables
from wokflow.match import schemas

AUDIT = 1e-4  # a pair this near to the threshold is listed, accepted or not
SLICE = 200_000  # source texts that are expanded at a time


class Side(NamedTuple):
    """One side's recipes in source order: recipe_id, title, text and its row; and if they are translated."""

    recipes: pl.DataFrame
    translated: bool


def match_pair(
    shards: Sequence[str],
    source: tuple[str, str, bool],
    target: tuple[str, str, bool],
    neighbours: str,
    accepted: str,
    audit: str,
    *,
    k: int,
    threshold: float,
    metadata: dict[str, str],
) -> None:
    """Gather the shards of neighbours; write the accepted pairs, and those within AUDIT of the threshold.

    `source` and `target` are (eligible table, translations table, whether titles were translated). Neighbours
    of texts become neighbours of recipes as if each recipe had been searched for by itself: the k nearest
    recipes by (score descending, row in the source).
    """
    gathered = tables.read(shards)
    tables.write(neighbours, schemas.NEIGHBOURS, gathered, metadata)
    found = gathered.filter(pl.col("score") >= threshold - AUDIT)
    sides = side(*source), side(*target)
    with (
        tables.PartWriter(accepted, schemas.ACCEPTED, metadata) as good,
        tables.PartWriter(audit, schemas.AUDIT, metadata) as near,
    ):
        for start in range(0, found.height, SLICE):
            pairs = expand(_whole_sources(found, start), *sides, k)
            good.write(pairs.filter(pl.col("score") >= threshold))
            close = pairs.filter(pl.col("score").is_between(threshold - AUDIT, threshold + AUDIT))
            near.write(close.with_columns(accepted=pl.col("score") >= threshold))


def side(eligible: str, translations: str, translated: bool) -> Side:
    recipes = tables.read(eligible, ["recipe_id", "title"]).with_row_index("order")
    texts = tables.read(translations)
    return Side(recipes.join(texts, on="title", how="left", maintain_order="left"), translated)


def _whole_sources(found: pl.DataFrame, start: int) -> pl.DataFrame:
    """About SLICE rows from `start`, cut where a source ends; a source that began earlier is left out."""
    index = found["source_index"]
    first = index[start]
    begin = start if start == 0 or index[start - 1] != first else int(index.search_sorted(first, "right"))
    stop = min(start + SLICE, found.height)
    end = int(index.search_sorted(index[stop - 1], "right"))
    return found[begin:end]


def expand(found: pl.DataFrame, source: Side, target: Side, k: int) -> pl.DataFrame:
    """Neighbours of texts -> the k nearest recipes of each recipe (schema match/accepted)."""
    targets = (
        target.recipes.filter(pl.col("text_index").is_in(found["target_index"].unique().implode()))
        .group_by("text_index", maintain_order=True)
        .head(k)  # behind k recipes of one text, none can be among the k nearest
    )
    pairs = (
        found.join(targets, left_on="target_index", right_on="text_index")
        .sort("source_index", pl.col("score"), "order", descending=[False, True, False])
        .with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("source_index"))
        .filter(pl.col("rank") <= k)
        .select(
            "source_index",
            "score",
            "rank",
            target_id="recipe_id",
            target_title="title",
            target_title_translated=_translation(target),
        )
    )
    return (
        source.recipes.rename({"order": "source_order"})
        .join(pairs, left_on="text_index", right_on="source_index")
        .sort("source_order", "rank")
        .rename({"recipe_id": "source_id", "title": "source_title"})
        .with_columns(source_title_translated=_translation(source))
        .drop("text")
    )


def _translation(side: Side) -> pl.Expr:
    return pl.col("text") if side.translated else pl.lit(None, pl.String)
