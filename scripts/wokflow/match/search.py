"""k nearest neighbours among unit vectors, exact.

What a score is does not depend on how candidates were found: it is the inner product of two float32
vectors, computed in float64 in one fixed order of additions and rounded to float32. Backends find candidates
with their own arithmetic and a proven bound on its error; every vector that could be among the k nearest is
re-scored. So faiss and torch, CPU and GPU, one shard or many, give the same neighbours, ties in the order of
the rows.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow import tables
from wokflow.job import Progress
from wokflow.match import schemas
from wokflow.match.vectors import Matrix, Vectors
from wokflow.shards import blocks, shard_range

BLOCK = 2048  # queries: the unit of computation
RESCORE = 1024  # pairs of rows that are scored at a time: few enough for the cache


class Candidates(NamedTuple):
    """Flat: query row (within the queries at hand), target row, canonical score."""

    query: NDArray[np.int64]
    target: NDArray[np.int64]
    score: NDArray[np.float32]


class Finder(Protocol):
    """A backend: holds a run of target rows, finds for each query all that may be among its k nearest."""

    def __call__(self, queries: Matrix, floor: NDArray[np.float32]) -> Candidates:
        """Candidates of a block of queries; those below `floor` (the k-th score so far) may be left out."""


MakeFinder = Callable[[Matrix, int], Finder]


def match_search(
    sources: str,
    targets: str,
    neighbours: str,
    *,
    shard: int,
    shards: int,
    k: int,
    backend: Literal["auto", "faiss", "torch"],
    device: Literal["auto", "cpu", "cuda"],
    memory_mb: int,
    threads: int,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write the k nearest targets of each source in one shard (columns source_index, target_index, score)."""
    queries, against = Vectors.open(sources), Vectors.open(targets)
    rows = shard_range(len(queries), BLOCK, shard, shards)
    make = finder(backend, device, threads)
    span = target_rows(memory_mb, against.dimensions, len(rows), k)
    found = search(queries, against, k, make, rows=rows, span=span, progress=progress)
    table = pl.DataFrame(
        {
            "source_index": (found.query + rows.start).astype(np.int32),
            "target_index": found.target.astype(np.int32),
            "score": found.score,
        }
    )
    tables.write(neighbours, schemas.NEIGHBOURS, table, metadata)


def finder(backend: str, device: str, threads: int) -> MakeFinder:
    """The backend by name; `auto` is torch, the faster one."""
    if backend == "faiss":
        from wokflow.match import search_faiss

        return search_faiss.make(device, threads)
    from wokflow.match import search_torch

    return search_torch.make(device, threads)


def target_rows(memory_mb: int, dimensions: int, queries: int, k: int) -> int:
    """How many target rows fit in memory at once, beside the interpreter and the neighbours kept so far."""
    kept = queries * k * 20 * 2
    left = memory_mb * 2**20 - 600 * 2**20 - kept
    return int(np.clip(left // (dimensions * 4 * 3 + 2 * BLOCK), 4096, 1 << 18))


def search(
    queries: Vectors,
    targets: Vectors,
    k: int,
    make: MakeFinder,
    *,
    rows: range | None = None,
    span: int = 1 << 18,
    progress: Progress | None = None,
) -> Candidates:
    """The k nearest targets of each query row, ordered by query, then (score descending, target row).

    Targets are held `span` rows at a time; the outcome does not depend on it.
    """
    rows = range(len(queries)) if rows is None else rows
    best = [_none() for _ in blocks(rows, BLOCK)]
    k = min(k, len(targets))
    runs = blocks(range(len(targets)), span)
    for number, run in enumerate(runs):
        find = make(targets.rows(run.start, run.stop), k)
        for index, block in enumerate(blocks(rows, BLOCK)):
            floor = _floor(best[index], len(block), k)
            found = find(queries.rows(block.start, block.stop), floor)
            found = Candidates(found.query, found.target + run.start, found.score)
            best[index] = top(_join([best[index], found]), k)
            if progress:
                done = number * len(rows) + block.stop - rows.start
                progress(done, f"{done} of {len(runs) * len(rows)} rows searched", of=len(runs) * len(rows))
        del find  # before the next run of targets takes its memory
    starts = [block.start - rows.start for block in blocks(rows, BLOCK)]
    moved = zip(best, starts, strict=True)
    return _join([Candidates(found.query + start, found.target, found.score) for found, start in moved])


def exact_scores(left: Matrix, right: Matrix) -> NDArray[np.float32]:
    """Inner products of paired rows: exact float64 products, added in a fixed order, rounded to float32.

    Shapes (n, d), (n, d) -> (n,). Numbers above 1, by rounding, become 1.
    """
    products = left.astype(np.float64) * right.astype(np.float64)
    while (width := products.shape[1]) > 1:
        half = (width + 1) // 2
        tail = products[:, half:]
        products = products[:, :half].copy()
        products[:, : tail.shape[1]] += tail
    return np.minimum(products[:, 0], 1.0).astype(np.float32)


def rescore(
    queries: Matrix, targets: Matrix, query: NDArray[np.int64], target: NDArray[np.int64]
) -> Candidates:
    """Candidates (query row, target row) with their canonical scores, so many rows at a time."""
    scores = [
        exact_scores(queries[query[start : start + RESCORE]], targets[target[start : start + RESCORE]])
        for start in range(0, len(query), RESCORE)
    ]
    return Candidates(query, target, np.concatenate(scores) if scores else np.empty(0, np.float32))


def top(found: Candidates, k: int) -> Candidates:
    """The first k of each query by (score descending, target row)."""
    order = np.lexsort((found.target, -found.score, found.query))
    query = found.query[order]
    first = np.searchsorted(query, query, side="left")
    kept = order[np.arange(len(query)) - first < k]
    return Candidates(found.query[kept], found.target[kept], found.score[kept])


def _floor(best: Candidates, queries: int, k: int) -> NDArray[np.float32]:
    """The k-th score of each query so far; -2 where there are fewer than k."""
    floor = np.full(queries, 2.0, np.float32)
    np.minimum.at(floor, best.query, best.score)
    floor[np.bincount(best.query, minlength=queries) < k] = -2.0
    return floor


def _none() -> Candidates:
    return Candidates(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))


def _join(found: list[Candidates]) -> Candidates:
    if not found:
        return _none()
    return Candidates(*(np.concatenate(column) for column in zip(*found, strict=True)))
