"""Recipes that people adapted, as a gold set."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from wokflow.annotate.answers import Given, Reject, alike, read_rows, refuse_foreign, said, withdrawn
from wokflow.annotate.raters import read_raters
from wokflow.annotate.schemas import REJECTS
from wokflow.annotate.settings import WrittenSettings
from wokflow.annotate.sheets import ID, PART, RATER, SOURCE, TARGET
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.sheets import FORMULA
from wokflow.match.gold import BETWEEN, MANDATORY

PARTS = ("title", "ingredients", "steps")
MARKS = "".join(FORMULA) + "*•·・－– "
# Before an entry; a quotation mark that is closed further on is the writer's own.
BULLETS = re.compile(rf"^(?:[{re.escape(MARKS)}]|(['\"])(?!.*\1))+")
Row = dict[str, Any]
Written = dict[str, dict[str, dict[str, Given]]]  # by id and part: texts, each with the first row that has it


def annotate_written(
    *, assigned: str, written: str, rejects: str, settings: WrittenSettings, job: Job
) -> None:
    """Write the adaptations of all sheets as a gold set, in the form that train.gold reads, and what is none.

    Entries stand on lines of their own, or between bars; marks before them are taken away. A recipe that its writer
    left empty was skipped, and is in neither. Raises UserError for two adaptations of one source, of which a gold set
    holds one.
    """
    raters = {rater.name: rater for rater in read_raters(settings.raters)}
    rows = {row["id"]: row for row in tables.read(assigned).to_dicts()}
    texts, lost = _texts(rows, settings.answers, withdrawn(list(raters.values())))
    gold: dict[str, list[str]] = {}
    skipped = 0
    for key, row in sorted(rows.items(), key=lambda each: (each[1]["task_id"], each[1]["rater"])):
        parts = texts.get(key, {})
        if not any(parts.values()):
            skipped += key in texts
            continue
        rater, where = raters[row["rater"]], next(given for each in parts.values() for given in each.values())
        entries = {part: [_entries(text) for text in parts.get(part, {})] for part in PARTS}
        reason = None
        if not rater.takes_part:
            reason = "excluded" if rater.state else "no_consent"
        elif any(len(each) > 1 for each in entries.values()):
            reason = "several"
        elif not all(each and each[0] for each in entries.values()):
            reason = "incomplete"
        if reason:
            raw = "\n".join(text for each in parts.values() for text in each)
            lost.append(where.reject(reason, row["task_id"], None, raw))
            continue
        if row["task_id"] in gold:
            raise UserError(
                f"{where}: {row['task_id']} was adapted by somebody else, too, and a gold set holds one adaptation. "
                "Exclude a rater, or empty the recipe in one of the sheets."
            )
        source = next(each["text"] for each in row["shown"] if each["name"] == "title")
        title, *lists = (entries[part][0] for part in PARTS)
        cells = [row["task_id"], " ".join(source.split()), " ".join(title)]
        gold[row["task_id"]] = [*cells, *(f" {BETWEEN} ".join(each) for each in lists)]
    lines = ["\t".join(cells) for cells in (MANDATORY, *gold.values())]
    tables.write_text(written, "\n".join(lines) + "\n")
    empty = pl.DataFrame(REJECTS.empty_table()).schema
    tables.write(rejects, REJECTS, pl.DataFrame(lost, empty), job.metadata)
    job.progress.say(f"{len(gold)} adaptations, {skipped} skipped")
    for line in said(lost):
        job.progress.say(line)


def _texts(rows: Mapping[str, Row], path: str, gone: Sequence[str]) -> tuple[Written, list[Reject]]:
    """What was written, by id and part, and the rows that are refused."""
    texts: Written = {}
    lost, count = list[Reject](), 0
    for given in read_rows(path, (ID, RATER, PART, SOURCE, TARGET), gone):
        count += 1
        row, part, text = rows.get(given.cells[ID]), given.cells[PART].casefold(), given.cells[TARGET].strip()
        source = {each["name"]: each["text"] for each in row["shown"]} if row else {}
        if row is None or part not in source:
            lost.append(given.reject("foreign", detail=given.cells[ID] or "no id", raw=text))
        elif given.rater != row["rater"]:
            lost.append(given.reject("other_rater", row["task_id"], f"the task of {row['rater']}", text))
        elif alike(given.cells[SOURCE]) != alike(source[part]):
            lost.append(given.reject("changed", row["task_id"], f"source of {part}", text))
        else:
            own = texts.setdefault(row["id"], {}).setdefault(part, {})
            if text and text in own:
                lost.append(given.reject("repeated", row["task_id"], part, text))
            elif text:
                own[text] = given
    refuse_foreign(path, count, lost)
    return texts, lost


def _entries(text: str) -> list[str]:
    """The lines of a text, or what stands between its bars, without marks before them."""
    lines = (BULLETS.sub("", " ".join(line.split())) for line in text.replace(BETWEEN, "\n").split("\n"))
    return [line for line in lines if line]
