"""Arrays that grow at their end and lie in temporary files, not in memory."""

from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Spilled:
    """Rows of numbers in a temporary file without a name: it is gone when nobody holds it any more."""

    def __init__(self, folder: Path, kind: DTypeLike, width: int = 0) -> None:
        """`width` is the length of a row; 0: rows are single numbers."""
        self._kind, self._shape = np.dtype(kind), (width,) if width else ()
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    def add(self, rows: NDArray[Any]) -> None:
        self._file.write(np.ascontiguousarray(rows, self._kind).tobytes())
        self._rows += len(rows)

    def mapped(self) -> NDArray[Any]:
        """All rows so far; the system reads them from the file where they are used, and drops them at need."""
        shape = (self._rows, *self._shape)
        if not self._rows:
            return np.empty(shape, self._kind)
        self._file.flush()
        return np.memmap(self._file, self._kind, mode="r", shape=shape)
