"""Tables evaluate/parts of many runs, read for scoring."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from wokflow.evaluate.score_intervals import Metric
from wokflow.frame import tables


@dataclass(frozen=True, eq=False)
class Measured:
    """A metric of a run on a data set: `of` the instances `ids`, which all count.

    There are none if it was skipped.
    """

    dataset: str
    run: str
    metric: str
    ids: tuple[str, ...]
    of: Metric


def read_measured(parts: Sequence[str]) -> list[Measured]:
    """Everything in tables evaluate/parts, by data set, run and metric; instances are in the order of their ids."""
    if not parts:
        return []
    keys = ["dataset", "run", "metric"]
    rows = tables.read(parts).sort(*keys, "instance_id")
    return [_measured(of) for _, of in rows.group_by(keys, maintain_order=True)]


def _measured(rows: pl.DataFrame) -> Measured:
    first, counted = rows.row(0, named=True), rows.drop_nulls("value")
    parts = np.array(counted["parts"].to_list(), np.float64).reshape(
        counted.height, -1 if counted.height else 0
    )
    texts, references = (counted[name].drop_nulls().to_list() for name in ("text", "reference"))
    about = (first["statistic"], texts, references, first["signature"], first["note"])
    of = Metric(first["metric"], counted["value"].to_numpy(), parts, *about)
    return Measured(first["dataset"], first["run"], first["metric"], tuple(counted["instance_id"]), of)
