"""Ratings of people, read from the returned sheets."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import polars as pl

from wokflow.annotate.fields import BEST, COMMENT, ID, RATER, TASK, WORST
from wokflow.annotate.rater_checks import about_rater
from wokflow.annotate.raters import Rater, read_raters
from wokflow.annotate.returned import Reject, SheetRow, changed, read_rows, refuse_foreign, summary
from wokflow.annotate.schemas import RATERS, REJECTS
from wokflow.annotate.settings import RatingsSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.tsv_sheets import write_sheet
from wokflow.judge.schemas import RATINGS
from wokflow.judge.tasks import plain_value
from wokflow.pivot.people_answers import GIVEN

CRITERIA = ("run", "instance_id", "criterion", "rating", "rater")
Row = dict[str, Any]
# By id and column: the answers, each with the first row of a sheet that has it.
Filled = dict[tuple[str, str], dict[str, SheetRow]]


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
    """Write the ratings of people (schema judge/ratings), a row about each rater, and rejects with their reasons.

    If a rater has returned a sheet, each dimension of each of the rater's tasks is a rating or a reject; rows that
    are rejected as a whole are additional. A task that a rater answered twice counts once if the answers are the
    same, and not at all otherwise. All ratings of raters who do not count are rejects; of raters who have withdrawn,
    nothing is written. `criteria` holds the ratings of texts by one system, choices aside, in the form
    that evaluate.correlations.ratings takes, or the answers to questions, in that of pivot.pivots.answers.
    """
    people = {rater.name: rater for rater in read_raters(settings.raters)}
    rows = tables.read(assigned).sort("rater", "position").to_dicts()
    filled, comments, rejected = _filled(rows, settings.answers, list(people.values()))
    seen = {row["rater"] for row in rows if row["id"] in comments}
    of_rater = {name: list(some) for name, some in groupby(rows, lambda row: str(row["rater"]))}
    kept = list[Row]()
    about_raters = list[Row]()
    for name in [name for name in people if name in seen]:
        read = [(row, list(_read(row, filled))) for row in of_rater[name]]
        about = _about(read, people[name], settings)
        about_raters.append(about)
        for row, cells in read:
            for each, value, reject in cells:
                answers = filled.get((row["id"], each["column"]), {})
                sheet_row = next(iter(answers.values()), None)
                if row["kind"] != TASK:
                    continue
                reason = about["left_out"] or reject
                if reason is None:
                    kept.append(_rating(row, each, value, comments[row["id"]]))
                else:
                    rejected.append(_rejected(row, each, reason, sheet_row, list(answers)))
    rated = tables.frame(RATINGS, kept)
    job.progress.say(
        f"{rated.height} ratings of {len([row for row in about_raters if not row['left_out']])} raters"
    )
    if missing := sorted({row["rater"] for row in rows} - seen):
        job.progress.say(f"no sheet of {', '.join(missing)}")
    for line in summary(rejected):
        job.progress.say(line)
    for path, schema, some in ((raters, RATERS, about_raters), (rejects, REJECTS, rejected)):
        tables.write(path, schema, some, job.metadata)
    rated = rated.sort("task_id", "rater", "dimension")
    tables.write(ratings, RATINGS, rated, job.metadata)
    write_sheet(criteria, *_criteria(rated, tables.read(tasks, ["task_id", "system", "item", "dimensions"])))


def _criteria(rated: pl.DataFrame, tasks: pl.DataFrame) -> tuple[Sequence[str], list[tuple[Any, ...]]]:
    """Columns and rows of the sheet of ratings of texts by one system, or of answers to questions."""
    dimensions = tasks.explode("dimensions").unnest("dimensions").filter(pl.col("scale") != "nominal")
    of_one = dimensions.select("task_id", "system", "item", dimension="name")
    answered = rated.join(of_one, on=["task_id", "dimension"], how="inner", maintain_order="left")
    if of_one["system"].null_count():  # questions: nobody has written them
        return GIVEN, answered.select("item", "rater", "value").rows()
    return CRITERIA, answered.select("system", "item", "dimension", "value", "rater").rows()


def _filled(
    rows: Sequence[Row], path: str, raters: Sequence[Rater]
) -> tuple[Filled, dict[str, str], list[Reject]]:
    """The answers by id and column, the comments by id, and the rows that are rejected as a whole."""
    known = {row["id"]: row for row in rows}
    filled: Filled = {}
    comments: dict[str, str] = {}
    rejected, count = list[Reject](), 0
    for sheet_row in read_rows(path, (ID, RATER), raters):
        count += 1
        row = known.get(sheet_row.cells[ID])
        columns = [each["column"] for each in row["fields"]] if row else []
        cells = {column: plain_value(sheet_row.cells.get(column, "")) for column in columns}
        raw = " | ".join(f"{column}: {cell}" for column, cell in cells.items() if cell)
        if row is None:
            rejected.append(sheet_row.reject("foreign", detail=sheet_row.cells[ID] or "no id"))
            continue
        if sheet_row.rater != row["rater"]:
            rejected.append(
                sheet_row.reject("other_rater", row["task_id"], f"the task of {row['rater']}", raw)
            )
            continue
        if column := changed(sheet_row, row["shown"]):
            rejected.append(sheet_row.reject("changed", row["task_id"], f"column {column}", raw))
            continue
        before = [filled.get((row["id"], column), {}) for column in columns]
        if raw and all(
            cells[column] in old for column, old in zip(columns, before, strict=True) if cells[column]
        ):
            rejected.append(sheet_row.reject("repeated", row["task_id"], None, raw))
        for column, cell in cells.items():
            if cell:
                filled.setdefault((row["id"], column), {}).setdefault(cell, sheet_row)
        comments[row["id"]] = comments.get(row["id"]) or sheet_row.cells.get(COMMENT, "")
    refuse_foreign(path, count, rejected)
    return filled, comments, rejected


def _read(row: Row, filled: Filled) -> Iterator[tuple[Row, str, str | None]]:
    """(field, value, None) for each field with a rating, and (field, "", reason) for each without."""
    read: dict[str, tuple[str, str | None]] = {}
    for each in row["fields"]:
        cells = {cell.casefold() for cell in filled.get((row["id"], each["column"]), {})}
        means = {value.casefold(): meant for value, meant in zip(each["values"], each["means"], strict=True)}
        if not cells:
            read[each["dimension"]] = "", "missing"
        elif len(cells) > 1:
            read[each["dimension"]] = "", "several"
        elif (cell := cells.pop()) not in means and (cell := cell.replace(",", ".")) not in means:
            read[each["dimension"]] = "", "off_scale"
        else:
            read[each["dimension"]] = means[cell], None
    for name, (value, reason) in list(read.items()):
        other = name.removesuffix(BEST) + WORST
        if name.endswith(BEST) and reason is None and read.get(other) == (value, None):
            read |= dict.fromkeys((name, other), ("", "same"))
    for each in row["fields"]:
        yield each, *read[each["dimension"]]


def _about(
    read: Sequence[tuple[Row, Sequence[tuple[Row, str, str | None]]]], rater: Rater, settings: RatingsSettings
) -> Row:
    """A row of annotate/raters."""
    answers, values = list[tuple[str, bool]](), list[tuple[str, ...]]()
    for row, cells in read:
        if row["kind"] == TASK:
            given = tuple(value for _, value, reason in cells if reason is None)
            values += [given] * bool(given)
            answers.append((TASK, bool(given)))
        else:
            asked = [(each, value, reason) for each, value, reason in cells if each["accepted"]]
            right = all(reason is None and value in each["accepted"] for each, value, reason in asked)
            answers.append((row["kind"], right))
    alike = settings.alike is not None and len(values) >= settings.alike
    all_alike = alike and len({value for row in values for value in row}) == 1
    return about_rater(rater, answers, settings, all_alike=all_alike)


def _rating(row: Row, field: Mapping[str, Any], value: str, comment: str) -> Row:
    task = {"task_id": row["task_id"], "rater": row["rater"], "repetition": 1}
    rated = {"dimension": field["dimension"], "kind": "person", "value": value}
    return {**task, **rated, "rationale": comment, "status": "exact"}


def _rejected(
    row: Row, field: Mapping[str, Any], reason: str, sheet_row: SheetRow | None, cells: Sequence[str]
) -> Reject:
    """The reject of a dimension of a task that has no rating."""
    place = sheet_row or SheetRow("", 0, row["rater"], {})
    raw = " | ".join(cells) if place.keeps else ""
    reject = place.reject(
        reason, row["task_id"], f"{field['column']}: {raw}" if raw else field["column"], raw
    )
    nowhere = {} if sheet_row else {"file": None, "source_row": None}
    return {**reject, **nowhere, "dimension": field["dimension"]}
