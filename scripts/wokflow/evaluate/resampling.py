"""Statistics of ratings, of all tasks and of resamples of them: their intervals are percentiles (Efron 1979)."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wokflow.evaluate.intervals import CELLS, LEVEL
from wokflow.evaluate.settings import Bootstrap
from wokflow.pivot.agreement import Matrix, alpha

DIGITS = 9  # decimal places of numbers in the tables
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Interval = tuple[float | None, float | None]
NONE: Interval = (None, None)


def drawn(counts: Counts, bootstrap: Bootstrap) -> Counts:
    """How often each kind of task is drawn in each resample, (samples, kinds); `counts` are the tasks of each kind.

    Tasks that add the same to a statistic are of one kind: drawing kinds gives the distribution of drawing tasks.
    """
    random, tasks = np.random.default_rng(bootstrap.seed), counts.sum()
    return random.multinomial(tasks, counts / tasks, size=bootstrap.samples)


def resampled(parts: Floats, bootstrap: Bootstrap) -> Floats:
    """The sums of `parts` (tasks, ...) over the tasks of each resample, (samples, ...)."""
    flat = parts.reshape(len(parts), -1)
    kinds, counts = np.unique(flat, axis=0, return_counts=True)
    sums: Floats = drawn(counts, bootstrap) @ kinds
    return sums.reshape(-1, *parts.shape[1:])


def ends(values: Floats) -> Interval:
    """The interval of a statistic, from its values in resamples, NaN where it has none; None if it never has one."""
    known = values[~np.isnan(values)]
    if not len(known):
        return NONE
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return round(float(low), DIGITS), round(float(high), DIGITS)


def number(value: float) -> float | None:
    """A statistic as tables have it; None where it is not defined (NaN)."""
    return None if np.isnan(value) else round(float(value), DIGITS)


def with_interval(
    parts: Floats, statistic: Callable[[Floats], Floats], bootstrap: Bootstrap
) -> tuple[float | None, float | None, float | None]:
    """A statistic of the sums of `parts` over the tasks, and both ends of its interval, None for a single task."""
    with np.errstate(invalid="ignore", divide="ignore"):
        value = number(statistic(parts.sum(axis=0)[None])[0])
        spread = ends(statistic(resampled(parts, bootstrap))) if len(parts) > 1 else NONE
    return value, *spread


def ratios(sums: Floats) -> Floats:
    """Of sums (..., 2) of values and of their weights, the mean."""
    means: Floats = sums[..., 0] / sums[..., 1]
    return means


def mean_intervals(parts: Floats, bootstrap: Bootstrap) -> tuple[Floats, Floats]:
    """Both ends of the intervals of means of several groups of equally many tasks; parts are (groups, tasks, 2)."""
    groups, tasks, _ = parts.shape
    times = drawn(np.ones(tasks, np.int64), bootstrap).astype(np.float64)
    low, high = np.empty(groups), np.empty(groups)
    for start in range(0, groups, step := max(1, CELLS // bootstrap.samples)):
        block = slice(start, start + step)
        values, weights = (times @ parts[block, :, column].T for column in (0, 1))
        low[block], high[block] = np.quantile(values / weights, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return low.round(DIGITS), high.round(DIGITS)


def alphas(metric: Callable[[Matrix], Matrix]) -> Callable[[Floats], Floats]:
    """Krippendorff's alpha of matrices of coincidences, as a statistic."""

    def statistic(sums: Floats) -> Floats:
        found = (alpha(matrix, metric) for matrix in sums)
        return np.array([np.nan if value is None else value for value in found])

    return statistic


def kappas(differences: Matrix) -> Callable[[Floats], Floats]:
    """Cohen's kappa of tables of two raters' values, as a statistic; `differences` are what two values count."""

    def statistic(sums: Floats) -> Floats:
        rows, columns, whole = sums.sum(axis=2), sums.sum(axis=1), sums.sum(axis=(1, 2))
        chance = np.einsum("si,sj,ij->s", rows, columns, differences) / whole
        kappa: Floats = 1 - (sums * differences).sum(axis=(1, 2)) / np.where(chance > 0, chance, np.nan)
        return kappa

    return statistic


def taus(tables: Floats) -> Floats:
    """Kendall's tau-b of tables (..., values of the one, values of the other), both in ascending order."""
    below = tables[..., ::-1, :].cumsum(axis=-2)[..., ::-1, :] - tables  # rows further down, same column
    right = below[..., ::-1].cumsum(axis=-1)[..., ::-1] - below
    left = below.cumsum(axis=-1) - below
    pairs = (tables * (right - left)).sum(axis=(-1, -2))
    untied = [
        _pairs(tables.sum(axis=(-1, -2))) - _pairs(tables.sum(axis=axis)).sum(axis=-1) for axis in (-1, -2)
    ]
    scale = np.sqrt(untied[0] * untied[1])
    tau: Floats = pairs / np.where(scale > 0, scale, np.nan)
    return tau


def _pairs(count: Floats) -> Floats:
    return count * (count - 1) / 2


def tau(one: Floats, other: Floats, bootstrap: Bootstrap) -> tuple[float | None, float | None, float | None]:
    """Kendall's tau-b of two numbers of each task, with its interval; None where one of both does not vary."""
    if not len(one):
        return None, *NONE
    rows, columns = (np.unique(side, return_inverse=True)[1] for side in (one, other))
    shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    cells, counts = np.unique(rows * shape[1] + columns, return_counts=True)
    value = number(taus(_table(counts[None], cells, shape))[0])
    if value is None:
        return None, *NONE
    times, values = drawn(counts, bootstrap), list[Any]()
    step = max(1, CELLS // (shape[0] * shape[1]))
    for start in range(0, len(times), step):
        values.append(taus(_table(times[start : start + step], cells, shape)))
    return value, *ends(np.concatenate(values))


def _table(times: Counts, cells: NDArray[np.intp], shape: tuple[int, int]) -> Floats:
    tables = np.zeros((len(times), shape[0] * shape[1]))
    tables[:, cells] = times
    return tables.reshape(-1, *shape)
