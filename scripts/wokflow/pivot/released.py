"""Compare a run's orders with those of the paper's authors: `wokflow papers testbed-orders`."""

from pathlib import Path

import polars as pl

from wokflow.frame import tables
from wokflow.pivot.given_files import order_records

KEY = ("target_dish", "before", "after")
MEANINGS = {
    "released": "orders in the file, of the target dishes that the run has",
    "together": "of those, with both actions in some recipe",
    "agreed": "of those, with most recipes in this order",
    "opposed": "and with most recipes in the opposite order",
    "tested": "released orders with an estimate",
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


def compared(effects: pl.DataFrame, orders: pl.DataFrame, released: pl.DataFrame) -> dict[str, int]:
    """Counts as in MEANINGS; `effects` and `orders` have the columns of these tables of stage pivot."""
    here = released.filter(pl.col("target_dish").is_in(effects["target_dish"].unique().to_list()))
    columns = ["effect", "both", "in_order"]
    tested = effects.select(*KEY, *columns).unique(KEY, keep="first", maintain_order=True)
    reverse = {"before": "after", "after": "before"}
    both = here.join(tested, on=KEY, how="left", maintain_order="left").join(
        tested.rename(reverse | {name: f"opposite_{name}" for name in columns}),
        on=KEY,
        how="left",
        maintain_order="left",
    )
    together = pl.coalesce("both", "opposite_both").fill_null(0)
    first, second = (pl.col(name).fill_null(0) for name in ("in_order", "opposite_in_order"))
    return {
        "released": here.height,
        "together": both.filter(together > 0).height,
        "agreed": both.filter(2 * first > together).height,
        "opposed": both.filter(2 * second > together).height,
        "tested": both["effect"].count(),
        "found": here.join(orders, on=KEY, how="semi").height,
        "against": here.join(orders.rename(reverse), on=KEY, how="semi").height,
    }


def compared_results(results: str, path: str) -> dict[str, int]:
    """Counts as in MEANINGS, of the results in a folder and the file of given orders at `path`."""
    effects, orders = (
        tables.read(str(Path(results, "pivot", name, "part-00000.parquet"))) for name in ("effects", "orders")
    )
    return compared(effects, orders, released_orders(path))
