"""The culture-specific items that people marked in dialogues, in the form that ingest.annotations reads."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wokflow.annotate.dialogue_checks import END, passes
from wokflow.annotate.fields import (
    CATEGORY,
    FOREIGNNESS,
    ID,
    ITEM,
    MARKED,
    OPEN,
    PLACE,
    RATER,
    SKIPPED,
    START,
    STATE,
    TASK,
    TEXT,
    UNMARKED,
    utterances,
)
from wokflow.annotate.rater_checks import about_rater
from wokflow.annotate.raters import Rater, read_raters
from wokflow.annotate.returned import Reject, SheetRow, alike, read_rows, refuse_foreign, summary
from wokflow.annotate.schemas import DIALOGUES, RATERS, REJECTS
from wokflow.annotate.settings import MarkedSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.ingest.item_spans import Span, item_span, typed

ANSWERS = (ITEM, CATEGORY, FOREIGNNESS)
STATES = (OPEN, SKIPPED, UNMARKED, MARKED)  # of a dialogue; of one in several files, the last counts
NOT_HANDED_OUT = ("foreign", "other_rater", "changed")  # reasons of rows that are none of the rater
Row = dict[str, Any]
Words = tuple[str, str, str, str]  # file with worksheet, task, place and words of a row
# By task's id, place, start and end: the answers (category, foreignness), each with the first row that has it.
Marks = dict[tuple[str, str, int, int], dict[tuple[str, str], SheetRow]]


def annotate_marked(
    *,
    assigned: str,
    marked: str,
    dialogues: str,
    raters: str,
    rejects: str,
    settings: MarkedSettings,
    job: Job,
) -> None:
    """Write the items that people marked as lines of JSON, which ingest.annotations reads, how the dialogues of each
    rater who counts came back, a row about each rater who returned a sheet, and the rejects.

    Each row of a sheet with an item, a category or a degree of foreignness, and each mark in Label Studio, is an item
    or a reject, checks aside. What a rater marked twice counts once if the answers are the same, and not at all
    otherwise. All marks of raters who do not count are rejects. `start` and `end` count characters of the utterance
    as ingest/utterances has it.
    """
    people = {rater.name: rater for rater in read_raters(settings.raters)}
    rows = {row["id"]: row for row in tables.read(assigned).to_dicts()}
    marks, rejected, states = _marks(rows, settings.answers, people)
    about = [*_about(rows, marks, rejected, states, people, settings)]
    left_out = {each["rater"]: each["left_out"] for each in about if each["left_out"]}
    lines = []
    for (key, place, start, end), answers in marks.items():
        row = rows[key]
        if row["kind"] != TASK:
            continue
        if len(answers) > 1 or row["rater"] in left_out:
            rejected += [
                each.reject("several", row["task_id"], place, _raw(each)) for each in answers.values()
            ]
            continue
        [(category, foreignness)] = answers
        text = _texts(row)[place]
        line = {"dialogue": row["task_id"], "utterance": int(place) - 1, "start": start, "end": end}
        line |= {"text": text[start:end], CATEGORY: category, FOREIGNNESS: int(foreignness)}
        lines.append(line | {"annotator": row["rater"]})
    lines.sort(key=lambda line: [*map(line.get, ("dialogue", "utterance", "start", "end", "annotator"))])
    checks = {row["task_id"] for row in rows.values() if row["kind"] != TASK}
    for each in rejected:
        if each["reason"] not in NOT_HANDED_OUT and each["task_id"] not in checks:
            each["reason"] = left_out.get(each["rater"], each["reason"])
    tables.write_text(marked, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    counts = Counter((line["dialogue"], line["annotator"]) for line in lines)
    read = [
        {"task_id": row["task_id"], "rater": row["rater"], "state": states.get(key, OPEN)}
        | {"marks": counts[row["task_id"], row["rater"]]}
        for key, row in rows.items()
        if row["kind"] == TASK and row["rater"] not in left_out and people[row["rater"]].takes_part
    ]
    read.sort(key=lambda row: (row["task_id"], row["rater"]))
    for path, schema, some in (
        (rejects, REJECTS, rejected),
        (raters, RATERS, about),
        (dialogues, DIALOGUES, read),
    ):
        tables.write(path, schema, some, job.metadata)
    tasks, annotators = ({key[place] for key in counts} for place in (0, 1))
    job.progress.say(f"{len(lines)} marks in {len(tasks)} dialogues, by {len(annotators)} annotators")
    for message in (*_by_rater(rows, states, left_out), *summary(rejected)):
        job.progress.say(message)


def _about(
    rows: Mapping[str, Row],
    marks: Marks,
    rejected: Sequence[Reject],
    states: Mapping[str, str],
    people: Mapping[str, Rater],
    settings: MarkedSettings,
) -> Iterator[Row]:
    """A row of annotate/raters for each rater of whom a dialogue came back. Faulty marks in checks are wrong ones."""
    faulty = Counter(
        (each["rater"], each["task_id"])
        for each in rejected
        if each["reason"] not in (*NOT_HANDED_OUT, "repeated")
    )
    of_check: dict[str, list[dict[str, Any]]] = {}
    for (key, place, start, end), answers in marks.items():
        [category, foreignness] = next(iter(answers)) if len(answers) == 1 else (None, None)
        mark = {PLACE: place, START: start, END: end, CATEGORY: category, FOREIGNNESS: foreignness}
        of_check.setdefault(key, []).append(mark)
    for name in [name for name in people if name in {rows[key]["rater"] for key in states}]:
        given = list[tuple[str, bool]]()
        for key, row in rows.items():
            if row["rater"] == name:
                read = states.get(key) in (MARKED, UNMARKED)
                right = row["kind"] == TASK or passes(
                    row, of_check.get(key, ()), settings, faulty[name, row["task_id"]]
                )
                given.append((row["kind"], read and right))
        yield about_rater(people[name], given, settings)


def _texts(row: Row) -> dict[str, str]:
    """The utterances of a task by their places."""
    return {each[PLACE]: each[TEXT] for each in utterances(row["shown"])}


def _raw(sheet_row: SheetRow) -> str:
    return " | ".join(cell for name in ANSWERS if (cell := sheet_row.cells.get(name, "")))


def _marks(
    rows: Mapping[str, Row], path: str, people: Mapping[str, Rater]
) -> tuple[Marks, list[Reject], dict[str, str]]:
    """The marks, the rejects, and by the ids of tasks which of STATES they are in, for those that came back."""
    marks: Marks = {}
    taken: dict[Words, list[Span]] = {}  # by words in any letter case
    rejected, states = list[Reject](), dict[str, str]()
    read = [*read_rows(path, (ID, RATER, PLACE, TEXT, *ANSWERS), people.values())]
    spellings = Counter(map(_words, read))
    for sheet_row in read:
        row, place, raw = rows.get(sheet_row.cells[ID]), sheet_row.cells[PLACE], _raw(sheet_row)
        task = row["task_id"] if row else None
        fault = _not_handed_out(sheet_row, row, place)
        if row and not fault:
            given = sheet_row.cells.get(STATE) if sheet_row.exported else None
            state = MARKED if raw else given if given in STATES else UNMARKED
            states[row["id"]] = max(states.get(row["id"], state), state, key=STATES.index)
        if fault:
            rejected.append(sheet_row.reject(fault[0], task, fault[1], raw))
        if fault or not row or not raw:
            continue
        answer, wrong = _answer(sheet_row, {each["column"]: each["values"] for each in row["fields"]})
        words = _words(sheet_row)
        before = taken.setdefault((*words[:3], words[3].casefold()), [])
        near = sheet_row.cells.get(START, "") if sheet_row.exported else ""
        span = item_span(_texts(row)[place], words[3], near, before, in_order=spellings[words] > 1)
        if not isinstance(span, str):
            before.append(span)  # also that of a faulty row: the next row means the next occurrence
        if wrong or isinstance(span, str):
            rejected.append(sheet_row.reject(wrong or str(span), task, place, raw))
            continue
        own = marks.setdefault((row["id"], place, *span), {})
        if answer in own:
            rejected.append(sheet_row.reject("repeated", task, place, raw))
        own.setdefault(answer, sheet_row)
    refuse_foreign(path, len(read), rejected)
    return marks, rejected, states


def _words(sheet_row: SheetRow) -> Words:
    """File with worksheet, task, place and words of a row, as `typed` gives them."""
    task, place, words = (sheet_row.cells[name] for name in (ID, PLACE, ITEM))
    return f"{sheet_row.file}/{sheet_row.worksheet}", task, place, typed(words)


def _by_rater(
    rows: Mapping[str, Row], states: Mapping[str, str], left_out: Mapping[str, str]
) -> Iterator[str]:
    """Lines for the log: for each rater, how many of the dialogues handed out are in which state."""
    tasks = [(key, row["rater"]) for key, row in rows.items() if row["kind"] == TASK]
    for rater in sorted({rater for _, rater in tasks}):
        own = [states.get(key, OPEN) for key, one in tasks if one == rater]
        counts = ", ".join(f"{own.count(state)} {state}" for state in reversed(STATES))
        why = f"; does not count: {left_out[rater]}" if rater in left_out else ""
        yield f"{rater}: {len(own)} dialogues handed out: {counts}{why}"


def _not_handed_out(sheet_row: SheetRow, row: Row | None, place: str) -> tuple[str, str] | None:
    """The reason of a reject, and its detail, for what is no utterance as it was handed out to this rater."""
    if row is None or place not in _texts(row):
        return "foreign", sheet_row.cells[ID] or "no id"
    if sheet_row.rater != row["rater"]:
        return "other_rater", f"the task of {row['rater']}"
    if alike(sheet_row.cells[TEXT]) != alike(_texts(row)[place]):
        return "changed", f"utterance {place}"
    return None


def _answer(sheet_row: SheetRow, fields: Mapping[str, Sequence[str]]) -> tuple[tuple[str, str], str | None]:
    """Category and foreignness as the study spells them, and the reason of a reject where one is missing or wrong."""
    given = []
    for name in (CATEGORY, FOREIGNNESS):
        cell = " ".join(sheet_row.cells[name].split()).casefold()
        given.append(next((value for value in fields[name] if value.casefold() == cell), ""))
    missing = not all(sheet_row.cells[name] for name in ANSWERS)
    return (given[0], given[1]), "missing" if missing else None if all(given) else "off_scale"
