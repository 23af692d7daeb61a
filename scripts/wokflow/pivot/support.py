"""Whether two dishes have enough recipes to claim that an action differs."""

from functools import lru_cache

import numpy as np
import polars as pl

COUNTS = ["base_count", "base_recipes", "target_count", "target_recipes"]
DIGITS = 9  # decimal places of p-values
TIED = 1 + 1e-7  # of chances that are equal but for rounding, as fisher.test of R takes them
OFF = 1.0  # the level at which nothing is tested


def with_p_values(compared: pl.DataFrame, level: float) -> pl.DataFrame:
    """The actions with `p_value`, for the hypothesis that an action is equally frequent in both dishes.

    Fisher's exact test, two-sided, corrected for the tests of a pair (Benjamini and Hochberg 1995). An action in so
    few recipes that no distribution over the dishes could reach `level` does not count as a test and keeps its own
    p-value (Tarone 1990; Gilbert 2005). `compared` has the columns `pair` and COUNTS.
    """
    if level >= OFF or compared.is_empty():
        return compared.with_columns(p_value=pl.lit(OFF))
    tests = [fisher(*counts) for counts in compared.select(COUNTS).iter_rows()]
    exact, smallest = np.array(tests).T
    rows = compared.with_columns(p_value=exact, counts=smallest <= level)
    corrected = pl.col("p_value").map_batches(adjusted, return_dtype=pl.Float64).over("pair", "counts")
    return rows.with_columns(
        p_value=pl.when("counts").then(corrected).otherwise("p_value").round(DIGITS)
    ).drop("counts")


def adjusted(p_values: pl.Series) -> pl.Series:
    from scipy.stats import false_discovery_control

    return pl.Series(false_discovery_control(p_values.to_numpy()))


@lru_cache(maxsize=100_000)
def fisher(base: int, bases: int, target: int, targets: int) -> tuple[float, float]:
    """The test's p-value, and the smallest possible one for as many recipes with the action.

    Both come from the chances of all tables with these margins; scipy's fisher_exact computes them anew for each, and
    takes several times as long.
    """
    from scipy.stats import hypergeom

    if not bases + targets:
        return 1.0, 1.0
    lowest, highest = max(0, base + target - targets), min(bases, base + target)
    chances = hypergeom.pmf(np.arange(lowest, highest + 1), bases + targets, bases, base + target)

    def as_rare(count: int) -> float:
        return min(1.0, float(chances[chances <= TIED * chances[count - lowest]].sum()))

    return as_rare(base), min(as_rare(lowest), as_rare(highest))


def unsupported(recipes: int, level: float) -> pl.Expr:
    """Why an action to remove or to insert is not claimed: a reason of schemas.REASONS, or null."""
    claimed = pl.col("kind") != "ask"
    few = pl.min_horizontal("base_recipes", "target_recipes") < recipes
    chance = (pl.col("p_value") > level) & (level < OFF)
    return pl.when(claimed & few).then(pl.lit("few_recipes")).when(claimed & chance).then(pl.lit("chance"))
