"""Order constraints of inserted actions (Counterfactual Recipe Generation, 4.3). For the method see `effects`."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.pivot import schemas
from wokflow.pivot.effects import Dish, Hypotheses, estimate, precedence
from wokflow.pivot.given import Scope, write_orders
from wokflow.pivot.occurrences import occurrences, written
from wokflow.pivot.order_limits import Limits, limits
from wokflow.pivot.replacements import read_split
from wokflow.pivot.settings import OrdersSettings


def pivot_orders(
    *,
    pivots: str,
    proto: Sequence[str],
    dishes: Sequence[str],
    effects: str,
    orders: str,
    rejects: str,
    settings: OrdersSettings,
    job: Job,
) -> None:
    """Test which actions must come before or after each inserted action; write all tests, and the orders reported.

    The new action of a replacement counts as inserted.

    `effects` has a row for each inserted action and each other action that some recipe of the target dish has before
    or after it. `orders` has those rows with an estimate above the limit and an empty flag. Both have schema
    pivot/orders, sorted by dish pair, pivot, before and after. Memory holds the actions of the target dishes.

    Given orders replace tested ones: `effects` is empty then, and `proto` and `dishes` are not read. Given orders of
    unknown pairs, classes or pivots are `rejects` (schema pivot/rejects).
    """
    if settings.given:
        tables.write_none(effects, schemas.ORDERS, job.metadata)
        scope = Scope.read(settings.pairs, settings.glossary)
        write_orders(settings.given, scope, pivots, orders, rejects, job)
        return
    tables.write_none(rejects, schemas.GIVEN_REJECTS, job.metadata)
    chosen = limits(settings)
    inserted = read_split(pivots).filter(pl.col("kind") == "insert").with_columns(action=written())
    by_pair = inserted.group_by("base_dish", "target_dish", maintain_order=True).agg("action")
    occurring = occurrences(proto, dishes, by_pair["target_dish"].unique().sort().to_list())
    of_dish = occurring.partition_by("dish", as_dict=True, include_key=False)
    rare: dict[str, set[str]] = {}  # by target dish: actions that no pair tests
    with (
        tables.PartWriter(effects, schemas.ORDERS, job.metadata) as every,
        tables.PartWriter(orders, schemas.ORDERS, job.metadata) as good,
    ):
        for done, (base, target, actions) in enumerate(by_pair.iter_rows(), start=1):
            if (target,) not in of_dish:
                continue
            dish = first_places(of_dish[target,], actions, chosen.frequent)
            untested = set(of_dish[target,]["action"]).difference(dish.actions)
            rare[target] = rare.get(target, untested) & untested
            tested = tests(dish, actions, chosen).with_columns(
                base_dish=pl.lit(base), target_dish=pl.lit(target)
            )
            every.write(tested)
            good.write(reported(tested, chosen))
            job.progress(done, f"{base} to {target}: {tested.height} effects tested", of=by_pair.height)
    if count := sum(map(len, rare.values())):
        job.progress.say(
            f"{count} actions were not tested: they occur in less than {100 * chosen.frequent:g}% of their dish's "
            "recipes (pivot.orders.frequent)"
        )


def first_places(occurring: pl.DataFrame, always: Sequence[str], frequent: float) -> Dish:
    """The first position of each action in each recipe, for actions in at least a share `frequent` of the recipes.

    Actions in `always` are included however rare they are, if they occur at all.
    """
    places = occurring.group_by("recipe_id", "action").agg(pl.col("position").min())
    recipes = occurring["recipe_id"].unique().sort()
    kept = pl.col("action").is_in(list(always)) | (pl.len().over("action") >= frequent * recipes.len())
    places = places.filter(kept)
    actions = places["action"].unique().sort()
    first = np.full((recipes.len(), actions.len()), np.inf)
    row, column = recipes.search_sorted(places["recipe_id"]), actions.search_sorted(places["action"])
    first[row.to_numpy(), column.to_numpy()] = places["position"].to_numpy()
    return Dish(actions.to_list(), first)


def reported(tested: pl.DataFrame, limits: Limits) -> pl.DataFrame:
    """The tests whose estimate is above the limit, without a flag."""
    return tested.filter((pl.col(limits.estimate) > limits.effect) & (pl.col("flag") == ""))


def tests(dish: Dish, pivots: Sequence[str], limits: Limits) -> pl.DataFrame:
    """A row for each hypothesis about the pivots: pivot, before, after, and the columns of `estimate`."""
    rows = np.array(list(_hypotheses(dish, pivots)), np.int64).reshape(-1, 3)
    # One about two pivots is a row of each, and tested once: p-values are corrected for the number of tests.
    distinct, places = np.unique(rows[:, 1:], axis=0, return_inverse=True)
    tested = estimate(dish, Hypotheses(distinct[:, 0], distinct[:, 1]), limits)
    actions = np.array(dish.actions, object)
    named = {
        name: pl.Series(actions[rows[:, number]].tolist(), dtype=pl.String)
        for number, name in enumerate(("pivot", "before", "after"))
    }
    return pl.DataFrame(named).hstack(tested[places.ravel()])


def _hypotheses(dish: Dish, pivots: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Indices of pivot, cause and effect for each action that comes before or after the pivot in some recipe."""
    before, _ = precedence(dish)
    for pivot in sorted(set(pivots) & set(dish.actions)):
        number = dish.actions.index(pivot)
        yield from ((number, int(other), number) for other in np.flatnonzero(before[:, number]))
        yield from ((number, number, int(other)) for other in np.flatnonzero(before[number]))
