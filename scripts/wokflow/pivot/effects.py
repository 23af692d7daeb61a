"""Which action brings about which: average causal effects between the actions of one dish (4.3).

What is asked of an ordered pair of actions, c and e: does c, done before, bring about e? Units are the recipes of
the dish. Treatment T: c occurs. Outcome Y: e occurs, and after c where c occurs. So a recipe in which e comes
before c counts as treated without effect; whether it should be the other way round is the hypothesis (e, c).

Why not "c occurs before e" as the treatment? Because which of two actions comes first is known only of recipes
that have both: to sort recipes by it puts those with e into the treated, and two independent frequent actions in
random order seem to bring each other about (immortal time). With Y as above the effect of independent actions is
0 at most, in any order: Y is never more than A, "e occurs anywhere", and A does not depend on T.

For the same reason a confounder's covariate is whether it occurs at all, and which actions confound is decided
for the dish, not for each recipe: those that come before c in most recipes with both, and before e likewise. So
effects of c and of e, and what lies between the two, are not adjusted for. Of these, the ones that go with c and
with e by more than a standard error (correlations above 1 / sqrt(recipes)) are covariates of their own, at most
`confounders`, the strongest first by the product of both correlations; one more covariate is the number of the
others that a recipe has, for some recipes say everything and some little.

Effect: the average over all recipes that have a match (average treatment effect), by the nearest logit of the
propensity within the caliper, with replacement, ties shared. Its p-value permutes T within strata of the
propensity, and asks how often A would give as many treated recipes as Y did: exact, and on the safe side since Y
is at most A. The order has a test of its own: a sign test of the recipes with both. Both must hold.

What no test can see: causes that recipes do not tell. A common cause that is often left unsaid makes its effects
seem to depend on one another.
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

CELLS = 300_000  # numbers in one array of covariates, which so fits the cache; more are tested in turn
DIGITS = 9  # of numbers in the table
ESTIMATES = ("effect", "matched", "overlap", "balance_before", "balance_after", "p_value")


@dataclass(frozen=True)
class Limits:
    """From where on an effect counts, and when the data cannot tell.

    effect: the least average effect that is reported (the paper's tau_c, 4.3). level: of both tests. correct:
    p-values are adjusted for the number of tests of the dish pair (Benjamini and Hochberg 1995). units: least
    recipes with, and without, the cause. frequent: share of a dish's recipes an action must occur in to be a
    cause, an effect or a confounder. confounders: at most so many are covariates of their own. ridge: penalty of
    the regression. caliper: farthest match, in standard deviations of the logit (0.2: Austin 2011). strata: of
    the permutation test. overlap: least share of recipes that are comparable, and that have a match. balance:
    largest standardised difference of means after matching.
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
    """First places of actions in each recipe, (recipes, actions), inf where an action does not occur."""

    actions: list[str]
    first: Floats

    @property
    def occurs(self) -> Bools:
        return np.isfinite(self.first)


@dataclass(frozen=True)
class Hypotheses:
    """Numbers of actions, (b,) each: `cause` comes before `effect` and brings it about."""

    cause: Ints
    effect: Ints

    def __getitem__(self, rows: Ints) -> "Hypotheses":
        return Hypotheses(self.cause[rows], self.effect[rows])


def precedence(dish: Dish) -> tuple[Ints, Ints]:
    """Numbers of recipes where action i comes before action j, and where both occur, (actions, actions) each."""
    occurs = dish.occurs
    before = np.stack([((places[:, None] < dish.first) & occurs).sum(axis=0) for places in dish.first.T])
    return before, occurs.T.astype(np.int64) @ occurs.astype(np.int64)


def estimate(dish: Dish, tested: Hypotheses, limits: Limits) -> pl.DataFrame:
    """Effects with diagnostics (columns of pivot/effects from `effect` on), one row a hypothesis, in order."""
    before, both = precedence(dish)
    recipes = len(dish.first)
    count = dish.occurs.sum(axis=0)[tested.cause]
    in_order, with_both = before[tested.cause, tested.effect], both[tested.cause, tested.effect]
    enough = np.flatnonzero(np.minimum(count, recipes - count) >= max(limits.units, 1))
    confounders = Confounders.of(dish, 2 * before > both)
    number = confounders.likely(tested[enough]).sum(axis=1)
    by_number = enough[np.argsort(number, kind="stable")]  # so that few arrays are as wide as the widest
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
    """Which actions occur, (actions, recipes); which come before which; and how they go together.

    Products are left to einsum: for ones of this size BLAS wakes threads that wait more than they work.
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
        """(b, actions): what comes before cause and effect, and goes with both."""
        together = self.correlation > self.occurs.shape[1] ** -0.5
        both: Bools = together[tested.cause] & together[tested.effect]
        return self._earlier(tested) & both

    def _earlier(self, tested: Hypotheses) -> Bools:
        return self.earlier.T[tested.cause] & self.earlier.T[tested.effect]

    def covariates(self, tested: Hypotheses, most: int) -> Floats:
        """(b, up to most + 1, recipes): the strongest confounders, and the number of the others, standardised."""
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
    """With adjusted_p, and the reasons why the data cannot tell (schemas.FLAGS)."""
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
