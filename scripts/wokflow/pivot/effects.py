"""Average causal effects between the actions of one dish (4.3).

The hypothesis about an ordered pair of actions (c, e): c, done before, brings about e. Units are the recipes of the
dish. Treatment T: c occurs. Outcome Y: e occurs, and after c if c occurs. So a recipe in which e comes before c
counts as treated without effect; the opposite order is the hypothesis (e, c).

The treatment is not "c occurs before e", because which of two actions comes first is known only in recipes with both.
With it, recipes with e would be among the treated by definition, and any two frequent actions in random order would
seem to bring each other about (immortal time bias). With Y as above the effect of independent actions is at most 0 in
any order: Y is at most A, "e occurs anywhere", and A does not depend on T.

For the same reason the covariate of a confounder is whether it occurs at all, and confounders are chosen for the
dish, not for each recipe: actions that come before c in most recipes with both, and likewise before e. So neither
effects of c or e nor actions between the two are adjusted for. Confounders that correlate with both c and e by more
than a standard error (1 / sqrt(recipes)) are covariates of their own, at most `confounders` of them, in order of
the product of both correlations. One more covariate is the number of the other confounders in a recipe, because
some recipes are more explicit than others.

The effect is the average over all recipes with a match (average treatment effect): nearest logit of the propensity
within the caliper, with replacement, ties shared. Its p-value is that of an exact permutation test of T within strata
of the propensity, with A in place of Y; it is conservative, since Y is at most A. The order has a test of its own, a
sign test over the recipes with both actions. Both tests must hold.

No test sees causes that recipes do not mention: a common cause that is often left out makes its effects seem to
depend on each other.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.pivot.matching import (
    Bools,
    Floats,
    Ints,
    ascending,
    average_effect,
    imbalance,
    match,
    overlap,
    permutation_p,
    propensity_scores,
    sign_p,
)

CELLS = 300_000  # numbers in one array of covariates, so that it fits the cache; more are computed in turns
DIGITS = 9  # decimal places of numbers in the table
ESTIMATES = ("effect", "matched", "overlap", "balance_before", "balance_after", "p_value")


@dataclass(frozen=True)
class Limits:
    """The thresholds above which an effect is reported, and those below which the data cannot tell.

    effect: least average effect that is reported (the paper's tau_c, 4.3). level: significance level of both tests.
    correct: adjust p-values for the number of tests of the dish pair (Benjamini and Hochberg 1995). units: least
    number of recipes with the cause, and without it. frequent: least share of a dish's recipes with an action for it
    to be a cause, an effect or a confounder. confounders: largest number of confounders with a covariate of their
    own. ridge: penalty of the regression. caliper: largest distance of a match, in standard deviations of the logit
    (0.2: Austin 2011). strata: number of strata of the permutation test. overlap: least share of recipes that are
    comparable, and that have a match. balance: largest standardised difference of means after matching.
    """

    effect: float = 0.1
    level: float = 0.05
    correct: bool = False
    units: int = 5
    frequent: float = 0.05
    confounders: int = 10
    ridge: float = 1.0
    caliper: float = 0.2
    strata: int = 10
    overlap: float = 0.5
    balance: float = 0.25


@dataclass(frozen=True)
class Dish:
    """The first position of each action in each recipe, (recipes, actions); inf if it does not occur."""

    actions: list[str]
    first: Floats

    @property
    def occurs(self) -> Bools:
        return np.isfinite(self.first)


@dataclass(frozen=True)
class Hypotheses:
    """Indices of actions, (b,) each; a hypothesis says that `cause` comes before `effect` and brings it about."""

    cause: Ints
    effect: Ints

    def __getitem__(self, rows: Ints) -> "Hypotheses":
        return Hypotheses(self.cause[rows], self.effect[rows])


def precedence(dish: Dish) -> tuple[Ints, Ints]:
    """Numbers of recipes in which action i comes before action j, and with both, (actions, actions) each."""
    occurs = dish.occurs
    before = np.stack([((places[:, None] < dish.first) & occurs).sum(axis=0) for places in dish.first.T])
    return before, occurs.T.astype(np.int64) @ occurs.astype(np.int64)


def estimate(dish: Dish, tested: Hypotheses, limits: Limits) -> pl.DataFrame:
    """A row for each hypothesis, in order: effect and diagnostics, the columns of pivot/effects from `effect` on."""
    before, both = precedence(dish)
    recipes = len(dish.first)
    count = dish.occurs.sum(axis=0)[tested.cause]
    in_order, with_both = before[tested.cause, tested.effect], both[tested.cause, tested.effect]
    enough = np.flatnonzero(np.minimum(count, recipes - count) >= max(limits.units, 1))
    confounders = Confounders.of(dish, 2 * before > both)
    number = confounders.likely(tested[enough]).sum(axis=1)
    by_number = enough[
        np.argsort(number, kind="stable")
    ]  # sorted, so that few arrays are as wide as the widest
    step = max(1, CELLS // ((limits.confounders + 2) * max(recipes, 1)))
    found = {name: np.full(len(count), np.nan) for name in ESTIMATES}
    for rows in (by_number[start : start + step] for start in range(0, len(enough), step)):
        covariates = confounders.covariates(tested[rows], limits.confounders)
        for name, values in _matched(dish, tested[rows], covariates, limits).items():
            found[name][rows] = np.round(values, DIGITS)
    numbers = {"n_treated": count, "n_control": recipes - count, "both": with_both, "in_order": in_order}
    order_p = {"order_p": np.round(sign_p(in_order, with_both), DIGITS)}
    return _flagged(pl.DataFrame(found | numbers | order_p, nan_to_null=True), recipes, limits)


@dataclass(frozen=True)
class Confounders:
    """Which actions occur, (actions, recipes); which come before which; and their correlations, (actions, actions).

    Products use einsum: at this size the threads of BLAS would wait more than they work.
    """

    occurs: Floats
    earlier: Bools
    correlation: Floats

    @staticmethod
    def of(dish: Dish, earlier: Bools) -> "Confounders":
        occurs = np.ascontiguousarray(dish.occurs.T, np.float64)
        centred = occurs - occurs.mean(axis=1, keepdims=True)
        deviation = centred.std(axis=1, keepdims=True)
        scaled = np.divide(centred, deviation, out=np.zeros(centred.shape), where=deviation > 1e-9)
        correlation = np.einsum("ir,jr->ij", scaled, scaled) / max(occurs.shape[1], 1)
        return Confounders(occurs, earlier, np.abs(np.round(correlation, DIGITS)))

    def likely(self, tested: Hypotheses) -> Bools:
        """The actions that come before cause and effect and correlate with both, (b, actions)."""
        together = self.correlation > self.occurs.shape[1] ** -0.5
        both: Bools = together[tested.cause] & together[tested.effect]
        return self._earlier(tested) & both

    def _earlier(self, tested: Hypotheses) -> Bools:
        return self.earlier.T[tested.cause] & self.earlier.T[tested.effect]

    def covariates(self, tested: Hypotheses, most: int) -> Floats:
        """The strongest confounders, up to `most`, and the standardised count of the others, (b, k, recipes)."""
        possible, likely = self._earlier(tested), self.likely(tested)
        strength = np.where(likely, self.correlation[tested.cause] * self.correlation[tested.effect], -1.0)
        most = min(most, int(likely.sum(axis=1).max(initial=0)))
        chosen = np.argsort(-strength, axis=1, kind="stable")[:, :most]
        taken = np.take_along_axis(likely, chosen, 1)
        np.put_along_axis(possible, chosen, np.take_along_axis(possible, chosen, 1) & ~taken, 1)
        others = np.einsum("ba,ar->br", possible.astype(np.float64), self.occurs)
        others -= others.mean(axis=1, keepdims=True)
        deviation = others.std(axis=1, keepdims=True)
        covariates = np.zeros((len(chosen), most + 1, others.shape[1]))
        np.multiply(self.occurs[chosen], taken[..., None], out=covariates[:, :most])
        np.divide(others, deviation, out=covariates[:, most], where=deviation > 1e-9)
        return covariates


def _matched(dish: Dish, tested: Hypotheses, covariates: Floats, limits: Limits) -> dict[str, Floats]:
    cause, effect = dish.first.T[tested.cause], dish.first.T[tested.effect]
    treated, event = np.isfinite(cause), np.isfinite(effect)
    outcome = event & (~treated | (cause < effect))
    scores = propensity_scores(covariates, treated, ridge=limits.ridge)
    observed = (treated & outcome).sum(axis=1)
    order, scores, (kind, event, outcome) = ascending(scores, treated, event, outcome)
    weights, matched = match(scores, kind, limits.caliper * scores.std(axis=1))
    in_rows = np.empty(weights.shape)
    in_rows.put(order, weights)
    values = (
        average_effect(weights, matched, kind, outcome),
        matched.sum(axis=1, dtype=np.float64),
        overlap(scores, kind),
        imbalance(covariates, np.ones(weights.shape), treated),
        imbalance(covariates, in_rows, treated),
        permutation_p(scores, kind, event, observed, strata=limits.strata),
    )
    return dict(zip(ESTIMATES, values, strict=True))


def _flagged(frame: pl.DataFrame, recipes: int, limits: Limits) -> pl.DataFrame:
    """The table with adjusted_p and flag: the reasons why the data cannot tell (schemas.FLAGS)."""
    larger = np.maximum(*(frame[name].to_numpy() for name in ("p_value", "order_p")))
    if limits.correct:
        tested = np.isfinite(larger)
        larger[tested] = np.round(adjusted(larger[tested]), DIGITS)
    frame = frame.with_columns(adjusted_p=pl.Series(larger, nan_to_null=True))
    late = pl.col("adjusted_p") > limits.level
    comparable = pl.min_horizontal("overlap", pl.col("matched") / max(recipes, 1))
    reasons = {
        "treated": pl.col("n_treated") < limits.units,
        "control": pl.col("n_control") < limits.units,
        "overlap": comparable < limits.overlap,
        "balance": pl.col("balance_after") > limits.balance,
        "chance": late & (pl.col("p_value") >= pl.col("order_p")),
        "order": late & (pl.col("order_p") >= pl.col("p_value")),
    }
    named = [pl.when(reason.fill_null(False)).then(pl.lit(name)) for name, reason in reasons.items()]
    return frame.with_columns(flag=pl.concat_str(named, separator=",", ignore_nulls=True))


def adjusted(p_values: NDArray[np.float64]) -> Floats:
    """p-values adjusted for their number, to bound the share of false discoveries (Benjamini and Hochberg 1995)."""
    order = np.argsort(-p_values, kind="stable")
    ranks = np.arange(len(p_values), 0, -1)
    result = np.empty(len(p_values))
    result[order] = np.minimum.accumulate((p_values[order] * len(p_values) / ranks).clip(max=1.0))
    return result
