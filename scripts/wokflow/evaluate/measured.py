"""Tables evaluate/parts of many runs, read for scoring."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from wokflow.evaluate.intervals import Floats
from wokflow.evaluate.sums import STATISTICS
from wokflow.frame import tables


@dataclass(frozen=True, eq=False)
class Measured:
    """A metric of a run on a data set: ids of the instances that count, and their parts (instances, parts).

    The score is `statistic` of the sums of parts. If no instance counts, `note` may say why.
    """

    dataset: str
    run: str
    metric: str
    statistic: Callable[[Floats], Floats]
    ids: tuple[str, ...]
    parts: Floats
    signature: str
    note: str | None

    def parts_of(self, ids: Sequence[str]) -> Floats:
        """The parts of some of its instances, in the order of `ids`."""
        rows = {name: row for row, name in enumerate(self.ids)}
        return self.parts[[rows[name] for name in ids]]

    def value(self, parts: Floats) -> float:
        return float(self.statistic(parts.sum(axis=0, keepdims=True))[0])


def read_measured(parts: Sequence[str]) -> list[Measured]:
    """Everything in tables evaluate/parts, by data set, run and metric; instances are in the order of their ids."""
    if not parts:
        return []
    keys = ["dataset", "run", "metric"]
    rows = tables.read(parts).sort(*keys, "instance_id")
    return [_measured(of) for _, of in rows.group_by(keys, maintain_order=True)]


def _measured(rows: pl.DataFrame) -> Measured:
    counted = rows.drop_nulls("parts")
    parts = np.array(counted["parts"].to_list(), np.float64).reshape(
        counted.height, -1 if counted.height else 1
    )
    used = parts.any(axis=1)  # a row of zeros is an instance that does not count
    return Measured(
        dataset=rows["dataset"][0],
        run=rows["run"][0],
        metric=rows["metric"][0],
        statistic=STATISTICS[rows["statistic"][0]],
        ids=tuple(counted["instance_id"].filter(pl.Series(used))),
        parts=parts[used],
        signature=rows["signature"][0],
        note=rows["note"][0],
    )
