"""What recipes of two languages have in common: foods by their rarity, amounts, ways of cooking, lengths.

Foods and ways of cooking weigh by how rare they are: minus the logarithm of the share of recipes that have one, the
mean of both corpora's shares, so that weights of small and large corpora are alike. A weight is at most MOST.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.match.schemas import FEATURES

MOST = 7.0  # a food that one recipe in a thousand has
PAIRS = 200_000  # pairs whose features are computed at a time
BLOCK = 512  # rows whose products are held at once

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]


class Side(NamedTuple):
    """The contents of a corpus, a row for each recipe: sparse matrices of foods, of their shares in the known
    weight, of foods in titles, of ways of cooking and of forms; whether enough amounts are known; the number of
    foods. Matrices with entries in the same places hold these places once.
    """

    foods: Any
    shares: Any
    named: Any
    cooking: Any
    forms: Any
    known: NDArray[np.bool_]
    lengths: Floats


def side(contents: pl.DataFrame, foods: int, cooking: int) -> Side:
    """The contents of a corpus (schema match/contents) with so many foods and ways of cooking."""
    from scipy.sparse import csr_array, get_index_dtype

    rows = contents.height

    def sparse(column: str, width: int) -> Any:
        lists = contents[column].cast(pl.List(pl.Int32))
        starts = np.concatenate([[0], lists.list.len().to_numpy().astype(np.int64).cumsum()])
        columns = lists.explode(empty_as_null=False).to_numpy()
        starts = starts.astype(get_index_dtype(maxval=starts[-1]))  # of 32 bits if they can be
        return csr_array((np.ones(len(columns), np.float32), columns, starts), shape=(rows, width))

    listed = sparse("foods", foods)
    grams = contents["grams"].explode(empty_as_null=False).to_numpy().astype(np.float32)
    total = np.asarray(_with(listed, grams).sum(axis=1)).ravel()
    named = (contents["foods"].list.len()).to_numpy()
    per = (1 / np.where(total > 0, total, 1)).astype(np.float32)
    shares = _with(listed, grams * np.repeat(per, named))
    known = (
        contents.select(pl.col("grams").list.eval(pl.element() > 0).list.sum()).to_series().to_numpy() >= 2
    )
    return Side(
        foods=listed,
        shares=shares,
        named=sparse("named", foods),
        cooking=sparse("cooking", cooking),
        forms=sparse("forms", cooking),
        known=known,
        lengths=named.astype(np.float32),
    )


def rarity(left: Any, right: Any) -> Floats:
    """The weight of each column of two sparse matrices."""
    share = sum(np.asarray(each.sum(axis=0)).ravel() / max(each.shape[0], 1) for each in (left, right)) / 2
    return np.asarray(np.minimum(-np.log(np.maximum(share, 1e-9)), MOST), np.float32)


class Overlaps:
    """Compares recipes of two sides by their rows."""

    def __init__(self, left: Side, right: Side) -> None:
        self._sides = left, right
        self._foods = rarity(left.foods, right.foods)
        ways = rarity(left.cooking, right.cooking)
        self._unit = tuple(_unit(each.foods, self._foods) for each in self._sides)
        self._ways = tuple(_unit(each.cooking, ways) for each in self._sides)
        self._weighed = _scaled(left.foods, self._foods)
        self._named = tuple(_scaled(each.named, self._foods) for each in self._sides)
        self._asked = tuple(np.asarray(each.named @ self._foods).ravel() for each in self._sides)
        self._having = tuple(_ones(each.foods + each.named) for each in self._sides)
        self._formed = tuple(np.diff(each.forms.indptr) > 0 for each in self._sides)

    def features(self, left: Rows, right: Rows) -> pl.DataFrame:
        """FEATURES but the title, of pairs of rows; the greater each is, the more alike they are.

        named: of the weight of the foods that both titles name, the share that the other recipe has; null if they
        name none. form: whether the titles name a kind of dish in common, null unless both name one. foods: cosine
        of the weighted foods. shared: the weight of the foods that both have. amounts: the share of the weight that
        both put into the same foods, null unless both say the amounts of two foods. cooking: cosine of ways of
        cooking and vessels. length: minus the logarithm of the ratio of the numbers of foods.
        """
        parts = [self._part(left[at], right[at]) for at in _slices(len(left))]
        return pl.concat(parts) if parts else self._part(left, right)

    def _part(self, left: Rows, right: Rows) -> pl.DataFrame:
        a, b = self._sides
        amounts = np.asarray(a.shares[left].minimum(b.shares[right]).sum(axis=1)).ravel()
        known = a.known[left] & b.known[right]
        asked = self._asked[0][left] + self._asked[1][right]
        shared = _dots(self._named[0], self._having[1], left, right)
        shared += _dots(self._having[0], self._named[1], left, right)
        counts = np.log((a.lengths[left] + 1) / (b.lengths[right] + 1))
        return pl.DataFrame(
            {
                "named": _or_null(shared / np.maximum(asked, 1e-6), asked > 0),
                "form": _or_null(
                    np.minimum(_dots(a.forms, b.forms, left, right), 1),
                    self._formed[0][left] & self._formed[1][right],
                ),
                "foods": _dots(self._unit[0], self._unit[1], left, right),
                "shared": _dots(self._weighed, b.foods, left, right),
                "amounts": _or_null(amounts, known),
                "cooking": _dots(self._ways[0], self._ways[1], left, right),
                "length": -np.abs(counts),
            },
            schema=dict.fromkeys(FEATURES[1:], pl.Float32),
        )

    def nearest(
        self, blocks: Iterable[range], k: int, budget: int, *, back: bool = False
    ) -> Iterator[tuple[Rows, Rows]]:
        """The k rows of the other side with the most foods in common, for each row of the left side (`back`:
        right).

        Rare-first: a recipe's foods are looked up from the rarest on the other side to the most frequent, as long as
        the recipes that have them are `budget` together. Only these foods count; a recipe without any has no
        neighbours. Equal scores are in the order of the rows. Yields pairs of (row, row of the other side) of each
        block of rows, in their order.
        """
        own, other = self._unit[::-1] if back else self._unit
        having = np.bincount(other.indices, minlength=other.shape[1])
        by_food = other.T.tocsr()
        for rows in blocks:
            found = [(np.empty(0, np.int64),) * 2]
            for start in range(rows.start, rows.stop, BLOCK):
                block = own[start : min(start + BLOCK, rows.stop)]
                found.append(_best(_first(block, having, budget) @ by_food, start, k))
            yield np.concatenate([row for row, _ in found]), np.concatenate([other for _, other in found])


def _first(block: Any, having: NDArray[np.int64], budget: int) -> Any:
    """The entries of each row in its rarest columns: as many columns as have at most `budget` entries together."""
    from scipy.sparse import csr_array

    row = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
    cost = having[block.indices]
    order = np.lexsort((block.indices, cost, row))
    spent = cost[order].cumsum()
    before = np.concatenate([[0], spent])[block.indptr[row[order]]]
    kept = np.sort(order[spent - before <= budget])
    return csr_array((block.data[kept], (row[kept], block.indices[kept])), shape=block.shape)


def _best(scores: Any, start: int, k: int) -> tuple[Rows, Rows]:
    rows, others = [], []
    for row in range(scores.shape[0]):
        part = slice(scores.indptr[row], scores.indptr[row + 1])
        score, index = scores.data[part], scores.indices[part]
        if len(score) > k:
            least = np.partition(score, len(score) - k)[len(score) - k]
            score, index = score[score >= least], index[score >= least]
        best = index[np.lexsort((index, -score))][:k]
        rows.append(np.full(len(best), start + row, np.int64))
        others.append(best.astype(np.int64))
    empty = [np.empty(0, np.int64)]
    return np.concatenate(rows + empty), np.concatenate(others + empty)


def _with(matrix: Any, values: Floats) -> Any:
    """A matrix with these values in the places of another's entries; the places are shared, not copied."""
    from scipy.sparse import csr_array

    return csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)


def _ones(matrix: Any) -> Any:
    return _with(matrix, np.ones(len(matrix.data), np.float32))


def _scaled(matrix: Any, weights: Floats) -> Any:
    return _with(matrix, matrix.data * weights[matrix.indices])


def _unit(matrix: Any, weights: Floats) -> Any:
    """Weighted rows of length 1; those that are 0 stay so."""
    scaled = _scaled(matrix, weights)
    length = np.sqrt(np.asarray(_with(scaled, scaled.data**2).sum(axis=1)).ravel())
    scaled.data /= np.repeat(np.where(length > 0, length, 1), np.diff(scaled.indptr))
    return scaled


def _dots(a: Any, b: Any, left: Rows, right: Rows) -> Floats:
    return np.asarray(a[left].multiply(b[right]).sum(axis=1), np.float32).ravel()


def _or_null(values: NDArray[Any], known: NDArray[np.bool_]) -> pl.Series:
    return pl.Series(np.where(known, values, np.nan).astype(np.float32)).fill_nan(None)


def _slices(count: int) -> list[slice]:
    return [slice(start, start + PAIRS) for start in range(0, count, PAIRS)]
