"""Parts of a table in the order of its source: a row's position in the file decides its part."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import polars as pl
import pyarrow as pa

from wokflow.frame.tables import ROWS_READ, PartWriter


class Parts:
    """The parts of a table; rows come in order of their position (0 to 1) in the source."""

    def __init__(
        self, stack: ExitStack, paths: Sequence[str], schema: pa.Schema, metadata: Mapping[str, str]
    ) -> None:
        self.count = len(paths)
        stack.push(partial(_remove_others, [Path(path) for path in paths]))  # runs when all are written
        self._writers = [stack.enter_context(PartWriter(path, schema, metadata)) for path in paths]
        self._at = 0

    def note_rows(self, read: int) -> None:
        """Note in each part how many rows the source has, so that rows that get lost later are missed."""
        for writer in self._writers:
            writer.note({ROWS_READ.decode(): str(read)})

    def write(self, position: float, rows: pl.DataFrame) -> None:
        if rows.height:
            before, self._at = self._at, min(int(position * self.count), self.count - 1)
            if before != self._at:  # a complete part goes to disk while other threads work
                self._writers[before].to_disk()
            self._writers[self._at].write(rows)


def _remove_others(paths: Sequence[Path], error: type[BaseException] | None, *_: object) -> None:
    """Remove the parts of an earlier run that wrote more: who reads the folder would have their rows twice."""
    if error is None:
        for path in {*paths[0].parent.glob("part-[0-9]*.parquet")} - {*paths}:
            path.unlink()
