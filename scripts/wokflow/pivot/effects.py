"""Average causal effects between the actions of one dish (Counterfactual Recipe Generation, 4.3).

The hypothesis about an ordered pair of actions (c, e) is that c comes before e and causes it. Units are the recipes
of the dish. Treatment T: c occurs. There are two outcomes, and so two estimates:

- `effect`, the paper's psi. Outcome A: e occurs. It says whether the two belong together, not which comes first.
- `effect_in_order`. Outcome Y: e occurs, and after c if c occurs. A recipe in which e comes before c counts as
  treated without effect. Of independent actions this is at most 0, in any order: Y is at most A, and A does not
  depend on T.

The treatment is not "c occurs before e", because the order of two actions is known only in recipes with both. With
it, all treated recipes would have e by definition, and any two frequent actions in random order would seem to cause
each other (immortal time bias).

An action comes before another, in a dish, if it does so in most recipes with both. The paper does not define "appears
before"; with this reading no order contradicts another, and none of the orders that its authors released does. Only
actions that come before both c and e are confounders, and the covariate of a confounder is whether it occurs at all.
So neither effects of c or e nor actions between the two are adjusted for.
Either all of them are covariates (preset paper), or those that correlate with both c and e by more than a standard
error (1 / sqrt(recipes)), at most `confounders` of them, in order of the product of both correlations. Then one more
covariate is the number of the other confounders in a recipe, because some recipes are more explicit than others.

An effect is the average over all recipes with a match (average treatment effect): nearest logit of the propensity
within the caliper, with replacement, ties shared. `association_p` is of an exact permutation test of T within strata
of the propensity, with outcome A; for `effect_in_order` it is conservative. The order has a test of its own, a sign
test over the recipes with both actions. Both tests must hold.

No test can account for causes that recipes do not mention: a common cause that is often left out makes its effects
seem to depend on each other.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from wokflow.pivot.order_limits import Limits
from wokflow.pivot.propensity import (
    Bools,
    Floats,
    Ints,
    ascending,
    average_effect,
    imbalance,
    match,
    overlap,
    permutation_p,
    pooled_deviation,
    propensity_scores,
    sign_p,
)

CELLS = 300_000  # numbers in one array of covariates, so that it fits the cache; more are computed in turns
DIGITS = 9  # decimal places of numbers in the table
ESTIMATES = ("effect", "effect_in_order", "matched", "overlap", "smd_all", "smd_matched", "association_p")


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
    confounders = Confounders.of(dish, 2 * before > both, screened=limits.confounders is not None)
    widths = np.minimum(confounders.likely(tested[enough]).sum(axis=1), most(limits)) + 2
    estimates = {name: np.full(len(count), np.nan) for name in ESTIMATES}
    for rows in (enough[batch] for batch in _batches(widths, recipes)):
        covariates = confounders.covariates(tested[rows], most(limits))
        for name, values in _matched(dish, tested[rows], covariates, limits).items():
            estimates[name][rows] = np.round(values, DIGITS)
    numbers = {"n_treated": count, "n_control": recipes - count, "both": with_both, "in_order": in_order}
    order_p = {"order_p": np.round(sign_p(in_order, with_both), DIGITS)}
    return _flagged(pl.DataFrame(estimates | numbers | order_p, nan_to_null=True), recipes, limits)


def most(limits: Limits) -> int:
    """The largest number of confounders with a covariate of their own."""
    return sys.maxsize - 2 if limits.confounders is None else limits.confounders


def _batches(widths: Ints, recipes: int) -> Iterator[Ints]:
    """Indices of `widths` in batches, the widest first; a batch's covariates have at most about CELLS numbers."""
    order, start = np.argsort(-widths, kind="stable"), 0
    while start < len(order):
        end = start + max(1, CELLS // (int(widths[order[start]]) * max(recipes, 1)))
        yield order[start:end]
        start = end


@dataclass(frozen=True)
class Confounders:
    """Which actions occur, (actions, recipes); which come before which; and their correlations, (actions, actions).

    `screened`: only actions that correlate with both cause and effect are likely confounders. Products use einsum:
    at this size the threads of BLAS would wait more than they work.
    """

    occurs: Floats
    earlier: Bools
    correlation: Floats
    screened: bool = True

    @staticmethod
    def of(dish: Dish, earlier: Bools, *, screened: bool = True) -> "Confounders":
        occurs = np.ascontiguousarray(dish.occurs.T, np.float64)
        centred = occurs - occurs.mean(axis=1, keepdims=True)
        deviation = centred.std(axis=1, keepdims=True)
        scaled = np.divide(centred, deviation, out=np.zeros(centred.shape), where=deviation > 1e-9)
        correlation = np.einsum("ir,jr->ij", scaled, scaled) / max(occurs.shape[1], 1)
        return Confounders(occurs, earlier, np.abs(np.round(correlation, DIGITS)), screened)

    def likely(self, tested: Hypotheses) -> Bools:
        """The actions that come before cause and effect and, if screened, correlate with both, (b, actions)."""
        if not self.screened:
            return self._earlier(tested)
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
    deviation = pooled_deviation(scores[:, None], treated)[:, 0]
    caliper = np.full(deviation.shape, np.inf) if np.isinf(limits.caliper) else limits.caliper * deviation
    observed = (treated & outcome).sum(axis=1)
    order, scores, (kind, event, outcome) = ascending(scores, treated, event, outcome)
    weights, matched = match(scores, kind, caliper)
    in_rows = np.empty(weights.shape)
    in_rows.put(order, weights)
    values = (
        average_effect(weights, matched, kind, event),
        average_effect(weights, matched, kind, outcome),
        matched.sum(axis=1, dtype=np.float64),
        overlap(scores, kind),
        *imbalance(covariates, treated, np.ones(weights.shape), in_rows),
        permutation_p(scores, kind, event, observed, strata=limits.strata),
    )
    return dict(zip(ESTIMATES, values, strict=True))


def _flagged(frame: pl.DataFrame, recipes: int, limits: Limits) -> pl.DataFrame:
    """The table with p_value and flag: the reasons why the data do not decide (schemas.FLAGS)."""
    from scipy.stats import false_discovery_control

    larger = np.maximum(*(frame[name].to_numpy() for name in ("association_p", "order_p")))
    if limits.correct:
        tested = np.isfinite(larger)
        larger[tested] = np.round(false_discovery_control(larger[tested]), DIGITS)
    frame = frame.with_columns(p_value=pl.Series(larger, nan_to_null=True))
    late = pl.col("p_value") > limits.level
    comparable = pl.min_horizontal("overlap", pl.col("matched") / max(recipes, 1))
    reasons = {
        "treated": pl.col("n_treated") < limits.units,
        "control": pl.col("n_control") < limits.units,
        "overlap": comparable < limits.overlap,
        "balance": pl.col("smd_matched") > limits.balance,
        "chance": late & (pl.col("association_p") >= pl.col("order_p")),
        "order": (2 * pl.col("in_order") <= pl.col("both"))
        | (late & (pl.col("order_p") >= pl.col("association_p"))),
    }
    named = [pl.when(reason.fill_null(False)).then(pl.lit(name)) for name, reason in reasons.items()]
    return frame.with_columns(flag=pl.concat_str(named, separator=",", ignore_nulls=True))
