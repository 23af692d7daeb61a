"""Training examples of rewriting: recipes by dish name. A cutoff: if they stay equal, nothing trains again."""

import hashlib
import math

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.joined_steps import joined
from wokflow.train.pairs import write_examples
from wokflow.train.settings import RecipesSettings

START = "{title}的做法如下。"  # Counterfactual Recipe Generation, section 5.1


def train_recipes(
    *,
    recipes: list[str],
    untested: str,
    dishes: str,
    data: str,
    digest: str,
    settings: RecipesSettings,
    job: Job,
) -> None:
    """Write recipes as train/examples to `data`, and a `digest`: "(dish) is made as follows." and the steps.

    Only recipes in `untested` (pivot/corpus) are used, which has no recipe of a tested dish. A recipe without known
    dish (pivot/dishes) is named by its title. At most `most` are drawn: those with the smallest hashes of seed and
    recipe_id; of these, the share `valid` with the smallest hashes is for validation. Rows keep the recipes' order.
    """
    allowed = tables.scan(untested).join(
        tables.scan(dishes, ["recipe_id", "dish"]), on="recipe_id", how="left"
    )
    with_steps = tables.scan(recipes, ["recipe_id", "title", "steps", "lang"]).filter(
        pl.col("steps").list.len() > 0
    )
    candidates = with_steps.join(allowed, on="recipe_id", maintain_order="left").collect(engine="streaming")
    draw = [
        hashlib.sha256(f"{settings.seed} {recipe}".encode()).hexdigest() for recipe in candidates["recipe_id"]
    ]
    rank = pl.Series("rank", draw, dtype=pl.String).rank("ordinal") - 1
    count = min(len(candidates), settings.most or len(candidates))
    held = math.ceil(count * settings.valid)
    rows = candidates.with_columns(rank).filter(pl.col("rank") < count)
    names = rows.select(pl.coalesce("dish", "title")).to_series()
    examples = rows.select(
        instance_id="recipe_id",
        split=pl.when(pl.col("rank") < held).then(pl.lit("valid")).otherwise(pl.lit("train")),
        title=names,
        source=pl.Series([START.replace("{title}", name) for name in names], dtype=pl.String),
        target=pl.Series(
            [joined(*parts) for parts in rows.select("steps", "lang").iter_rows()], dtype=pl.String
        ),
    )
    write_examples(data, digest, examples, job.metadata)
