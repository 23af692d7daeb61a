"""The shards of a run's predictions as one table."""

from collections.abc import Sequence

from wokflow import tables
from wokflow.generate import schemas
from wokflow.job import UserError


def merge(shards: Sequence[str], instances: str, out: str, *, run: str, metadata: dict[str, str]) -> None:
    """Write all predictions of `run` as one part, by instance_id (schema generate/predictions).

    Raises UserError where the shards do not hold each instance once, or hold another run.
    """
    rows = tables.read(shards, schemas.PREDICTIONS.names).sort("instance_id")
    wanted = tables.read(instances, ["instance_id"])["instance_id"]
    found = rows["instance_id"]
    wrong = {
        "missing": wanted.filter(~wanted.is_in(found.implode())),
        "unknown": found.filter(~found.is_in(wanted.implode())),
        "there twice": found.filter(found.is_duplicated()).unique(maintain_order=True),
        "of another run": found.filter(rows["run"] != run),
    }
    said = [f"{len(names)} {what} ({names[0]})" for what, names in wrong.items() if len(names)]
    if said:
        raise UserError(
            f"Predictions of run {run} do not fit {instances}: {', '.join(said)}. "
            f"Delete its shards and run again: {', '.join(map(str, shards))}"
        )
    tables.write(out, schemas.PREDICTIONS, rows, metadata)
