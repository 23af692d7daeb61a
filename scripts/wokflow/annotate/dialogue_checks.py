"""Dialogues whose items are known: checks of raters who mark items."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from wokflow.annotate.check_tables import KIND, NAME, check_rows
from wokflow.annotate.fields import (
    CATEGORY,
    FOREIGNNESS,
    ITEM,
    PLACE,
    SPEAKER,
    TEXT,
    field,
    utterance,
)
from wokflow.annotate.settings import MarkedSettings
from wokflow.frame.job import UserError
from wokflow.ingest.item_spans import Span, item_span, typed

START, END = "start", "end"
COLUMNS = (PLACE, SPEAKER, TEXT, ITEM, CATEGORY, FOREIGNNESS)
BAR = "|"  # between right values; with blanks, a line break of a text
Mark = Mapping[
    str, Any
]  # place, start, end, category and foreignness; the last two are lists in items of a check
Words = tuple[str, str, str]


@dataclass(frozen=True)
class DialogueCheck:
    """A dialogue of the table. `spoken` has speaker and text by place; no category or foreignness of an item: any."""

    name: str
    kind: str
    spoken: dict[str, tuple[str, str]]
    items: list[Mark]
    dimensions: Sequence[Mapping[str, Any]]

    def row(self, random: Random) -> dict[str, Any]:
        """The check in the form of a row of annotate/assigned. Nothing of it is drawn."""
        shown = [utterance(int(place) - 1, *spoken) for place, spoken in self.spoken.items()]
        fields = [field(each, each["values"]) for each in self.dimensions]
        known = [json.dumps(item, ensure_ascii=False) for item in self.items]
        fields.append(field({"name": ITEM}, (), accepted=known))
        return {"task_id": self.name, "kind": self.kind, "shown": shown, "fields": fields}


def read_dialogue_checks(path: str, task: Mapping[str, Any]) -> list[DialogueCheck]:
    """The checks of a table, for dialogues like `task`.

    It has the form of a sheet that was filled in, with name and kind for id and rater: a row for each utterance, and
    one for each further item in it, with the same place, speaker and text. Several right values have bars between
    them; empty: any. In texts, a bar between blanks stands for a line break. Raises UserError, with the line, for a
    row that cannot be used, and for a table without any item.
    """
    values = {each["name"]: each["values"] for each in task["dimensions"]}
    rows = [*check_rows(path, COLUMNS, several=True)]
    spellings = Counter(_words(row) for _, row in rows)
    taken: dict[Words, list[Span]] = {}
    checks: dict[str, DialogueCheck] = {}
    for where, row in rows:
        name = row[NAME]
        check = checks.setdefault(name, DialogueCheck(name, row[KIND], {}, [], task["dimensions"]))
        if not row[PLACE].isdecimal() or not int(row[PLACE]) or not row[TEXT]:
            raise UserError(f"{where}: an utterance needs a text, and a place: a number from 1.")
        place, text = str(int(row[PLACE])), row[TEXT].replace(f" {BAR} ", "\n")
        if check.spoken.setdefault(place, (row[SPEAKER], text)) != (row[SPEAKER], text):
            raise UserError(f"{where}: place {place} of the check {name} has another speaker or text before.")
        right = {of: [value for one in row[of].split(BAR) if (value := one.strip())] for of in values}
        for of, some in right.items():
            if unknown := sorted({*some} - {*values[of]}):
                raise UserError(f"{where}: {', '.join(unknown)} is not a value of {of}.")
        if row[ITEM]:
            words = _words(row)
            before = taken.setdefault((*words[:2], words[2].casefold()), [])
            span = item_span(text, words[2], "", before, in_order=spellings[words] > 1)
            if isinstance(span, str):
                raise UserError(f"{where}: {row[ITEM]} does not stand in the text, or not so often.")
            before.append(span)
            check.items.append({PLACE: place, **dict(zip((START, END), span, strict=True)), **right})
        elif any(right.values()):
            raise UserError(f"{where}: there is no item, but a {CATEGORY} or a {FOREIGNNESS}.")
    if not any(check.items for check in checks.values()):
        raise UserError(
            f"{path}: no check has an item, so a sheet that comes back unmarked passes all of them."
        )
    return [*checks.values()]


def _words(row: Mapping[str, str]) -> Words:
    """Check, place and words of a row, as `typed` gives them."""
    return row[NAME], row[PLACE], typed(row[ITEM])


def passes(check: Mapping[str, Any], marks: Sequence[Mark], settings: MarkedSettings, faulty: int) -> bool:
    """Whether a rater's marks in a check, a row of annotate/assigned, are right: F1 is 2 n / (marks + items).

    n pairs of a mark and an item have `settings.overlap` of their characters in common, and the mark has a category
    and a degree that are right; no mark or item is in two pairs. Where there are no items, no mark is right.
    `faulty` marks, which are rejects, count among the marks.
    """
    known = [
        json.loads(one) for each in check["fields"] if each["column"] == ITEM for one in each["accepted"]
    ]
    right = [[_is_item(mark, item, settings.overlap) for mark in marks] for item in known]
    total = len(marks) + faulty + len(known)
    return not total or 2 * _pairs(right) / total >= settings.f1


def _is_item(mark: Mark, item: Mark, least: float) -> bool:
    both = min(mark[END], item[END]) - max(mark[START], item[START])
    either = max(mark[END], item[END]) - min(mark[START], item[START])
    alike = mark[PLACE] == item[PLACE] and both > 0 and both / either >= least
    return alike and all(mark[of] in (item[of] or (mark[of],)) for of in (CATEGORY, FOREIGNNESS))


def _pairs(right: Sequence[Sequence[bool]]) -> int:
    """The largest number of pairs of an item, a row, and a mark, a column, that is right for it (Kuhn 1955)."""
    item_of: dict[int, int] = {}

    def paired(item: int, seen: set[int]) -> bool:
        for mark in (number for number, one in enumerate(right[item]) if one and number not in seen):
            seen.add(mark)
            if mark not in item_of or paired(item_of[mark], seen):
                item_of[mark] = item
                return True
        return False

    return sum(paired(item, set()) for item in range(len(right)))
