"""Ratings, read from the answers of models."""

from typing import Any

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.generate.answers import cleaned
from wokflow.judge.choices import read_choice
from wokflow.judge.reading import Rated, Reader
from wokflow.judge.schemas import RATING_REJECTS, RATINGS
from wokflow.judge.strategies import read_name

READABLE = ("ok", "cut")


def judge_ratings(*, tasks: str, answers: str, ratings: str, rejects: str, job: Job) -> None:
    """Write a rating, or a reject with its reason, for each dimension of each answer, by task and repetition."""
    kept, left = list[dict[str, Any]](), list[dict[str, Any]]()
    asked = tables.read(answers).join(tables.read(tasks, ["task_id", "dimensions"]), on="task_id")
    for row in asked.sort("task_id", "repetition").iter_rows(named=True):
        for dimension, rating in _read(row).items():
            common = {
                "task_id": row["task_id"],
                "rater": row["asked"],
                "repetition": row["repetition"],
                "dimension": dimension,
            }
            if rating.value is None:
                left.append(common | {"reason": rating.reason, "detail": rating.detail, "raw": row["answer"]})
            else:
                status = "exact" if rating.exact else "read"
                more = {
                    "kind": "model",
                    "value": rating.value,
                    "rationale": rating.rationale,
                    "status": status,
                }
                kept.append(common | more)
    rated = tables.frame(RATINGS, kept)
    rejected = tables.frame(RATING_REJECTS, left)
    job.progress.say(
        f"{rated.height} ratings, of which {(rated['status'] == 'read').sum()} are not in the form asked for"
    )
    for reason, count in rejected.group_by("reason").len().sort("reason").iter_rows():
        job.progress.say(f"no rating, {reason}: {count}")
    tables.write(ratings, RATINGS, rated, job.metadata)
    tables.write(rejects, RATING_REJECTS, rejected, job.metadata)


def _read(row: dict[str, Any]) -> dict[str, Rated]:
    dimensions = row["dimensions"]
    text, status = cleaned(row["answer"]), row["status"]
    if status not in READABLE or not text:
        unrated = Rated(None, reason=status if status not in READABLE else "empty", detail=row["reason"])
        return {dimension["name"]: unrated for dimension in dimensions}
    if [dimension["scale"] for dimension in dimensions] == ["nominal"]:
        if any(len(value) > 1 for value in dimensions[0]["values"]):
            return {one["name"]: read_name(text, one["values"], cut=status == "cut") for one in dimensions}
        return {one["name"]: read_choice(text, one["values"], cut=status == "cut") for one in dimensions}
    reader = Reader.of(*((dimension["name"], tuple(dimension["values"])) for dimension in dimensions))
    return reader.read(text, cut=status == "cut")
