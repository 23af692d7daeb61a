"""Statistics of ratings, of all tasks and of resamples of them: their intervals are percentiles (Efron 1979)."""

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wokflow.evaluate.score_intervals import CELLS
from wokflow.evaluate.settings import Bootstrap
from wokflow.frame.intervals import LEVEL
from wokflow.pivot.agreement import Matrix, alpha

DIGITS = 9  # decimal places of numbers in the tables
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Interval = tuple[float | None, float | None]
NONE: Interval = (None, None)


@lru_cache(maxsize=2)
def drawn(tasks: int, samples: int, seed: int) -> NDArray[np.uint16]:
    """How often each of so many tasks is drawn in each resample, (samples, tasks), the same for all statistics."""
    random = np.random.default_rng(seed)
    times = np.empty((samples, tasks), np.uint16)
    for row in times:
        row[:] = np.bincount(random.integers(tasks, size=tasks), minlength=tasks)
    times.flags.writeable = False
    return times


def blocks(tasks: int, bootstrap: Bootstrap, width: int = 1) -> Iterator[Floats]:
    """The rows of `drawn` as floating-point numbers, so many at a time that they, and `width` cells each, fit."""
    times = drawn(tasks, bootstrap.samples, bootstrap.seed)
    step = max(1, CELLS // max(tasks, width))
    for start in range(0, len(times), step):
        yield times[start : start + step].astype(np.float64)


def resampled(parts: Floats, bootstrap: Bootstrap) -> Floats:
    """The sums of `parts` (tasks, ...) over the tasks of each resample, (samples, ...)."""
    flat = parts.reshape(len(parts), -1)
    sums: Floats = np.concatenate([times @ flat for times in blocks(len(flat), bootstrap, flat.shape[1])])
    return sums.reshape(-1, *parts.shape[1:])


def by_unit(parts: Floats, units: Counts) -> Floats:
    """The sums of `parts` (tasks, ...) over the tasks of each unit, in ascending order of units."""
    if (np.diff(units) > 0).all():  # each task is one
        return parts
    places, at = np.unique(units, return_inverse=True)
    sums = np.zeros((len(places), *parts.shape[1:]))
    np.add.at(sums, at, parts)
    return sums


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
    groups = len(parts)
    low, high = np.empty(groups), np.empty(groups)
    for start in range(0, groups, step := max(1, CELLS // bootstrap.samples)):
        block = slice(start, start + step)
        means = ratios(resampled(parts[block].swapaxes(0, 1), bootstrap))
        low[block], high[block] = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return low.round(DIGITS), high.round(DIGITS)


def alphas(metric: Callable[[Matrix], Matrix]) -> Callable[[Floats], Floats]:
    """Krippendorff's alpha of matrices of coincidences, as a statistic."""

    def statistic(sums: Floats) -> Floats:
        values = (alpha(matrix, metric) for matrix in sums)
        return np.array([np.nan if value is None else value for value in values])

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


def tau(
    one: Floats, other: Floats, units: Counts, bootstrap: Bootstrap
) -> tuple[float | None, float | None, float | None]:
    """Kendall's tau-b of two numbers of each task, with its interval; None where one of both does not vary.

    Tasks of the same unit are drawn together.
    """
    if not len(one):
        return None, *NONE
    rows, columns = (np.unique(side, return_inverse=True)[1] for side in (one, other))
    shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    cells, cell_of = np.unique(rows * shape[1] + columns, return_inverse=True)
    order = np.argsort(cell_of, kind="stable")
    begins = np.searchsorted(cell_of[order], np.arange(len(cells)))

    def tables(times: Floats) -> Floats:
        made = np.zeros((len(times), shape[0] * shape[1]))
        made[:, cells] = np.add.reduceat(times[:, order], begins, axis=1)
        return made.reshape(-1, *shape)

    value = number(taus(tables(np.ones((1, len(one)))))[0])
    if value is None:
        return None, *NONE
    drawn_units, unit_of = np.unique(units, return_inverse=True)
    width = max(len(one), shape[0] * shape[1])
    values = [taus(tables(times[:, unit_of])) for times in blocks(len(drawn_units), bootstrap, width)]
    return value, *ends(np.concatenate(values))
