"""Vectors on disk: a folder of .npy shards that is read as one memory-mapped matrix. The cutoff before the search."""

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wokflow.frame.job import UserError
from wokflow.frame.tables import atomic_folder, write_text

Matrix = NDArray[np.float32]


class Vectors:
    """A float32 matrix of (rows, dimensions) whose rows are read from shards on demand."""

    def __init__(self, shards: Sequence[Matrix]) -> None:
        if not shards:
            raise ValueError("a matrix needs at least one shard")
        self._shards = shards
        self._starts = np.cumsum([0] + [len(shard) for shard in shards])
        self.dimensions = int(shards[0].shape[1])

    @classmethod
    def open(cls, folder: str | Path) -> "Vectors":
        return cls([np.load(path, mmap_mode="r") for path in sorted(Path(folder).glob("*.npy"))])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def rows(self, start: int, stop: int) -> Matrix:
        """A copy of the rows from `start` to before `stop`."""
        parts = [
            shard[max(start - first, 0) : max(stop - first, 0)]
            for first, shard in zip(self._starts, self._shards, strict=False)
        ]
        return np.ascontiguousarray(np.concatenate(parts))

    def take(self, rows: NDArray[np.integer]) -> Matrix:
        """A copy of the given rows, in that order."""
        out = np.empty((len(rows), self.dimensions), np.float32)
        which = np.searchsorted(self._starts, rows, side="right") - 1
        for number in np.unique(which):
            mine = which == number
            out[mine] = self._shards[number][rows[mine] - self._starts[number]]
        return out


def match_vectors(*, vectors: Sequence[str], data: str, digest: str) -> None:
    """Gather the shards `vectors` in the folder `data`, and write a digest of the numbers alone.

    The folder holds hard links to the shards, or copies where the file system has no links. Raises UserError where a
    vector is not finite.
    """
    total = hashlib.sha256()
    with atomic_folder(data) as temporary:
        for number, shard in enumerate(vectors):
            matrix = np.load(shard, mmap_mode="r")
            for start in range(0, len(matrix), 65_536):
                rows = matrix[start : start + 65_536]
                if not np.isfinite(rows).all():
                    raise UserError(
                        f"{shard}: a vector is not finite; embed again with match.embed.precision: float32"
                    )
                total.update(rows.tobytes())
            link = temporary / f"vectors-{number:05}.npy"
            try:
                os.link(shard, link)
            except OSError:
                shutil.copyfile(shard, link)
    write_text(digest, total.hexdigest() + "\n")
