"""What a score is, and what the backends of the search share.

A score does not depend on how candidates were found: it is the inner product of two float32 vectors, computed in
float64 in one fixed order of additions and rounded to float32.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wokflow.match.vectors import Matrix

Rows = NDArray[np.int64]
Numbers = NDArray[np.signedinteger[Any]]  # of rows, in 32 bits or 64
Scores = NDArray[np.float32]
GROWTH = 4  # of the queries that are compared, from stage to stage of a backend that raises floors by stages
RESCORE = 256  # pairs of rows that are scored at a time: few enough for the cache


class Candidates(NamedTuple):
    """Three columns: query row, target row, canonical score."""

    query: Rows
    target: Rows
    score: Scores


class Finder(Protocol):
    """A backend's search in a run of target rows: finds, for each row, all that may be among its k nearest."""

    def __call__(
        self, queries: Matrix, query_floor: Scores, target_floor: Scores
    ) -> tuple[Candidates, Candidates]:
        """Candidates among the run's targets for each of a block of queries, and the other way round.

        Rows count from the beginning of the block and of the run. Scores below a row's floor, the k-th highest that
        is known of it, may be left out. In the second result, the columns `query` and `target` are exchanged: its
        queries are rows of the run.
        """


MakeFinder = Callable[[Matrix, int], Finder]


def exact_scores(left: Matrix, right: Matrix) -> Scores:
    """Inner products of paired rows: exact float64 products, added in a fixed order, rounded to float32.

    Shapes (n, d), (n, d) -> (n,). Results that rounding brings above 1 become 1.
    """
    sums: NDArray[np.float64] = add_up(np.multiply(left, right, dtype=np.float64))
    return np.minimum(sums, 1.0).astype(np.float32) + np.float32(0)  # no negative zero


def add_up(products: Any) -> Any:
    """The sum of each row of an array or tensor, in the canonical order of additions, which overwrites it."""
    width = products.shape[1]
    while width > 1:
        half = (width + 1) // 2
        products[:, : width - half] += products[:, half:width]
        width = half
    return products[:, 0]


def rescore(queries: Matrix, targets: Matrix, query: Numbers, target: Numbers) -> Candidates:
    """Pairs of a query row and a target row as Candidates with their canonical scores."""
    scores = np.empty(len(query), np.float32)
    for start in range(0, len(query), RESCORE):
        part = slice(start, start + RESCORE)
        scores[part] = exact_scores(queries[query[part]], targets[target[part]])
    return Candidates(query.astype(np.int64, copy=False), target.astype(np.int64, copy=False), scores)


def join(parts: list[Candidates]) -> Candidates:
    """Candidates one after the other."""
    if not parts:
        return Candidates(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
    return Candidates(*(np.concatenate(column) for column in zip(*parts, strict=True)))
