"""Scores that are functions of sums over instances, with bootstrap intervals."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DIGITS = 4
CELLS = 4_000_000  # cells of the matrix of resamples that is held at a time


@dataclass(frozen=True)
class Bootstrap:
    """How intervals are made: by the percentiles of `samples` resamples of the instances."""

    samples: int = 1000
    level: float = 0.95
    seed: int = 13


def ratio(sums: Floats) -> Floats:
    """The first sum as a percentage of the second."""
    return 100 * sums[:, 0] / sums[:, 1]


@dataclass(frozen=True, eq=False)
class Metric:
    """A score: `statistic` of the sums over instances; it takes sums (m, parts) and gives m scores.

    `parts` is (instances, parts). A row of zeros is an instance that does not count. A mean has the value and 1.
    """

    name: str
    parts: Floats
    statistic: Callable[[Floats], Floats] = ratio
    signature: str = ""
    note: str | None = None


def mean(
    name: str, values: Iterable[float] | Floats, counted: NDArray[np.bool_] | bool = True, signature: str = ""
) -> Metric:
    """The mean of shares (0 to 1) over the counted instances, as a percentage."""
    shares = np.asarray(values, np.float64)
    weights = np.broadcast_to(counted, shares.shape).astype(np.float64)
    return Metric(name, np.column_stack([shares * weights, weights]), signature=signature)


def skipped(name: str, instances: int, note: str) -> Metric:
    return Metric(name, np.zeros((instances, 2)), note=note)


def scores(
    run: str, metrics: Iterable[Metric], datasets: dict[str, NDArray[np.bool_]], bootstrap: Bootstrap
) -> pl.DataFrame:
    """Rows of schema evaluate/scores: each metric on each dataset, a dataset being a mask of instances."""
    rows = []
    for dataset, mask in datasets.items():
        for metric in metrics:
            parts = metric.parts[mask & metric.parts.any(axis=1)]
            value, low, high = interval(parts, metric.statistic, bootstrap) if len(parts) else (None,) * 3
            note = metric.note or (None if len(parts) else "No instance counts for it.")
            row = (run, dataset, metric.name, value, low, high, len(parts), metric.signature, note)
            rows.append(row)
    types = [*[pl.String] * 3, *[pl.Float64] * 3, pl.Int32, pl.String, pl.String]
    names = ("run", "dataset", "metric", "value", "low", "high", "instances", "signature", "note")
    return pl.DataFrame(rows, dict(zip(names, types, strict=True)), orient="row")


def interval(parts: Floats, statistic: Callable[[Floats], Floats], bootstrap: Bootstrap) -> tuple[float, ...]:
    """The score of the instances in `parts`, and the ends of its percentile interval (Efron 1979)."""
    found = np.concatenate([statistic(sums) for sums in resamples(parts, bootstrap)])
    value = statistic(parts.sum(axis=0, keepdims=True))[0]
    return rounded(value, *ends(found, bootstrap))


def resamples(parts: Floats, bootstrap: Bootstrap) -> Iterator[Floats]:
    """Sums over resamples of the instances, several (m, parts) at a time.

    Resamples depend only on the number of instances. So the columns of `parts` may belong to several metrics or runs,
    which are then scored on the same resamples and can be compared.
    """
    count = len(parts)
    random = np.random.default_rng(bootstrap.seed)
    left = bootstrap.samples
    while left:
        samples = min(left, max(1, CELLS // count))
        drawn = random.integers(count, size=(samples, count)) + count * np.arange(samples)[:, None]
        times = np.bincount(drawn.ravel(), minlength=samples * count).reshape(samples, count)
        yield times.astype(np.float64) @ parts
        left -= samples


def ends(found: Floats, bootstrap: Bootstrap) -> tuple[float, float]:
    """Both ends of the middle interval that holds the share `bootstrap.level` of the values."""
    tail = (1 - bootstrap.level) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return float(low), float(high)


def rounded(*values: float) -> tuple[float, ...]:
    return tuple(round(float(value), DIGITS) for value in values)
