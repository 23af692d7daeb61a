"""Mentions of items by a program with an environment of its own: a neural entity linker, for example."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from wokflow.enrich.entities import number_of
from wokflow.frame.command import run_command
from wokflow.frame.job import UserError
from wokflow.frame.secrets import printable
from wokflow.frame.wikidata import QID

KEY = "enrich.link.command"
OUTSIDE, UNKNOWN, OVERLAP = "outside", "unknown_item", "overlap"


class Answer(NamedTuple):
    """A line of the program's output: characters `start` to `end` of a sentence mention an item."""

    sentence: str
    start: int
    end: int
    qid: str
    score: float
    line: str


Rejected = tuple[Answer, str, str]  # with the reason and what there is to say of it


def program_mentions(
    rows: pl.DataFrame, lang: str, command: Sequence[str], seconds: float | None, known: Callable[[str], bool]
) -> tuple[list[Answer], list[Rejected]]:
    """The mentions that a program finds in sentences, in their order, and those of them that cannot stand.

    The program gets a line of JSON for each of `rows` (sentence_id, source), with the members sentence_id, text and
    lang, and answers with a line for each mention: sentence_id, qid, start, end (characters from 0, the end
    exclusive) and perhaps score. Lines may come in any order. Of mentions that overlap the longest counts, then the
    first, then that with the higher score. An item has to be `known`.

    Raises UserError if the program fails, or for a line that is no such answer.
    """
    texts = dict(rows.select("sentence_id", "source").iter_rows())
    lines = (
        json.dumps({"sentence_id": sentence, "text": text, "lang": lang}) + "\n"
        for sentence, text in texts.items()
    )
    written = run_command(command, "".join(lines), key=KEY, seconds=seconds) if texts else ""
    found: dict[str, list[Answer]] = {}
    for one in read_answers(written, texts):
        found.setdefault(one.sentence, []).append(one)
    kept: list[Answer] = []
    rejected: list[Rejected] = []
    for sentence in texts:
        _sort_out(found.get(sentence, ()), len(texts[sentence]), known, kept, rejected)
    return kept, rejected


def read_answers(text: str, sentences: Mapping[str, str]) -> Iterator[Answer]:
    """The answers of a program about some sentences. Raises UserError for a line that is none."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield _answer(json.loads(line), line, sentences)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UserError(
                f"{KEY}: line {number} of what the program wrote is no mention (sentence_id, qid, start, end): "
                f"{printable(line)} ({type(error).__name__}: {printable(str(error))})"
            ) from error


def _answer(one: Mapping[str, Any], line: str, sentences: Mapping[str, str]) -> Answer:
    sentence, qid, start, end = (one[name] for name in ("sentence_id", "qid", "start", "end"))
    score = one.get("score", 1.0)
    if sentence not in sentences:
        raise ValueError("there is no such sentence")
    if type(start) is not int or type(end) is not int or not isinstance(qid, str):
        raise TypeError("start and end are whole numbers, qid is a text")
    if isinstance(score, bool) or not math.isfinite(float(score)):
        raise ValueError("score is a number")
    return Answer(sentence, start, end, qid, float(score), line)


def _sort_out(
    found: Sequence[Answer],
    length: int,
    known: Callable[[str], bool],
    kept: list[Answer],
    rejected: list[Rejected],
) -> None:
    """Add the mentions of one sentence to those that are kept, or to those that are rejected."""
    good: list[Answer] = []
    for one in sorted(found, key=_place):
        if not 0 <= one.start < one.end <= length:
            rejected.append((one, OUTSIDE, f"the sentence has {length} characters"))
        elif not QID.fullmatch(one.qid) or not known(one.qid):
            rejected.append((one, UNKNOWN, f"{printable(one.qid)} is not in the table of entities"))
        elif other := next(
            (other for other in good if one.start < other.end and other.start < one.end), None
        ):
            rejected.append((one, OVERLAP, f"with {other.start} to {other.end}, {other.qid}"))
        else:
            good.append(one)
    kept += sorted(good)


def _place(one: Answer) -> tuple[int, int, float, int, str]:
    """The longest first, then the first, then that with the higher score."""
    number = number_of(one.qid) if QID.fullmatch(one.qid) else 0
    return one.start - one.end, one.start, -one.score, number, one.line
