"""The recipes that models are to write: each dish with the elements of each cuisine."""

from itertools import product

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.text_files import read_table
from wokflow.judge.schemas import TASKS
from wokflow.judge.settings import InstructionsSettings

STUDY = "ash"


def judge_instructions(*, instructions: str, settings: InstructionsSettings, job: Job) -> None:
    """Write a task without dimensions for each dish and cuisine, in the order of both tables.

    Raises UserError for a table without rows, and for an id that is empty, repeated, or has a colon.
    """
    dishes, cuisines = (
        _named(settings.dishes, ("id", "name")),
        _named(settings.cuisines, ("id", "name", "group")),
    )
    rows = [
        {
            "task_id": f"{STUDY}:{dish['id']}:{cuisine['id']}",
            "study": STUDY,
            "item": f"{STUDY}:{dish['id']}:{cuisine['id']}",
            "system": None,
            "shown": [
                {"name": "dish", "text": dish["name"]},
                {"name": "cuisine", "text": cuisine["name"]},
                {"name": "group", "text": cuisine["group"]},
            ],
            "dimensions": [],
        }
        for dish, cuisine in product(dishes, cuisines)
    ]
    job.progress.say(f"{len(dishes)} dishes, {len(cuisines)} cuisines: {len(rows)} instructions")
    tables.write(instructions, TASKS, rows, job.metadata)


def _named(path: str, columns: tuple[str, ...]) -> list[dict[str, str]]:
    by_id: dict[str, dict[str, str]] = {}
    for line, row in read_table(path, columns, comments=True):
        if not row["id"] or row["id"] in by_id or ":" in row["id"]:
            raise UserError(
                f"{path}, line {line}: the id {row['id']!r} is empty, has a colon, or occurs twice."
            )
        by_id[row["id"]] = row
    if not by_id:
        raise UserError(f"{path} has no rows.")
    return list(by_id.values())
