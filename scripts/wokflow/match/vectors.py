"""Vectors on disk: a folder of .npy shards that is read as one matrix. The cutoff before the search."""

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wokflow.frame.job import UserError
from wokflow.frame.shards import blocks
from wokflow.frame.tables import atomic_folder, write_text

BLOCK = 65_536  # rows that are checked at a time

Matrix = NDArray[np.float32]


class Stored:
    """The rows of a .npy file, which is read and not mapped, so that its pages do not count as a job's memory."""

    def __init__(self, path: str | Path) -> None:
        mapped = np.load(path, mmap_mode="r")
        if mapped.dtype != np.float32 or mapped.ndim != 2 or not mapped.flags.c_contiguous:
            raise ValueError(f"{path} is no matrix of float32 by rows")
        self.shape: tuple[int, int] = mapped.shape
        self._path, self._begin, self._width = Path(path), mapped.offset, mapped.strides[0]

    def read(self, start: int, out: Matrix) -> None:
        """Fill `out` with the rows from `start` on."""
        with self._path.open("rb", buffering=0) as file:
            self._fill(file.fileno(), start, out)

    def take(self, rows: NDArray[np.integer]) -> Matrix:
        """A copy of the given rows, in that order."""
        out = np.empty((len(rows), self.shape[1]), np.float32)
        width, places = self._width, np.frombuffer(out, np.uint8).data
        with self._path.open("rb", buffering=0) as file:
            number = file.fileno()
            for place, row in enumerate(rows.tolist()):
                room = places[place * width : (place + 1) * width]
                if os.preadv(number, [room], self._begin + row * width) < width:
                    self._fill(number, row, out[place : place + 1])
        return out

    def _fill(self, file: int, start: int, out: Matrix) -> None:
        at, room = self._begin + start * self._width, out.data.cast("B")
        while room:
            count = os.preadv(file, [room], at)
            if not count:
                raise UserError(f"{self._path} was cut off: run again with --forcerun match_embed")
            at, room = at + count, room[count:]


class Vectors:
    """A float32 matrix of (rows, dimensions) in shards: files that are read on demand, or arrays."""

    def __init__(self, shards: Sequence[Stored | Matrix]) -> None:
        if not shards:
            raise ValueError("a matrix needs at least one shard")
        self._shards = shards
        self._starts = np.cumsum([0] + [shard.shape[0] for shard in shards])
        self.dimensions = int(shards[0].shape[1])

    @classmethod
    def open(cls, folder: str | Path) -> "Vectors":
        """The shards NUMBER-of-SHARDS.npy of a folder. Raises UserError where one is missing."""
        paths = sorted(Path(folder).glob("*.npy"))
        if not paths or paths[0].stem != f"{0:05}-of-{len(paths):05}":
            raise UserError(f"{folder} is not whole: it has {len(paths)} files. Delete it, and run again.")
        return cls([Stored(path) for path in paths])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def rows(self, start: int, stop: int) -> Matrix:
        """A copy of the rows from `start` to before `stop`."""
        out = np.empty((stop - start, self.dimensions), np.float32)
        for first, shard in zip(self._starts.tolist(), self._shards, strict=False):
            begin, end = max(start, first), min(stop, first + shard.shape[0])
            if begin >= end:
                continue
            into = out[begin - start : end - start]
            if isinstance(shard, Stored):
                shard.read(begin - first, into)
            else:
                into[:] = shard[begin - first : end - first]
        return out

    def take(self, rows: NDArray[np.integer]) -> Matrix:
        """A copy of the given rows, in that order."""
        out = np.empty((len(rows), self.dimensions), np.float32)
        which = np.searchsorted(self._starts, rows, side="right") - 1
        for number in np.unique(which):
            mine, shard = which == number, self._shards[number]
            own = rows[mine] - self._starts[number]
            out[mine] = shard.take(own) if isinstance(shard, Stored) else shard[own]
        return out


def match_vectors(*, vectors: Sequence[str], data: str, digest: str) -> None:
    """Gather the shards `vectors` in the folder `data`, and write a digest of the numbers alone.

    The folder holds hard links to the shards, or copies where the file system has no links. Raises UserError where a
    vector is not finite.
    """
    total = hashlib.sha256()
    with atomic_folder(data) as temporary:
        for number, shard in enumerate(vectors):
            matrix = Vectors([Stored(shard)])
            for part in blocks(range(len(matrix)), BLOCK):
                rows = matrix.rows(part.start, part.stop)
                if not np.isfinite(rows).all():
                    raise UserError(
                        f"{shard}: a vector is not finite; embed again with match.embed.precision: float32"
                    )
                total.update(rows.tobytes())
            link = temporary / f"{number:05}-of-{len(vectors):05}.npy"
            try:
                os.link(shard, link)
            except OSError:
                shutil.copyfile(shard, link)
    write_text(digest, total.hexdigest() + "\n")
