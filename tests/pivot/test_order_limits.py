"""Two presets of orders; single settings go over them, and the paper's settings get the paper's."""

import math
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
import yaml
from wokflow.frame.config import read_schema
from wokflow.pivot import orders as module
from wokflow.pivot.effects import Confounders, Hypotheses, most, precedence
from wokflow.pivot.order_limits import PRESETS, Limits, limits
from wokflow.pivot.settings import OrdersSettings

from tests.conftest import ROOT
from tests.pivot.test_orders import INF, caused, dish, one, random_dish

PAPER = PRESETS["paper"]


def written(value: float | bool | None) -> str:
    if value is None:
        return "all"
    if isinstance(value, bool):
        return str(value).lower()
    return "any" if math.isinf(value) else f"{value:g}"


def settings(name: str | None = None, **own: Any) -> OrdersSettings:
    """pivot.orders of a config of the project, with settings of one's own."""
    given = yaml.safe_load((ROOT / "config" / name).read_text("utf-8"))["pivot"]["orders"] if name else {}
    return OrdersSettings(**{"pairs": "none", "glossary": "none"} | given | own)


def test_a_setting_takes_the_place_of_the_presets_number() -> None:
    assert limits(settings()) == Limits() == PRESETS["strict"]
    assert limits(settings("papers/002-counterfactual.yaml")) == PAPER
    assert limits(settings("papers/002-counterfactual.yaml", effect=0.2, units=2)) == replace(
        PAPER, effect=0.2, units=2
    )
    assert limits(settings(correct=False, overlap=0)) == Limits(correct=False, overlap=0)


@pytest.mark.parametrize("name", [name for name in asdict(Limits()) if name != "estimate"])
def test_the_schema_says_what_each_preset_has(name: str) -> None:
    properties = read_schema(ROOT)["properties"]["pivot"]["properties"]
    strict, paper = (written(getattr(PRESETS[preset], name)) for preset in ("strict", "paper"))
    assert properties["orders"]["properties"][name]["description"].endswith(
        f"(strict {strict}, paper {paper})."
    )


def test_the_papers_estimate_is_of_whether_the_effect_occurs() -> None:
    """Of 4 recipes with a, 3 have b, one of them before it; of 4 without, one has b. No test, no gate."""
    places = dish(a=[0, 0, 1, 0, INF, INF, INF, INF], b=[1, 1, 0, INF, 0, INF, INF, INF])
    found = module.tests(places, ["b"], PAPER)
    row = found.filter(before="a").row(0, named=True)
    assert row["effect"] == pytest.approx(3 / 4 - 1 / 4) and row["flag"] == "" and row["p_value"] > 0.05
    assert module.reported(found, PAPER).select("before", "after").rows() == [("a", "b")]
    back = found.filter(after="a").row(0, named=True)
    assert back["effect"] > PAPER.effect and back["flag"] == "order", "most recipes have a first"


def test_all_earlier_actions_are_the_papers_confounders() -> None:
    places = random_dish(np.random.default_rng(0), 40, np.full(30, 0.7))
    before, both = precedence(places)
    earlier = 2 * before > both
    tested = Hypotheses(np.array([3]), np.array([4]))
    covariates = Confounders.of(places, earlier, screened=False).covariates(tested, most(PAPER))[0]
    expected = np.flatnonzero(earlier[:, 3] & earlier[:, 4])
    assert len(expected) > 3
    used = {tuple(row) for row in covariates if row.any()}
    assert used == {tuple(places.occurs[:, action].astype(float)) for action in expected}


def test_no_order_of_the_papers_contradicts_another() -> None:
    places = random_dish(np.random.default_rng(1), 30, np.full(12, 0.6))
    found = set(
        module.reported(module.tests(places, places.actions, PAPER), PAPER).select("before", "after").rows()
    )
    assert len(found) > 5 and not found & {(after, before) for before, after in found}


def test_true_orders_are_among_the_papers() -> None:
    places = caused(np.random.default_rng(0), 100)
    found = module.reported(module.tests(places, ["pivot//"], PAPER), PAPER).select("before", "after").rows()
    assert {("cause//", "pivot//"), ("pivot//", "effect//")} <= set(found)


def test_far_matches_count_where_any_match_does() -> None:
    places = dish(a=[1.0] * 6 + [INF] * 6, k=[0.0] * 6 + [INF] * 6, b=[2.0] * 5 + [INF] * 7)
    far = replace(PAPER, confounders=1)
    assert one(places, "a", "b", far)["matched"] == 12 == places.first.shape[0]
    assert one(places, "a", "b", replace(far, caliper=0.2))["matched"] == 0
