"""Actions that differ between two dishes, by their frequencies (Counterfactual Recipe Generation, 4.2)."""

from collections.abc import Sequence

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.pivot import schemas
from wokflow.pivot.dishes import names, read_pairs
from wokflow.pivot.occurrences import occurrences, parted
from wokflow.pivot.settings import CandidatesSettings
from wokflow.pivot.support import COUNTS, unsupported, with_p_values

KINDS = ["remove", "insert", "ask"]
PHRASES = 3
SHOWN = 5  # dishes that a line of the log names
SEARCHED = (
    12  # recipes of an action in which phrases are looked for: more than PHRASES, since many are the same
)
KEY = ["base_dish", "target_dish", "action"]
FREQUENCIES = ["base_frequency", "target_frequency"]
COUNTED = "{} of {} recipes of the base dish, {} of {} of the target dish, p {}"
REJECTED: list[str | pl.Expr] = [
    "base_dish",
    "target_dish",
    "kind",
    "reason",
    pl.format(COUNTED, *COUNTS, pl.col("p_value").round(3)).alias("detail"),
    pl.col("action").alias("raw"),
]


def pivot_candidates(
    *,
    proto: Sequence[str],
    actions: Sequence[str],
    dishes: str | Sequence[str],
    candidates: str,
    rejects: str,
    settings: CandidatesSettings,
    job: Job,
) -> None:
    """Compare the actions of each pair's dishes; write those that differ (schema pivot/candidates).

    An action's frequency is its share of the dish's recipes: those that have it at least once, of those that have any
    action. Actions that are rare in both dishes are left out, since one odd recipe would make them differ. Actions to
    remove or to insert without enough evidence are `rejects` (schema pivot/rejects/candidates): a dish has too few
    recipes, or the difference may be chance by a test (see `support`). Rows are sorted by pair, kind (remove, insert,
    ask), the higher of both frequencies (falling), and action. If a dish has no recipe, its pairs have no candidates;
    the log counts such dishes. Memory holds the actions of the pairs' dishes only.
    """
    wanted = read_pairs(settings.pairs).select("base_dish", "target_dish").with_row_index("pair")
    occurring = occurrences(proto, dishes, names(wanted))
    frequent = frequencies(occurring, wanted).filter(pl.max_horizontal(FREQUENCIES) >= settings.least)
    tested = with_p_values(frequent, settings.level)
    differing = kinds(tested, settings.alpha, settings.tau_remove, settings.tau_insert)
    differing = differing.with_columns(reason=unsupported(settings.recipes, settings.level)).sort(
        "pair",
        pl.col("kind").cast(pl.Enum(KINDS)),
        pl.max_horizontal(FREQUENCIES),
        "action",
        descending=[False, False, True, False],
    )
    left_out = differing.filter(pl.col("reason").is_not_null())
    tables.write(rejects, schemas.CANDIDATE_REJECTS, left_out.select(*REJECTED), job.metadata)
    compared = differing.filter(pl.col("reason").is_null())
    compared = compared.join(phrases(compared, occurring, actions), on=KEY, how="left", maintain_order="left")
    rows = compared.with_columns(*parted(pl.col("action"))).select(schemas.CANDIDATES.names)
    tables.write(candidates, schemas.CANDIDATES, rows, job.metadata)
    counts = ", ".join(f"{(rows['kind'] == kind).sum()} to {kind}" for kind in KINDS)
    job.progress.say(
        f"{wanted.height} pairs: {counts}; {left_out.height} differences left out: too few recipes, or chance"
    )
    _report_absent(wanted, set(occurring["dish"]), job.progress)


def _report_absent(pairs: pl.DataFrame, present: set[str], progress: Progress) -> None:
    """Log how many dishes have no recipe with actions, and name the first of them."""
    for side in ("base", "target"):
        absent = sorted(set(pairs[f"{side}_dish"]) - present)
        if absent:
            more = f" and {len(absent) - SHOWN} more" if len(absent) > SHOWN else ""
            progress.say(f"{len(absent)} {side} dishes without actions: {', '.join(absent[:SHOWN])}{more}")


def frequencies(occurring: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Counts and frequencies, in both dishes of a pair, of each action that either dish has."""
    recipes = occurring.group_by("dish").agg(recipes=pl.col("recipe_id").n_unique())
    counts = occurring.group_by("dish", "action").agg(count=pl.col("recipe_id").n_unique())
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


def kinds(compared: pl.DataFrame, alpha: float, tau_remove: float, tau_insert: float) -> pl.DataFrame:
    """The rows of actions that differ, with their kind: remove, insert or ask.

    With the frequencies f_b in the base dish and f_t in the target dish, an action is one to remove if f_b > alpha
    f_t and f_t < tau_remove; to insert if f_t > alpha f_b and f_t > tau_insert; to ask about if one of the two
    ratios holds but not its threshold.
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
    return compared.with_columns(kind=kind).drop_nulls("kind")


def phrases(compared: pl.DataFrame, occurring: pl.DataFrame, actions: Sequence[str]) -> pl.DataFrame:
    """Up to PHRASES different clauses with each action, from recipes of the dish where it is more frequent."""
    in_base = pl.col("base_frequency") >= pl.col("target_frequency")
    home = pl.when(in_base).then("base_dish").otherwise("target_dish")
    places = (
        occurring.unique(["dish", "action", "recipe_id"], keep="first", maintain_order=True)
        .group_by("dish", "action", maintain_order=True)
        .head(SEARCHED)
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
