"""When an order is reported: two presets, and settings that override them."""

from dataclasses import dataclass, fields, replace
from math import inf

from wokflow.pivot.settings import OrdersSettings


@dataclass(frozen=True)
class Limits:
    """How effects are estimated, the thresholds above which one is reported, and when the data do not decide.

    estimate: the column of pivot/effects that must be above `effect` (tau_c, 4.3). level: significance level of both
    tests; 1 tests nothing. It is low by default because tests only rule out chance: common causes that recipes do not
    mention make false orders too, the more the more recipes there are. correct: adjust p-values for the number of
    tests of the dish pair (Benjamini and Hochberg 1995). units: least number of recipes with the cause, and without
    it. frequent: least share of a dish's recipes with an action for it to be a cause, an effect or a confounder.
    confounders: largest number of confounders with a covariate of their own; None: all earlier actions, however
    weakly they correlate with cause and effect. ridge: penalty of the regression. caliper: largest distance of a
    match, in pooled standard deviations of the logit (0.2: Austin 2011). strata: number of strata of the permutation
    test. overlap: least share of recipes that are comparable, and that have a match. balance: largest standardised
    difference of means after matching.
    """

    estimate: str = "effect_in_order"
    effect: float = 0.1
    level: float = 0.01
    correct: bool = True
    units: int = 5
    frequent: float = 0.05
    confounders: int | None = 10
    ridge: float = 1.0
    caliper: float = 0.2
    strata: int = 10
    overlap: float = 0.5
    balance: float = 0.25


PRESETS = {
    "strict": Limits(),
    "paper": Limits(
        estimate="effect",
        level=1.0,
        correct=False,
        units=1,
        frequent=0.0,
        confounders=None,
        caliper=inf,
        overlap=0.0,
        balance=inf,
    ),
}


def limits(settings: OrdersSettings) -> Limits:
    """The limits of the preset, overridden by the settings that are not None."""
    own = {limit.name: getattr(settings, limit.name, None) for limit in fields(Limits)}
    return replace(
        PRESETS[settings.preset], **{name: value for name, value in own.items() if value is not None}
    )
