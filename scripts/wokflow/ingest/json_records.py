"""Records of a file that is one array of JSON, in bounded memory."""

import io
import re
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from wokflow.ingest.stream import Truncated

Stream = Iterator[tuple[bytes, float]]  # bytes, and the share of the file that was read so far
DIGITS = sys.int_info.default_max_str_digits  # of a whole number that Python reads, at most
SHOWN = 200  # characters of the parser's message, which may hold a whole number
_TOO_MANY = re.compile(rb"(?<![0-9])[0-9]{%d}" % (DIGITS + 1))


def records(opened: Callable[[], Stream]) -> Iterator[tuple[float, Any]]:
    """The records of a JSON array, one by one, each after its position in the file, 0 to 1.

    `opened` gives the file's stream, from its beginning. Raises Truncated where the file is cut off or broken.
    ijson's C library crashes on a number of more than DIGITS digits. From such a run of digits, which a text may
    hold, its Python one reads the file, thirteen times as slow.
    """
    import ijson
    from ijson.backends import python

    done = 0
    try:
        stream = _File(_short_numbers(opened()))
        try:
            for record in ijson.items(stream, "item"):
                done += 1
                yield stream.position, record
        except _LongRun:
            stream = _File(opened())
            for record in islice(python.items(stream, "item"), done, None):
                yield stream.position, record
    except (ijson.JSONError, ValueError) as error:  # one escape of half a character stops the parser
        raise Truncated(f"its JSON is cut off or broken: {str(error)[:SHOWN]}") from error


class _LongRun(Exception):  # noqa: N818
    """A run of more than DIGITS digits."""


def _short_numbers(stream: Stream) -> Stream:
    """The stream. Raises _LongRun before a part with more than DIGITS digits in a row."""
    before = b""
    for data, share in stream:
        if _TOO_MANY.search(before + data):
            raise _LongRun
        before = (before + data)[-DIGITS - 1 :]
        yield data, share


class _File:
    """A stream as a file object, for parsers."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._rest = b""
        self.position = 0.0

    def read(self, size: int = -1) -> bytes:
        out = io.BytesIO()
        while size < 0 or out.tell() < size:
            if not self._rest:
                self._rest, self.position = next(self._stream, (b"", self.position))
                if not self._rest:
                    break
            wanted = len(self._rest) if size < 0 else size - out.tell()
            out.write(self._rest[:wanted])
            self._rest = self._rest[wanted:]
        return out.getvalue()
