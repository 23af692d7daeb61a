"""Order constraints of inserted actions (Counterfactual Recipe Generation, 4.3); how they are found: effects.py."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from wokflow import tables
from wokflow.job import Progress
from wokflow.pivot import schemas
from wokflow.pivot.effects import Dish, Hypotheses, Limits, estimate, precedence
from wokflow.pivot.occurrences import occurrences, written


def orders(
    pivots: str,
    proto: Sequence[str],
    dishes: Sequence[str],
    effects: str,
    out: str,
    *,
    limits: Limits,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Test what comes before and after each inserted action; write all tests and the constraints found.

    `effects` gets every pair of an inserted action with another that some recipe of the target dish has before
    or after it, `out` those whose effect is above limits.effect and whose flag is empty (both have schema
    pivot/orders). Rows come by dish pair, pivot, and what is before and after it. Memory holds the actions of
    the target dishes.
    """
    inserted = tables.read(pivots).filter(pl.col("kind") == "insert").with_columns(action=written())
    pairs = inserted.group_by("base_dish", "target_dish", maintain_order=True).agg("action")
    found = occurrences(proto, dishes, pairs["target_dish"].unique().sort().to_list())
    of_dish = found.partition_by("dish", as_dict=True, include_key=False)
    with (
        tables.PartWriter(effects, schemas.ORDERS, metadata) as every,
        tables.PartWriter(out, schemas.ORDERS, metadata) as good,
    ):
        for done, (base, target, actions) in enumerate(pairs.iter_rows(), start=1):
            if (target,) not in of_dish:
                continue
            dish = first_places(of_dish[target,], actions, limits.frequent)
            tested = tests(dish, actions, limits).with_columns(
                base_dish=pl.lit(base), target_dish=pl.lit(target)
            )
            every.write(tested)
            good.write(tested.filter((pl.col("effect") > limits.effect) & (pl.col("flag") == "")))
            if progress:
                progress(done, f"{base} to {target}: {tested.height} effects tested", of=pairs.height)


def first_places(found: pl.DataFrame, always: Sequence[str], frequent: float) -> Dish:
    """The first place of each action in each recipe, for actions in a share `frequent` of the recipes at least.

    Those of `always` are there however rare they are, if they occur at all.
    """
    places = found.group_by("recipe_id", "action").agg(pl.col("position").min())
    recipes = found["recipe_id"].unique().sort()
    kept = pl.col("action").is_in(list(always)) | (pl.len().over("action") >= frequent * recipes.len())
    places = places.filter(kept)
    actions = places["action"].unique().sort()
    first = np.full((recipes.len(), actions.len()), np.inf)
    row, column = recipes.search_sorted(places["recipe_id"]), actions.search_sorted(places["action"])
    first[row.to_numpy(), column.to_numpy()] = places["position"].to_numpy()
    return Dish(actions.to_list(), first)


def tests(dish: Dish, pivots: Sequence[str], limits: Limits) -> pl.DataFrame:
    """pivot, before, after and what was found of each hypothesis about the pivots."""
    rows = np.array(list(_hypotheses(dish, pivots)), np.int64).reshape(-1, 3)
    actions = np.array(dish.actions, object)
    named = {
        name: pl.Series(actions[rows[:, number]].tolist(), dtype=pl.String)
        for number, name in enumerate(("pivot", "before", "after"))
    }
    return pl.DataFrame(named).hstack(estimate(dish, Hypotheses(rows[:, 1], rows[:, 2]), limits))


def _hypotheses(dish: Dish, pivots: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """pivot, cause, effect by number: each action that some recipe has before the pivot, or after it."""
    before, _ = precedence(dish)
    for pivot in sorted(set(pivots) & set(dish.actions)):
        number = dish.actions.index(pivot)
        yield from ((number, int(other), number) for other in np.flatnonzero(before[:, number]))
        yield from ((number, number, int(other)) for other in np.flatnonzero(before[number]))
