"""Maps the word vectors of two languages into one space, from a few word pairs (Artetxe et al. 2018).

A mapping and a dictionary are learnt in turn. The dictionary that a mapping induces makes the next mapping; at first
most similarities are dropped by chance, ever fewer later on, so that the search does not stay where it began. The
last mapping whitens both spaces, rotates them, weighs their dimensions by how well these agree, and undoes the
whitening.

Written from the papers: A robust self-learning method for fully unsupervised cross-lingual mappings of word
embeddings, sections 3.3 and 3.4; Generalizing and improving bilingual word embedding mappings, steps 0 to 4.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from wokflow.frame.job import Progress
from wokflow.lexicon.settings import AlignSettings

Matrix = NDArray[np.float32]
Square = NDArray[np.float64]
Pairs = NDArray[np.int64]  # (number, 2): rows of the source and of the target
BLOCK = 1024  # rows multiplied at once, so that the result does not depend on the number of threads
FLAT = 1e-6  # share of the greatest singular value below which a dimension carries nothing


@dataclass(frozen=True)
class Mapped:
    """Both spaces in one, rows of length 1; the mean similarity of nearest neighbours, and the last dictionary."""

    source: Matrix
    target: Matrix
    objective: float
    iterations: int
    pairs: Pairs


def mapped(
    source: Matrix, target: Matrix, seeds: Pairs, settings: AlignSettings, threads: int, progress: Progress
) -> Mapped:
    """Both spaces in one, from the rows of the seed pairs, of which there must be one at least.

    Runs in blocks, each in one thread: the same input gives the same bytes, whatever the number of threads.
    """
    from threadpoolctl import threadpool_limits

    x, z = normalised(source), normalised(target)
    with threadpool_limits(limits=1), ThreadPoolExecutor(threads) as pool:
        inducer = _Inducer(x[: settings.cutoff], z[: settings.cutoff], settings, pool)
        pairs, best, keep, improved = seeds, -np.inf, settings.keep, 0
        for iteration in count(1):
            if iteration - improved > settings.patience:
                if keep >= 1:
                    break
                keep, improved = min(1.0, settings.growth * keep), iteration
            pairs, objective = inducer(rotation(x, z, pairs), keep, iteration)
            if objective - best >= settings.threshold:
                best, improved = objective, iteration
            progress(iteration, f"iteration {iteration}: similarity {objective:.4f}, {keep:.0%} kept")
        first, second = weighted(x, z, pairs, settings.reweight)
        return Mapped(unit(x @ first), unit(z @ second), objective, iteration - 1, pairs)


def normalised(vectors: Matrix) -> Matrix:
    """Rows of length 1, around their mean, of length 1 again."""
    rows = unit(vectors)
    return unit(rows - rows.mean(axis=0))


def unit(vectors: Matrix) -> Matrix:
    """Rows of length 1; those of length 0 stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)


def rotation(x: Matrix, z: Matrix, pairs: Pairs) -> Matrix:
    """The rotation of x that brings the pairs nearest to one another (Procrustes)."""
    u, _, vt = np.linalg.svd(_products(x, z, pairs))
    return np.asarray(u @ vt, np.float32)


def weighted(x: Matrix, z: Matrix, pairs: Pairs, reweight: float) -> tuple[Matrix, Matrix]:
    """The mappings of x and z: whitened by the words of the pairs, rotated, weighted, and coloured again."""
    (white_x, back_x), (white_z, back_z) = (
        _whitening(vectors[rows]) for vectors, rows in ((x, pairs[:, 0]), (z, pairs[:, 1]))
    )
    u, agreement, vt = np.linalg.svd(white_x.T @ _products(x, z, pairs) @ white_z)
    weights = agreement**reweight
    first = (white_x @ u * weights) @ (u.T @ back_x @ u)
    second = (white_z @ vt.T * weights) @ (vt @ back_z @ vt.T)
    return first.astype(np.float32), second.astype(np.float32)


def _products(x: Matrix, z: Matrix, pairs: Pairs) -> Square:
    return np.asarray(x[pairs[:, 0]].astype(np.float64).T @ z[pairs[:, 1]].astype(np.float64))


def _whitening(vectors: Matrix) -> tuple[Square, Square]:
    """A matrix that makes the dimensions of some vectors uncorrelated, and its inverse.

    Dimensions that these vectors do not have, as where there are fewer words than dimensions, become 0.
    """
    wide = vectors.astype(np.float64)
    squares, axes = np.linalg.eigh(wide.T @ wide)
    values = np.sqrt(np.maximum(squares, 0))
    inverse = np.divide(1, values, out=np.zeros_like(values), where=values > FLAT * values.max())
    return (axes * inverse) @ axes.T, (axes * np.where(inverse > 0, values, 0)) @ axes.T


class _Inducer:
    """Induces dictionaries of the most frequent words: of each, in both directions, the nearest by CSLS."""

    def __init__(self, x: Matrix, z: Matrix, settings: AlignSettings, pool: ThreadPoolExecutor) -> None:
        self._x, self._z, self._settings, self._pool = x, z, settings, pool
        self._similar = np.empty((len(x), len(z)), np.float32)

    def __call__(self, turn: Matrix, keep: float, iteration: int) -> tuple[Pairs, float]:
        """The pairs, and the mean similarity of each word to its nearest; `turn` is the rotation of x."""
        x, similar = self._x @ turn, self._similar

        def multiply(start: int, end: int) -> None:
            np.matmul(x[start:end], self._z.T, out=similar[start:end])

        self._each(len(x), multiply)
        near_x, best_x = self._nearest(similar)
        near_z, best_z = self._nearest(similar.T)
        forward = self._chosen(similar, near_z, keep, (iteration, 0))
        backward = self._chosen(similar.T, near_x, keep, (iteration, 1))
        there = np.column_stack([np.arange(len(x)), forward])
        back = np.column_stack([backward, np.arange(len(self._z))])
        return np.concatenate([there, back]), float(best_x.mean() + best_z.mean()) / 2

    def _nearest(self, similar: Matrix) -> tuple[Matrix, Matrix]:
        """Of each row the mean of its greatest values, as many as a neighbourhood has, and the greatest."""
        means, best = (np.empty(len(similar), np.float32) for _ in range(2))

        def fill(start: int, end: int) -> None:
            top = greatest(similar[start:end], self._settings.neighbourhood)
            means[start:end], best[start:end] = top.mean(axis=1), top.max(axis=1)

        self._each(len(similar), fill)
        return means, best

    def _chosen(self, similar: Matrix, near: Matrix, keep: float, number: tuple[int, int]) -> Pairs:
        """Of each row the column with the greatest value, less half its neighbourhood's; dropped ones are 0."""
        chosen = np.empty(len(similar), np.int64)

        def fill(start: int, end: int) -> None:
            block = similar[start:end] - near / 2
            if keep < 1:
                random = np.random.default_rng([self._settings.seed, *number, start])
                block *= random.random(block.shape, np.float32) < keep
            chosen[start:end] = block.argmax(axis=1)

        self._each(len(similar), fill)
        return chosen

    def _each(self, rows: int, work: Callable[[int, int], None]) -> None:
        for _ in self._pool.map(lambda block: work(*block), blocks(rows)):
            pass


def blocks(rows: int) -> Iterator[tuple[int, int]]:
    """Start and end of each block of rows."""
    return ((start, min(start + BLOCK, rows)) for start in range(0, rows, BLOCK))


def greatest(similar: Matrix, number: int) -> Matrix:
    """The greatest values of each row, or all of them, in no order."""
    first = max(similar.shape[1] - number, 0)
    return np.partition(similar, first, axis=1)[:, first:]


def neighbourhoods(words: Matrix, others: Matrix, number: int) -> Matrix:
    """Of each word the mean similarity to its nearest `number` of the others; rows have length 1."""
    means = np.empty(len(words), np.float32)
    for start, end in blocks(len(words)):
        means[start:end] = greatest(words[start:end] @ others.T, number).mean(axis=1)
    return means
