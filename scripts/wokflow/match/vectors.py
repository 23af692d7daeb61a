"""Vectors on disk: a folder of .npy shards that is read as one matrix, memory-mapped."""

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wokflow.job import UserError
from wokflow.tables import atomic_folder, write_text

Matrix = NDArray[np.float32]


class Vectors:
    """A matrix of (rows, dimensions) in float32 whose rows are read from shards when they are asked for."""

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
        """A copy of rows start..stop in memory."""
        parts = [
            shard[max(start - first, 0) : max(stop - first, 0)]
            for first, shard in zip(self._starts, self._shards, strict=False)
        ]
        return np.ascontiguousarray(np.concatenate(parts))

    def take(self, rows: NDArray[np.integer]) -> Matrix:
        """A copy of the rows named, in that order."""
        out = np.empty((len(rows), self.dimensions), np.float32)
        which = np.searchsorted(self._starts, rows, side="right") - 1
        for number in np.unique(which):
            mine = which == number
            out[mine] = self._shards[number][rows[mine] - self._starts[number]]
        return out


def match_vectors(shards: Sequence[str], folder: str, digest: str) -> None:
    """Gather shards into one folder without copying, and a digest of the numbers alone.

    The folder holds hard links to the shards (copies, where the file system has none). Raises UserError where
    vectors are not finite.
    """
    total = hashlib.sha256()
    with atomic_folder(folder) as temporary:
        for number, shard in enumerate(shards):
            vectors = np.load(shard, mmap_mode="r")
            for start in range(0, len(vectors), 65_536):
                rows = vectors[start : start + 65_536]
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
