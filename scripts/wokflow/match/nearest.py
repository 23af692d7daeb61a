"""The k nearest rows of each of many rows, kept while candidates come in."""

import numpy as np
from numpy.typing import NDArray

from wokflow.match.scores import Candidates, Numbers, Scores

Keys = NDArray[np.uint64]
EMPTY = np.uint64(2**64 - 1)
UNKNOWN = np.float32(-2.0)  # below all scores: the floor of a row with fewer than k neighbours
SLICE = 64  # candidates of one row that are merged at a time


class Nearest:
    """For each of `rows` rows its `k` nearest so far, by (score descending, row of the neighbour).

    A neighbour is one integer of 64 bits: its score in the upper half, inverted so that higher scores are smaller
    integers, and its row in the lower. So sorting integers sorts neighbours. Scores below `least` are not kept.
    """

    def __init__(self, rows: int, k: int, least: float | None = None) -> None:
        self._keys: Keys = np.full((rows, k), EMPTY)
        self._least = UNKNOWN if least is None else np.float32(least)

    def floor(self, rows: slice = slice(None)) -> Scores:
        """The score below which nothing can be among the k nearest, for each row; shape (rows,)."""
        last = self._keys[rows, -1]
        return np.where(last == EMPTY, self._least, _score(last))

    def add(self, row: Numbers, neighbour: Numbers, score: Scores) -> None:
        """Add candidates, as three columns of equal length. No neighbour may be added twice to a row."""
        keys = _key(score, neighbour)
        better = (keys < self._keys[row, -1]) & (score >= self._least)
        row, keys = row[better], keys[better]
        order = np.argsort(row, kind="stable")
        row, keys = row[order], keys[order]
        rows, starts, counts = np.unique(row, return_index=True, return_counts=True)
        place = np.arange(len(row)) - np.repeat(starts, counts)
        for first in range(0, int(counts.max(initial=0)), SLICE):
            now = (place >= first) & (place < first + SLICE)
            changed = rows[counts > first]
            new = np.full((len(changed), int(min(SLICE, counts.max() - first))), EMPTY)
            new[np.searchsorted(changed, row[now]), place[now] - first] = keys[now]
            merged = np.concatenate([self._keys[changed], new], axis=1)
            merged.sort(axis=1)
            self._keys[changed] = merged[:, : self._keys.shape[1]]

    def all(self) -> Candidates:
        """The neighbours of all rows, ordered by row, then rank."""
        row, rank = np.nonzero(self._keys != EMPTY)
        keys = self._keys[row, rank]
        return Candidates(row, (keys & np.uint64(0xFFFFFFFF)).astype(np.int64), _score(keys))


def _key(score: Scores, row: Numbers) -> Keys:
    bits = score.view(np.uint32)
    ascending = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    return (~ascending).astype(np.uint64) << np.uint64(32) | row.astype(np.uint64)


def _score(keys: Keys) -> Scores:
    ascending = ~(keys >> np.uint64(32)).astype(np.uint32)
    bits = np.where(ascending >> 31, ascending & np.uint32(0x7FFFFFFF), ~ascending)
    return bits.view(np.float32)
