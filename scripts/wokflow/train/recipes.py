"""The frontier before training on recipes: name and steps as texts, and a digest of them."""

import hashlib
import math
from collections.abc import Sequence

import polars as pl

from wokflow import tables
from wokflow.steps import joined
from wokflow.train.pairs import write_examples

START = "{title}的做法如下。"  # Counterfactual Recipe Generation, section 5.1


def recipe_examples(
    recipes: Sequence[str],
    corpus: str,
    dishes: str,
    out: str,
    digest: str,
    *,
    valid: float,
    most: int | None,
    seed: int,
    metadata: dict[str, str],
) -> None:
    """Write recipes as schema train/examples, and a digest: "(dish) is made as follows." and the steps.

    Only recipes of `corpus` (pivot/corpus) are taken: those of dishes that are tested are not in it. A recipe that
    is of no known dish (pivot/dishes) goes by its title. At most `most` are drawn, those with the smallest hashes
    of seed and recipe_id; the share `valid` of them, the next smallest, validates. Rows come in the recipes' order.
    """
    allowed = tables.scan(corpus).join(tables.scan(dishes, ["recipe_id", "dish"]), on="recipe_id", how="left")
    with_steps = tables.scan(recipes, ["recipe_id", "title", "steps", "lang"]).filter(
        pl.col("steps").list.len() > 0
    )
    found = with_steps.join(allowed, on="recipe_id", maintain_order="left").collect(engine="streaming")
    draw = [hashlib.sha256(f"{seed} {recipe}".encode()).hexdigest() for recipe in found["recipe_id"]]
    rank = pl.Series("rank", draw, dtype=pl.String).rank("ordinal") - 1
    count = min(len(found), most or len(found))
    held = math.ceil(count * valid)
    rows = found.with_columns(rank).filter(pl.col("rank") < count)
    names = rows.select(pl.coalesce("dish", "title")).to_series()
    examples = rows.select(
        instance_id="recipe_id",
        split=pl.when(pl.col("rank") < held).then(pl.lit("valid")).otherwise(pl.lit("train")),
        source=pl.Series([START.replace("{title}", name) for name in names], dtype=pl.String),
        target=pl.Series(
            [joined(*parts) for parts in rows.select("steps", "lang").iter_rows()], dtype=pl.String
        ),
    )
    write_examples(out, digest, examples, metadata)
