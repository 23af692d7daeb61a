"""Dialogues with their marked items as their authors published them: friends_csi_annotations_final.csv.

Singh et al. 2024, section 4. A row has an utterance ("Speaker: text"), the utterances before and behind it, the
number of its dialogue (`No`) and a Python list of its items: words, the letter of a category, a degree of foreignness
as a text, and the letter of Hall's level. Pre Context and Post Context repeat other rows and are not read.
"""

import ast
import csv
import io
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

import polars as pl

from wokflow.frame.job import UserError
from wokflow.frame.text_files import longest_cell
from wokflow.ingest.item_spans import Span, item_span, typed
from wokflow.ingest.json_lines import Line, Rejects
from wokflow.ingest.raw_records import Reject, text_chunks
from wokflow.ingest.stream import Truncated

NUMBER, BEFORE, AFTER, UTTERANCE, DIALOGUE, ITEMS = COLUMNS = (
    "",
    "Pre Context",
    "Post Context",
    "Current Utterance",
    "No",
    "csi_annotations_final",
)
LEVELS = {"T": "technical", "F": "formal", "I": "informal"}  # section 3, Hall's triad
ANNOTATOR = "agreed"  # three annotators talked until they agreed; the file has what they agreed on
DEGREE = re.compile("[0-9]{1,9}")  # any other text is a reject
LONGEST = 1 << 20  # characters of a cell


def is_marked_csv(path: str) -> bool:
    """Whether a file is read in this form: .csv, plain or compressed."""
    return re.search(r"\.csv(\.\w+)?$", path) is not None


def utterance_lines(path: str, _left: Rejects, key: str) -> Iterator[Line]:
    """The utterances as records of our own simple form (docs/dialogues.md); each line is a row, counted from 0.

    Raises UserError as `_rows` does.
    """
    for number, row in _rows(path, key):
        record = {"dialogue": row[DIALOGUE], "text": row[UTTERANCE]}
        speaker, colon, text = row[UTTERANCE].partition(":")
        if colon:
            record |= {"speaker": speaker, "text": text.removeprefix(" ")}
        yield Line(number, _raw(row), record)


def mark_lines(path: str, left: Rejects, key: str) -> Iterator[Line]:
    """The items as records of our own form (docs/dialogues.md). A cell without a list of items is a reject.

    An item's place is where its words first stand in the utterance (item_span), or for an item that has the same
    words and category as one before it, where they stand next. Words that do not stand there have no place, and
    become rejects of ingest_annotations, as does an item that occurs more often than its words. Raises UserError as
    `_rows` does.
    """
    places: dict[str, int] = {}
    dialogue = ""
    for number, row in _rows(path, key):
        dialogue = row[DIALOGUE] if row[DIALOGUE].strip() else dialogue
        position = places[dialogue] = places.get(dialogue, -1) + 1
        text = row[UTTERANCE].partition(":")[2].removeprefix(" ")
        try:
            items = _items(row[ITEMS])
        except Reject as reject:
            left.add(Line(number, _raw(row), {}), reject)
            continue
        taken: dict[tuple[str, str], list[Span]] = {}  # by words in any letter case, and category
        for words, category, foreignness, level in items:
            item = typed(words)
            before = taken.setdefault((item.casefold(), category), [])
            span = item_span(text, item, "", before, in_order=False)
            if not isinstance(span, str):
                before.append(span)
            start, end = before[-1] if before else (-1, -1)
            record = {
                "dialogue": dialogue,
                "utterance": position,
                "start": start,
                "end": end,
                "text": text[start:end] if start >= 0 else words,
                "category": category,
                "foreignness": int(foreignness) if DEGREE.fullmatch(foreignness) else foreignness,
                "level": LEVELS.get(level, level),
                "annotator": ANNOTATOR,
            }
            yield Line(number, repr((words, category, foreignness, level)), record)


def _items(cell: str) -> list[tuple[str, ...]]:
    try:
        items = ast.literal_eval(cell)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as error:
        raise Reject("broken_record", f"no list of items: {error}") from None
    if not isinstance(items, list) or not all(
        isinstance(item, tuple) and len(item) == 4 and all(isinstance(part, str) for part in item)
        for item in items
    ):
        raise Reject("broken_record", "items are not lists of words, category, foreignness and level")
    return items


def _rows(path: str, key: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The rows with their numbers, from 0. Raises UserError where the file is damaged, or lacks a column."""
    try:
        data = b"".join(chunk for chunk, _ in text_chunks(path)).decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(data, newline=""), strict=True, restval="")
        missing = [name for name in (UTTERANCE, DIALOGUE, ITEMS) if name not in (reader.fieldnames or ())]
        if missing:
            raise UserError(
                f"{key}: {path} lacks the column {', '.join(missing)}. A .csv file must have the columns of "
                "friends_csi_annotations_final.csv; any other file is one of JSON lines (docs/dialogues.md)."
            )
        with longest_cell(LONGEST):
            rows = [*reader]
    except (Truncated, UnicodeDecodeError, csv.Error) as damage:
        raise UserError(f"{key}: {path} is cut off or damaged: {damage}. Fetch the file again.") from damage
    yield from enumerate(rows)


def _raw(row: Mapping[str, str]) -> str:
    return f"{row[DIALOGUE]}: {row[UTTERANCE]}"


def marked_csv(utterances: pl.DataFrame, marks: pl.DataFrame, letters: Mapping[str, str]) -> str:
    """The published form of ingest/utterances and ingest/annotations, the latter in the order of their items.

    `letters` has the letter of each category; one without a letter keeps its name. What several annotators marked
    alike at one place stands once; an item without a level has an empty one.
    """
    codes = {name: letter for letter, name in LEVELS.items()}
    items: dict[tuple[str, int], dict[tuple[Span, tuple[str, ...]], None]] = {}
    for dialogue, position, start, end, text, category, foreignness, level in marks.select(
        "dialogue_id", "position", "start", "end", "text", "category", "foreignness", "level"
    ).iter_rows():
        item = text, letters.get(category, category), str(foreignness), codes.get(level, level or "")
        items.setdefault((dialogue, position), {})[(start, end), item] = None
    places = utterances.select("dialogue_id", "position", "speaker", "text").rows()
    lines = [(dialogue, f"{speaker}: {text}") for dialogue, _, speaker, text in places]
    neighbours = [(one[1], other[1]) if one[0] == other[0] else ("", "") for one, other in pairwise(lines)]
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number, (dialogue, text) in enumerate(lines):
        before = neighbours[number - 1][0] if number else ""
        after = neighbours[number][1] if number < len(neighbours) else ""
        listed = [item for _, item in items.get((dialogue, places[number][1]), {})]
        writer.writerow((number, before, after, text, dialogue, listed))
    return made.getvalue()
