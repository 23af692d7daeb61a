"""Ratings of people, from the sheets that came back."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import polars as pl

from wokflow.annotate.answers import Given, Reject, changed, read_rows, refuse_foreign, said, withdrawn
from wokflow.annotate.fields import BEST, WORST
from wokflow.annotate.raters import Rater, read_raters
from wokflow.annotate.schemas import LEFT_OUT, RATERS, REJECTS
from wokflow.annotate.settings import RatingsSettings
from wokflow.annotate.sheets import COMMENT, ID, RATER
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.sheets import write_sheet
from wokflow.judge.schemas import RATINGS

CRITERIA = ("run", "instance_id", "criterion", "rating", "rater")
Row = dict[str, Any]
Filled = dict[
    tuple[str, str], dict[str, Given]
]  # by id and column: answers, each with the first row that has it


def annotate_ratings(
    *,
    tasks: str,
    assigned: str,
    ratings: str,
    raters: str,
    rejects: str,
    criteria: str,
    settings: RatingsSettings,
    job: Job,
) -> None:
    """Write the ratings of people (schema judge/ratings), a row for each rater, and what is no rating, and why.

    Of each rater who sent a sheet, every task has a rating or a reject for each dimension; rows that are refused as a
    whole come on top. A task that was answered twice, by one rater, counts once if the answers are the same, and else
    not. Of raters who do not count, all ratings are rejects; of those who have withdrawn, there is nothing.
    `criteria` are the ratings of texts of one system as evaluate.correlations.ratings reads them.
    """
    people = {rater.name: rater for rater in read_raters(settings.raters)}
    rows = tables.read(assigned).sort("rater", "position").to_dicts()
    filled, comments, lost = _filled(rows, settings.answers, list(people.values()))
    seen = {row["rater"] for row in rows if row["id"] in comments}
    of_rater = {name: list(some) for name, some in groupby(rows, lambda row: str(row["rater"]))}
    kept = list[Row]()
    about = list[Row]()
    for name in [name for name in people if name in seen]:
        read = [(row, list(_read(row, filled))) for row in of_rater[name]]
        counts = _counted(read, people[name], settings)
        about.append({"rater": name, **counts})
        for row, cells in read:
            for each, value, reject in cells:
                given = filled.get((row["id"], each["column"]), {})
                where = next(iter(given.values()), None)
                if row["kind"] != "task":
                    continue
                reason = counts["left_out"] or reject
                if reason is None:
                    kept.append(_rating(row, each, value, comments[row["id"]]))
                else:
                    lost.append(_lost(row, each, reason, where, list(given)))
    found = pl.DataFrame(kept, pl.DataFrame(RATINGS.empty_table()).schema)
    job.progress.say(f"{found.height} ratings of {len([row for row in about if not row['left_out']])} raters")
    if missing := sorted({row["rater"] for row in rows} - seen):
        job.progress.say(f"no sheet of {', '.join(missing)}")
    for line in said(lost):
        job.progress.say(line)
    for path, schema, some in ((raters, RATERS, about), (rejects, REJECTS, lost)):
        tables.write(
            path, schema, pl.DataFrame(some, pl.DataFrame(schema.empty_table()).schema), job.metadata
        )
    found = found.sort("task_id", "rater", "dimension")
    tables.write(ratings, RATINGS, found, job.metadata)
    known = tables.read(tasks, ["task_id", "system", "item"]).drop_nulls()
    of_one = found.join(known, on="task_id", maintain_order="left")
    columns = ("system", "item", "dimension", "value", "rater")
    write_sheet(criteria, CRITERIA, of_one.select(columns).rows())


def _filled(
    rows: Sequence[Row], path: str, raters: Sequence[Rater]
) -> tuple[Filled, dict[str, str], list[Reject]]:
    """The answers by id and column, the comments by id, and the rows that are refused."""
    known = {row["id"]: row for row in rows}
    filled: Filled = {}
    comments: dict[str, str] = {}
    lost, count = list[Reject](), 0
    for given in read_rows(path, (ID, RATER), withdrawn(raters)):
        count += 1
        row = known.get(given.cells[ID])
        columns = [each["column"] for each in row["fields"]] if row else []
        cells = {column: _cell(given.cells.get(column, "")) for column in columns}
        raw = " | ".join(f"{column}: {cell}" for column, cell in cells.items() if cell)
        if row is None:
            lost.append(given.reject("foreign", detail=given.cells[ID] or "no id"))
            continue
        if given.rater != row["rater"]:
            lost.append(given.reject("other_rater", row["task_id"], f"the task of {row['rater']}", raw))
            continue
        if column := changed(given, row["shown"]):
            lost.append(given.reject("changed", row["task_id"], f"column {column}", raw))
            continue
        before = [filled.get((row["id"], column), {}) for column in columns]
        if raw and all(
            cells[column] in old for column, old in zip(columns, before, strict=True) if cells[column]
        ):
            lost.append(given.reject("repeated", row["task_id"], None, raw))
        for column, cell in cells.items():
            if cell:
                filled.setdefault((row["id"], column), {}).setdefault(cell, given)
        comments[row["id"]] = comments.get(row["id"]) or given.cells.get(COMMENT, "")
    refuse_foreign(path, count, lost)
    return filled, comments, lost


def _cell(text: str) -> str:
    """An answer as people and spreadsheets write it: wide digits, 6.0, a or A."""
    text = unicodedata.normalize("NFKC", text).strip()
    whole, point, rest = text.partition(".")
    return whole if point and whole.lstrip("-").isdecimal() and not rest.strip("0") else text


def _read(row: Row, filled: Filled) -> Iterator[tuple[Row, str, str | None]]:
    """Each field with what was meant, or with the reason why that is no rating."""
    read: dict[str, tuple[str, str | None]] = {}
    for each in row["fields"]:
        cells = {cell.casefold() for cell in filled.get((row["id"], each["column"]), {})}
        means = {value.casefold(): meant for value, meant in zip(each["values"], each["means"], strict=True)}
        if not cells:
            read[each["dimension"]] = "", "missing"
        elif len(cells) > 1:
            read[each["dimension"]] = "", "several"
        elif (cell := cells.pop()) not in means:
            read[each["dimension"]] = "", "off_scale"
        else:
            read[each["dimension"]] = means[cell], None
    for name, (value, reason) in list(read.items()):
        other = name.removesuffix(BEST) + WORST
        if name.endswith(BEST) and reason is None and read.get(other) == (value, None):
            read |= dict.fromkeys((name, other), ("", "same"))
    for each in row["fields"]:
        yield each, *read[each["dimension"]]


def _counted(
    read: Sequence[tuple[Row, Sequence[tuple[Row, str, str | None]]]], rater: Rater, settings: RatingsSettings
) -> Row:
    """How a rater did, and why the ratings do not count, if so: the first of LEFT_OUT that holds."""
    right: dict[str, list[bool]] = {"comprehension": [], "attention": []}
    answered = list[bool]()
    values = list[tuple[str, ...]]()
    for row, cells in read:
        if row["kind"] == "task":
            answered.append(any(reason is None for _, _, reason in cells))
            values += [tuple(value for _, value, reason in cells if reason is None)] * answered[-1]
        else:
            right[row["kind"]].append(
                all(
                    reason is None and value in each["accepted"]
                    for each, value, reason in cells
                    if each["accepted"]
                )
            )
    examples, attention = right["comprehension"], right["attention"]
    alike = settings.alike
    holds = {
        "no_consent": not rater.consent,
        "excluded": rater.state == "excluded",
        "failed_comprehension": bool(examples) and sum(examples) / len(examples) < settings.comprehension,
        "failed_attention": attention.count(False) > settings.attention,
        "few_answers": bool(answered) and sum(answered) / len(answered) < settings.answered,
        "all_alike": alike is not None
        and len(values) >= alike
        and len({v for row in values for v in row}) == 1,
    }
    return {
        "tasks": len(answered),
        "answered": sum(answered),
        "examples": len(examples),
        "examples_right": sum(examples),
        "attention": len(attention),
        "attention_failed": attention.count(False),
        "left_out": next((reason for reason in LEFT_OUT if holds[reason]), None),
    }


def _rating(row: Row, field: Mapping[str, Any], value: str, comment: str) -> Row:
    task = {"task_id": row["task_id"], "rater": row["rater"], "repetition": 1}
    rated = {"dimension": field["dimension"], "kind": "person", "value": value}
    return {**task, **rated, "rationale": comment, "status": "exact"}


def _lost(
    row: Row, field: Mapping[str, Any], reason: str, where: Given | None, cells: Sequence[str]
) -> Reject:
    """A dimension of a task that has no rating."""
    given = where or Given("", 0, row["rater"], {})
    raw = " | ".join(cells)
    made = given.reject(reason, row["task_id"], f"{field['column']}: {raw}" if raw else field["column"], raw)
    nowhere = {} if where else {"file": None, "source_row": None}
    return {**made, **nowhere, "dimension": field["dimension"]}
