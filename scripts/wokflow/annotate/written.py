"""The recipes that people adapted, as a gold set."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from wokflow.annotate.fields import ID, PART, RATER, SOURCE, TARGET, TASK
from wokflow.annotate.rater_checks import about_rater
from wokflow.annotate.raters import Rater, read_raters
from wokflow.annotate.returned import Reject, SheetRow, alike, read_rows, refuse_foreign, summary
from wokflow.annotate.schemas import RATERS, REJECTS
from wokflow.annotate.settings import WrittenSettings
from wokflow.annotate.writing_checks import has_words
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.tsv_sheets import FORMULA
from wokflow.frame.writing import BARS
from wokflow.match.gold import BETWEEN, MANDATORY

PARTS = ("title", "ingredients", "steps")
MARKS = "".join(FORMULA) + "*•·・－– "
# Marks before an entry; a quotation mark with a second one in the entry belongs to the text.
BULLETS = re.compile(rf"^(?:[{re.escape(MARKS)}]|(['\"])(?!.*\1))+")
Row = dict[str, Any]
# By id and part: the texts, each with the first row of a sheet that has it.
Adaptations = dict[str, dict[str, dict[str, SheetRow]]]


def annotate_written(
    *, assigned: str, written: str, raters: str, rejects: str, settings: WrittenSettings, job: Job
) -> None:
    """Write the adaptations of all sheets as a gold set, in the form that train.gold reads, a row about each rater
    who returned a sheet, and the rejects.

    Entries are separated by line breaks or bars; marks before them are removed. A recipe that its writer left empty
    counts as skipped, and is neither in the gold set nor a reject. All adaptations of raters who do not count are
    rejects; those of checks are neither. Raises UserError for two adaptations of one source: a gold set holds one.
    """
    people = {rater.name: rater for rater in read_raters(settings.raters)}
    rows = {row["id"]: row for row in tables.read(assigned).to_dicts()}
    texts, rejected = _texts(rows, settings.answers, people.values())
    about = [*_about(rows, texts, people, settings)]
    left_out = {each["rater"]: each["left_out"] for each in about}
    gold: dict[str, list[str]] = {}
    skipped = 0
    for key, row in sorted(rows.items(), key=lambda each: (each[1]["task_id"], each[1]["rater"])):
        parts = texts.get(key, {})
        if row["kind"] != TASK:
            continue
        if not any(parts.values()):
            skipped += key in texts
            continue
        first = next(sheet_row for each in parts.values() for sheet_row in each.values())
        entries = {part: [_entries(text) for text in parts.get(part, {})] for part in PARTS}
        reason = left_out[row["rater"]]
        if reason is None and any(len(each) > 1 for each in entries.values()):
            reason = "several"
        elif reason is None and not all(each and each[0] for each in entries.values()):
            reason = "incomplete"
        if reason:
            raw = "\n".join(text for each in parts.values() for text in each)
            rejected.append(first.reject(reason, row["task_id"], None, raw))
            continue
        if row["task_id"] in gold:
            raise UserError(
                f"{first}: {row['task_id']} was also adapted by somebody else, and a gold set holds one adaptation. "
                "Exclude a rater, or empty the recipe in one of the sheets."
            )
        source = next(each["text"] for each in row["shown"] if each["name"] == "title")
        title, *lists = (entries[part][0] for part in PARTS)
        cells = [row["task_id"], " ".join(source.split()), " ".join(title)]
        gold[row["task_id"]] = [*cells, *(f" {BETWEEN} ".join(each) for each in lists)]
    text = io.StringIO()
    csv.writer(text, dialect="excel-tab", lineterminator="\n").writerows([MANDATORY, *gold.values()])
    tables.write_text(written, text.getvalue())
    for path, schema, some in ((raters, RATERS, about), (rejects, REJECTS, rejected)):
        tables.write(path, schema, some, job.metadata)
    job.progress.say(f"{len(gold)} adaptations, {skipped} skipped")
    for line in summary(rejected):
        job.progress.say(line)


def _about(
    rows: Mapping[str, Row], texts: Adaptations, people: Mapping[str, Rater], settings: WrittenSettings
) -> Iterator[Row]:
    """A row of annotate/raters for each rater of whom a recipe came back. A check has one text of each part."""
    for name in [name for name in people if name in {rows[key]["rater"] for key in texts}]:
        given = list[tuple[str, bool]]()
        for key, row in rows.items():
            if row["rater"] == name:
                parts = [[*some] for some in texts.get(key, {}).values()]
                right = any(parts)
                if row["kind"] != TASK:
                    right = all(len(some) < 2 for some in parts) and has_words(row, [*chain(*parts)])
                given.append((row["kind"], right))
        yield about_rater(people[name], given, settings)


def _texts(rows: Mapping[str, Row], path: str, raters: Iterable[Rater]) -> tuple[Adaptations, list[Reject]]:
    """The texts by id and part, and the rows that are rejected."""
    texts: Adaptations = {}
    rejected, count = list[Reject](), 0
    for sheet_row in read_rows(path, (ID, RATER, PART, SOURCE, TARGET), raters):
        count += 1
        row, part, text = (
            rows.get(sheet_row.cells[ID]),
            sheet_row.cells[PART].casefold(),
            sheet_row.cells[TARGET].strip(),
        )
        source = {each["name"]: each["text"] for each in row["shown"]} if row else {}
        if row is None or part not in source:
            rejected.append(sheet_row.reject("foreign", detail=sheet_row.cells[ID] or "no id", raw=text))
        elif sheet_row.rater != row["rater"]:
            rejected.append(
                sheet_row.reject("other_rater", row["task_id"], f"the task of {row['rater']}", text)
            )
        elif alike(sheet_row.cells[SOURCE]) != alike(source[part]):
            rejected.append(sheet_row.reject("changed", row["task_id"], f"source of {part}", text))
        elif _lost_breaks(source[part], sheet_row.cells[SOURCE], text):
            rejected.append(sheet_row.reject("changed", row["task_id"], f"no line breaks in {part}", text))
        else:
            own = texts.setdefault(row["id"], {}).setdefault(part, {})
            if text and text in own:
                rejected.append(sheet_row.reject("repeated", row["task_id"], part, text))
            elif text:
                own[text] = sheet_row
    refuse_foreign(path, count, rejected)
    return texts, rejected


def _lost_breaks(source: str, returned: str, text: str) -> bool:
    """Whether a program put blanks for the line breaks of a source and of the text beside it."""
    return len(_entries(source)) > 1 == len(_entries(returned)) and len(_entries(text)) == 1


def _entries(text: str) -> list[str]:
    """The parts of a text between line breaks and bars, without marks before them."""
    lines = (BULLETS.sub("", " ".join(line.split())) for line in BARS.sub("\n", text).splitlines())
    return [line for line in lines if line]
