"""The sizes of a Parquet file's pages, from their headers, since the sizes in an untrusted footer may be wrong.

A reader allocates memory by the headers of pages. These are structs in Thrift's compact protocol, which no Python
library exposes. (https://parquet.apache.org/docs/file-format/data-pages)
"""

from collections.abc import Iterator
from typing import IO, Any

import pyarrow.parquet as pq

TRUE, FALSE, BYTE, INTEGERS, DOUBLE, BINARY, STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, 12  # types of fields
UNCOMPRESSED, COMPRESSED, HEADERS = (
    2,
    3,
    (5, 7, 8),
)  # fields: bytes of a page, and headers with the number of values
DEPTH = 4  # structs in structs
WRITER = "parquet-cpp-arrow"  # with files of some other writers, readers read beyond the end of a column


def row_group_size(file: IO[bytes], stored: pq.FileMetaData, number: int) -> int:
    """Bytes of a row group's values in memory, at 8 bytes a value or more.

    Raises ValueError for invalid pages, and for pages that reach out of their column.
    """
    if not stored.created_by.startswith(WRITER):
        raise ValueError("another program has written it")
    group, total = stored.row_group(number), 0
    for leaf in range(stored.num_columns):
        column = group.column(leaf)
        start = column.data_page_offset
        if column.has_dictionary_page:
            start = min(start, column.dictionary_page_offset)
        pages = [*_pages(file, start, start + column.total_compressed_size)]
        total += max(sum(size for size, _ in pages), 8 * sum(values for _, values in pages))
    return total


def _pages(file: IO[bytes], start: int, end: int) -> Iterator[tuple[int, int]]:
    """(uncompressed bytes, number of values) of each page between two offsets."""
    if start < 0:
        raise ValueError("a column begins before its file")
    while start < end:
        file.seek(start)
        header = _struct(file, DEPTH)
        numbers: list[Any] = [header.get(UNCOMPRESSED), header.get(COMPRESSED)]
        numbers += [header[name].get(1) for name in HEADERS if isinstance(header.get(name), dict)]
        if len(numbers) != 3 or not all(isinstance(each, int) and each >= 0 for each in numbers):
            raise ValueError("a page does not say its size and its number of values, each once")
        size, stored, values = numbers
        start = file.tell() + stored
        yield size, values
    if start > end:
        raise ValueError("a page reaches out of its column")


def _struct(file: IO[bytes], depth: int) -> dict[int, Any]:
    """The numbers and structs in a struct, by field; other members are skipped. No page header has lists."""
    members: dict[int, Any] = {}
    field = 0
    while kind := _byte(file):
        field = field + (kind >> 4) if kind >> 4 else _integer(file)
        kind &= 15
        if kind in INTEGERS:
            members[field] = _integer(file)
        elif kind == STRUCT and depth:
            members[field] = _struct(file, depth - 1)
        elif kind in (BYTE, DOUBLE, BINARY):
            file.seek({BYTE: 1, DOUBLE: 8}.get(kind) or _varint(file), 1)
        elif kind not in (TRUE, FALSE):
            raise ValueError("a page begins with no header")
    return members


def _byte(file: IO[bytes]) -> int:
    read = file.read(1)
    if not read:
        raise ValueError("the file ends within a page")
    return read[0]


def _varint(file: IO[bytes]) -> int:
    value = 0
    for shift in range(0, 70, 7):
        byte = _byte(file)
        value |= (byte & 127) << shift
        if byte < 128:
            return value
    raise ValueError("a number of a page has no end")


def _integer(file: IO[bytes]) -> int:
    value = _varint(file)
    return (value >> 1) ^ -(value & 1)
