"""Bytes to records: blocks that begin and end between records, damaged lines marked, one row a record.

A reader module a source (recipenlg, xiachufang) knows what a record looks like; all share the signature
`read(lines) -> records`. Each has two roads to the same result: a vectorised one for records in strict form, and
a plain one, in Python, for the rest, which decides whether there is a recipe in it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import polars as pl

from wokflow.ingest.stream import Truncated, chunks

LIMIT = 32 << 20  # bytes that may wait for the end of a record
MAX_LINE = 16 << 20  # bytes of one line; a longer one is cut and rejected

RECORDS = {
    "raw": pl.String,
    "title": pl.String,
    "ingredients": pl.List(pl.String),
    "steps": pl.List(pl.String),
    "dish": pl.String,
    "url": pl.String,
    "reason": pl.String,
    "detail": pl.String,
}


class Reject(Exception):
    """A record that is no recipe: (reason code, detail)."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class Lines(NamedTuple):
    """The lines of a block without their ends, and what is wrong with the bytes of some (else null)."""

    text: pl.Series
    damage: dict[int, Reject]


@dataclass(frozen=True)
class Block:
    """Whole records, the share of the file (0 to 1) at which they begin, and an error that ends the file."""

    data: bytes
    position: float
    error: str | None = None


def blocks(path: str | Path, start: re.Pattern[bytes], size: int) -> Iterator[Block]:
    """Cut a source into blocks of about `size` bytes, each beginning with a line that matches `start`.

    `start` is matched just behind a newline; it must hold for lines that are certainly the first of a record, so
    that what a block holds does not depend on where the cuts fall.
    """
    waiting = bytearray()
    position, begin = 0.0, 0.0
    error = None
    try:
        for chunk, position in chunks(path):
            waiting += chunk
            while len(waiting) >= size:
                cut = _last_start(waiting, start)
                if not cut and len(waiting) > LIMIT:
                    cut = waiting.rfind(b"\n") + 1 or len(waiting)
                if not cut:
                    break
                yield Block(bytes(waiting[:cut]), begin)
                del waiting[:cut]
                begin = position
    except Truncated as truncated:
        error = str(truncated)
    if waiting or error:
        yield Block(bytes(waiting), begin, error)


def _last_start(data: bytearray, start: re.Pattern[bytes]) -> int:
    """Where the last line of `data` that is known whole and matches `start` begins; 0 if there is none."""
    end = len(data)
    while (end := data.rfind(b"\n", 0, end)) > 0:
        begin = data.rfind(b"\n", 0, end) + 1
        if begin and start.match(data[begin : end + 1]):
            return begin
    return 0


def lines(data: bytes) -> Lines:
    """Split into lines; bytes that are no UTF-8, NUL bytes and overlong lines are marked, not hidden."""
    data = data.removesuffix(b"\n")
    try:
        text = data.decode()
        if "\0" not in text and len(data) <= MAX_LINE:
            return Lines(_series(data), {})
    except UnicodeDecodeError:
        pass
    damage: dict[int, Reject] = {}
    texts = []
    for number, line in enumerate(data.split(b"\n")):
        if len(line) > MAX_LINE:
            damage[number] = Reject("oversized_row", f"{len(line)} bytes; the longest allowed is {MAX_LINE}")
            line = line[:1000]
        try:
            text = line.decode()
            if "\0" in text:
                damage[number] = Reject("nul_byte", f"{text.count(chr(0))} NUL bytes")
        except UnicodeDecodeError as error:
            damage.setdefault(number, Reject("invalid_utf8", f"byte {error.start} of the line: {error.reason}"))
            text = line.decode(errors="backslashreplace")
        texts.append(text.removesuffix("\r"))
    return Lines(pl.Series("raw", texts, pl.String), damage)


def _series(data: bytes) -> pl.Series:
    import io

    if not data:
        return pl.Series("raw", [""], pl.String)
    return pl.read_lines(io.BytesIO(data)).to_series().rename("raw").str.strip_suffix("\r")


def rejected(raw: str, reject: Reject) -> dict[str, str | None]:
    return {"raw": raw, "reason": reject.reason, "detail": reject.detail or None}


def frame(rows: list[dict[str, object]]) -> pl.DataFrame:
    """Rows of the slow road as records; absent columns are null."""
    return pl.DataFrame(rows, schema=RECORDS, orient="row")


def strings(value: object, field: str) -> list[str]:
    """`value` if it is a list of strings, None in it left out; raises Reject otherwise."""
    if not isinstance(value, list):
        raise Reject("bad_list", f"{field} is no list")
    kept = [item for item in value if item is not None]
    for item in kept:
        text(item, field)
    return kept


def text(value: object, field: str) -> str:
    """`value` if it is a string that can be stored; raises Reject otherwise."""
    if not isinstance(value, str):
        raise Reject("wrong_type", f"{field} is {type(value).__name__}, not text")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise Reject("invalid_utf8", f"{field} holds half a surrogate pair")
    return value
