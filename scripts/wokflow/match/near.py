"""A sheet of titles on both sides of the threshold, for people who choose one."""

from pathlib import Path

import polars as pl

from wokflow.frame.tsv_sheets import write_sheet
from wokflow.match.sides import Side

# Most rows of each hundredth of similarity on a side of the threshold, lest those of large corpora all lie near it.
BAND = 10
REACH = 0.25  # largest distance from the threshold
TITLES = ("source_title", "source_title_translated", "target_title", "target_title_translated")


def write_near(
    path: str | Path, neighbours: pl.DataFrame, source: Side, target: Side, threshold: float
) -> None:
    """Write the best neighbours below the threshold and the weakest at or above it as a TSV, the best first.

    A text stands for all recipes with it: the row has the first recipe's title.
    """
    score = pl.col("score")
    rows = (
        choose(neighbours, threshold)
        .sort("score", "source_index", "target_index", descending=[True, False, False])
        .with_columns(accepted=pl.when(score >= threshold).then(pl.lit("yes")).otherwise(pl.lit("no")))
        .join(_first(source, "source"), on="source_index", maintain_order="left")
        .join(_first(target, "target"), on="target_index", maintain_order="left")
    )
    columns = ("accepted", *TITLES, "source_id", "target_id")
    sheet = ([row["score"], *(row[name] or "" for name in columns)] for row in rows.iter_rows(named=True))
    write_sheet(path, ("score", *columns), sheet)


def choose(neighbours: pl.DataFrame, threshold: float) -> pl.DataFrame:
    """The neighbours that the sheet shows; those of a whole table are among those of its slices."""
    score = pl.col("score")
    near = neighbours.filter(score.is_between(threshold - REACH, threshold + REACH))
    below = _of_bands(near.filter(score < threshold), descending=True)
    above = _of_bands(near.filter(score >= threshold), descending=False)
    return pl.concat([below, above])


def _of_bands(neighbours: pl.DataFrame, *, descending: bool) -> pl.DataFrame:
    """BAND rows of each hundredth of similarity, those nearest to the threshold."""
    return (
        neighbours.sort("score", "source_index", "target_index", descending=[descending, False, False])
        .group_by((pl.col("score") * 100).floor().alias("band"), maintain_order=True)
        .head(BAND)
        .drop("band")
    )


def _first(side: Side, name: str) -> pl.DataFrame:
    """The first recipe of each text: its title, translation and id."""
    return side.recipes.unique("text_index", keep="first", maintain_order=True).select(
        pl.col("text_index").alias(f"{name}_index"),
        pl.col("recipe_id").alias(f"{name}_id"),
        pl.col("title").alias(f"{name}_title"),
        side.translation.alias(f"{name}_title_translated"),
    )
