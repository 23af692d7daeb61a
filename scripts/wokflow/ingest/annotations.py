"""Culture-specific items in dialogues, as people mark them."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.text_files import read_table
from wokflow.ingest.json_lines import Line, Rejects, field, read_lines
from wokflow.ingest.marked_csv import is_marked_csv, mark_lines, marked_csv
from wokflow.ingest.raw_records import Reject
from wokflow.ingest.schemas import ANNOTATIONS
from wokflow.ingest.settings import AnnotationsSettings

CORPUS = "annotations"
FAMILIAR, KEPT = 1, (2, 3)  # Singh et al. 2024, section 4
MARK = ("dialogue_id", "position", "start", "end", "annotator", "category")  # unique
Place = tuple[str, int]  # dialogue and position


def ingest_annotations(
    *,
    utterances: str,
    annotations: str,
    rejects: str,
    published: str,
    settings: AnnotationsSettings,
    job: Job,
) -> None:
    """Write the marked items of a file as ingest/annotations, in the order of dialogues, places and annotators.

    Each line that is not blank is a JSON object: `dialogue`, `utterance` (its id, or its place from 0), `start` and
    `end` in its text, `text` (the marked words), `category`, `foreignness`, `annotator`, and perhaps `level`. It
    becomes a row, or a reject if its dialogue is missing, its words do not stand at that place, its category is not
    in the table, its item is familiar in the target culture (foreignness 1) or has no foreignness, or the annotator
    has given it this category before. A .csv file has the items of marked_csv, and each of them becomes a row or a
    reject. `published` is the CSV of all utterances and rows in that form.

    Raises UserError if the file is cut off or damaged, if no line becomes a row, or if the table of categories names
    a category twice.
    """
    path, left = str(settings.path), Rejects(CORPUS)
    texts, places = _utterances(utterances)
    categories = read_categories(settings.categories)
    rows: list[dict[str, Any]] = []
    seen = set[tuple[Any, ...]]()
    read = mark_lines if is_marked_csv(path) else read_lines
    for line in read(path, left, "ingest.annotations.path"):
        try:
            row = _annotation(line, texts, places, categories)
            mark = tuple(row[name] for name in MARK)
            if mark in seen:
                raise Reject("duplicate", row["annotator"])
        except Reject as reject:
            left.add(line, reject)
        else:
            seen.add(mark)
            rows.append(row)
    if not rows:
        raise UserError(
            f"ingest.annotations.path: no line of {path} is an item in the dialogues{left.most()}. "
            "docs/dialogues.md says what a line holds."
        )
    frame = tables.frame(ANNOTATIONS, rows)
    order = {dialogue: number for number, dialogue in enumerate(dict.fromkeys(one for one, _ in texts))}
    frame = frame.sort(
        pl.col("dialogue_id").replace_strict(order, return_dtype=pl.Int64),
        *MARK[1:],
    )
    tables.write(annotations, ANNOTATIONS, frame, job.metadata)
    letters = {name: spelling.upper() for spelling, name in categories.items() if len(spelling) == 1}
    as_read = tables.frame(ANNOTATIONS, rows)
    tables.write_text(published, marked_csv(tables.read(utterances), as_read, letters))
    left.write(rejects, job.metadata)
    job.progress.say(
        f"{frame.height} marks of {frame['annotator'].n_unique()} annotators, {len(left.rows)} rejects"
    )


def read_categories(path: str) -> dict[str, str]:
    """The name of each category by its spellings, without regard to case. Raises UserError for a spelling of two."""
    categories: dict[str, str] = {}
    for line, row in read_table(path, ("name", "also", "what"), "categories", comments=True):
        for spelling in (row["name"], *filter(None, row["also"].split(" | "))):
            if not spelling or categories.setdefault(_spelling(spelling), row["name"]) != row["name"]:
                raise UserError(f"{path}, line {line}: {spelling!r} is empty, or belongs to two categories.")
    return categories


def _spelling(category: str) -> str:
    return " ".join(category.casefold().replace("&", " and ").split())


def _utterances(path: str) -> tuple[dict[Place, str], dict[tuple[str, str], int]]:
    """The text of each utterance by its place, and the places of those that have ids."""
    texts: dict[Place, str] = {}
    places: dict[tuple[str, str], int] = {}
    columns = ["dialogue_id", "position", "utterance_id", "text"]
    for dialogue, position, name, text in tables.read(path, columns).iter_rows():
        texts[dialogue, position] = text
        if name is not None:
            places[dialogue, name] = position
    return texts, places


def _annotation(
    line: Line,
    texts: Mapping[Place, str],
    places: Mapping[tuple[str, str], int],
    categories: Mapping[str, str],
) -> dict[str, Any]:
    record = line.record
    dialogue, annotator = field(record, ("dialogue", "conversation_id")), field(record, ("annotator",))
    named = record.get("utterance")
    if isinstance(named, str):
        position = places.get((dialogue, field(record, ("utterance",))), -1)
    else:
        position = _number(record, "utterance")
    text = texts.get((dialogue, position))
    if text is None:
        raise Reject("unknown_utterance", f"{dialogue}, {named}")
    start, end, words = _number(record, "start"), _number(record, "end"), field(record, ("text",))
    if not 0 <= start < end <= len(text) or text[start:end] != words:
        raise Reject("bad_span", f"{start} to {end} is {text[max(start, 0) : max(end, 0)]!r:.80}")
    category = categories.get(_spelling(field(record, ("category",))))
    if category is None:
        raise Reject("unknown_category", str(record["category"])[:80])
    foreignness = _number(record, "foreignness")
    if foreignness not in KEPT:
        raise Reject("familiar" if foreignness == FAMILIAR else "bad_foreignness", str(foreignness))
    if not annotator.strip():
        raise Reject("missing_field", "annotator")
    return {
        "dialogue_id": dialogue,
        "position": position,
        "start": start,
        "end": end,
        "text": words,
        "category": category,
        "foreignness": foreignness,
        "level": field(record, ("level",)) if record.get("level") is not None else None,
        "annotator": annotator.strip(),
        "source_row": line.number,
    }


def _number(record: Mapping[str, Any], name: str) -> int:
    value = record.get(name)
    if name not in record:
        raise Reject("missing_field", name)
    if type(value) is not int:
        raise Reject("wrong_type", f"{name}: {value!r:.80}")
    return value
