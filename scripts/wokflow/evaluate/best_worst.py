"""Best-worst scaling: scores from -100 to 100 (Counterfactual Recipe Generation, section 7.1)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from wokflow.annotate.fields import BEST, SYSTEM, WORST
from wokflow.evaluate import rating_schemas
from wokflow.evaluate.score_intervals import interval, ratio, score
from wokflow.evaluate.settings import BestWorstSettings
from wokflow.frame import tables
from wokflow.frame.job import Job

DIGITS = 4


def evaluate_best_worst(
    *, tasks: str, ratings: str, scores: str, settings: BestWorstSettings, job: Job
) -> None:
    """Write evaluate/best_worst: for each system and dimension, the percentage of comparisons in which it was best
    minus the percentage in which it was worst.

    A comparison counts if the rater named both a best and a worst system. Intervals are from resamples of the items.
    """
    known = tables.read(tasks, ["task_id", "item", "shown", "dimensions"])
    rated = tables.read(ratings, ["task_id", "rater", "repetition", "dimension", "value"])
    first = known["dimensions"].to_list()[0]
    names = [each["name"].removesuffix(BEST) for each in first if each["name"].endswith(BEST)]
    shown = known.explode("shown").select("task_id", "item", system=pl.col("shown").struct.field("name"))
    of_tuples = shown.filter(pl.col("system").str.starts_with(SYSTEM))
    systems = of_tuples.with_columns(pl.col("system").str.strip_prefix(SYSTEM))
    scores_by_dimension = [
        row
        for name in names
        for row in _scores(name, _both(rated, name).join(systems, on="task_id"), settings)
    ]
    tables.write(scores, rating_schemas.BEST_WORST, scores_by_dimension, job.metadata)


def _both(rated: pl.DataFrame, name: str) -> pl.DataFrame:
    """The best and the worst of each comparison that has both."""
    keys = ["task_id", "rater", "repetition"]
    best, worst = (
        rated.filter(pl.col("dimension") == name + end).select(*keys, pl.col("value").alias(called))
        for end, called in ((BEST, "best"), (WORST, "worst"))
    )
    return best.join(worst, on=keys)


def _scores(name: str, compared: pl.DataFrame, settings: BestWorstSettings) -> Iterator[dict[str, Any]]:
    """A row for each system, of rows of comparisons with each system of theirs."""
    counted = compared.group_by("system", "item").agg(
        best=(pl.col("best") == pl.col("system")).sum().cast(pl.Int64),
        worst=(pl.col("worst") == pl.col("system")).sum().cast(pl.Int64),
        times=pl.len().cast(pl.Int64),
    )
    for (system,), some in counted.sort("system", "item").group_by("system", maintain_order=True):
        best, worst, times = (
            some[column].to_numpy().astype(np.float64) for column in ("best", "worst", "times")
        )
        metric = ratio(name, 100 * (best - worst), times)
        ends = interval(metric, settings.bootstrap) if len(times) > 1 else (None, None)
        low, high = (None if end is None else round(end, DIGITS) for end in ends)
        yield {
            "dimension": name,
            "system": system,
            "score": round(score(metric), DIGITS),
            "low": low,
            "high": high,
            "best": int(best.sum()),
            "worst": int(worst.sum()),
            "compared": int(times.sum()),
            "items": len(times),
        }
