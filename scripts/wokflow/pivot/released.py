"""Compare a run's orders with those of the paper's authors: `wokflow papers testbed-orders`."""

from pathlib import Path

import polars as pl

from wokflow.frame import tables
from wokflow.frame.usage import UsageError
from wokflow.pivot.given_files import order_records
from wokflow.pivot.occurrences import occurrences

KEY = ("target_dish", "before", "after")
MEANINGS = {
    "released": "orders in the file, of the target dishes of which the run has recipes with actions",
    "together": "of those, with both actions in some recipe of the dish",
    "agreed": "of those, with most recipes in this order",
    "opposed": "and with most recipes in the opposite order",
    "tested": "released orders with an estimate: the run inserts one of their actions",
    "found": "released orders that the run reports",
    "against": "released orders whose opposite the run reports",
}


def released_orders(path: str) -> pl.DataFrame:
    """The distinct orders of a file of given orders: target_dish, before and after, as pivot/orders writes them."""
    rows = {
        (record.target, *(action.written for action in record.actions[1:])): None
        for record in order_records(path)
    }
    return pl.DataFrame(list(rows), dict.fromkeys(KEY, pl.String), orient="row")


def together(occurring: pl.DataFrame, released: pl.DataFrame) -> pl.DataFrame:
    """For each released order: `both`, recipes of its dish with both actions, and `in_order`, with `before` first.

    `occurring` has dish, recipe_id, position and action, as `occurrences` finds them; an order without such a recipe
    has no row.
    """
    first = occurring.group_by("dish", "recipe_id", "action").agg(pl.col("position").min())
    return (
        released.join(first, left_on=["target_dish", "before"], right_on=["dish", "action"])
        .join(first, left_on=["target_dish", "recipe_id", "after"], right_on=["dish", "recipe_id", "action"])
        .group_by(KEY)
        .agg(both=pl.len(), in_order=(pl.col("position") < pl.col("position_right")).sum())
    )


def compared(
    effects: pl.DataFrame, orders: pl.DataFrame, occurring: pl.DataFrame, released: pl.DataFrame
) -> dict[str, int]:
    """Counts as in MEANINGS; `effects` and `orders` have the columns of these tables, `occurring` is as above."""
    here = released.filter(pl.col("target_dish").is_in(occurring["dish"].unique().to_list()))
    shared = together(occurring, here)
    twice = 2 * pl.col("in_order")
    return {
        "released": here.height,
        "together": shared.height,
        "agreed": shared.filter(twice > pl.col("both")).height,
        "opposed": shared.filter(twice < pl.col("both")).height,
        "tested": here.join(effects.drop_nulls("effect"), on=KEY, how="semi").height,
        "found": here.join(orders, on=KEY, how="semi").height,
        "against": here.join(
            orders.rename({"before": "after", "after": "before"}), on=KEY, how="semi"
        ).height,
    }


def compared_results(results: str, path: str) -> dict[str, int]:
    """Counts as in MEANINGS, of the results in a folder and the file of given orders at `path`.

    Raises UsageError if the results have no dishes or no proto-actions of their recipes.
    """
    released = released_orders(path)
    effects, orders = (
        tables.read(str(Path(results, "pivot", name, "part-00000.parquet"))) for name in ("effects", "orders")
    )
    dishes = _parts(results, "pivot/dishes", "*")
    proto = [part for one in dishes for part in _parts(results, "parse/proto", Path(one).parent.name)]
    occurring = occurrences(proto, dishes, released["target_dish"].unique().to_list())
    return compared(effects, orders, occurring, released)


def _parts(results: str, table: str, corpus: str) -> list[str]:
    """The parts of a table, but those that are left from a run that had more parts of recipes."""
    now = {path.name for path in Path(results, "ingest/recipes").glob(f"{corpus}/*.parquet")}
    found = sorted(Path(results, table).glob(f"{corpus}/*.parquet"))
    parts = [str(part) for part in found if part.name in now or not now]
    if not parts:
        raise UsageError(f"{results}: there is no {table}. Run snakemake {table.partition('/')[0]}.")
    return parts
