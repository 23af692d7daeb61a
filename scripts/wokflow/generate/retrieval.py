"""Predictions by retrieval: the pairs themselves."""

import polars as pl

from wokflow import tables
from wokflow.generate import schemas
from wokflow.job import Progress


def retrieve(
    instances: str, out: str, *, run: str, metadata: dict[str, str], progress: Progress | None = None
) -> None:
    """Write each instance's best match that is not its reference (schema generate/predictions), by instance_id.

    An instance without one is left out, and the log says how many are.
    """
    rows = tables.read(instances, ["instance_id", "retrieved"]).sort("instance_id")
    found = rows.drop_nulls("retrieved")
    if progress:
        progress.say(
            f"{rows.height - found.height} of {rows.height} instances have no match and are left out"
        )
    made = found.select("instance_id", run=pl.lit(run), prediction="retrieved")
    tables.write(out, schemas.PREDICTIONS, made, metadata)
