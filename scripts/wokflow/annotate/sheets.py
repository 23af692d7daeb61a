"""The sheets that raters fill in: which rater gets which tasks, and how sheets look."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from wokflow.annotate.check_tables import ATTENTION, COMPREHENSION
from wokflow.annotate.design import cycle, lettered, ordered, shares
from wokflow.annotate.dialogue_checks import DialogueCheck
from wokflow.annotate.fields import (
    BEST,
    CATEGORY,
    COMMENT,
    FOREIGNNESS,
    ID,
    ITEM,
    LETTERS,
    MARKING,
    PART,
    PLACE,
    RATER,
    SOURCE,
    SPEAKER,
    SYSTEM,
    TARGET,
    TASK,
    TEXT,
    WORST,
    field,
    utterances,
)
from wokflow.annotate.rater_checks import Check, read_checks
from wokflow.annotate.raters import read_raters
from wokflow.annotate.schemas import ASSIGNED
from wokflow.annotate.settings import SheetsSettings
from wokflow.annotate.writing_checks import WritingCheck
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.text_files import read_prose
from wokflow.frame.tsv_sheets import write_sheet
from wokflow.frame.workbooks import Page, write_workbook

DIGITS = 11  # length of an id, without its first letter
FIRST = "t"  # first letter of an id: spreadsheet programs read 12345e678901 as a number
COLUMNS = (ID, RATER, COMMENT)
NARROW, WIDE, TITLES = 14, 60, 24  # widths of columns, in characters
BETWEEN = " | "  # stands for a line break in tab-separated tables
Row = dict[str, Any]


def annotate_sheets(*, tasks: str, assigned: str, sheets: str, settings: SheetsSettings, job: Job) -> None:
    """Write each rater's tasks (schema annotate/assigned), and the folder `sheets`: a workbook and a tab-separated
    table for each rater who takes part, and the instructions.

    Examples come first; attention checks are spread evenly among the tasks, at positions that differ from rater to
    rater. No sheet shows systems or the ids of tasks. Raises UserError if a task and a check have the same name, or a
    dimension has that of a column.
    """
    rows = tables.read(tasks).sort("task_id").to_dicts()
    raters = read_raters(settings.raters)
    checks = read_checks(settings.checks, rows[0]) if settings.checks else []
    if both := {check.name for check in checks} & {row["task_id"] for row in rows}:
        raise UserError(f"Study {settings.study}: a task and a check have the same name: {min(both)}.")
    _refuse_names(rows[0], settings.study)
    shares_of_tasks = list(_shares(rows, checks, len({rater.share for rater in raters}), settings))
    made = [
        {**row, "id": _id(row, rater.name, settings), "rater": rater.name}
        for rater in raters
        if rater.state != "withdrawn"
        for row in shares_of_tasks[rater.share]
    ]
    frame = tables.frame(ASSIGNED, made)
    if frame["id"].n_unique() < frame.height:
        raise UserError(f"Study {settings.study}: two tasks have the same name.")
    tables.write(assigned, ASSIGNED, frame, job.metadata)
    instructions = f"{read_prose(settings.consent).strip()}\n\n{read_prose(settings.instructions).strip()}\n"
    instructions += "".join(f"- {name}: {question}\n" for name, question in _questions(rows[0]).items())
    with tables.atomic_folder(sheets) as folder:
        tables.write_text(folder / "instructions.md", instructions)
        for rater in raters:
            own = [row for row in made if row["rater"] == rater.name]
            if rater.takes_part and own:
                _write(folder, rater.name, own, instructions, settings.kind)
    handed_out = [row for share in shares_of_tasks for row in share if row["kind"] == TASK]
    open_tasks = len(rows) * settings.per_task - len(handed_out)
    job.progress.say(f"{len(rows)} tasks, {settings.per_task} times, for {len(shares_of_tasks)} raters")
    if open_tasks > 0:
        job.progress.warn(
            f"Study {settings.study}: {open_tasks} ratings or texts are assigned to nobody. Name more raters, or "
            f"raise "
            "sheets.per_rater."
        )


def _refuse_names(task: Row, study: str) -> None:
    names = [each["name"] for each in task["shown"]] + [each["name"] for each in task["dimensions"]]
    if wrong := [name for name in names if name in COLUMNS or names.count(name) > 1]:
        raise UserError(f"Study {study}: {wrong[0]} cannot be the name of a dimension: a column has it.")


def _shares(
    rows: list[Row],
    checks: Sequence[Check | DialogueCheck | WritingCheck],
    count: int,
    settings: SheetsSettings,
) -> Iterator[list[Row]]:
    """The rows of each share in order, without id and rater."""
    random = Random(f"{settings.seed} {settings.study}")
    systems = [row["system"] or row["task_id"].removeprefix(f"{row['item']}:") for row in rows]
    order = cycle([(row["item"], system) for row, system in zip(rows, systems, strict=True)], random)
    places: Counter[tuple[str, int]] = Counter()
    letters: Counter[tuple[str, int]] = Counter()
    for share in shares(order, count, settings.per_task, settings.per_rater):
        own = [
            _shown(rows[task], letters, random) for task in ordered(share, dict(enumerate(systems)), places)
        ]
        examples = [check.row(random) for check in checks if check.kind == COMPREHENSION]
        between = [check.row(random) for check in checks if check.kind == ATTENTION]
        for number, row in enumerate(between if own else []):
            step = len(own) // len(between)
            start = number * (step + 1)
            own.insert(start + random.randint(min(1, step), max(1, step)), row)
        together = [*examples, *own] if own else []
        yield [{**row, "position": number} for number, row in enumerate(together, 1)]


def _shown(task: Row, letters: Counter[tuple[str, int]], random: Random) -> Row:
    """A task in the form of annotate/assigned, with its fields; the texts of several systems get letters."""
    row = {"task_id": task["task_id"], "kind": TASK}
    plain = [each for each in task["shown"] if not each["name"].startswith(SYSTEM)]
    texts = {
        each["name"].removeprefix(SYSTEM): each["text"]
        for each in task["shown"]
        if each["name"].startswith(SYSTEM)
    }
    if not texts:
        return {**row, "shown": plain, "fields": [field(each, each["values"]) for each in task["dimensions"]]}
    systems = lettered(list(texts), letters, random)
    named = [
        {"name": letter, "text": texts[system]} for letter, system in zip(LETTERS, systems, strict=False)
    ]
    return {
        **row,
        "shown": [*plain, *named],
        "fields": [field(each, list(LETTERS[: len(systems)]), systems) for each in task["dimensions"]],
    }


def _id(row: Row, rater: str, settings: SheetsSettings) -> str:
    """The id of a row: a hash of seed, study, task, rater and fields."""
    fields = [(each["dimension"], each["values"], each["means"]) for each in row["fields"]]
    parts = [settings.seed, settings.study, row["kind"], row["task_id"], rater, fields]
    return FIRST + hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:DIGITS]


def _questions(task: Row) -> dict[str, str]:
    return {
        each["name"].removesuffix(BEST).removesuffix(WORST): each["question"] for each in task["dimensions"]
    }


def _plain(line: str) -> str:
    """A line of Markdown as plain text, for a worksheet."""
    return re.sub(r"^\s*[-*+] ", "• ", re.sub(r"^#+ ", "", line)).replace("`", "")


def _write(folder: Path, rater: str, rows: list[Row], instructions: str, kind: str) -> None:
    """Write the two sheets of a rater."""
    choices = {each["column"]: each["values"] for each in rows[0]["fields"] if each["values"]}
    if kind == MARKING:
        header = [ID, RATER, PLACE, SPEAKER, TEXT, ITEM, CATEGORY, FOREIGNNESS, COMMENT]
        lines = [
            [row["id"], rater, *each.values(), "", "", "", ""]
            for row in rows
            for each in utterances(row["shown"])
        ]
        widths = [NARROW, NARROW, NARROW // 2, NARROW, WIDE, TITLES, TITLES, NARROW, WIDE // 2]
    elif kind == "writing":
        header = [ID, RATER, PART, SOURCE, TARGET, COMMENT]
        lines = [
            [row["id"], rater, each["name"], each["text"], "", ""] for row in rows for each in row["shown"]
        ]
        widths = [NARROW, NARROW, NARROW, WIDE, WIDE, WIDE // 2]
    else:
        names = [each["name"] for each in rows[0]["shown"]]
        fields = rows[0]["fields"]
        header = [ID, RATER, *names, *(each["column"] for each in fields), COMMENT]
        lines = [
            [row["id"], rater, *(each["text"] for each in row["shown"]), *[""] * (len(fields) + 1)]
            for row in rows
        ]
        wide = [max(len(row["shown"][place]["text"]) for row in rows) > TITLES for place in range(len(names))]
        widths = [
            NARROW,
            NARROW,
            *(WIDE if each else TITLES for each in wide),
            *[NARROW] * len(fields),
            WIDE // 2,
        ]
    about = Page("instructions", (), [[_plain(line)] for line in instructions.splitlines()], [2 * WIDE])
    write_workbook(folder / f"{rater}.xlsx", [about, Page("tasks", header, lines, widths, choices)])
    flat = [[str(cell).replace("\n", BETWEEN) for cell in line] for line in lines]
    write_sheet(folder / f"{rater}.tsv", header, flat)
