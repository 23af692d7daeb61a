"""Statistics of ratings: means by cuisine, system and rater; how far raters agree, with others and with
themselves.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from wokflow.evaluate import rater_agreement, rating_schemas
from wokflow.evaluate.rated import Rated, Ratings, read
from wokflow.evaluate.resampling import (
    DIGITS,
    Counts,
    Floats,
    alphas,
    by_unit,
    mean_intervals,
    with_interval,
)
from wokflow.evaluate.settings import Bootstrap, RatingsSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.pivot.agreement import Matrix, nominal, ordinal, unit_coincidences

# What ratings are grouped by, beside their dimension.
GROUPS = ((), ("cuisine",), ("system",), ("rater",), ("system", "rater"), ("cuisine", "system", "rater"))
BY = ("cuisine", "system", "rater")


def evaluate_ratings(
    *,
    tasks: str,
    ratings: list[str],
    figures: Sequence[str],
    settings: RatingsSettings,
    job: Job,
) -> None:
    """Write evaluate/ratings/means, .../agreement, .../differences, .../dimensions and .../calibration, to `figures`.

    Each rating counts once, whatever its repetition. Between raters, a unit of Krippendorff's alpha is one repetition
    of a task; within one, it is a task with its repetitions. Raters are compared by their means over the repetitions
    of a task, kappa aside. Values of a nominal scale have no mean, and agreement alone. Intervals are of resamples of
    the tasks. Where models and people rated, differences and calibration are of all of them, and the rest is of
    models: evaluate/people has people's own.
    """
    given, bootstrap = read(tasks, ratings), settings.bootstrap
    models = given.of_models()
    means, agreement, differences, dimensions, calibration = figures
    tables.write(means, rating_schemas.RATING_MEANS, _means(models, bootstrap), job.metadata)
    for path, schema, rows in (
        (agreement, rating_schemas.RATING_AGREEMENT, agreements(models, bootstrap)),
        (differences, rating_schemas.RATING_DIFFERENCES, rater_agreement.differences(given, bootstrap)),
        (dimensions, rating_schemas.RATING_DIMENSIONS, rater_agreement.dimensions(models, bootstrap)),
        (calibration, rating_schemas.RATING_CALIBRATION, rater_agreement.calibration(given, bootstrap)),
    ):
        tables.write(path, schema, rows, job.metadata)


def _means(ratings: Ratings, bootstrap: Bootstrap) -> pl.DataFrame:
    """A row for each group of each grouping of GROUPS; columns that a grouping does not use are null."""
    rated = [_numbers(ratings.rows, one) for one in ratings.dimensions if one.measured]
    if not rated:
        return tables.frame(rating_schemas.RATING_MEANS)
    numbers, several = pl.concat(rated), []
    for group in GROUPS:
        keys = ["dimension", *group]
        rows = numbers.group_by(keys).agg(
            tasks=pl.col("task_id").n_unique().cast(pl.Int64),
            ratings=pl.len().cast(pl.Int64),
            mean=pl.col("value").sort().mean().round(DIGITS),
            deviation=pl.col("value").sort().std().round(DIGITS),
        )
        rows = rows.join(_spread(numbers, keys, bootstrap), on=keys, how="left", nulls_equal=True)
        rest = [pl.lit(None, pl.String).alias(name) for name in BY if name not in group]
        by = pl.lit(" and ".join(group) or "all").alias("by")
        several.append(
            rows.with_columns(*rest, by).select(rating_schemas.RATING_MEANS.names).sort("dimension", *BY)
        )
    return pl.concat(several)


def _numbers(rows: pl.DataFrame, rated: Rated) -> pl.DataFrame:
    """The ratings of a dimension, with numbers as values."""
    some = rows.filter(pl.col("dimension") == rated.dimension)
    known = dict(zip(rated.values, rated.numbers, strict=True))
    return some.with_columns(pl.col("value").replace_strict(known, return_dtype=pl.Float64))


def _spread(numbers: pl.DataFrame, keys: Sequence[str], bootstrap: Bootstrap) -> pl.DataFrame:
    """The interval of each group of two tasks or more; groups of equally many tasks are resampled together."""
    of_tasks = numbers.group_by(*keys, "task_id").agg(pl.col("value").sum(), weight=pl.len().cast(pl.Float64))
    of_tasks = of_tasks.sort(*keys, "task_id").with_columns(size=pl.len().over(keys))
    several = []
    for (size,), some in of_tasks.filter(pl.col("size") > 1).group_by("size", maintain_order=True):
        parts = some.select("value", "weight").to_numpy().reshape(-1, int(str(size)), 2)
        low, high = mean_intervals(parts, bootstrap)
        named = some.select(keys).unique(maintain_order=True)
        several.append(named.with_columns(pl.Series("low", low), pl.Series("high", high)))
    empty = (
        of_tasks.head(0)
        .select(keys)
        .with_columns(pl.lit(None, pl.Float64).alias(name) for name in ("low", "high"))
    )
    return pl.concat(several) if several else empty


def agreements(ratings: Ratings, bootstrap: Bootstrap) -> Iterator[dict[str, Any]]:
    """Krippendorff's alpha of each dimension: of all raters, and of each with its own repetitions.

    Intervals are of resamples of the units of tasks (Rated.units).
    """
    for rated in ratings.dimensions:
        for place, rater in [(None, None), *enumerate(ratings.raters)]:
            if place is None:
                units, drawn_with = _repetitions(ratings, rated)
            else:
                units, drawn_with = rated.counts[:, place], rated.units
            several = units.sum(axis=1) > 1
            if place is not None and not units.any():
                continue
            parts = _coincidences(units, drawn_with)
            statistic = alphas(metric(rated.scale, rated.values))
            value, low, high = with_interval(parts, statistic, bootstrap) if len(parts) else (None,) * 3
            yield {
                "dimension": rated.dimension,
                "rater": rater,
                "scale": rated.scale,
                "units": int(several.sum()),
                "ratings": int(units.sum()),
                "alpha": value,
                "low": low,
                "high": high,
            }


def _repetitions(ratings: Ratings, rated: Rated) -> tuple[Counts, Counts]:
    """How often each repetition of each task was given each value by all raters, and the unit of its task."""
    some = ratings.rows.filter(pl.col("dimension") == rated.dimension)
    wide = some.group_by("task_id", "repetition").agg(
        (pl.col("value") == value).sum().cast(pl.Int64).alias(f"value {place}")
        for place, value in enumerate(rated.values)
    )
    unit_of = ratings.tasks.select("task_id", unit=pl.Series(rated.units))
    wide = wide.join(unit_of, on="task_id").sort("task_id", "repetition")
    return wide.select(pl.col("^value .*$")).to_numpy(), wide["unit"].to_numpy()


def _coincidences(units: Counts, drawn_with: Counts) -> Floats:
    """The coincidences of units of two ratings or more, (draws, values, values), summed by what is drawn together."""
    chosen = units.sum(axis=1) > 1
    return by_unit(unit_coincidences(units[chosen]), drawn_with[chosen])


def metric(scale: str, values: Sequence[str]) -> Callable[[Matrix], Matrix]:
    """Squared differences of the values of a scale, for pivot.agreement.alpha."""
    if scale == "interval":
        numbers = np.array([float(value) for value in values])
        squares: Matrix = (numbers[:, None] - numbers[None]) ** 2
        return lambda totals: squares
    return nominal if scale == "nominal" else ordinal
