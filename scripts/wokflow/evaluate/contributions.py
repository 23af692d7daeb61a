"""The contribution of each instance to a run's scores: tables evaluate/parts, from which scores and intervals are
computed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from wokflow.evaluate import schemas
from wokflow.evaluate.score_intervals import Metric
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError


@dataclass(frozen=True)
class Texts:
    """Source recipe, prediction and reference of each scored instance, as single lines."""

    sources: list[str]
    texts: list[str]
    references: list[str]


def write_parts(
    instances: str,
    predictions: str,
    out: str,
    run: str,
    data: str,
    score: Callable[[Texts], Sequence[Metric]],
    job: Job,
) -> None:
    """Score a run's predictions and write schema evaluate/parts, by data set, metric and instance.

    The instances (generate/instances) with a reference and a prediction (generate/predictions) are scored. An empty
    prediction is scored; instances without any prediction are left out and counted in the log. `score` returns
    metrics of all texts, in their order. Raises UserError if an instance has two predictions.
    """
    rows = scored(instances, predictions, run, job.progress)
    texts = Texts(*(list(map(one_line, rows[name])) for name in ("source", "prediction", "reference")))
    with tables.PartWriter(out, schemas.PARTS, job.metadata) as writer:
        for metric in score(texts) if rows.height else ():
            writer.write(part(rows, metric, run, data))


def scored(instances: str, predictions: str, run: str, progress: Progress) -> pl.DataFrame:
    """The instances that can be scored, in order, with their predictions."""
    wanted = tables.read(instances, ["instance_id", "dataset", "source", "reference"])
    wanted = wanted.filter(pl.col("reference").str.strip_chars() != "")
    made = tables.read(predictions, ["instance_id", "prediction"]).drop_nulls("prediction")
    if made["instance_id"].is_duplicated().any():
        twice = made.filter(pl.col("instance_id").is_duplicated())["instance_id"][0]
        raise UserError(f"{predictions}: run {run} has instance {twice} twice. Remove one.")
    rows = wanted.join(made, on="instance_id", how="inner").sort("dataset", "instance_id")
    if missing := wanted.height - rows.height:
        progress.say(f"{run}: {missing} of {wanted.height} instances have no prediction and are left out")
    return rows


def one_line(text: str) -> str:
    """The text with spaces for line breaks, as the paper scores it (footnote 13)."""
    return " ".join(text.splitlines())


def part(rows: pl.DataFrame, metric: Metric, run: str, data: str) -> pl.DataFrame:
    """Rows of schema evaluate/parts: a metric of a run on instances with columns instance_id and dataset."""
    none = pl.Series([None] * rows.height)
    measured = metric.parts.size and not metric.note
    return rows.select(
        "instance_id",
        run=pl.lit(run),
        dataset=pl.lit(f"{data}/") + pl.col("dataset"),
        metric=pl.lit(metric.name),
        statistic=pl.lit(metric.statistic),
        value=pl.Series(metric.values).fill_nan(None),
        parts=pl.Series(metric.parts).arr.to_list() if measured else none.cast(pl.List(pl.Float64)),
        text=pl.Series(metric.texts) if metric.texts else none.cast(pl.String),
        reference=pl.Series(metric.references) if metric.texts else none.cast(pl.String),
        signature=pl.lit(metric.signature),
        note=pl.lit(metric.note, pl.String),
    )
