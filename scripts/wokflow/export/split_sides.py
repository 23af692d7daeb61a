"""The recipes of a release by sides of the split, and the pairs between them, in little memory.

A side is train, valid or test; each split that is neither train nor valid, such as a silver or a gold set, is test.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.export.source_texts import numbers
from wokflow.export.spilled import Spilled
from wokflow.match.edges import components
from wokflow.match.split import SPLITS

Numbers = NDArray[np.int64]
SIDE = {"train": 0, "valid": 1, "validation": 1, "dev": 1}  # numbers of SPLITS
SLICE = 1 << 20  # pairs that are read at a time
_PAIR = np.dtype([("source", np.int32), ("target", np.int32), ("side", np.uint8)])


def side() -> pl.Expr:
    """The number of a split's side in SPLITS (UInt8)."""
    return pl.col("split").replace_strict(SIDE, default=2, return_dtype=pl.UInt8)


class Sides:
    """On which sides each recipe stands (a byte in memory for each row of each corpus), and all pairs (in a file).

    Recipes have numbers: the rows of the first corpus, then those of the next, then recipes of no corpus.
    """

    def __init__(self, rows: Mapping[str, int], scratch: Path) -> None:
        """`rows` are the row numbers that each corpus may have; the pairs lie in a temporary file in `scratch`."""
        ends = np.cumsum([0, *rows.values()])
        self._corpora = {
            corpus: (int(first), count) for (corpus, count), first in zip(rows.items(), ends, strict=False)
        }
        self._total = int(ends[-1])
        self._others: dict[str, int] = {}
        self.flags = np.zeros(self._total, np.uint8)  # of each recipe: a bit for each side
        self._pairs = Spilled(scratch, _PAIR)

    def add(self, pairs: pl.DataFrame, split: str) -> None:
        """Add pairs of a split (source_id, target_id); one without source or target is only a recipe, or none."""
        number = SIDE.get(split, 2)
        whole = pairs.drop_nulls()
        numbered = np.empty(len(whole), _PAIR)
        numbered["side"] = number
        for name in ("source", "target"):
            numbered[name] = self._numbered(whole[f"{name}_id"])
            self._mark(numbered[name], number)
            alone = pairs.filter(pl.any_horizontal(pl.all().is_null()))[f"{name}_id"].drop_nulls()
            self._mark(self._numbered(alone), number)
        self._pairs.add(numbered)

    def _mark(self, recipes: NDArray[np.integer], number: int) -> None:
        lacking = self._total + len(self._others) - len(self.flags)
        if lacking:
            self.flags = np.concatenate([self.flags, np.zeros(lacking, np.uint8)])
        self.flags[recipes] |= np.uint8(1 << number)

    def _numbered(self, ids: pl.Series) -> Numbers:
        of_ids = np.full(len(ids), -1, np.int64)
        rows = numbers(ids).fill_null(-1).to_numpy()
        for corpus, (first, count) in self._corpora.items():
            own = ids.str.starts_with(f"{corpus}:").to_numpy() & (rows >= 0) & (rows < count)
            of_ids[own] = first + rows[own]
        for place in np.flatnonzero(of_ids < 0).tolist():
            of_ids[place] = self._total + self._others.setdefault(ids[place], len(self._others))
        return of_ids

    def names(self, recipes: NDArray[np.integer]) -> list[str]:
        """The ids of recipes."""
        others = list(self._others)
        return [
            next(
                (
                    f"{corpus}:{recipe - first}"
                    for corpus, (first, count) in self._corpora.items()
                    if first <= recipe < first + count
                ),
                None,
            )
            or others[recipe - self._total]
            for recipe in recipes.tolist()
        ]

    def frames(self, corpus: str, size: int) -> Iterator[pl.DataFrame]:
        """The recipes of a corpus: recipe_id, split, and whether it is their first side; about `size` at a time."""
        first, count = self._corpora[corpus]
        for start in range(first, first + count, SLICE):
            flags = self.flags[start : min(start + SLICE, first + count)]
            used = np.flatnonzero(flags)
            for begin in range(0, len(used), size):
                yield self._frame(corpus, used[begin : begin + size] + (start - first), first)

    def _frame(self, corpus: str, rows: Numbers, first: int) -> pl.DataFrame:
        flags = self.flags[rows + first]
        each = [
            pl.DataFrame(
                {"row": rows[on], "first": (flags[on] & np.uint8((1 << number) - 1)) == 0}
            ).with_columns(split=pl.lit(SPLITS[number]))
            for number in range(len(SPLITS))
            if (on := (flags >> number & 1).astype(bool)).any()
        ]
        sides = pl.concat(each).sort("row", maintain_order=True)
        return sides.select(pl.format("{}:{}", pl.lit(corpus), "row").alias("recipe_id"), "split", "first")

    def pairs(self) -> Iterator[NDArray[np.void]]:
        """All pairs with numbers of source, target and side, in the order in which they came, some at a time."""
        stored = self._pairs.mapped()
        for start in range(0, len(stored), SLICE):
            yield np.array(stored[start : start + SLICE])

    def components(self) -> NDArray[np.int32]:
        """The number of each recipe's connected component: recipes that pairs connect step by step have the same."""
        label = np.arange(len(self.flags), dtype=np.int32)
        for some in self.pairs():
            joined = components(len(label), label[some["source"]], label[some["target"]])
            label = joined.astype(np.int32)[label]
        return label
