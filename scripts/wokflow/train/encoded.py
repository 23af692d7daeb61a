"""Training examples as token ids, compact enough for millions of recipes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError
from wokflow.models.decoding import Family, cut, encode

AT_ONCE = 10_000  # texts

Tokens = NDArray[np.int32]


@dataclass(frozen=True)
class Ragged:
    """Rows of token ids, concatenated in `flat`; row i lies between `bounds[i]` and `bounds[i + 1]`."""

    flat: Tokens
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Iterable[Sequence[int] | Tokens]) -> "Ragged":
        arrays = [np.asarray(row, np.int32) for row in rows]
        lengths = [len(array) for array in arrays]
        flat = np.concatenate(arrays) if arrays else np.zeros(0, np.int32)
        return cls(flat, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))

    def __getitem__(self, row: int) -> Tokens:
        return self.flat[self.bounds[row] : self.bounds[row + 1]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each row."""
        return np.diff(self.bounds)


@dataclass(frozen=True)
class Encoded:
    """Examples of one split: row i of `sources` is to become row i of `targets`, which ends in an end token."""

    sources: Ragged
    targets: Ragged

    def __len__(self) -> int:
        return len(self.sources.bounds) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each example, source and target together."""
        return self.sources.lengths + self.targets.lengths


def read_examples(path: str) -> pl.DataFrame:
    """The table of examples. Raises UserError if none has split train, and for blank texts."""
    rows = tables.read(path)
    for name in ("source", "target"):
        blank = rows.filter(pl.col(name).str.strip_chars() == "")
        if len(blank):
            raise UserError(
                f"{path}: the {name} of {blank['instance_id'][0]} is empty ({len(blank)} such in all). An example "
                "needs both texts: fix the corpus, or the step that writes the examples."
            )
    if "train" not in rows["split"]:
        raise UserError(
            f"{path}: no example has split train: give larger corpora, or a larger share of them."
        )
    return rows


def encode_examples(
    rows: pl.DataFrame,
    tokenizer: Any,
    family: Family,
    most: tuple[int, int],
    progress: Progress | None = None,
) -> Encoded:
    """Token ids of sources and targets, each cut to its number of tokens in `most`; the log says how many were."""

    def sources(texts: Sequence[str]) -> list[list[int]]:
        return encode(tokenizer, texts, family)

    def targets(texts: Sequence[str]) -> list[list[int]]:
        if family == "seq2seq":
            found: list[list[int]] = tokenizer(text_target=list(texts), verbose=False)["input_ids"]
            return found
        found = tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        end = tokenizer.eos_token_id if tokenizer.eos_token_id is not None else tokenizer.sep_token_id
        return [[*row, end] for row in found]

    special = set(tokenizer.all_special_ids)
    encoded = [
        _encode(rows[name], make, family if name == "source" else "seq2seq", limit, special, progress)
        for name, make, limit in zip(("source", "target"), (sources, targets), most, strict=True)
    ]
    return Encoded(*encoded)


def _encode(
    texts: pl.Series,
    make: Callable[[Sequence[str]], list[list[int]]],
    family: Family,
    most: int,
    special: set[int],
    progress: Progress | None,
) -> Ragged:
    found: list[Tokens] = []
    too_long = 0
    for start in range(0, len(texts), AT_ONCE):
        made = make(texts[start : start + AT_ONCE].to_list())
        too_long += sum(len(row) > most for row in made)
        found += [np.asarray(cut(row, most, family, special), np.int32) for row in made]
    if progress and too_long:
        progress.say(f"{too_long} of {len(texts)} {texts.name}s have more than {most} tokens and were cut")
    return Ragged.of(found)
