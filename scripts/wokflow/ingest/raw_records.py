"""Records from bytes: blocks that begin and end between records, damaged lines marked, one row a record.

Each corpus has a reader module (recipenlg, xiachufang, counterfactual) that knows the form of its records; all share
the signature `read(lines) -> records`. Readers have two code paths with the same result: a vectorised one for records
in strict form, and one in Python for the rest, which decides whether a record is a recipe.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from wokflow.ingest.stream import Truncated, chunks

LIMIT = 32 << 20  # bytes that are held back, at most, until the start of a record is found
MAX_LINE = 16 << 20  # bytes of one line; a longer one is cut and rejected
WINDOW = 1 << 14  # bytes that are searched at once for the start of a record
# What may stand before a table's first line: a byte order mark, empty lines, and the separator, as Excel takes it.
# Lines of JSON keep theirs, since rejects name their numbers.
_PREAMBLE = re.compile(
    rb'\A(?:\xef\xbb\xbf)?(?:[ \t]*+\r?\n)*+(?:"?sep=[^\r\n]"?[,;|\t]*+\r?\n)?+(?!\s*+[{\[])', re.IGNORECASE
)

# A JSON string in strict form; surrogates only in pairs.
_ESCAPES = (
    r'\\["\\/bfnrt]',
    r"\\u(?:[0-9abcefABCEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})",
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}",
)
JSON_ESCAPE = "|".join(_ESCAPES)
JSON_STRING = rf'"(?:[^"\\\x00-\x1f]|{JSON_ESCAPE})*"'
LIKE_COMPRESSED = (b"\x1f\x8b", b"x\x01", b"x\x9c", b"x\xda", b"\x28\xb5\x2f\xfd")  # gzip, zlib, Zstandard
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
        "plain": pl.Boolean(),  # true where the record certainly needs no cleaning
    }
)
Row = dict[str, object]


class Reject(Exception):  # noqa: N818
    """A record that is no recipe, with a code of schemas.REASONS and a detail."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class Lines(NamedTuple):
    """The lines of a block: as bytes, one by one, and the damaged ones by line number."""

    data: bytes
    text: pl.Series
    damage: dict[int, Reject]

    def joined(self) -> bytes:
        """The lines of `text` as bytes: without the CR at the end of a line."""
        return joined(self.text) if b"\r" in self.data else self.data


class Reader(Protocol):
    """The interface of a corpus's reader module."""

    @property
    def LANG(self) -> str: ...  # noqa: N802

    @property
    def START(self) -> re.Pattern[bytes] | Callable[[bytes], int]:  # noqa: N802
        """A pattern of lines that certainly begin a record; or a function for the end of the last whole one."""
        ...

    def is_header(self, line: str) -> bool: ...

    def is_whole(self, raw: str) -> bool: ...

    def read(self, lines: Lines) -> pl.DataFrame: ...


@dataclass(frozen=True)
class Block:
    """Whole records, their position in the file (0 to 1), and the error with which the file ends, if any."""

    data: bytes
    position: float
    error: str | None = None


def blocks(path: str | Path, start: re.Pattern[bytes] | Callable[[bytes], int], size: int) -> Iterator[Block]:
    """Cut a source into blocks of about `size` bytes, each beginning with a line that matches `start`.

    `start` must match whole lines that certainly begin a record, so that records do not depend on the cuts. It may
    also be a function that finds the end of the last whole record. After LIMIT bytes without such a line, a block
    ends after any line.
    """
    size = min(size, LIMIT)
    waiting: list[bytes] = []
    begin = 0.0
    searched = 0  # everything before this offset has been searched, apart from the first line
    error = None
    try:
        for piece, share in _pieces(_trimmed(text_chunks(path)), size):
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


def text_chunks(path: str | Path) -> Iterator[tuple[bytes, float]]:
    """What `chunks` yields, of a table from the first line on that is more than a separator's name (sep=;).

    Where the first line ends with a CR alone, as on old Macs, every CR is a newline.
    """
    stream = chunks(path)
    for chunk, share in stream:
        ending = re.search(rb"\r\n?|\n", chunk)
        alone = ending is not None and ending[0] == b"\r" and ending.end() < len(chunk)
        yield _PREAMBLE.sub(b"", chunk.replace(b"\r", b"\n") if alone else chunk), share
        break
    else:
        return
    for chunk, share in stream:
        yield chunk.replace(b"\r", b"\n") if alone else chunk, share


def _trimmed(stream: Iterator[tuple[bytes, float]]) -> Iterator[tuple[bytes, float]]:
    """Cut lines after MAX_LINE + 1 bytes: the extra byte shows that they were longer. Chunks must be shorter."""
    length = 0  # of the line that the chunk begins in
    for chunk, share in stream:
        end = chunk.find(b"\n")
        rest = end if end >= 0 else len(chunk)
        if length + rest > MAX_LINE + 1:
            chunk = chunk[: max(MAX_LINE + 1 - length, 0)] + chunk[rest:]
        length = length + rest if end < 0 else len(chunk) - chunk.rfind(b"\n") - 1
        if chunk:
            yield chunk, share


def _pieces(stream: Iterator[tuple[bytes, float]], size: int) -> Iterator[tuple[bytes, float]]:
    """Chunks cut into pieces of at most `size` bytes, each with the share of the file read at its end."""
    before = 0.0
    for chunk, share in stream:
        for begin in range(0, len(chunk), size):
            end = min(begin + size, len(chunk))
            yield chunk[begin:end], before + (share - before) * end / len(chunk)
        before = share


def _cut(waiting: list[bytes], start: re.Pattern[bytes] | Callable[[bytes], int], searched: int) -> int:
    """Offset of the last certain start of a record in the waiting bytes; 0 if more must be read first."""
    length, last = sum(map(len, waiting)), waiting[-1]
    if callable(start):
        return start(b"".join(waiting))
    if length <= LIMIT and (cut := _last_start(last, start, last.find(b"\n") + 1, len(last))):
        return length - len(last) + cut
    data = b"".join(waiting)
    cut = _last_start(data, start, searched, min(length, LIMIT))
    if not cut and length >= LIMIT:
        cut = data.rfind(b"\n", 0, LIMIT) + 1 or LIMIT
    return cut


def _take(waiting: list[bytes], size: int) -> bytes:
    """Remove the first `size` waiting bytes and return them, copied only once."""
    taken = []
    while size:
        piece = waiting.pop(0)
        if len(piece) > size:
            waiting.insert(0, piece[size:])
        taken.append(piece[:size])
        size -= len(taken[-1])
    return b"".join(taken)


def _last_start(data: bytes, start: re.Pattern[bytes], searched: int, end: int) -> int:
    """Offset of the last line between `searched` and `end` that matches `start`; 0 if there is none."""
    end = data.rfind(b"\n", searched, end) + 1
    while end > searched:
        begin = max(data.rfind(b"\n", searched, max(end - WINDOW, searched)) + 1, searched)
        cut = max((match.start() for match in start.finditer(data, begin, end)), default=0)
        if cut:
            return cut
        end = begin
    return 0


def lines(data: bytes) -> Lines:
    """Split into lines, and mark those that are overlong, not UTF-8, or hold NUL bytes."""
    damage: dict[int, Reject] = {}
    text = _split(data) if len(data) <= MAX_LINE else None
    if text is None:
        data, damage = _repaired(data)
        text = _split(data)
        assert text is not None
    if b"\0" in data:
        for number in text.str.contains("\0", literal=True).arg_true():
            damage.setdefault(number, Reject("nul_byte", f"{text[number].count(chr(0))} NUL bytes"))
    return Lines(data, text, damage)


def _split(data: bytes) -> pl.Series | None:
    """Lines without the CR at their end; None where the data are not valid UTF-8."""
    compressed = data.startswith(
        LIKE_COMPRESSED
    )  # polars would decompress it: not if a line's end comes first
    try:
        text = pl.read_lines(b"\n" + data if compressed else data).to_series().rename("raw")
        return text[1:] if compressed else text
    except pl.exceptions.ComputeError:
        return None


def _repaired(data: bytes) -> tuple[bytes, dict[int, Reject]]:
    """The data with overlong lines cut and invalid UTF-8 written as \\xNN, and the damage by line number."""
    damage: dict[int, Reject] = {}
    pieces, begin, number = [], 0, 0
    while begin < len(data):  # in pieces of whole lines, most of which are valid
        end = data.find(b"\n", begin + WINDOW) + 1 or len(data)
        piece = data[begin:end]
        if len(piece) > MAX_LINE or not is_utf8(piece):
            split = piece.split(b"\n")
            piece = b"\n".join(
                _repaired_line(line, number + place, damage) for place, line in enumerate(split)
            )
        pieces.append(piece)
        number += piece.count(b"\n")
        begin = end
    return b"".join(pieces), damage


def is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8; a character cut off at the end is not."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _repaired_line(line: bytes, number: int, damage: dict[int, Reject]) -> bytes:
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
    """Lines joined by newlines, without making Python strings of them."""
    return bytes(text.str.join("\n").to_arrow()[0].as_buffer())


def rejected(raw: str, reject: Reject) -> Row:
    return {"raw": raw, "reason": reject.reason, "detail": reject.detail or None}


def frame(rows: list[Row]) -> pl.DataFrame:
    """Rows that were parsed in Python, as a frame of records; absent columns are null."""
    return pl.DataFrame(rows, schema=RECORDS, orient="row")


def items(lists: pl.Series) -> pl.Series:
    """The strings of all lists in order; a null counts as an empty list."""
    return lists.explode(empty_as_null=False, keep_nulls=False)


def lengths(lists: pl.Series) -> NDArray[np.int64]:
    """Number of entries of each list; a null counts as an empty list."""
    return lists.list.len().fill_null(0).to_numpy().astype(np.int64)


def relisted(entries: pl.Series, sizes: NDArray[np.int64], kept: pl.Series | None = None) -> pl.Series:
    """Lists of the given sizes, filled with `entries` in order; entries outside the mask `kept` are left out."""
    if kept is not None:
        owner = np.repeat(np.arange(len(sizes)), sizes)
        entries, sizes = entries.filter(kept), np.bincount(owner[kept.to_numpy()], minlength=len(sizes))
    values = entries.to_arrow(compat_level=pl.CompatLevel.newest())  # string views, which are not copied
    ends = pl.Series(np.concatenate([[0], np.cumsum(sizes)]), dtype=pl.Int64)
    # by way of polars, as pa.array would import pandas for a numpy array
    lists = pl.from_arrow(pa.LargeListArray.from_arrays(ends.to_arrow(), values))
    assert isinstance(lists, pl.Series)
    return lists


def parse(json_text: str, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> object:
    """The value of a JSON text; `pairs` makes its objects. Raises ValueError where it is not JSON, or nested too
    deeply.
    """
    try:
        return json.loads(json_text, object_pairs_hook=pairs)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def strings(value: object, field: str) -> list[str]:
    """`value` without its nulls if it is a list of strings; raises Reject otherwise."""
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
