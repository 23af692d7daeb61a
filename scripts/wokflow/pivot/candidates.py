"""Actions that differ between two dishes, by their frequencies (Counterfactual Recipe Generation, 4.2)."""

from collections.abc import Sequence

import polars as pl

from wokflow import tables
from wokflow.job import Progress
from wokflow.pivot import schemas
from wokflow.pivot.dishes import names, read_pairs
from wokflow.pivot.occurrences import occurrences, parted

KINDS = ["remove", "insert", "ask"]
PHRASES = 3
LOOK = 12  # recipes that are looked at for phrases: many write the very same
KEY = ["base_dish", "target_dish", "action"]


def candidates(
    proto: Sequence[str],
    actions: Sequence[str],
    dishes: Sequence[str],
    pairs: str,
    out: str,
    *,
    alpha: float,
    tau_remove: float,
    tau_insert: float,
    least: float,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Compare the actions of each pair's dishes; write those that differ (schema pivot/candidates).

    An action's frequency is the share of the dish's recipes that have it at least once, of those that have any
    action. Rows come by pair, kind (remove, insert, ask), the higher frequency (falling), and action. A pair of
    which one dish has no recipe has no candidates, which the log says. Parts are read lazily; memory holds the
    actions of the pairs' dishes.
    """
    wanted = read_pairs(pairs).select("base_dish", "target_dish").with_row_index("pair")
    found = occurrences(proto, dishes, names(wanted))
    compared = kinds(frequencies(found, wanted), alpha, tau_remove, tau_insert, least)
    compared = compared.sort(
        "pair",
        pl.col("kind").cast(pl.Enum(KINDS)),
        pl.max_horizontal("base_frequency", "target_frequency"),
        "action",
        descending=[False, False, True, False],
    )
    compared = compared.join(phrases(compared, found, actions), on=KEY, how="left", maintain_order="left")
    rows = compared.with_columns(*parted(pl.col("action"))).select(schemas.CANDIDATES.names)
    tables.write(out, schemas.CANDIDATES, rows, metadata)
    if progress:
        absent = sorted(set(names(wanted)) - set(found["dish"]))
        counts = ", ".join(f"{(rows['kind'] == kind).sum()} to {kind}" for kind in KINDS)
        progress.say(
            f"{wanted.height} pairs: {counts}; dishes without recipes: {', '.join(absent) or 'none'}"
        )


def frequencies(found: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Numbers of recipes and frequencies of each action that either dish of a pair has."""
    recipes = found.group_by("dish").agg(recipes=pl.col("recipe_id").n_unique())
    counts = found.group_by("dish", "action").agg(count=pl.col("recipe_id").n_unique())
    sides = [
        pairs.join(counts, left_on=f"{side}_dish", right_on="dish").rename({"count": f"{side}_count"})
        for side in ("base", "target")
    ]
    both = sides[0].join(sides[1], on=["pair", *KEY], how="full", coalesce=True)
    for side in ("base", "target"):
        both = both.join(recipes, left_on=f"{side}_dish", right_on="dish").rename(
            {"recipes": f"{side}_recipes"}
        )
        count = pl.col(f"{side}_count").fill_null(0).cast(pl.Int64)
        both = both.with_columns(
            count.alias(f"{side}_count"), (count / pl.col(f"{side}_recipes")).alias(f"{side}_frequency")
        )
    return both


def kinds(
    compared: pl.DataFrame, alpha: float, tau_remove: float, tau_insert: float, least: float
) -> pl.DataFrame:
    """Rows of actions that differ, with what becomes of them.

    With f_b and f_t the frequencies in the base and the target dish:
    remove if f_b > alpha f_t and f_t < tau_remove; insert if f_t > alpha f_b and f_t > tau_insert; ask if one of
    the two ratios holds and the threshold does not. An action that is less frequent than `least` in both dishes
    is left out: one odd recipe would be enough to make it differ. With alpha tau_remove as `least` actions that
    are inserted are asked about from the same frequency on as those that are removed; with 0 the rule is the
    paper's.
    """
    base, target = (
        pl.col(f"{side}_count") * pl.col(f"{other}_recipes").cast(pl.Int64)
        for side, other in (("base", "target"), ("target", "base"))
    )
    less, more = base > alpha * target, target > alpha * base
    frequency = pl.col("target_frequency")
    kind = (
        pl.when(less & (frequency < tau_remove))
        .then(pl.lit("remove"))
        .when(more & (frequency > tau_insert))
        .then(pl.lit("insert"))
        .when(less | more)
        .then(pl.lit("ask"))
    )
    frequent = pl.max_horizontal("base_frequency", "target_frequency") >= least
    return compared.filter(frequent).with_columns(kind=kind).drop_nulls("kind")


def phrases(compared: pl.DataFrame, found: pl.DataFrame, actions: Sequence[str]) -> pl.DataFrame:
    """Up to PHRASES different clauses for each action, from recipes of the dish where it is more frequent."""
    in_base = pl.col("base_frequency") >= pl.col("target_frequency")
    home = pl.when(in_base).then("base_dish").otherwise("target_dish")
    places = (
        found.unique(["dish", "action", "recipe_id"], keep="first", maintain_order=True)
        .group_by("dish", "action", maintain_order=True)
        .head(LOOK)
        .with_row_index("place")
    )
    chosen = compared.select(*KEY, dish=home).join(places, on=["dish", "action"])
    texts = (
        tables.scan(actions, ["recipe_id", "position", "text"])
        .join(chosen.select("recipe_id", "position").unique().lazy(), on=["recipe_id", "position"])
        .collect(engine="streaming")
    )
    return (
        chosen.join(texts, on=["recipe_id", "position"])
        .sort("place")
        .unique([*KEY, "text"], keep="first", maintain_order=True)
        .group_by(KEY, maintain_order=True)
        .agg(phrases=pl.col("text").head(PHRASES))
    )
