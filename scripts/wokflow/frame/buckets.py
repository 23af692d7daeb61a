"""Rows that are too many for memory, sorted into ranges of a number and read again range by range."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pyarrow as pa

from wokflow.frame.leftovers import remove, remove_leftovers, temporary_name

LEAST, MOST = 1 << 16, 128  # values of a range; ranges, each of which holds a file open


@contextmanager
def scratch(path: Path) -> Iterator[Path]:
    """A temporary folder beside a file in the making. Those of processes that have provably ended are removed."""
    name = path.with_name(f"{path.name}.rows")
    remove_leftovers(name)
    folder = temporary_name(name)
    remove(folder)
    folder.mkdir()
    try:
        yield folder
    finally:
        remove(folder)


class Buckets:
    """Rows by ranges of `column`, whole numbers from 0 to before `values`; each range is a file in `folder`."""

    def __init__(self, folder: Path, column: str, values: int) -> None:
        self._column, self._width = column, max(LEAST, -(-values // MOST))
        self._folder = folder
        self._files: dict[int, pa.ipc.RecordBatchStreamWriter] = {}
        folder.mkdir()

    def add(self, rows: pl.DataFrame) -> None:
        """Add rows, all of the same columns; not after the first reading."""
        for key, some in rows.group_by(pl.col(self._column) // self._width):
            number, table = int(key[0]), some.to_arrow()
            if number not in self._files:
                self._files[number] = pa.ipc.new_stream(self._path(number), table.schema)
            self._files[number].write_table(table)

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """The rows of each range that has any, in the order of ranges."""
        for file in self._files.values():
            file.close()
        for number in sorted(self._files):
            with pa.OSFile(str(self._path(number))) as file, pa.ipc.open_stream(file) as stream:
                yield pl.DataFrame(pl.from_arrow(stream.read_all()))

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:03}.arrow"
