"""Lines of JSON as records; lines without a JSON object are rejects."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.ingest.raw_records import MAX_LINE, Reject, text_chunks
from wokflow.ingest.schemas import REJECTS
from wokflow.ingest.stream import Truncated

RAW = 10_000  # characters of a reject that are kept
BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line by its number in the file, from 0, and the object that it holds."""

    number: int
    raw: str
    record: Mapping[str, Any]


class Rejects:
    """The rows of a table of rejects."""

    def __init__(self, corpus: str) -> None:
        self.corpus = corpus
        self.rows: list[tuple[str, int, str, str | None, str]] = []

    def add(self, line: Line, reject: Reject) -> None:
        self.rows.append((self.corpus, line.number, reject.reason, reject.detail or None, line.raw[:RAW]))

    def most(self) -> str:
        """The most frequent reason and its first row, for an error; empty if there is none."""
        if not self.rows:
            return ""
        ((reason, count),) = Counter(row[2] for row in self.rows).most_common(1)
        row = next(row for row in self.rows if row[2] == reason)
        return f", {count} for {reason}: first line {row[1] + 1}, {row[3] or row[4][:80]}"

    def write(self, path: str, metadata: Mapping[str, str]) -> None:
        rows = sorted(self.rows, key=lambda row: row[1])
        tables.write(path, REJECTS, rows, metadata)


def read_lines(path: str, left: Rejects, key: str) -> Iterator[Line]:
    """The lines that hold a JSON object. Blank lines are skipped, and all others become rejects.

    Raises UserError, which names the config's `key`, where the file is cut off or damaged.
    """
    for number, (data, is_whole) in enumerate(_lines(path, key)):
        if not data.strip():
            continue
        raw = data.decode(errors="backslashreplace")
        line = Line(number, raw, {})
        try:
            yield line._replace(record=_object(data))
        except Reject as reject:
            if not is_whole:
                raise UserError(
                    f"{key}: {path} is cut off in line {number + 1}: {reject.detail or reject.reason}. Fetch it "
                    "again."
                ) from reject
            left.add(line, reject)


def field(record: Mapping[str, Any], names: Sequence[str]) -> str:
    """The text of the member that has one of these names. Raises Reject if there is none, or if it is not a text."""
    name = next((name for name in names if name in record), None)
    if name is None:
        raise Reject("missing_field", names[0])
    value = record[name]
    if not isinstance(value, str):
        raise Reject("wrong_type", f"{name}: {value!r:.80}")
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise Reject("invalid_utf8", name)
    return value


def _lines(path: str, key: str) -> Iterator[tuple[bytes, bool]]:
    """The lines, each with whether it has an end."""
    rest, begun = b"", False
    try:
        for chunk, _ in text_chunks(path):
            data = chunk if begun or rest else chunk.removeprefix(BOM)
            *complete, rest = (rest + data).split(b"\n")
            begun = True
            yield from ((line, True) for line in complete)
            if len(rest) > MAX_LINE:
                raise UserError(
                    f"{key}: {path} has a line of more than {MAX_LINE >> 20} MiB. A line must be one JSON object."
                )
    except Truncated as damage:
        raise UserError(f"{key}: {path} is cut off or damaged: {damage}. Fetch the file again.") from damage
    yield rest, False


def _object(data: bytes) -> Mapping[str, Any]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise Reject("invalid_utf8") from None
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Reject("broken_record", str(error)) from None
    if not isinstance(record, dict):
        raise Reject("broken_record", f"no object: {text[:80]}")
    return record
