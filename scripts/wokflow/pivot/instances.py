"""Evaluation instances: base recipes to rewrite, and the recipes that models may learn from (4.1, 6.1)."""

import hashlib
from collections.abc import Iterable, Sequence

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.joined_steps import joined
from wokflow.pivot import schemas
from wokflow.pivot.dishes import names, read_pairs
from wokflow.pivot.settings import InstancesSettings

BATCH = 100_000  # recipes


def pivot_instances(
    *,
    recipes: Sequence[str],
    dishes: str | Sequence[str],
    instances: str,
    corpus: str,
    settings: InstancesSettings,
    job: Job,
) -> None:
    """Write the instances of each pair to `instances`, and the recipes that models may learn from to `corpus`."""
    known = read_pairs(settings.pairs)
    write_instances(recipes, dishes, known, instances, settings, job)
    write_corpus(recipes, dishes, known, corpus, job)


def write_instances(
    recipes: Sequence[str],
    dishes: str | Sequence[str],
    pairs: pl.DataFrame,
    out: str,
    settings: InstancesSettings,
    job: Job,
) -> None:
    """Draw `settings.count` recipes of each pair's base dish, or all if there are fewer (schema pivot/instances).

    Drawn are the recipes with the smallest hashes of seed and recipe_id, so that other pairs, and recipes of other
    dishes, do not change a pair's draw. Rows are sorted by pair and hash.
    """
    wanted = pairs.with_row_index("pair")
    drawn = draw(dishes, wanted, settings.count, settings.seed)
    texts = tables.scan(recipes, ["recipe_id", "lang", "steps"]).join(
        drawn.select("recipe_id").unique().lazy(), on="recipe_id"
    )
    recipe = texts.collect(engine="streaming")
    text = [
        joined(steps, lang) for steps, lang in zip(recipe["steps"].to_list(), recipe["lang"], strict=True)
    ]
    rows = drawn.join(
        recipe.select("recipe_id", text=pl.Series(text, dtype=pl.String)), on="recipe_id", how="left"
    )
    rows = rows.sort("pair", "rank").with_columns(
        instance_id=pl.concat_str("recipe_id", "target_dish", separator=":")
    )
    tables.write(out, schemas.INSTANCES, rows, job.metadata)
    got = wanted.join(drawn.group_by("pair").len(), on="pair", how="left").fill_null(0)
    for base, number in got.filter(pl.col("len") < settings.count).select("base_dish", "len").iter_rows():
        job.progress.say(f"{base}: {number} recipes instead of {settings.count}")


def draw(dishes: str | Sequence[str], pairs: pl.DataFrame, count: int, seed: int) -> pl.DataFrame:
    """The rows of the pairs, repeated for each recipe drawn, with its rank in the draw."""
    bases = pairs["base_dish"].unique().to_list()
    of_bases = tables.scan(dishes, ["recipe_id", "dish"]).filter(pl.col("dish").is_in(bases))
    known = of_bases.collect(engine="streaming")
    hashes = [hashlib.sha256(f"{seed} {recipe}".encode()).hexdigest() for recipe in known["recipe_id"]]
    ranked = (
        known.with_columns(hash=pl.Series(hashes, dtype=pl.String))
        .sort("hash")
        .with_columns(rank=pl.int_range(pl.len()).over("dish"))
        .filter(pl.col("rank") < count)
    )
    return pairs.join(ranked, left_on="base_dish", right_on="dish")


def in_lines(instances: Iterable[str]) -> list[str]:
    """Ids of instances in the order of lines in the authors' files, which is that of the base recipes.

    They go by the row of the recipe (the 12 of counterfactual:12:香辣鸡爪), and by id where pairs share a recipe.
    """
    return sorted(instances, key=lambda name: (int(name.split(":")[1]), name))


def write_corpus(
    recipes: Sequence[str],
    dishes: str | Sequence[str],
    pairs: pl.DataFrame,
    out: str,
    job: Job,
) -> None:
    """Write the ids of all recipes except those of the pairs' dishes, base and target (schema pivot/corpus).

    Models learn from these alone, so that they see no recipe of a dish on which they are tested.
    """
    tested = tables.scan(dishes).filter(pl.col("dish").is_in(names(pairs)))
    without = tested.select("recipe_id").collect(engine="streaming")
    with tables.PartWriter(out, schemas.CORPUS, job.metadata) as part:
        for path in recipes:
            for batch in tables.opened(path).iter_batches(BATCH, columns=["recipe_id"]):
                part.write(
                    pl.DataFrame(batch).join(without, on="recipe_id", how="anti", maintain_order="left")
                )
