"""Cut a step's text into clauses, which are parsed and analysed one by one.

The workflow step parse_clauses is the cutoff before the dependency parser: it writes each distinct clause once.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from zlib import crc32

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.leftovers import remove, remove_leftovers, temporary_name
from wokflow.parse import schemas

BATCH = 1000  # recipes held in memory at once
BUCKETS = 64  # hash buckets, deduplicated one at a time to bound memory
LIMIT = 200  # largest number of characters of a clause
STOPS = frozenset("，。；！？：,;!?:\n\r…|｜")
BRACKETS = frozenset('()（）[]【】{}「」『』《》〈〉“”"〔〕')
LINKS = frozenset("、/+-—–·%℃°～~&'’.") | {" ", "\t", "\u3000", "\xa0"}  # stay inside a clause
JOINS_DIGITS = frozenset(":.：．~～")  # part of a number if between two digits
NUMBERING = frozenset("、.．)）")


def parse_clauses(*, recipes: Sequence[str], data: str, digest: str, job: Job) -> None:
    """Write each distinct clause once to `data` (schema parse/clauses), and a digest of the clauses to `digest`.

    They are sorted by bucket (`bucket`), then by code points. So their order does not depend on the recipes', and an
    edit that leaves the set of clauses unchanged parses nothing again. Memory holds BATCH recipes, and later a bucket
    and a row group of clauses; meanwhile all clauses lie on disk beside `data`, with repetitions.
    """
    spilled = Path(data).with_suffix(".buckets")
    spilled.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(spilled)
    folder = temporary_name(spilled)
    folder.mkdir()
    try:
        _spill(recipes, folder)
        with tables.PartWriter(data, schemas.CLAUSES, job.metadata) as part:
            tables.write_text(digest, tables.strings_digest(_written(folder, part)) + "\n")
    finally:
        remove(folder)


def bucket(clause: str) -> int:
    """The number of a clause's bucket, the same on every machine."""
    return crc32(clause.encode()) % BUCKETS


def _spill(recipes: Sequence[str], folder: Path) -> None:
    """Write the clauses of all recipes to a file for each bucket, one a line: no clause has a line break inside."""
    with ExitStack() as stack:
        files = [
            stack.enter_context((folder / str(number)).open("w", encoding="utf-8", newline="\n"))
            for number in range(BUCKETS)
        ]
        for path in recipes:
            for batch in tables.opened(path).iter_batches(BATCH, columns=["steps"]):
                steps = pl.DataFrame(batch)["steps"].explode().drop_nulls()
                for clause in {step[start:end] for step in steps for start, end in clauses(step)}:
                    files[bucket(clause)].write(clause + "\n")


def _written(folder: Path, part: tables.PartWriter) -> Iterator[str]:
    """Append the distinct clauses to the table, and yield them in order."""
    waiting: list[str] = []
    for number in range(BUCKETS):
        with (folder / str(number)).open(encoding="utf-8", newline="\n") as file:
            waiting += sorted({line.removesuffix("\n") for line in file})
        if len(waiting) >= tables.ROW_GROUP or number == BUCKETS - 1:
            part.write(pl.DataFrame({"clause": waiting}, schema={"clause": pl.String}))
            yield from waiting
            waiting = []


def clause_at(spans: Sequence[tuple[int, int]], position: int) -> tuple[int, int] | None:
    """The one of the spans from `clauses` that contains a character, by bisection; None if none does."""
    behind = bisect_right(spans, position, key=lambda span: span[0])
    if behind and position < spans[behind - 1][1]:
        return spans[behind - 1]
    return None


def clauses(text: str) -> list[tuple[int, int]]:
    """(start, end) of each clause of `text`, in order, without surrounding blanks and punctuation.

    Clauses end at stops, brackets, numbering ("1、", "2."), emoji and other symbols, and after LIMIT characters. An
    enumeration with 、 or blanks is one clause. Takes time linear in the length of the text.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for index in range(len(text)):
        if is_break(text, index):
            _add(spans, text, start, index)
            start = index + 1
        elif index - start >= LIMIT:
            _add(spans, text, start, index)
            start = index
    _add(spans, text, start, len(text))
    return spans


def is_break(text: str, index: int) -> bool:
    """Whether the character at `index` ends a clause."""
    character = text[index]
    if character.isalnum():
        return False
    before = text[index - 1] if index else ""
    after = text[index + 1] if index + 1 < len(text) else ""
    digit_before, digit_after = before.isdecimal(), after.isdecimal()
    if character in JOINS_DIGITS:
        return not (digit_before and digit_after)
    if character in NUMBERING and digit_before and not digit_after:
        return True
    if character in STOPS or character in BRACKETS:
        return True
    return character not in LINKS and unicodedata.category(character)[0] != "M"


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and not _solid(text[start]):
        start += 1
    while end > start and not _solid(text[end - 1]):
        end -= 1
    if start < end:
        spans.append((start, end))


def _solid(character: str) -> bool:
    return character.isalnum() or character in "%℃°"
