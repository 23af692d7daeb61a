"""Average effects of many treatments at once, by propensity score matching (Rosenbaum and Rubin 1983).

Arrays have one row for each hypothesis: `b` hypotheses about `n` units (recipes) with `k` covariates, (b, k, n). The
result of a hypothesis does not depend on the others in the array. Functions of scores (logits of the propensity)
need units in the order of their scores, which `ascending` makes.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

ITERATIONS = 50  # of Newton's method; about 6 are needed
LARGEST_STEP = 4.0  # of a coefficient in one iteration, so that Newton's method does not overshoot
CONVERGED = 1e-6  # largest last step of a coefficient; the error is about its square
DIGITS = 6  # decimal places to which scores are compared


def propensity_scores(covariates: Floats, treated: Bools, *, ridge: float) -> Floats:
    """Logits of the probability of treatment, (b, n), by logistic regression.

    The penalty is `ridge` / 2 times the sum of the squared coefficients, without the intercept. It must be above 0,
    so that a covariate that separates the treated from the others gets a finite coefficient. Each hypothesis needs
    both treated and untreated units. Newton's method solves all regressions together. More covariates than units are
    rotated into as many as units, with the same scores: the penalty does not change under rotation.
    """
    if covariates.shape[1] > covariates.shape[2]:
        covariates = np.asarray(np.linalg.qr(covariates, mode="r"))
    design = np.concatenate([np.ones_like(treated[:, None], np.float64), covariates], axis=1)
    transposed = design.swapaxes(1, 2)
    penalty = np.full(design.shape[1], ridge)
    penalty[0] = 0.0
    coefficients = np.zeros(design.shape[:2])
    for _ in range(ITERATIONS):
        chance = _logistic(_combined(coefficients, design))
        gradient = (design @ (chance - treated)[..., None])[..., 0] + penalty * coefficients
        curvature = (design * (chance * (1 - chance))[:, None]) @ transposed + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        largest = np.abs(step).max(axis=1, keepdims=True)
        coefficients -= step * np.minimum(1.0, LARGEST_STEP / np.maximum(largest, 1e-300))
        if largest.max(initial=0.0) < CONVERGED:
            break
    return np.round(_combined(coefficients, design), DIGITS)


def ascending(scores: Floats, *others: Bools) -> tuple[Ints, Floats, list[Bools]]:
    """The order of units by score, as flat indices (b, n), and the arrays in this order."""
    order = np.argsort(scores, axis=1, kind="stable") + np.arange(len(scores))[:, None] * scores.shape[1]
    return order, scores.take(order), [other.take(order) for other in others]


def match(scores: Floats, treated: Bools, caliper: Floats) -> tuple[Floats, Bools]:
    """Weights of units, and which units have a match, both (b, n); units in ascending order.

    Each unit is matched, with replacement, with the unit of the other kind whose score is nearest, if it is within
    the hypothesis' `caliper`; equally near ones share the match. A unit's weight is 1 if it has a match, plus its
    shares in the matches of others. So the weights of the treated sum to the number of matched units, and so do those
    of the untreated.
    """
    group, row = _groups(scores)
    level = np.empty(len(row))
    level[group] = scores
    size = [_sums(group, units, len(row)) for units in (~treated, treated)]
    own: list[Bools] = []
    weights = np.zeros(scores.shape)
    for kind, units in ((0, ~treated), (1, treated)):  # `units` find matches among the other kind
        low, high, near_low, near_high = _nearest(level, row, size[1 - kind] > 0, caliper)
        own.append((near_low | near_high)[group] & units)
        tied = size[1 - kind][low] * near_low + size[1 - kind][high] * near_high
        share = size[kind] / np.maximum(tied, 1.0)
        received = _sums(low, share * near_low, len(row)) + _sums(high, share * near_high, len(row))
        weights += received[group] * ~units
    matched = own[0] | own[1]
    return weights + matched, matched


def _nearest(level: Floats, row: Ints, present: Bools, caliper: Floats) -> tuple[Ints, Ints, Bools, Bools]:
    """For each group, the next groups below (or the same) and above with units of a kind, and which is nearest."""
    groups = np.arange(len(level))
    low = np.maximum.accumulate(np.where(present, groups, 0))
    high = np.minimum.accumulate(np.where(present, groups, len(level) - 1)[::-1])[::-1]
    down = np.where(present[low] & (row[low] == row), np.round(level - level[low], DIGITS), np.inf)
    up = np.where(present[high] & (row[high] == row), np.round(level[high] - level, DIGITS), np.inf)
    within = np.minimum(down, up) <= caliper[row]
    return low, high, within & (down <= up), within & (up <= down) & (high != low)


def _groups(scores: Floats) -> tuple[Ints, Ints]:
    """Groups of units with equal scores: the group of each unit, (b, n), and the row of each group.

    Groups are numbered across all rows; units in ascending order.
    """
    new = np.ones(scores.shape, np.bool_)
    new[:, 1:] = scores[:, 1:] != scores[:, :-1]
    return np.cumsum(new).reshape(scores.shape) - 1, np.nonzero(new)[0]


def _sums(number: Ints, weights: NDArray[np.generic], count: int) -> Floats:
    """The sum of the weights for each number below `count`."""
    return np.asarray(np.bincount(number.ravel(), weights.ravel(), count), np.float64)


def average_effect(weights: Floats, matched: Bools, treated: Bools, outcome: Bools) -> Floats:
    """Average effect of treatment over all matched units, (b,); nan if none is matched."""
    total = matched.sum(axis=1)
    difference = (weights * outcome * np.where(treated, 1.0, -1.0)).sum(axis=1)
    effect: Floats = np.divide(difference, total, out=np.full(total.shape, np.nan), where=total > 0)
    return effect


def pooled_deviation(values: Floats, treated: Bools) -> Floats:
    """Standard deviations pooled within the treated and the others, (b, k), of values (b, k, n).

    The root of the mean of both groups' variances, as calipers and standardised differences take it (Austin 2011).
    """
    variances = np.zeros(values.shape[:2])
    for kind in (treated, ~treated):
        weight, count = kind[..., None].astype(np.float64), kind.sum(axis=1)[:, None]
        average = (values @ weight)[..., 0] / np.maximum(count, 1)
        squares = ((values - average[..., None]) ** 2 @ weight)[..., 0]
        variances += squares / np.maximum(count - 1, 1) / 2
    return np.sqrt(variances)


def imbalance(covariates: Floats, treated: Bools, *weights: Floats) -> list[Floats]:
    """For each of the weightings (b, n), the largest standardised difference of a covariate's means, (b,).

    It is absolute, and 0 without covariates. Differences are in pooled deviations; in those of all units where a
    covariate is constant within both groups. Units are in the same order in all arrays.
    """
    deviation = pooled_deviation(covariates, treated)
    deviation = np.where(deviation > 1e-12, deviation, covariates.std(axis=2))
    largest = []
    for weighting in weights:
        difference = np.zeros(deviation.shape)
        for kind, sign in ((treated, 1), (~treated, -1)):
            weight = weighting * kind
            total = np.maximum(weight.sum(axis=1), 1e-300)
            difference += sign * (covariates @ weight[..., None])[..., 0] / total[:, None]
        standardised = np.zeros(deviation.shape)
        np.divide(np.abs(difference), deviation, out=standardised, where=deviation > 1e-12)
        largest.append(np.asarray(standardised.max(axis=1, initial=0.0)))
    return largest


def overlap(scores: Floats, treated: Bools) -> Floats:
    """Share of units with a score in the range where both kinds of unit occur, (b,)."""
    low = np.maximum(*(np.where(kind, scores, np.inf).min(axis=1) for kind in (treated, ~treated)))
    high = np.minimum(*(np.where(kind, scores, -np.inf).max(axis=1) for kind in (treated, ~treated)))
    return np.asarray(((scores >= low[:, None]) & (scores <= high[:, None])).mean(axis=1))


def permutation_p(scores: Floats, treated: Bools, event: Bools, observed: Ints, *, strata: int) -> Floats:
    """Probability that at least `observed` treated units have the event under permuted treatments, (b,).

    Treatments are permuted within strata: at most `strata` runs of units by score, of about equal size, with equal
    scores in one stratum; units in ascending order. The test is exact, without seed or sampling error: the number of
    treated units with the event is hypergeometric in each stratum, and the distributions of the strata are convolved
    (the exact conditional test of stratified 2 x 2 tables).
    """
    from scipy.stats import hypergeom

    stratum = _strata(scores, strata) + np.arange(len(scores))[:, None] * strata
    units, given, events = (
        np.bincount(stratum[kind], minlength=len(scores) * strata).reshape(-1, strata)
        for kind in (np.ones_like(treated), treated, event)
    )
    width = int(np.minimum(given, events).sum(axis=1).max(initial=0)) + 1
    length = 2 ** (width - 1).bit_length()
    of_stratum = hypergeom.pmf(
        np.arange(width), np.maximum(units, 1)[..., None], events[..., None], given[..., None]
    )
    chances = np.fft.rfft(of_stratum, length, axis=2)
    total = np.fft.irfft(chances.prod(axis=1), length, axis=1)[:, :width]
    tail = np.where(np.arange(width) >= observed[:, None], total, 0.0).sum(axis=1)
    return np.asarray(np.where(observed <= 0, 1.0, tail.clip(0.0, 1.0)))


def _strata(scores: Floats, strata: int) -> Ints:
    """The stratum of each unit, by the middle rank of the units with its score."""
    group, row = _groups(scores)
    size, units = np.bincount(group.ravel()), scores.shape[1]
    doubled = 2 * (np.cumsum(size) - row * units) - size  # the middle rank
    return np.asarray((doubled * strata // (2 * units))[group])


def sign_p(wins: Ints, trials: Ints) -> Floats:
    """Probability of at least `wins` heads in `trials` tosses of a fair coin; 1 without trials."""
    from scipy.special import bdtrc

    return np.asarray(np.where(wins > 0, bdtrc(wins - 1.0, np.maximum(trials, 1), 0.5), 1.0))


def _combined(coefficients: Floats, design: Floats) -> Floats:
    return (coefficients[:, None] @ design)[:, 0]


def _logistic(values: Floats) -> Floats:
    return 0.5 * (1.0 + np.tanh(0.5 * values))
