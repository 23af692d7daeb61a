"""Instances to predict: recipes to rewrite for another dish (Counterfactual Recipe Generation)."""

import polars as pl

from wokflow import tables
from wokflow.generate.instances import write_instances


def rewrites(instances: str, out: str, digest: str, *, metadata: dict[str, str]) -> None:
    """Write pivot/instances as schema generate/instances: the title is the dish to make, without a reference."""
    rows = tables.read(instances).select(
        "instance_id",
        dataset=pl.lit("counterfactual"),
        source_id="recipe_id",
        title="target_dish",
        base="base_dish",
        source="text",
        reference=pl.lit(None, pl.String),
        retrieved=pl.lit(None, pl.String),
    )
    write_instances(out, digest, rows, metadata)
