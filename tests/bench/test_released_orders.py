"""Orders that the paper's authors released, against those that both presets find in the recipes of their testbed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.bench import measure
from tests.bench.measure import Call, Clock
from tests.bench.test_expert_pivots import read_rows

PRESETS = ("strict", "paper")
FREQUENT = (
    0.02  # least share of the recipes with an action that is no end of a released order, for a confounder
)
LEAST_AGREED = 3  # times as many released orders must be those of most recipes as not


def test_released_orders(shared: Path) -> None:
    folder = shared / "real" / "counterfactual"
    if not (folder / "expert_pivots.json").exists():
        pytest.skip(f"{folder} has no expert_pivots.json")
    calls = {preset: Call(find, {"folder": str(folder), "preset": preset}) for preset in PRESETS}
    measured = {preset: results[0].outcome for preset, results in measure.in_turn(calls, 1).items()}
    counts = measured["strict"]
    rows = [
        [preset, *(f"{found[name]:,}" for name in ("tested", "found", "against")), *shares(found)]
        for preset, found in measured.items()
    ]
    measure.publish(
        "released-orders",
        "Orders that the paper's authors released",
        f"""The authors released {counts["released"]} distinct orders of actions, of {counts["dishes"]} target
        dishes, but no recipe of a target dish. So they are looked for in the {counts["recipes"]:,} recipes of the
        base dishes, taken as those of one dish; {counts["together"]} have both actions in some recipe. In most
        recipes with both, {counts["agreed"]} are as released and {counts["opposed"]} the other way round. Each
        order and its opposite is tested, where some recipe has it, by both presets of `pivot.orders.preset`,
        with style paper and the authors' glossary; confounders are actions in at least {FREQUENT:.0%} of the
        recipes. Found: released orders that are reported. Against: those whose opposite is reported. Precision is
        of found and against alone: orders that nobody released are not looked for. A run with recipes of the target
        dishes compares its own orders by `wokflow papers testbed-orders` (docs/pivot.md).
        {measure.repeat("test_released_orders.py")}""",
        measure.table(["preset", "tested", "found", "against", "recall, of tested", "precision"], rows),
    )
    assert counts["agreed"] >= LEAST_AGREED * counts["opposed"]


def shares(found: dict[str, int]) -> list[str]:
    decided = found["found"] + found["against"]
    return [f"{found['found'] / max(found['tested'], 1):.2f}", f"{found['found'] / max(decided, 1):.2f}"]


def find(clock: Clock, folder: str, preset: str) -> dict[str, int]:
    """Counts of wokflow.pivot.released, and of recipes and dishes."""
    from wokflow.pivot.effects import Hypotheses, estimate
    from wokflow.pivot.order_limits import PRESETS
    from wokflow.pivot.orders import first_places, reported
    from wokflow.pivot.released import compared, released_orders

    released = released_orders(f"{folder}/expert_pivots.json")
    found = read_actions(Path(folder))
    reverse = {"before": "after", "after": "before"}
    both_ways = pl.concat([released, released.rename(reverse).select(released.columns)]).unique(
        ["before", "after"], maintain_order=True
    )
    chosen = replace(PRESETS[preset], frequent=FREQUENT)
    ends = pl.concat([released["before"], released["after"]]).unique().to_list()
    with clock:
        dish = first_places(found, ends, chosen.frequent)
        known = both_ways.filter(pl.col("before").is_in(dish.actions), pl.col("after").is_in(dish.actions))
        cause, effect = (
            np.array([dish.actions.index(action) for action in known[name]]) for name in ("before", "after")
        )
        tested = known.drop("target_dish").hstack(estimate(dish, Hypotheses(cause, effect), chosen))
        tested = tested.filter(pl.col("in_order") > 0)  # as pivot_orders tests them
    dishes = released.select("target_dish").unique(maintain_order=True)
    effects = dishes.join(tested, how="cross")
    some = found.filter(pl.col("action").is_in(ends)).select("recipe_id", "position", "action")
    occurring = dishes.rename({"target_dish": "dish"}).join(some, how="cross")
    counts = compared(effects, reported(effects, chosen), occurring, released)
    return counts | {"recipes": found["recipe_id"].n_unique(), "dishes": dishes.height}


def read_actions(folder: Path) -> pl.DataFrame:
    """recipe_id, position and action of all actions of the base recipes."""
    from wokflow.parse.extract import extract
    from wokflow.parse.glossary import read_glossary
    from wokflow.pivot.occurrences import proto

    glossary = read_glossary(folder / "glossary.json")
    rows: list[tuple[Any, ...]] = []
    for number, (_, _, text) in enumerate(read_rows(folder)):
        actions = sorted(
            extract([text], glossary, None, style="paper", method="rules")[0], key=lambda action: action.start
        )
        rows += [(f"r:{number:05}", place, proto(action).written) for place, action in enumerate(actions)]
    return pl.DataFrame(
        rows, {"recipe_id": pl.String, "position": pl.Int32, "action": pl.String}, orient="row"
    )
