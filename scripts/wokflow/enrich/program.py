"""Mentions of items from an external program, such as a neural entity linker."""

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


Rejected = tuple[Answer, str, str]  # with reason and detail


def program_mentions(
    rows: pl.DataFrame, lang: str, command: Sequence[str], seconds: float | None, known: Callable[[str], bool]
) -> tuple[list[Answer], list[Rejected]]:
    """The mentions that a program finds in sentences, in their order, and its invalid mentions.

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
    answers: dict[str, list[Answer]] = {}
    for answer in read_answers(written, texts):
        answers.setdefault(answer.sentence, []).append(answer)
    kept: list[Answer] = []
    rejected: list[Rejected] = []
    for sentence in texts:
        sort_out(answers.get(sentence, ()), len(texts[sentence]), known, kept, rejected)
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


def _answer(members: Mapping[str, Any], line: str, sentences: Mapping[str, str]) -> Answer:
    sentence, qid, start, end = (members[name] for name in ("sentence_id", "qid", "start", "end"))
    score = members.get("score", 1.0)
    if sentence not in sentences:
        raise ValueError("there is no such sentence")
    if type(start) is not int or type(end) is not int or not isinstance(qid, str):
        raise TypeError("start and end are whole numbers, qid is a text")
    if isinstance(score, bool) or not math.isfinite(float(score)):
        raise ValueError("score is a number")
    return Answer(sentence, start, end, qid, float(score), line)


def sort_out(
    answers: Sequence[Answer],
    length: int,
    known: Callable[[str], bool],
    kept: list[Answer],
    rejected: list[Rejected],
) -> None:
    """Add each mention in a sentence to `kept` or to `rejected`."""
    good: list[Answer] = []
    for answer in sorted(answers, key=_place):
        if not 0 <= answer.start < answer.end <= length:
            rejected.append((answer, OUTSIDE, f"the sentence has {length} characters"))
        elif not QID.fullmatch(answer.qid) or not known(answer.qid):
            rejected.append((answer, UNKNOWN, f"{printable(answer.qid)} is not in the table of entities"))
        elif other := next(
            (other for other in good if answer.start < other.end and other.start < answer.end), None
        ):
            rejected.append((answer, OVERLAP, f"with {other.start} to {other.end}, {other.qid}"))
        else:
            good.append(answer)
    kept += sorted(good)


def _place(answer: Answer) -> tuple[int, int, float, int, str]:
    """A sort key: the longest first, then the earliest, then the one with the highest score."""
    number = number_of(answer.qid) if QID.fullmatch(answer.qid) else 0
    return answer.start - answer.end, answer.start, -answer.score, number, answer.line
