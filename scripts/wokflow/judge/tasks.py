"""The tasks of rating the recipes that models wrote."""

import unicodedata
from typing import Any

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.text_files import read_table
from wokflow.frame.writing import name_of
from wokflow.generate.answers import cleaned
from wokflow.judge.schemas import TASK_REJECTS, TASKS
from wokflow.judge.settings import TasksSettings

SCALES = ("nominal", "ordinal", "interval")
SEEN = ("ok", "cut")  # statuses of answers with a text


def judge_tasks(
    *, instructions: str, answers: list[str], tasks: str, rejects: str, settings: TasksSettings, job: Job
) -> None:
    """Write a task for each recipe of each system, and a reject for each recipe that a model did not write.

    A recipe that was cut off is rated as it is. Raises UserError for dimensions that cannot be used.
    """
    dimensions = read_dimensions(settings.dimensions)
    asked = {row["task_id"]: row for row in tables.read(instructions).iter_rows(named=True)}
    to_rate, left_out = [], []
    for row in tables.read(answers).sort("task_id", "asked").iter_rows(named=True):
        item, text = asked[row["task_id"]], cleaned(row["answer"])
        task_id = f"{item['item']}:{row['asked']}"
        if row["status"] in SEEN and text:
            shown = [*item["shown"], {"name": "recipe", "text": text}]
            to_rate.append(
                {**item, "task_id": task_id, "system": row["asked"], "shown": shown, "dimensions": dimensions}
            )
        else:
            reason = row["status"] if row["status"] not in SEEN else "empty"
            left_out.append(
                {"task_id": task_id, "reason": reason, "detail": row["reason"], "raw": row["answer"]}
            )
    job.progress.say(f"{len(to_rate)} recipes are to be rated, {len(left_out)} were not written")
    tables.write(tasks, TASKS, to_rate, job.metadata)
    tables.write(rejects, TASK_REJECTS, left_out, job.metadata)


def plain_value(text: str) -> str:
    """A rating in its normal form: people and spreadsheets also write fullwidth digits, or 6.0 or 6,0 for 6."""
    text = unicodedata.normalize("NFKC", text).strip()
    whole, point, rest = text.replace(",", ".").partition(".")
    return whole if point and whole.lstrip("-").isdecimal() and not rest.strip("0") else text


def read_dimensions(path: str) -> list[dict[str, Any]]:
    """The dimensions of a table, in the form of judge/tasks. Raises UserError for one that cannot be rated."""
    dimensions: dict[str, dict[str, Any]] = {}
    for line, cells in read_table(path, ("name", "scale", "values", "question"), comments=True):
        row = cells | {"name": name_of(cells["name"])}
        values = row["values"].split()
        other = [value for value in values if plain_value(value) != value]
        wrong = [
            *(
                [f"the name {row['name']!r} is empty or there twice"]
                if row["name"] in ("", *dimensions)
                else []
            ),
            *(
                [f"scale {row['scale']!r} is not one of {', '.join(SCALES)}"]
                if row["scale"] not in SCALES
                else []
            ),
            *(["values must be two or more, each once"] if len({*values}) < max(2, len(values)) else []),
            *(f"write {plain_value(value)} for the value {value}, as answers are read" for value in other),
        ]
        if row["scale"] == "interval" and not all(value.lstrip("-").isdecimal() for value in values):
            wrong.append("values of an interval scale are whole numbers")
        if wrong:
            raise UserError(f"{path}, line {line}: {'; '.join(wrong)}.")
        dimensions[row["name"]] = {**row, "values": values}
    if not dimensions:
        raise UserError(f"{path} has no dimensions.")
    return list(dimensions.values())
