"""Ratings in figures: means by cuisine, system and rater; how far raters agree, with others and with themselves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from wokflow.evaluate import schemas
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.pivot.agreement import Matrix, alpha, coincidences, nominal, ordinal

# What ratings are grouped by, beside their dimension.
GROUPS = ((), ("cuisine",), ("system",), ("rater",), ("system", "rater"), ("cuisine", "system", "rater"))
BY = ("cuisine", "system", "rater")
DIGITS = 9  # decimal places of numbers in the tables


def evaluate_ratings(
    *, tasks: str, ratings: list[str], means: str, agreement: str, differences: str, job: Job
) -> None:
    """Write evaluate/ratings/means, .../agreement and .../differences of all ratings of judge/tasks.

    Each rating counts once, whatever its repetition. Between raters, a unit of Krippendorff's alpha is one repetition
    of a task; within one, it is a task with its repetitions. Differences of two raters are of their means over the
    repetitions of a task. Values of a nominal scale have no mean, and no differences.
    """
    known = tables.read(tasks, ["task_id", "system", "shown", "dimensions"])
    scales = {one["name"]: one for row in known["dimensions"].to_list() for one in row}
    rated = tables.read(ratings, ["task_id", "rater", "repetition", "dimension", "value"])
    rated = rated.join(_cuisines(known), on="task_id", maintain_order="left")
    measured = [name for name, one in scales.items() if one["scale"] != "nominal"]
    numbers = rated.filter(pl.col("dimension").is_in(measured)).with_columns(pl.col("value").cast(pl.Float64))
    rows = _means(numbers)
    tables.write(means, schemas.RATING_MEANS, rows, job.metadata)
    found = pl.DataFrame(
        list(_agreement(rated, scales)), pl.DataFrame(schemas.RATING_AGREEMENT.empty_table()).schema
    )
    tables.write(agreement, schemas.RATING_AGREEMENT, found, job.metadata)
    tables.write(differences, schemas.RATING_DIFFERENCES, _differences(numbers), job.metadata)


def _cuisines(tasks: pl.DataFrame) -> pl.DataFrame:
    """The system of each task, and its cuisine; null where it shows none."""
    shown = pl.col("shown").list.eval(
        pl.element().filter(pl.element().struct.field("name") == "cuisine").struct.field("text")
    )
    return tasks.select("task_id", "system", cuisine=shown.list.first())


def _means(rated: pl.DataFrame) -> pl.DataFrame:
    """A row for each group of each of GROUPS, with nulls for what it is not grouped by."""
    value = pl.col("value").sort()  # of the same ratings, sums are the same in any order of rows
    several = []
    for group in GROUPS:
        found = rated.group_by("dimension", *group).agg(
            tasks=pl.col("task_id").n_unique().cast(pl.Int64),
            ratings=pl.len().cast(pl.Int64),
            mean=value.mean().round(DIGITS),
            deviation=value.std().round(DIGITS),
        )
        rest = [pl.lit(None, pl.String).alias(name) for name in BY if name not in group]
        by = pl.lit(" and ".join(group) or "all").alias("by")
        several.append(
            found.with_columns(*rest, by).select(schemas.RATING_MEANS.names).sort("dimension", *BY)
        )
    return pl.concat(several)


def _agreement(rated: pl.DataFrame, scales: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for name, scale in scales.items():
        some = rated.filter(pl.col("dimension") == name)
        if not some.height:
            continue
        within = [(rater, some.filter(pl.col("rater") == rater)) for rater in some["rater"].unique().sort()]
        for rater, own, unit in [
            (None, some, ["task_id", "repetition"]),
            *((*each, ["task_id"]) for each in within),
        ]:
            counts = _counts(own, unit, scale["values"])
            matrix = coincidences(counts)
            yield {
                "dimension": name,
                "rater": rater,
                "scale": scale["scale"],
                "units": int((counts.sum(axis=1) > 1).sum()),
                "ratings": int(counts.sum()),
                "alpha": alpha(matrix, metric(scale["scale"], scale["values"])),
            }


def metric(scale: str, values: Sequence[str]) -> Callable[[Matrix], Matrix]:
    """Squared differences of the values of a scale, for pivot.agreement.alpha."""
    if scale == "interval":
        numbers = np.array([float(value) for value in values])
        squares: Matrix = (numbers[:, None] - numbers[None]) ** 2
        return lambda totals: squares
    return nominal if scale == "nominal" else ordinal


def _counts(
    rated: pl.DataFrame, unit: list[str], values: Sequence[str]
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """How often each unit was given each value, (units, values)."""
    wide = rated.group_by(unit).agg(
        (pl.col("value") == value).sum().cast(pl.Int64).alias(value) for value in values
    )
    return wide.sort(unit).select(values).to_numpy()


def _differences(rated: pl.DataFrame) -> pl.DataFrame:
    """How far two raters are apart, of each dimension, over the tasks that both rated."""
    means = rated.group_by("dimension", "task_id", "rater").agg(pl.col("value").sort().mean())
    several = []
    for one, other in combinations(means["rater"].unique().sort(), 2):
        both = means.filter(pl.col("rater") == one).join(
            means.filter(pl.col("rater") == other), on=["dimension", "task_id"], suffix="_other"
        )
        apart = (pl.col("value") - pl.col("value_other")).sort()
        several.append(
            both.group_by("dimension").agg(
                pl.lit(one).alias("rater"),
                pl.lit(other).alias("other"),
                tasks=pl.len().cast(pl.Int64),
                difference=apart.mean().round(DIGITS),
                absolute=apart.abs().sort().mean().round(DIGITS),
            )
        )
    empty = pl.DataFrame(schemas.RATING_DIFFERENCES.empty_table())
    found = pl.concat(several).select(empty.columns) if several else empty
    return found.sort("dimension", "rater", "other")
