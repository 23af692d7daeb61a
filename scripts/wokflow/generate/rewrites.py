"""Instances of rewriting: recipes to rewrite for another dish (Counterfactual Recipe Generation). A cutoff."""

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.generate.instances import write_instances


def generate_rewrites(*, instances: str, data: str, digest: str, job: Job) -> None:
    """Write pivot/instances as generate/instances to `data`, and a `digest` of what models read.

    The title is the dish to make; there is no reference.
    """
    rows = tables.read(instances).select(
        "instance_id",
        dataset=pl.lit("counterfactual"),
        source_id="recipe_id",
        title="target_dish",
        base="base_dish",
        source="text",
        reference=pl.lit(None, pl.String),
        reference_id=pl.lit(None, pl.String),
        retrieved=pl.lit(None, pl.String),
    )
    write_instances(data, digest, rows, job.metadata)
