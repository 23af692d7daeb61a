"""Pairs of recipes from neighbours of texts: expanded to recipes, and cut at k and at the threshold."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from wokflow.frame import tables
from wokflow.frame.buckets import Buckets, scratch
from wokflow.frame.job import Job
from wokflow.match import schemas
from wokflow.match.near import choose, write_near
from wokflow.match.settings import PairSettings
from wokflow.match.sides import Side, read_side

AUDIT = 1e-4  # pairs whose score is this near to the threshold are listed, accepted or not
SLICE = 250_000  # neighbours of texts that are merged and expanded at a time


def match_pair(
    *,
    searched: Sequence[str],
    eligible: Sequence[str],
    translations: Sequence[str],
    neighbours: str,
    pairs: Sequence[str],
    near: str,
    settings: PairSettings,
    job: Job,
) -> None:
    """Merge the shards of neighbours; write as `pairs` the accepted ones, and those within AUDIT of the threshold.

    `eligible` and `translations` are those of the source corpus and of the target corpus. The sheet `near` shows
    people the titles on both sides of the threshold.

    Neighbours of texts become neighbours of recipes as if each recipe had been searched for by itself: the k nearest
    recipes by (score descending, row in the source). Texts come in the order of the first recipe of each, but pairs
    are in the order of the source's recipes: they wait on disk, by ranges of recipes.
    """
    translated = (settings.source_translated, settings.target_translated)
    source, target = map(read_side, eligible, translations, translated)
    accepted, audit = pairs
    k, threshold = settings.k, settings.threshold
    shown = [tables.frame(schemas.NEIGHBOURS)]
    with scratch(Path(accepted)) as folder:
        found = Buckets(folder / "recipes", "source_order", source.recipes.height)
        with tables.PartWriter(neighbours, schemas.NEIGHBOURS, job.metadata) as gathered:
            for nearest in merge(searched, k):
                gathered.write(nearest)
                shown.append(choose(nearest, threshold))
                found.add(expand(nearest.filter(pl.col("score") >= threshold - AUDIT), source, target, k))
        with (
            tables.PartWriter(accepted, schemas.ACCEPTED, job.metadata) as good,
            tables.PartWriter(audit, schemas.AUDIT, job.metadata) as audited,
        ):
            for unsorted in found:
                rows = named(unsorted.sort("source_order", "rank"), source, target)
                reached = pl.col("score") >= threshold
                good.write(rows.filter(reached))
                close = rows.filter(pl.col("score").is_between(threshold - AUDIT, threshold + AUDIT))
                audited.write(close.with_columns(accepted=reached))
    write_near(near, pl.concat(shown), source, target, threshold)


def merge(searched: Sequence[str], k: int) -> Iterator[pl.DataFrame]:
    """The k nearest targets of each source, by (score descending, target); whole sources, about SLICE rows at a time.

    A shard of the search has the nearest targets of all sources among a part of the targets, or those of a part of
    the sources.
    """
    last = tables.scan(searched).select(pl.col("source_index").max()).collect().item()
    sources = max(1, SLICE // k)
    for start in range(0, 0 if last is None else last + 1, sources):
        yield (
            tables.scan(searched)
            .filter(pl.col("source_index").is_between(start, start + sources - 1))
            .sort("source_index", "score", "target_index", descending=[False, True, False])
            .filter(pl.int_range(pl.len()).over("source_index") < k)
            .collect()
        )


def expand(neighbours: pl.DataFrame, source: Side, target: Side, k: int) -> pl.DataFrame:
    """The k nearest recipes of each recipe, from neighbours of whole texts: rows of both, score and rank."""
    targets = (
        target.recipes.select("text_index", target_order="order")
        .filter(pl.col("text_index").is_in(neighbours["target_index"].unique().implode()))
        .group_by("text_index", maintain_order=True)
        .head(k)  # behind k recipes of one text, none can be among the k nearest
    )
    pairs = (
        neighbours.join(targets, left_on="target_index", right_on="text_index")
        .sort("source_index", pl.col("score"), "target_order", descending=[False, True, False])
        .with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("source_index"))
        .filter(pl.col("rank") <= k)
    )
    return (
        source.recipes.select("text_index", source_order="order")
        .join(pairs, left_on="text_index", right_on="source_index")
        .select("source_order", "target_order", "score", "rank")
    )


def named(rows: pl.DataFrame, source: Side, target: Side) -> pl.DataFrame:
    """Rows of `expand` as they are written: with ids, titles and translations in place of numbers of rows."""
    sides = (
        side.recipes[rows[f"{name}_order"]].select(
            pl.col("recipe_id").alias(f"{name}_id"),
            pl.col("title").alias(f"{name}_title"),
            side.translation.alias(f"{name}_title_translated"),
        )
        for name, side in (("source", source), ("target", target))
    )
    return pl.concat([rows.select("score", "rank"), *sides], how="horizontal")
