"""Candidates for both sides at once, by products of vectors or of their codes; on a GPU see search_gpu.

One product serves both sides, of vectors in float32 or of short rows of small integers (wokflow.match.codes). It is
computed tile by tile. In a tile, first only the largest product of each group of rows is examined, and the group's
members only if it could reach a row's floor. Floors rise as candidates are found; all that may be among the k nearest
in the end get their canonical scores. Products of integers are exact on every device, and the rounding of float32 has
a bound, so the neighbours are the same in whatever order the hardware adds.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wokflow.frame.job import UserError
from wokflow.frame.shards import blocks
from wokflow.match import search_gpu
from wokflow.match.codes import Codes, Coding, Plain, Task, narrow_width, rounding
from wokflow.match.nearest import UNKNOWN, Nearest
from wokflow.match.products import TILE, empty, fastest_type, multiply, off_by
from wokflow.match.scores import GROWTH, Candidates, MakeFinder, Numbers, Scores, join, rescore
from wokflow.match.vectors import Matrix

GROUP = 16  # rows that share a maximum
FIRST = 1024  # queries of the first stage, whose candidates show what the next ones must reach
RANGE = 160  # candidates of a tile's targets, over k: so many tiles are compared at a time, but at least one
SOME = 1 << 16  # pairs that are scored at a time
LEAST = 256  # rows of a block of queries
PAIRS = 256  # pairs that are scored in float32 at a time
PENDING = 1 << 20  # candidates above which a block scores what it has collected

Floors = NDArray[np.float64]
Short = NDArray[np.int32]  # rows of a block and of a run, of which there are fewer than 2^31
Scored = tuple[Short, Short, Scores]  # queries, targets, float32 scores


def make(sample: Matrix, device: str, threads: int, task: Task) -> MakeFinder:
    """A factory of finders for vectors like those of `sample`, shape (n, d), and a task of that size."""
    try:
        import torch
    except ImportError as error:
        raise UserError("match.search.backend torch needs torch: install it, or take faiss") from error
    if device == "cuda" and not torch.cuda.is_available():
        raise UserError("match.search.device is cuda, but torch sees no GPU: take cpu, or run on a GPU node")
    if torch.cuda.is_available() and device != "cpu":
        return lambda targets, k: search_gpu.Run(targets, k, "cuda")
    torch.set_float32_matmul_precision("highest")
    torch.set_num_threads(1)  # each thread works on a block of its own
    dtype = fastest_type()
    kind = task.kind(integers=dtype == torch.int8)
    width = narrow_width(sample) if kind == "narrow" else sample.shape[1]
    if kind == "vectors" or (width == sample.shape[1] and dtype == torch.float32):
        refuse_shorter(sample)
        kernel = Kernel(Plain(), torch.float32, threads)
    else:
        kernel = Kernel(Coding(sample, width), dtype, threads)
    return lambda targets, k: Run(kernel, targets, k)


def refuse_shorter(sample: Matrix) -> None:
    """Raise UserError where float32 is multiplied in fewer bits, to which the bound does not apply."""
    vectors = Plain()(sample)
    if off_by(sample) > rounding(sample.shape[1], vectors, vectors):
        raise UserError(
            "The processor multiplies numbers shorter than float32: unset DNNL_DEFAULT_FPMATH_MODE, or take "
            "match.search.backend: faiss."
        )


def growing(rows: int) -> Iterator[range]:
    """Parts of so many rows, each GROWTH times as long as the one before.

    The floors of the other side rise with each part, and most steeply at the beginning.
    """
    start, size = 0, FIRST
    while start < rows:
        yield range(start, min(start + size, rows))
        start += size
        size *= GROWTH


def even_size(rows: int, threads: int) -> int:
    """Rows of a block, so that all threads have as many blocks to search; about TILE at most, LEAST at least."""
    rounds = max(1, round(rows / (TILE * threads)))
    return max(LEAST, -(-rows // (rounds * threads)))


def at_least(scores: Scores, error: float) -> Floors:
    """Lower bounds of canonical scores, from scores that are off by at most `error`; they never exceed 1."""
    return np.minimum(scores.astype(np.float64) - error, 1.0)


@dataclass(frozen=True)
class Kernel:
    """How codes are made and multiplied; `dtype` is torch's type of the codes."""

    coding: Coding | Plain
    dtype: Any
    threads: int

    def put(self, codes: Codes) -> Any:
        """Codes as torch multiplies them, padded with rows of zeros to whole groups on both sides of a product."""
        import torch

        more = -len(codes.integers) % (2 * GROUP)
        integers = np.pad(codes.integers, ((0, more), (0, 0))) if more else codes.integers
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
        threads, forward, backward = self.kernel.threads, [], Backward(target_floor, self.k)
        with self._torch.inference_mode(), ThreadPoolExecutor(threads) as pool:
            for part in growing(len(queries)):
                rows = blocks(part, max(self.k, even_size(len(part), threads)))
                held = [
                    Block(self, queries[own.start : own.stop], query_floor[own.start : own.stop])
                    for own in rows
                ]
                found = list(pool.map(lambda block: block.search(backward.floor), held))
                for own, (nearest, _) in zip(rows, found, strict=True):
                    forward.append(Candidates(nearest.query + own.start, nearest.target, nearest.score))
                new = [
                    (own.start, piece)
                    for own, (_, pieces) in zip(rows, found, strict=True)
                    for piece in pieces
                ]
                backward.add(new, max(block.rounding for block in held), pool)
            scored = pool.map(lambda pairs: rescore(self.targets, queries, *pairs), backward.pairs())
            return join(forward), join(list(scored))


class Backward:
    """Pairs that may be among the k nearest of their target, while they come in; floors rise with them."""

    def __init__(self, floor: Scores, k: int) -> None:
        self.floor = floor.astype(np.float64)
        self._size = TILE * max(1, RANGE // k)
        self._ranges = blocks(range(len(floor)), self._size)
        self._kept: list[Scored] = [Pairs().take() for _ in self._ranges]
        self._best, self._rounding = Nearest(len(floor), k), 0.0

    def add(self, found: list[tuple[int, Scored]], rounding: float, pool: ThreadPoolExecutor) -> None:
        """Add pieces of blocks, each with the block's first query: by tile, scores off by `rounding` at most."""
        self._rounding = max(self._rounding, rounding)
        numbers = np.arange(len(self._ranges) + 1)
        edges = [np.searchsorted(target // self._size, numbers) for _, (_, target, _) in found]

        def settle(number: int) -> Scored:
            new = Pairs()
            for (first, (query, target, score)), edge in zip(found, edges, strict=True):
                own = slice(edge[number], edge[number + 1])
                new.add(query[own] + first, target[own], score[own])
            return self._near(self._ranges[number], self._kept[number], new.take())

        self._kept = list(pool.map(settle, range(len(self._ranges))))

    def _near(self, targets: range, kept: Scored, new: Scored) -> Scored:
        """The pairs that may still be among the k nearest when the floors of their targets are raised by new ones."""
        query, target, score = new
        self._best.add(target, query, score)
        own = slice(targets.start, targets.stop)
        reached, floor = self._best.floor(own), self.floor[own]
        raised = np.maximum(floor, at_least(reached, self._rounding))
        self.floor[own] = np.where(reached == UNKNOWN, floor, raised)
        both = Pairs()
        both.add(*kept)
        both.add(*new)
        query, target, score = both.take()
        near = score + self._rounding >= self.floor[target]
        return query[near], target[near], score[near]

    def pairs(self) -> Iterator[tuple[Short, Short]]:
        """Targets and queries of all pairs, some at a time."""
        for query, target, _ in self._kept:
            for start in range(0, len(query), SOME):
                some = slice(start, start + SOME)
                yield target[some], query[some]


@dataclass
class Pairs:
    """Pairs of a query row and a target row with a rough score each, in pieces."""

    pieces: list[Scored] = field(default_factory=list)
    count: int = 0

    def add(self, query: Short, target: Short, score: Scores) -> None:
        if len(query):
            self.pieces.append((query, target, score))
            self.count += len(query)

    def take(self) -> Scored:
        """Return all pairs, and keep none."""
        none = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32)
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
        self.rounding = rounding(queries.shape[1], codes, run.bounds)
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

    def reached(self, products: Any, first: int | None = None) -> Floors:
        """For each row of products a score that k others reach; UNKNOWN where there are fewer.

        Rows are targets from the `first` on, and others queries; else rows are queries, and others targets.
        """
        count, k = len(products), self.run.k
        if products.shape[1] < k:
            return np.full(count, float(UNKNOWN))
        values, others = (column.numpy() for column in products.topk(k, dim=1))
        rows, other = np.repeat(np.arange(count), k), others.reshape(-1)
        query, target = (rows, other) if first is None else (other, rows + first)
        scores = self.rough(query, target, values.reshape(-1)).reshape(-1, k)
        return at_least(scores.min(axis=1), self.error)

    def search(self, target_floor: Floors) -> tuple[Candidates, list[Scored]]:
        """Candidates of each query among the run's targets, and pairs that may be among the target's nearest.

        The pairs come with their float32 scores, tile by tile, in pieces.
        """
        forward, new, backward = Forward(self, self.known), Pairs(), list[Scored]()
        floor, room = target_floor.copy(), self.room()
        for tile, rows in enumerate(self.run.tiles):
            products = self.product(tile, room)
            real, own = products[: len(rows), : len(self.queries)], slice(rows.start, rows.stop)
            if not tile and (self.known == UNKNOWN).any():
                forward.know(self.reached(real.T.contiguous()))
            if (floor[own] == UNKNOWN).any():
                floor[own] = np.maximum(floor[own], self.reached(real, rows.start))
            forward.add(*self._of_queries(products, rows, forward.need))
            new.add(*self._of_targets(products, rows, self.needed(floor[own])))
            last = rows.stop == len(self.run.targets)
            if new.count > PENDING or last:
                backward.append(self._near_targets(*new.take(), floor))
            if last or tile & (tile + 1) == 0:
                forward.settle()
        return forward.result(), backward

    def needed(self, floor: Floors) -> Any:
        """The least products of codes with which scores can reach their floors."""
        need = self.run.kernel.coding.need(floor, self.slack)
        return self._torch.from_numpy(need)

    def _of_queries(self, products: Any, rows: range, need: Any) -> Scored:
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

    def _of_targets(self, products: Any, rows: range, need: Any) -> Scored:
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

    def _real(self, query: Any, target: Any, product: Any, rows: range) -> Scored:
        """Pairs without padding, with rows of the run and rough scores."""
        real = (target < len(rows)) & (query < len(self.queries))
        queries, targets, products = (column[real].numpy() for column in (query, target, product))
        queries, targets = queries.astype(np.int32), (targets + rows.start).astype(np.int32)
        return queries, targets, self.rough(queries, targets, products)

    def rough(self, query: Numbers, target: Numbers, product: NDArray[Any]) -> Scores:
        coding = self.run.kernel.coding
        return (product * coding.step**2).astype(np.float32) if coding.whole else self.scores(query, target)

    def refined(self, query: Short, target: Short, rough: Scores) -> Scores:
        """Rough scores as float32 scores, unless they are such already."""
        return rough if self.error <= self.rounding else self.scores(query, target)

    def scores(self, query: Numbers, target: Numbers) -> Scores:
        """Float32 scores of pairs; they are off by `rounding` at most."""
        out = np.empty(len(query), np.float32)
        for start in range(0, len(query), PAIRS):  # numpy is quicker than torch at many short products
            part = slice(start, start + PAIRS)
            out[part] = np.einsum("ij,ij->i", self.queries[query[part]], self.run.targets[target[part]])
        return out

    def _near_targets(self, query: Short, target: Short, rough: Scores, floor: Floors) -> Scored:
        """The pairs whose float32 scores may reach the floors of their targets, with these scores."""
        scores = self.refined(query, target, rough)
        near = scores + self.rounding >= floor[target]
        return query[near], target[near], scores[near]


class Forward:
    """The candidates of a block's queries while they come in; their floors rise with them."""

    def __init__(self, block: Block, floor: Scores) -> None:
        self._block, self._floor = block, floor.astype(np.float64)
        rows, k = len(block.queries), block.run.k
        self._rough, self._exact = Nearest(rows, k), Nearest(rows, k)
        self._new, self._kept = Pairs(), Pairs()
        self.need = block.needed(self._floor)

    def know(self, floor: Floors) -> None:
        """Raise the floors to these."""
        self._floor = np.maximum(self._floor, floor)
        self.need = self._block.needed(self._floor)

    def add(self, query: Short, target: Short, rough: Scores) -> None:
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
        query, target, rough = query[near], target[near], rough[near]
        scores = block.refined(query, target, rough)
        fine = Nearest(len(block.queries), block.run.k)
        fine.add(query, target, scores)
        self._raise(fine.floor(), block.rounding)
        near = scores + block.rounding >= self._floor[query]
        self._exact.add(*rescore(block.queries, block.run.targets, query[near], target[near]))

    def result(self) -> Candidates:
        self._finish()
        return self._exact.all()
