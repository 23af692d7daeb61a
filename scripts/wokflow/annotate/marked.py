"""The culture-specific items that people marked in dialogues, in the form that ingest.annotations reads."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from wokflow.annotate.fields import (
    CATEGORY,
    FOREIGNNESS,
    ID,
    ITEM,
    PLACE,
    RATER,
    START,
    TEXT,
    utterances,
)
from wokflow.annotate.raters import Rater, read_raters
from wokflow.annotate.returned import Reject, SheetRow, alike, read_rows, refuse_foreign, summary, withdrawn
from wokflow.annotate.schemas import REJECTS
from wokflow.annotate.settings import MarkedSettings
from wokflow.frame import tables
from wokflow.frame.job import Job

ANSWERS = (ITEM, CATEGORY, FOREIGNNESS)
TYPED = str.maketrans("‘’“”", "''\"\"")  # quotation marks that spreadsheet programs change
Row = dict[str, Any]
# By task's id, place, start and end: the answers (category, foreignness), each with the first row that has it.
Marks = dict[tuple[str, str, int, int], dict[tuple[str, str], SheetRow]]


def annotate_marked(*, assigned: str, marked: str, rejects: str, settings: MarkedSettings, job: Job) -> None:
    """Write the items that people marked as lines of JSON, which ingest.annotations reads, and the rejects.

    Each row of a sheet with an item, a category or a degree of foreignness, and each mark in Label Studio, is an item
    or a reject. What a rater marked twice counts once if the answers are the same, and not at all otherwise. `start`
    and `end` count characters of the utterance as ingest/utterances has it.
    """
    raters = {rater.name: rater for rater in read_raters(settings.raters)}
    rows = {row["id"]: row for row in tables.read(assigned).to_dicts()}
    marks, rejected = _marks(rows, settings.answers, raters)
    lines = []
    for (key, place, start, end), answers in marks.items():
        row, (sheet_row, *others) = rows[key], answers.values()
        if others:
            rejected += [
                each.reject("several", row["task_id"], place, _raw(each)) for each in answers.values()
            ]
            continue
        [(category, foreignness)] = answers
        text = _texts(row)[place]
        line = {"dialogue": row["task_id"], "utterance": int(place) - 1, "start": start, "end": end}
        line |= {"text": text[start:end], CATEGORY: category, FOREIGNNESS: int(foreignness)}
        lines.append(line | {"annotator": sheet_row.rater})
    lines.sort(key=lambda line: [*map(line.get, ("dialogue", "utterance", "start", "end", "annotator"))])
    tables.write_text(marked, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    tables.write(rejects, REJECTS, rejected, job.metadata)
    dialogues, people = ({line[name] for line in lines} for name in ("dialogue", "annotator"))
    job.progress.say(f"{len(lines)} marks in {len(dialogues)} dialogues, by {len(people)} annotators")
    for said in summary(rejected):
        job.progress.say(said)


def _texts(row: Row) -> dict[str, str]:
    """The utterances of a task by their places."""
    return {each[PLACE]: each[TEXT] for each in utterances(row["shown"])}


def _raw(sheet_row: SheetRow) -> str:
    return " | ".join(cell for name in ANSWERS if (cell := sheet_row.cells.get(name, "")))


def _marks(rows: Mapping[str, Row], path: str, raters: Mapping[str, Rater]) -> tuple[Marks, list[Reject]]:
    marks: Marks = {}
    taken: dict[tuple[str, ...], list[tuple[int, int]]] = {}  # by the same words of a file and an utterance
    rejected, count = list[Reject](), 0
    for sheet_row in read_rows(path, (ID, RATER, PLACE, TEXT, *ANSWERS), withdrawn([*raters.values()])):
        count += 1
        row, place, raw = rows.get(sheet_row.cells[ID]), sheet_row.cells[PLACE], _raw(sheet_row)
        task = row["task_id"] if row else None
        if fault := _not_handed_out(sheet_row, row, place) or (raw and _left_out(raters[sheet_row.rater])):
            rejected.append(sheet_row.reject(fault[0], task, fault[1], raw))
            continue
        if not row or not raw:
            continue
        fields = {each["column"]: each["values"] for each in row["fields"]}
        answer, wrong = _answer(sheet_row, fields)
        words = (sheet_row.file, row["id"], place, " ".join(sheet_row.cells[ITEM].split()).casefold())
        near, before = sheet_row.cells.get(START, ""), taken.get(words, ())
        span = wrong or _span(_texts(row)[place], sheet_row.cells[ITEM], near, before)
        if isinstance(span, str):
            rejected.append(sheet_row.reject(span, task, place, raw))
            continue
        taken.setdefault(words, []).append(span)
        own = marks.setdefault((row["id"], place, *span), {})
        if answer in own:
            rejected.append(sheet_row.reject("repeated", task, place, raw))
        own.setdefault(answer, sheet_row)
    refuse_foreign(path, count, rejected)
    return marks, rejected


def _not_handed_out(sheet_row: SheetRow, row: Row | None, place: str) -> tuple[str, str] | None:
    """The reason of a reject, and its detail, for what is no utterance as it was handed out to this rater."""
    if row is None or place not in _texts(row):
        return "foreign", sheet_row.cells[ID] or "no id"
    if sheet_row.rater != row["rater"]:
        return "other_rater", f"the task of {row['rater']}"
    if alike(sheet_row.cells[TEXT]) != alike(_texts(row)[place]):
        return "changed", f"utterance {place}"
    return None


def _left_out(rater: Rater) -> tuple[str, str] | None:
    if rater.takes_part:
        return None
    return "excluded" if rater.state else "no_consent", rater.name


def _answer(sheet_row: SheetRow, fields: Mapping[str, Sequence[str]]) -> tuple[tuple[str, str], str | None]:
    """Category and foreignness as the study spells them, and the reason of a reject where one is missing or wrong."""
    given = []
    for name in (CATEGORY, FOREIGNNESS):
        cell = " ".join(sheet_row.cells[name].split()).casefold()
        given.append(next((value for value in fields[name] if value.casefold() == cell), ""))
    missing = not all(sheet_row.cells[name] for name in ANSWERS)
    return (given[0], given[1]), "missing" if missing else None if all(given) else "off_scale"


def _span(text: str, item: str, near: str, taken: Sequence[tuple[int, int]]) -> tuple[int, int] | str:
    """Where the item stands in the utterance: the occurrence that begins next to `near` or, without it, the next.

    `taken` are those of earlier rows of the sheet. Occurrences in the same letter case come first, and parts of words
    count only where there are no whole ones. The reason of a reject if there is none, or none is left.
    """
    words = r"\s+".join(re.escape(word) for word in item.translate(TYPED).split())
    plain = text.translate(TYPED)
    for pattern in (rf"(?<!\w){words}(?!\w)", words):
        flags = (re.NOFLAG, re.IGNORECASE)
        spans = [each.span() for flag in flags for each in re.finditer(pattern, plain, flag)]
        if near.isdecimal() and spans:
            return min(spans, key=lambda span: abs(span[0] - int(near)))
        if spans:
            return next((span for span in spans if span not in taken), "repeated")
    return "no_item"
