"""Predictions by retrieval: the pairs themselves."""

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.generate import schemas


def generate_retrieval(*, instances: str, predictions: str, run: str, job: Job) -> None:
    """Write each instance's best match that is not its reference as generate/predictions, by instance_id.

    Instances without one are left out, and the log says how many.
    """
    rows = tables.read(instances, ["instance_id", "retrieved"]).sort("instance_id")
    matched = rows.drop_nulls("retrieved")
    job.progress.say(
        f"{rows.height - matched.height} of {rows.height} instances have no match and are left out"
    )
    texts = matched.select("instance_id", run=pl.lit(run), prediction="retrieved")
    tables.write(predictions, schemas.PREDICTIONS, texts, job.metadata)
