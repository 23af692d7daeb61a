"""Bytes to records: blocks that begin and end between records, damaged lines marked, one row a record.

A reader module a source (recipenlg, xiachufang) knows what a record looks like; all share the signature
`read(lines) -> records`. Each has two roads to the same result: a vectorised one for records in strict form,
and a plain one, in Python, for the rest, which decides whether there is a recipe in it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from wokflow.ingest.stream import Truncated, chunks

LIMIT = 32 << 20  # bytes that may wait for the end of a record
MAX_LINE = 16 << 20  # bytes of one line; a longer one is cut and rejected
WINDOW = 1 << 14  # bytes searched at once for the beginning of a record

# A JSON string in strict form; surrogates only in pairs.
_ESCAPES = (
    r'\\["\\/bfnrt]',
    r"\\u(?:[0-9abcefABCEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})",
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}",
)
JSON_ESCAPE = "|".join(_ESCAPES)
JSON_STRING = rf'"(?:[^"\\\x00-\x1f]|{JSON_ESCAPE})*"'
_SURROGATE = re.compile("[\ud800-\udfff]")

RECORDS = pl.Schema(
    {
        "raw": pl.String(),
        "title": pl.String(),
        "ingredients": pl.List(pl.String()),
        "steps": pl.List(pl.String()),
        "dish": pl.String(),
        "url": pl.String(),
        "reason": pl.String(),
        "detail": pl.String(),
        "plain": pl.Boolean(),  # where it is certain that there is nothing to clean
    }
)
Row = dict[str, object]


class Reject(Exception):  # noqa: N818
    """A record that is no recipe: (reason code, detail)."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class Lines(NamedTuple):
    """The lines of a block: as bytes, one by one, and what is wrong with the bytes of some (by line number)."""

    data: bytes
    text: pl.Series
    damage: dict[int, Reject]

    def joined(self) -> bytes:
        """The lines one by one, joined again."""
        return joined(self.text) if b"\r" in self.data else self.data


@dataclass(frozen=True)
class Block:
    """Whole records, the share of the file (0 to 1) at which they begin, and an error that ends the file."""

    data: bytes
    position: float
    error: str | None = None


def blocks(path: str | Path, start: re.Pattern[bytes], size: int) -> Iterator[Block]:
    """Cut a source into blocks of about `size` bytes, each beginning with a line that matches `start`.

    `start` must match whole lines, and only such as are certainly the first of a record: what is a record
    then does not depend on where the cuts fall. Behind LIMIT bytes without one, a cut falls after any line.
    """
    size = min(size, LIMIT)
    waiting: list[bytes] = []
    begin = 0.0
    searched = 0  # no line before this place, but perhaps the first, matches
    error = None
    try:
        for piece, share in _pieces(_trimmed(chunks(path)), size):
            waiting.append(piece)
            while sum(map(len, waiting)) >= size and (cut := _cut(waiting, start, searched)):
                yield Block(_take(waiting, cut), begin)
                begin, searched = share, 0
            if (length := sum(map(len, waiting))) >= size and b"\n" in piece:
                searched = length - len(piece) + piece.rfind(b"\n") + 1
    except Truncated as truncated:
        error = str(truncated)
    if waiting or error:
        yield Block(b"".join(waiting), begin, error)


def _trimmed(stream: Iterator[tuple[bytes, float]]) -> Iterator[tuple[bytes, float]]:
    """Leave out what of a line is beyond MAX_LINE, but for a byte that tells; no chunk may be that long."""
    length = 0  # of the line that goes on from chunk to chunk
    for chunk, share in stream:
        end = chunk.find(b"\n")
        rest = end if end >= 0 else len(chunk)
        if length + rest > MAX_LINE + 1:
            chunk = chunk[: max(MAX_LINE + 1 - length, 0)] + chunk[rest:]
        length = length + rest if end < 0 else len(chunk) - chunk.rfind(b"\n") - 1
        if chunk:
            yield chunk, share


def _pieces(stream: Iterator[tuple[bytes, float]], size: int) -> Iterator[tuple[bytes, float]]:
    """Chunks in pieces of at most `size` bytes, each with the share of the file read at its end."""
    before = 0.0
    for chunk, share in stream:
        for begin in range(0, len(chunk), size):
            end = min(begin + size, len(chunk))
            yield chunk[begin:end], before + (share - before) * end / len(chunk)
        before = share


def _cut(waiting: list[bytes], start: re.Pattern[bytes], searched: int) -> int:
    """Where the last record of what waits begins, as far as that is certain; 0 if more must be read first."""
    length, last = sum(map(len, waiting)), waiting[-1]
    if length <= LIMIT and (cut := _last_start(last, start, last.find(b"\n") + 1, len(last))):
        return length - len(last) + cut
    data = b"".join(waiting)
    cut = _last_start(data, start, searched, min(length, LIMIT))
    if not cut and length >= LIMIT:
        cut = data.rfind(b"\n", 0, LIMIT) + 1 or LIMIT
    return cut


def _take(waiting: list[bytes], size: int) -> bytes:
    """Remove the first `size` bytes of what waits, and return them: copied once, for they are many."""
    taken = []
    while size:
        piece = waiting.pop(0)
        if len(piece) > size:
            waiting.insert(0, piece[size:])
        taken.append(piece[:size])
        size -= len(taken[-1])
    return b"".join(taken)


def _last_start(data: bytes, start: re.Pattern[bytes], searched: int, end: int) -> int:
    """Where the last line between `searched` and `end` that matches `start` begins; 0 if there is none."""
    end = data.rfind(b"\n", searched, end) + 1
    while end > searched:
        begin = max(data.rfind(b"\n", searched, max(end - WINDOW, searched)) + 1, searched)
        cut = max((match.start() for match in start.finditer(data, begin, end)), default=0)
        if cut:
            return cut
        end = begin
    return 0


def lines(data: bytes) -> Lines:
    """Split into lines; bytes that are no UTF-8, NUL bytes and overlong lines are marked, not hidden."""
    damage: dict[int, Reject] = {}
    text = _split(data) if len(data) <= MAX_LINE else None
    if text is None:
        data, damage = _mended(data)
        text = _split(data)
        assert text is not None
    if b"\0" in data:
        for number in text.str.contains("\0", literal=True).arg_true():
            damage.setdefault(number, Reject("nul_byte", f"{text[number].count(chr(0))} NUL bytes"))
    return Lines(data, text, damage)


def _split(data: bytes) -> pl.Series | None:
    """Lines, without the CR that one may end with; None where there is invalid UTF-8 in one."""
    try:
        return pl.read_lines(data).to_series().rename("raw")
    except pl.exceptions.ComputeError:
        return None


def _mended(data: bytes) -> tuple[bytes, dict[int, Reject]]:
    """The same lines, but overlong ones cut and bytes that are no UTF-8 as \\xNN; and which lines these were."""
    damage: dict[int, Reject] = {}
    pieces, begin, number = [], 0, 0
    while begin < len(data):  # in pieces of whole lines, most of which need no second look
        end = data.find(b"\n", begin + WINDOW) + 1 or len(data)
        piece = data[begin:end]
        if len(piece) > MAX_LINE or not _is_utf8(piece):
            some = piece.split(b"\n")
            piece = b"\n".join(_mended_line(line, number + place, damage) for place, line in enumerate(some))
        pieces.append(piece)
        number += piece.count(b"\n")
        begin = end
    return b"".join(pieces), damage


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _mended_line(line: bytes, number: int, damage: dict[int, Reject]) -> bytes:
    if len(line) > MAX_LINE:
        damage[number] = Reject("oversized_row", f"longer than {MAX_LINE} bytes")
        line = line[:1000]
    try:
        line.decode()
    except UnicodeDecodeError as error:
        detail = f"byte {error.start} of the line: {error.reason}"
        damage.setdefault(number, Reject("invalid_utf8", detail))
    return line.decode(errors="backslashreplace").encode()


def joined(text: pl.Series) -> bytes:
    """Lines, joined, without a detour by way of Python's strings."""
    return bytes(text.str.join("\n").to_arrow()[0].as_buffer())


def rejected(raw: str, reject: Reject) -> Row:
    return {"raw": raw, "reason": reject.reason, "detail": reject.detail or None}


def frame(rows: list[Row]) -> pl.DataFrame:
    """Rows of the slow road as records; absent columns are null."""
    return pl.DataFrame(rows, schema=RECORDS, orient="row")


def items(lists: pl.Series) -> pl.Series:
    """The strings in lists, one after the other; a null is an empty list."""
    return lists.explode(empty_as_null=False, keep_nulls=False)


def lengths(lists: pl.Series) -> NDArray[np.int64]:
    """Number of entries of each list; a null is an empty list."""
    return lists.list.len().fill_null(0).to_numpy().astype(np.int64)


def relisted(entries: pl.Series, sizes: NDArray[np.int64], kept: pl.Series | None = None) -> pl.Series:
    """Lists of `sizes`, of `entries` in order, without those that are not `kept`."""
    if kept is not None and not kept.all():
        owner = np.repeat(np.arange(len(sizes)), sizes)
        entries, sizes = entries.filter(kept), np.bincount(owner[kept.to_numpy()], minlength=len(sizes))
    values = entries.to_arrow(compat_level=pl.CompatLevel.newest())  # views: the strings are not copied
    ends = pl.Series(np.concatenate([[0], np.cumsum(sizes)]), dtype=pl.Int64)
    # pa.array would load pandas to make an array of numpy's
    lists = pl.from_arrow(pa.LargeListArray.from_arrays(ends.to_arrow(), values))
    assert isinstance(lists, pl.Series)
    return lists


def parse(json_text: str) -> object:
    """What `json_text` holds. Raises ValueError where it is no JSON, or nested too deeply."""
    try:
        return json.loads(json_text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def strings(value: object, field: str) -> list[str]:
    """`value` if it is a list of strings, None in it left out; raises Reject otherwise."""
    if not isinstance(value, list):
        raise Reject("bad_list", f"{field} is {type(value).__name__}, not a list")
    kept = [item for item in value if item is not None]
    for item in kept:
        if not isinstance(item, str):
            raise Reject("bad_list", f"{field} holds {type(item).__name__}, not only text")
        text(item, field)
    return kept


def text(value: object, field: str) -> str:
    """`value` if it is a string that can be stored; raises Reject otherwise."""
    if not isinstance(value, str):
        raise Reject("wrong_type", f"{field} is {type(value).__name__}, not text")
    if _SURROGATE.search(value):
        raise Reject("invalid_utf8", f"{field} holds half a surrogate pair")
    return value
