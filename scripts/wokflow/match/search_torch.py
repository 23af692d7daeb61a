"""Candidates for both sides at once, by products of short codes of small integers; on a GPU see search_gpu.

One product of codes (wokflow.match.codes) serves both sides. It is computed tile by tile. In a tile, first only the
largest product of each group of rows is examined, and the group's members only if it could reach a row's floor.
Floors rise as candidates are found; all that may be among the k nearest in the end get their canonical scores.
Products of integers are exact on every device, so the bounds hold in whatever order the hardware adds.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wokflow.frame.job import UserError
from wokflow.frame.shards import blocks
from wokflow.match import search_gpu
from wokflow.match.codes import Codes, Coding, gamma
from wokflow.match.nearest import UNKNOWN, Nearest
from wokflow.match.scores import Candidates, MakeFinder, Rows, Scores, join, rescore
from wokflow.match.vectors import Matrix

GROUP = 16  # rows that share a maximum
TILE = 1024  # rows and columns of a product: it stays in the cache
PAIRS = 256  # pairs that are scored in float32 at a time
PENDING = 1 << 20  # candidates above which a block scores what it has collected
WIDTHS = (128, 192, 256)  # of codes: multiples of the width of processors' instructions
REST = 0.06  # largest share of the vectors' squared length that the axes may leave out
TRIALS = 5

Floors = NDArray[np.float64]


def make(sample: Matrix, device: str, threads: int, *, narrow: bool = False) -> MakeFinder:
    """A factory of finders for vectors like those of `sample`, shape (n, d).

    `narrow` allows codes shorter than the vectors: their products take less time, but let more pairs through.
    """
    try:
        import torch
    except ImportError as error:
        raise UserError("match.search.backend torch needs torch: install it, or take faiss") from error
    if device == "cuda" and not torch.cuda.is_available():
        raise UserError("match.search.device is cuda, but torch sees no GPU: take cpu, or run on a GPU node")
    if torch.cuda.is_available() and device != "cpu":
        return lambda targets, k: search_gpu.Run(targets, k, "cuda")
    torch.set_num_threads(1)  # each thread works on a block of its own
    dtype = fastest_type()
    width = narrow_width(sample) if narrow or dtype == torch.float32 else sample.shape[1]
    kernel = Kernel(Coding(sample, width), dtype, threads)
    return lambda targets, k: Run(kernel, targets, k)


def narrow_width(sample: Matrix) -> int:
    """The first of WIDTHS whose axes leave out at most REST of the vectors; else all dimensions."""
    wide = sample.astype(np.float64)
    within = np.linalg.eigvalsh(wide.T @ wide)[::-1].cumsum()
    for width in WIDTHS:
        if width < len(within) and within[width - 2] >= (1 - REST) * within[-1] > 0:
            return width
    return len(within)


@cache
def fastest_type() -> Any:
    """int8 where the processor multiplies it right and fast, else float32, which holds the same integers."""
    import torch

    left, right = torch.randint(
        -127, 128, (2, TILE, 128), generator=torch.Generator().manual_seed(0)
    ).double()
    expected = left @ right.T
    seconds: dict[Any, float] = {}
    for dtype in (torch.float32, torch.int8):
        first, second = left.to(dtype), right.to(dtype)
        try:
            out = empty(TILE, TILE, dtype)
            for _ in range(TRIALS):
                start = time.perf_counter()
                multiply(first, second, out)
                correct = torch.equal(out.double(), expected)
                took = time.perf_counter() - start
                if correct:
                    seconds[dtype] = min(took, seconds.get(dtype, took))
        except (RuntimeError, AttributeError):  # no such product here, or in this version of torch
            continue
    return min(seconds, key=seconds.__getitem__)


def multiply(left: Any, right: Any, out: Any) -> None:
    """Products of all rows of two matrices of codes; shapes (n, w), (m, w) -> (n, m)."""
    import torch

    if left.dtype == torch.int8:
        torch._int_mm(left, right.T, out=out)
    else:
        torch.mm(left, right.T, out=out)


def empty(rows: int, columns: int, dtype: Any) -> Any:
    """An empty matrix for products of codes of that type."""
    import torch

    kind = torch.int32 if dtype == torch.int8 else torch.float32
    return torch.empty((rows, columns), dtype=kind)


def at_least(scores: Scores, error: float) -> Floors:
    """Lower bounds of canonical scores, from scores that are off by at most `error`; they never exceed 1."""
    return np.minimum(scores.astype(np.float64) - error, 1.0)


@dataclass(frozen=True)
class Kernel:
    """How codes are made and multiplied; `dtype` is torch's type of the codes."""

    coding: Coding
    dtype: Any
    threads: int

    def put(self, codes: Codes) -> Any:
        """Codes as torch multiplies them, padded with rows of zeros to whole groups on both sides of a product."""
        import torch

        integers = np.pad(codes.integers, ((0, -len(codes.integers) % (2 * GROUP)), (0, 0)))
        return torch.from_numpy(integers).to(self.dtype)


class Run:
    """A run of target rows, coded."""

    def __init__(self, kernel: Kernel, targets: Matrix, k: int) -> None:
        import torch

        self._torch = torch
        self.kernel, self.k, self.targets = kernel, k, targets
        self.tiles = blocks(range(len(targets)), TILE)
        with ThreadPoolExecutor(kernel.threads) as pool:
            coded = list(pool.map(lambda tile: kernel.coding(targets[tile.start : tile.stop]), self.tiles))
        self.codes = [kernel.put(codes) for codes in coded]
        none = np.empty((0, 0), np.int8)
        self.bounds = Codes(none, *(max(getattr(c, of) for c in coded) for of in ("norm", "length", "error")))

    def __call__(
        self, queries: Matrix, query_floor: Scores, target_floor: Scores
    ) -> tuple[Candidates, Candidates]:
        floor = target_floor.astype(np.float64)
        parts = blocks(range(len(queries)), TILE)
        held = [
            Block(self, queries[part.start : part.stop], query_floor[part.start : part.stop])
            for part in parts
        ]
        with self._torch.inference_mode(), ThreadPoolExecutor(self.kernel.threads) as pool:
            if held and (target_floor == UNKNOWN).any():
                first = pool.map(held[0].target_floors, range(len(self.tiles)))
                floor = np.maximum(floor, np.concatenate(list(first)))
            done = list(pool.map(lambda block: block.search(floor), held))
            forward, backward = [], Pairs()
            for part, (nearest, (query, target, score)) in zip(parts, done, strict=True):
                forward.append(Candidates(nearest.query + part.start, nearest.target, nearest.score))
                backward.add(query + part.start, target, score)
            rounding = max((block.rounding for block in held), default=0.0)
            pairs = self._near_targets(backward, floor, rounding)
            chunks = [
                pairs[:, start : start + PENDING // 16] for start in range(0, pairs.shape[1], PENDING // 16)
            ]
            scored = pool.map(lambda chunk: rescore(self.targets, queries, *chunk), chunks)
            return join(forward), join(list(scored))

    def _near_targets(self, pairs: "Pairs", floor: Floors, rounding: float) -> Rows:
        """Targets and queries of pairs that may be among the k nearest of the target; shape (2, pairs).

        Scores are off by `rounding` at most.
        """
        query, target, score = pairs.take()
        best = Nearest(len(self.targets), self.k)
        best.add(target, query, score)
        reached = best.floor()
        floor = np.where(reached == UNKNOWN, floor, np.maximum(floor, at_least(reached, rounding)))
        near = score + rounding >= floor[target]
        return np.stack([target[near], query[near]])


@dataclass
class Pairs:
    """Pairs of a query row and a target row with a rough score each, in pieces."""

    pieces: list[tuple[Rows, Rows, Scores]] = field(default_factory=list)
    count: int = 0

    def add(self, query: Rows, target: Rows, score: Scores) -> None:
        if len(query):
            self.pieces.append((query, target, score))
            self.count += len(query)

    def take(self) -> tuple[Rows, Rows, Scores]:
        """Return all pairs, and keep none."""
        none = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32)
        query, target, score = (np.concatenate(column) for column in zip(none, *self.pieces, strict=True))
        self.pieces, self.count = [], 0
        return query, target, score


class Block:
    """A block of query rows against a run of targets.

    Rough scores are off by `error` at most: products of codes where these hold whole vectors, else float32 scores.
    """

    def __init__(self, run: Run, queries: Matrix, floor: Scores) -> None:
        self._torch = run._torch
        self.run, self.queries, self.known = run, queries, floor
        kernel = run.kernel
        codes = kernel.coding(queries)
        self.codes = kernel.put(codes)
        self.slack = kernel.coding.slack(codes, run.bounds)
        self.rounding = gamma(queries.shape[1] + 2) * codes.norm * run.bounds.norm  # of a float32 product
        self.error = self.slack if kernel.coding.whole else self.rounding

    def product(self, tile: int, room: Any) -> Any:
        """Products of a tile's codes with those of the block, in `room`; shape (targets, queries), both padded."""
        codes = self.run.codes[tile]
        out = room[: len(codes)]
        multiply(codes, self.codes, out)
        return out

    def room(self) -> Any:
        """An empty matrix for the products of a tile."""
        kernel = self.run.kernel
        return empty(TILE + 2 * GROUP, len(self.codes), kernel.dtype)

    def target_floors(self, tile: int) -> Floors:
        """For each target of a tile, a score that k queries of the block reach; UNKNOWN where there are fewer."""
        rows = self.run.tiles[tile]
        products = self.product(tile, self.room())[: len(rows), : len(self.queries)]
        return self._reached(products, lambda row, other: (other, row + rows.start))

    def query_floors(self) -> Floors:
        """For each query, a score that k targets of the first tile reach; UNKNOWN where there are fewer."""
        products = self.product(0, self.room())[: len(self.run.tiles[0]), : len(self.queries)]
        return self._reached(products.T.contiguous(), lambda row, other: (row, other))

    def _reached(self, products: Any, pair: Callable[[Rows, Rows], tuple[Rows, Rows]]) -> Floors:
        """For each row of products, a score that k others reach; `pair` turns (row, other) into (query, target)."""
        count, k = len(products), self.run.k
        if products.shape[1] < k:
            return np.full(count, float(UNKNOWN))
        values, others = (column.numpy() for column in products.topk(k, dim=1))
        query, target = pair(np.repeat(np.arange(count), k), others.reshape(-1))
        scores = self.rough(query, target, values.reshape(-1)).reshape(-1, k)
        return at_least(scores.min(axis=1), self.error)

    def search(self, target_floor: Floors) -> tuple[Candidates, tuple[Rows, Rows, Scores]]:
        """Candidates of each query among the run's targets, and pairs that may be among the target's nearest.

        The pairs (query, target) come with their float32 scores.
        """
        floor = self.known.astype(np.float64)
        if (self.known == UNKNOWN).any():
            floor = np.maximum(floor, self.query_floors())
        forward, new, backward = Forward(self, floor), Pairs(), Pairs()
        need, room = self.needed(target_floor), self.room()
        for tile, rows in enumerate(self.run.tiles):
            products = self.product(tile, room)
            forward.add(*self._of_queries(products, rows, forward.need))
            new.add(*self._of_targets(products, rows, need[rows.start : rows.stop]))
            last = rows.stop == len(self.run.targets)
            if new.count > PENDING or last:
                backward.add(*self._near_targets(*new.take(), target_floor))
            if last or tile & (tile + 1) == 0:
                forward.settle()
        return forward.result(), backward.take()

    def needed(self, floor: Floors) -> Any:
        """The least products of codes with which scores can reach their floors."""
        need = self.run.kernel.coding.need(floor, self.slack)
        return self._torch.from_numpy(need)

    def _of_queries(self, products: Any, rows: range, need: Any) -> tuple[Rows, Rows, Scores]:
        """Pairs of a tile whose products reach what the query needs; shape of need (queries,)."""
        torch = self._torch
        groups = products.view(-1, GROUP, products.shape[1])
        maxima = groups.amax(1)
        (reaching,) = torch.nonzero(maxima.amax(0)[: len(need)] >= need, as_tuple=True)
        group, which = torch.nonzero(maxima[:, reaching] >= need[reaching], as_tuple=True)
        query = reaching[which]
        members = groups[group, :, query]
        pair, member = torch.nonzero(members >= need[query, None], as_tuple=True)
        target = group[pair] * GROUP + member
        return self._real(query[pair], target, members[pair, member], rows)

    def _of_targets(self, products: Any, rows: range, need: Any) -> tuple[Rows, Rows, Scores]:
        """Pairs of a tile whose products reach what the target needs; shape of need (targets,)."""
        torch = self._torch
        groups = products.view(len(products), GROUP, -1)
        maxima = groups.amax(1)
        (reaching,) = torch.nonzero(maxima.amax(1)[: len(need)] >= need, as_tuple=True)
        which, group = torch.nonzero(maxima[reaching] >= need[reaching, None], as_tuple=True)
        target = reaching[which]
        members = groups[target, :, group]
        pair, member = torch.nonzero(members >= need[target, None], as_tuple=True)
        query = member * groups.shape[2] + group[pair]
        return self._real(query, target[pair], members[pair, member], rows)

    def _real(self, query: Any, target: Any, product: Any, rows: range) -> tuple[Rows, Rows, Scores]:
        """Pairs without padding, with rows of the run and rough scores."""
        real = (target < len(rows)) & (query < len(self.queries))
        queries, targets, products = (column[real].numpy() for column in (query, target, product))
        return queries, targets + rows.start, self.rough(queries, targets + rows.start, products)

    def rough(self, query: Rows, target: Rows, product: NDArray[Any]) -> Scores:
        coding = self.run.kernel.coding
        return (product * coding.step**2).astype(np.float32) if coding.whole else self.scores(query, target)

    def scores(self, query: Rows, target: Rows) -> Scores:
        """Float32 scores of pairs; they are off by `rounding` at most."""
        out = np.empty(len(query), np.float32)
        for start in range(0, len(query), PAIRS):  # numpy is quicker than torch at many short products
            part = slice(start, start + PAIRS)
            out[part] = np.einsum("ij,ij->i", self.queries[query[part]], self.run.targets[target[part]])
        return out

    def _near_targets(
        self, query: Rows, target: Rows, rough: Scores, floor: Floors
    ) -> tuple[Rows, Rows, Scores]:
        """The pairs whose float32 scores may reach the floors of their targets, with these scores."""
        scores = self.scores(query, target) if self.run.kernel.coding.whole else rough
        near = scores + self.rounding >= floor[target]
        return query[near], target[near], scores[near]


class Forward:
    """The candidates of a block's queries while they come in; their floors rise with them."""

    def __init__(self, block: Block, floor: Floors) -> None:
        self._block, self._floor = block, floor
        rows, k = len(block.queries), block.run.k
        self._rough, self._exact = Nearest(rows, k), Nearest(rows, k)
        self._new, self._kept = Pairs(), Pairs()
        self.need = block.needed(floor)

    def add(self, query: Rows, target: Rows, rough: Scores) -> None:
        self._new.add(query, target, rough)
        if self._new.count > PENDING:
            self.settle()

    def settle(self) -> None:
        """Raise the floors by the new candidates."""
        query, target, rough = self._new.take()
        self._rough.add(query, target, rough)
        self._raise(self._rough.floor(), self._block.error)
        self.need = self._block.needed(self._floor)
        self._kept.add(query, target, rough)
        if self._kept.count > PENDING:
            self._finish()

    def _raise(self, reached: Scores, error: float) -> None:
        known = reached != UNKNOWN
        self._floor[known] = np.maximum(self._floor[known], at_least(reached[known], error))

    def _finish(self) -> None:
        """Compute the canonical scores of all candidates that may reach the floors."""
        block = self._block
        query, target, rough = self._kept.take()
        near = rough + block.error >= self._floor[query]
        query, target = query[near], target[near]
        scores = block.scores(query, target)
        fine = Nearest(len(block.queries), block.run.k)
        fine.add(query, target, scores)
        self._raise(fine.floor(), block.rounding)
        near = scores + block.rounding >= self._floor[query]
        self._exact.add(*rescore(block.queries, block.run.targets, query[near], target[near]))

    def result(self) -> Candidates:
        self._finish()
        return self._exact.all()
