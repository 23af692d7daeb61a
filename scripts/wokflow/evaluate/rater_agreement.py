"""Comparisons of raters and of dimensions: differences, Cohen's kappa, Kendall's tau, calibration."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from wokflow.evaluate.rated import Rated, Ratings, both
from wokflow.evaluate.resampling import (
    DIGITS,
    Counts,
    Floats,
    by_unit,
    kappas,
    number,
    ratios,
    tau,
    with_interval,
)
from wokflow.evaluate.settings import Bootstrap

Row = dict[str, Any]


def differences(ratings: Ratings, bootstrap: Bootstrap) -> Iterator[Row]:
    """A row for each dimension and two raters of the same tasks."""
    for rated in ratings.dimensions:
        if rated.measured:
            for one, other in combinations(range(len(ratings.raters)), 2):
                row = _pair(rated, one, other, bootstrap)
                if row:
                    kinds = sorted("person" if ratings.people[place] else "model" for place in (one, other))
                    named = {"rater": ratings.raters[one], "other": ratings.raters[other]}
                    yield {"dimension": rated.dimension} | named | {"kinds": "-".join(kinds)} | row


def _pair(rated: Rated, one: int, other: int, bootstrap: Bootstrap) -> Row | None:
    means = rated.means
    chosen = both(means[:, one], means[:, other])
    if not chosen.any():
        return None
    units = rated.units[chosen]
    left, right = (means[chosen, place] for place in (one, other))
    absolute = float(np.abs(left - right).mean())
    numbers = rated.numbers
    squares = (numbers[:, None] - numbers[None]) ** 2
    shares = [
        counts / counts.sum(axis=1, keepdims=True)
        for counts in (rated.counts[chosen, place] for place in (one, other))
    ]
    return {
        "tasks": int(chosen.sum()),
        **_named("difference", _mean(left - right, units, bootstrap), "low", "high"),
        "absolute": number(absolute),
        "closeness": number(1 - absolute / np.ptp(numbers)),
        **_named(
            "kappa",
            with_interval(by_unit(np.einsum("ti,tj->tij", *shares), units), kappas(squares), bootstrap),
        ),
        **_named("tau", tau(left, right, units, bootstrap)),
    }


def dimensions(ratings: Ratings, bootstrap: Bootstrap) -> Iterator[Row]:
    """A row for each two dimensions and each rater, and one for all raters, from the means over raters of each
    rater's mean of a task.
    """
    measured = [rated for rated in ratings.dimensions if rated.measured]
    for one, other in combinations(measured, 2):
        for place, rater in [(None, None), *enumerate(ratings.raters)]:
            left, right = (
                _average(rated.means) if place is None else rated.means[:, place] for rated in (one, other)
            )
            chosen = both(left, right)
            if chosen.any():
                yield {
                    "rater": rater,
                    "dimension": one.dimension,
                    "other": other.dimension,
                    "tasks": int(chosen.sum()),
                    **_named(
                        "tau", tau(left[chosen], right[chosen], one.units[chosen], bootstrap), "low", "high"
                    ),
                }


def calibration(ratings: Ratings, bootstrap: Bootstrap) -> Iterator[Row]:
    """For each dimension and rater, a row of all ratings and one of each value that the rater gave."""
    for rated in ratings.dimensions:
        if not rated.measured:
            continue
        means = rated.means
        for place, rater in enumerate(ratings.raters):
            against, others = ratings.references(place)
            if not others:
                continue
            reference = _average(means[:, others])
            named = {"dimension": rated.dimension, "rater": rater, "against": against}
            for value, given, weights in _given(rated, place):
                chosen = both(given, reference) & (weights > 0)
                if chosen.any():
                    given, truth, weight = given[chosen], reference[chosen], weights[chosen]
                    units, whole = rated.units[chosen], weight.sum()
                    each = _average(np.abs(given[:, None] - means[chosen][:, others]))
                    yield named | {
                        "value": value,
                        "tasks": int(chosen.sum()),
                        "ratings": int(rated.counts[chosen, place].sum() if value is None else whole),
                        "mean": number((given * weight).sum() / whole),
                        "others": number((truth * weight).sum() / whole),
                        **_named("difference", _mean(given - truth, units, bootstrap, weight), "low", "high"),
                        "absolute": number((np.abs(given - truth) * weight).sum() / whole),
                        "absolute_each": number((each * weight).sum() / whole),
                        **_named("tau", tau(given, truth, units, bootstrap)),
                    }


def _given(rated: Rated, place: int) -> Iterator[tuple[str | None, Floats, Floats]]:
    """The means of all ratings, each task weighing one; and each value, a task weighing as often as it was given."""
    counts = rated.counts[:, place]
    yield None, rated.means[:, place], (counts.sum(axis=1) > 0).astype(np.float64)
    for index, value in enumerate(rated.values):
        yield value, np.full(len(counts), rated.numbers[index]), counts[:, index].astype(np.float64)


def _average(means: Floats) -> Floats:
    """The mean over raters of each task, of those that rated it; NaN where none did."""
    known = ~np.isnan(means)
    with np.errstate(invalid="ignore"):
        averages: Floats = np.where(known, means, 0).sum(axis=1) / known.sum(axis=1)
    return np.round(averages, DIGITS)


def _mean(
    values: Floats, units: Counts, bootstrap: Bootstrap, weights: Floats | float = 1.0
) -> tuple[float | None, float | None, float | None]:
    whole = np.broadcast_to(weights, values.shape)
    return with_interval(by_unit(np.column_stack([values * whole, whole]), units), ratios, bootstrap)


def _named(name: str, statistic: tuple[Any, Any, Any], low: str = "", high: str = "") -> Row:
    """A statistic with both ends of its interval, as columns."""
    return dict(zip((name, low or f"{name}_low", high or f"{name}_high"), statistic, strict=True))
