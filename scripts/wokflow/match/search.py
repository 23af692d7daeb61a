"""k nearest neighbours among unit vectors, exact, in both directions at once.

Backends (search_faiss, search_torch, search_gpu) find candidates with their own arithmetic and a proven bound on its
error; every vector that could be among the k nearest gets its canonical score (scores). So faiss and torch, CPU and
GPU, one shard or many, give the same neighbours, ties in the order of the rows.

A shard compares a part of the Chinese rows with all English rows. So it knows the nearest English rows of its own
rows, and for each English row the nearest of its own rows; match_pair merges the latter over all shards.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.frame.shards import blocks, shard_range
from wokflow.match import schemas
from wokflow.match.codes import Task
from wokflow.match.nearest import Nearest
from wokflow.match.scores import GROWTH, Candidates, MakeFinder
from wokflow.match.settings import SearchSettings
from wokflow.match.vectors import Matrix, Vectors

BLOCK = 2048  # rows: a shard is a run of whole blocks
MOST_ROWS = 16_384  # rows that are compared with a run of the other side at a time, at most
SAMPLE = 4096  # rows of each side from which a backend learns how vectors are spread
LEAST_ROWS, LONGEST_RUN = 4096, 1 << 18  # rows of the other side that are held at a time
INTERPRETER = 600 * 2**20  # bytes that a job holds besides vectors
ENTRY = 4 + 4 + 1  # bytes of an entry of a vector: twice while it is coded, and its code


@dataclass(frozen=True)
class Extent:
    """The left rows to compare (None: all), and the number of right rows that are held in memory at a time."""

    rows: range | None = None
    span: int = 1 << 18


def match_search(
    *,
    zh: str,
    en: str,
    neighbours_zh_en: str,
    neighbours_en_zh: str,
    shard: int,
    shards: int,
    settings: SearchSettings,
    job: Job,
) -> None:
    """Compare the Chinese rows of one shard with all English rows; `zh` and `en` are folders of vectors.

    Writes the k nearest English rows of each Chinese row of the shard, and the k nearest of the shard's rows of each
    English row.
    """
    k, floor = settings.k, settings.floor
    left, right = Vectors.open(zh), Vectors.open(en)
    rows = shard_range(len(left), BLOCK, shard, shards)
    task = Task(len(left) * len(right), floor is not None)
    make = finder(settings.backend, settings.device, job.threads, sample(left, right), task)
    span = run_rows(settings.memory_mb, right.dimensions, len(rows), k)
    if (least := least_mb(right.dimensions, len(rows), k)) > settings.memory_mb:
        job.progress.warn(
            f"match.search.memory_mb is {settings.memory_mb}, but {k} neighbours of each of the shard's {len(rows)} "
            f"rows need {least} MB: set match.search.shards to more than {shards}, or k lower."
        )
    with tables.PartWriter(neighbours_en_zh, schemas.NEIGHBOURS, job.metadata) as part:
        nearest = search(
            left,
            right,
            k,
            make,
            Extent(rows, span),
            floor=floor,
            on_right=lambda nearest: part.write(_table(nearest)),
            progress=job.progress,
        )
    tables.write(neighbours_zh_en, schemas.NEIGHBOURS, _table(nearest), job.metadata)


def _table(candidates: Candidates) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "source_index": candidates.query.astype(np.int32),
            "target_index": candidates.target.astype(np.int32),
            "score": candidates.score,
        }
    )


def finder(backend: str, device: str, threads: int, sample: Matrix, task: Task) -> MakeFinder:
    """The backend of that name; `auto` means torch. For `sample` and `task` see search_torch.make."""
    if backend == "faiss":
        from wokflow.match import search_faiss

        return search_faiss.make(device, threads)
    from wokflow.match import search_torch

    return search_torch.make(sample, device, threads, task)


def sample(left: Vectors, right: Vectors) -> Matrix:
    """Evenly spaced rows of both sides: all of a small side, else from SAMPLE to twice as many."""
    parts = [side.take(np.arange(0, len(side), max(1, len(side) // SAMPLE))) for side in (left, right)]
    return np.concatenate(parts)


def run_rows(memory_mb: int, dimensions: int, rows: int, k: int) -> int:
    """Number of rows of a run of the right side that fit in memory beside everything else.

    A row of the run has its vector (twice while it is coded), its code and its candidates; each row of the left side
    that is compared with it at a time has its vector, its code and its neighbours. All `rows` of the left side keep
    their neighbours. At least LEAST_ROWS, whatever fits: see least_mb.
    """
    left = memory_mb * 2**20 - _beside(dimensions, rows, k)
    return int(np.clip(left // _of_row(dimensions, k), LEAST_ROWS, LONGEST_RUN))


def least_mb(dimensions: int, rows: int, k: int) -> int:
    """MB (2^20 bytes) that a search takes with the shortest runs."""
    return math.ceil((_beside(dimensions, rows, k) + LEAST_ROWS * _of_row(dimensions, k)) / 2**20)


def _of_row(dimensions: int, k: int) -> int:
    """Bytes of a row: a stage may find GROWTH candidates for each of its k nearest, beside those that it has.

    A candidate takes 20 bytes and 4 for sorting, twice while threads join what they have found.
    """
    return dimensions * ENTRY + k * (8 + 8 + 2 * 24 * (GROWTH + 1))


def _beside(dimensions: int, rows: int, k: int) -> int:
    """Bytes of all but the run's own rows."""
    left = dimensions * ENTRY + k * (8 + 8 + 2 * 24)
    return INTERPRETER + rows * k * 8 * 3 + min(rows, MOST_ROWS) * left


def search(
    left: Vectors,
    right: Vectors,
    k: int,
    make: MakeFinder,
    extent: Extent = Extent(),
    *,
    floor: float | None,
    on_right: Callable[[Candidates], None] = lambda nearest: None,
    progress: Progress | None = None,
) -> Candidates:
    """The k nearest right rows of each left row of `extent`, by left row, then (score descending, right row).

    `on_right` gets, run by run, the k nearest of these left rows of each right row, in the same order. The result
    does not depend on the extent's `span`. Scores below `floor` are left out.
    """
    rows = range(len(left)) if extent.rows is None else extent.rows
    best = Nearest(len(rows), k, floor)
    runs = blocks(range(len(right)), extent.span)
    for number, run in enumerate(runs):
        find = make(right.rows(run.start, run.stop), k)
        nearest = Nearest(len(run), k, floor)
        for block in blocks(rows, MOST_ROWS):
            within = slice(block.start - rows.start, block.stop - rows.start)
            forward, back = find(left.rows(block.start, block.stop), best.floor(within), nearest.floor())
            best.add(forward.query + within.start, forward.target + run.start, forward.score)
            nearest.add(back.query, back.target + block.start, back.score)
            if progress:
                done = number * len(rows) + within.stop
                progress(done, f"{done} of {len(runs) * len(rows)} rows searched", of=len(runs) * len(rows))
        on_right(_moved(nearest.all(), run.start))
        del find  # frees its memory before the next run is loaded
    return _moved(best.all(), rows.start)


def _moved(candidates: Candidates, start: int) -> Candidates:
    """Candidates with `start` added to their query rows."""
    return Candidates(candidates.query + start, candidates.target, candidates.score)
