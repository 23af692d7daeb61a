"""Pearson's r of two numbers of each unit, with intervals."""

import math
from statistics import NormalDist

import numpy as np

from wokflow.evaluate.resampling import Counts, Floats, Interval, by_unit, with_interval
from wokflow.evaluate.score_intervals import DIGITS
from wokflow.evaluate.settings import Bootstrap
from wokflow.frame.intervals import LEVEL

SAME = 1e-12  # numbers that differ by less do not vary


def pearson(both: Floats) -> tuple[float | None, float | None, float | None]:
    """Pearson's r of two columns, (units, 2), with Fisher's interval, which takes four units or more."""
    if len(both) < 2 or not (np.ptp(both, axis=0) > SAME).all():
        return None, None, None
    coefficient = float(np.clip(np.corrcoef(*both.T)[0, 1], -1, 1))
    if len(both) < 4:
        return round(coefficient, DIGITS), None, None
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) / math.sqrt(len(both) - 3)
    middle = math.atanh(max(-1 + SAME, min(1 - SAME, coefficient)))
    low, high = (round(math.tanh(end), DIGITS) for end in (middle - half, middle + half))
    return round(coefficient, DIGITS), low, high


def resampled_pearson(both: Floats, groups: Counts, bootstrap: Bootstrap) -> Interval:
    """The interval of Pearson's r of two columns, (units, 2), from resamples of groups; None of a single group."""
    if not len(both):
        return None, None
    numbers = np.column_stack([np.ones(len(both)), both - both.mean(axis=0)])
    products = np.einsum("ti,tj->tij", numbers, numbers)
    _, low, high = with_interval(by_unit(products, groups), _correlations, bootstrap)
    return low if low is None else round(low, DIGITS), high if high is None else round(high, DIGITS)


def _correlations(sums: Floats) -> Floats:
    """Pearson's r of sums of products, (..., 3, 3), of 1 and two numbers; NaN where one of these does not vary."""
    products = sums[..., 1:, 1:] - sums[..., 1:, :1] * sums[..., :1, 1:] / sums[..., :1, :1]
    scale = np.sqrt(products[..., 0, 0] * products[..., 1, 1])
    r: Floats = np.clip(products[..., 0, 1] / np.where(scale > SAME, scale, np.nan), -1, 1)
    return r
