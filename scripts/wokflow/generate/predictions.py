"""The shards of a run's predictions as one table."""

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.generate import schemas


def generate_predictions(*, decoded: list[str], instances: str, predictions: str, run: str, job: Job) -> None:
    """Write the shards `decoded` of a run as one part of generate/predictions, by instance_id.

    Raises UserError if the shards do not hold each instance once, or hold another run.
    """
    rows = tables.read(decoded, schemas.PREDICTIONS.names).sort("instance_id")
    wanted = tables.read(instances, ["instance_id"])["instance_id"]
    ids = rows["instance_id"]
    wrong = {
        "missing": wanted.filter(~wanted.is_in(ids.implode())),
        "unknown": ids.filter(~ids.is_in(wanted.implode())),
        "there twice": ids.filter(ids.is_duplicated()).unique(maintain_order=True),
        "of another run": ids.filter(rows["run"] != run),
    }
    counts = [f"{len(names)} {what} ({names[0]})" for what, names in wrong.items() if len(names)]
    if counts:
        raise UserError(
            f"Predictions of run {run} do not fit {instances}: {', '.join(counts)}. "
            f"Delete its shards and run again: {', '.join(decoded)}"
        )
    tables.write(predictions, schemas.PREDICTIONS, rows, job.metadata)
