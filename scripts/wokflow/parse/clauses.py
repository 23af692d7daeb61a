"""Cut a step's text into clauses: the stretches that are parsed and analysed one by one.

The step of this name is the frontier before parsing: each distinct clause once.
"""

import unicodedata
from collections.abc import Sequence

import polars as pl

from wokflow import tables
from wokflow.parse import schemas

LIMIT = 200  # characters of a clause at most
STOPS = frozenset("，。；！？：,;!?:\n\r…|｜")
BRACKETS = frozenset('()（）[]【】{}「」『』《》〈〉“”"〔〕')
LINKS = frozenset("、/+-—–·%℃°～~&'’.") | {" ", "\t", "\u3000", "\xa0"}  # stay inside a clause
JOINS_DIGITS = frozenset(":.：．~～")  # between two digits these are part of a number
NUMBERING = frozenset("、.．)）")


def parse_clauses(recipes: Sequence[str], out: str, digest: str, *, metadata: dict[str, str]) -> None:
    """Write the distinct clauses of all steps in the order of first occurrence, and a digest of them alone."""
    seen: dict[str, None] = {}
    for part in recipes:
        steps = tables.read(part, ["steps"])["steps"].explode().drop_nulls().unique(maintain_order=True)
        for step in steps:
            seen.update((step[start:end], None) for start, end in clauses(step))
    table = pl.DataFrame({"clause": list(seen)}, schema={"clause": pl.String})
    tables.write(out, schemas.CLAUSES, table, metadata)
    tables.write_text(digest, tables.strings_digest(table["clause"]) + "\n")


def clauses(text: str) -> list[tuple[int, int]]:
    """(start, end) of each clause of `text`, in order, blanks around it off.

    Clauses end at stops, brackets, numbering ("1、", "2."), emoji and other signs, and after LIMIT characters;
    an enumeration with 、 or blanks stays whole. Time is linear in the length of the text.
    """
    found: list[tuple[int, int]] = []
    start = 0
    for index in range(len(text)):
        if is_break(text, index):
            _add(found, text, start, index)
            start = index + 1
        elif index - start >= LIMIT:
            _add(found, text, start, index)
            start = index
    _add(found, text, start, len(text))
    return found


def is_break(text: str, index: int) -> bool:
    """Whether the character at `index` ends a clause."""
    sign = text[index]
    if sign.isalnum():
        return False
    before = text[index - 1] if index else ""
    after = text[index + 1] if index + 1 < len(text) else ""
    digit_before, digit_after = before.isdecimal(), after.isdecimal()
    if sign in JOINS_DIGITS:
        return not (digit_before and digit_after)
    if sign in NUMBERING and digit_before and not digit_after:
        return True
    if sign in STOPS or sign in BRACKETS:
        return True
    return sign not in LINKS and unicodedata.category(sign)[0] != "M"


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and not _solid(text[start]):
        start += 1
    while end > start and not _solid(text[end - 1]):
        end -= 1
    if start < end:
        found.append((start, end))


def _solid(sign: str) -> bool:
    return sign.isalnum() or sign in "%℃°"
