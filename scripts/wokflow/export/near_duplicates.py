"""Finds near-duplicate texts between splits by MinHash with banding (LSH), verified by exact similarity.

Similarity is the Jaccard index of the sets of character 5-grams. Signatures are those of Broder (1997), made by
rensa; two texts are candidates if they agree in all of ROWS signature slots of one of BANDS bands. At a similarity of
0.8, 1 - (1 - 0.8 ** 6) ** 21 = 99.8% of the pairs are candidates; at 0.2, one in 750.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.export.gate_findings import EXAMPLES, Finding, finding
from wokflow.export.leaks import NO_WORD
from wokflow.export.privacy import excerpt
from wokflow.export.spilled import Spilled
from wokflow.export.split_sides import side
from wokflow.match.split import SPLITS

GRAM = 5  # characters
SLOTS, BANDS, ROWS = 128, 21, 6
SIMILARITY = 0.8  # least similarity of near duplicates
SEED = 13
MARGIN = 0.12  # three standard deviations of an estimate from 128 slots: candidates with less are skipped
CHUNK = 1 << 16  # candidates compared at a time
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def near_duplicates(texts: Iterable[pl.DataFrame], scratch: Path) -> list[Finding]:
    """Recipes of valid and test whose text has SIMILARITY or more with one of an earlier side; counts recipes.

    `texts` are frames of recipe_id, split and text, and are read twice: the texts of valid and test are indexed, then
    those of train and valid are looked up. Texts of valid and test, their signatures and bands lie in temporary files
    in the folder `scratch` (760 bytes a text, and the text); 20 bytes a text are in memory, and another 40 while
    bands are sorted. The frames' sizes do not change what is counted.

    Raises TypeError if `texts` can be read only once.
    """
    if iter(texts) is iter(texts):
        raise TypeError("texts is an iterator; it is read twice, so it must be a list or have __iter__")
    with TemporaryFile(dir=scratch) as file:
        index = _Index(file, scratch)
        for frame in texts:
            index.add(_numbered(frame).filter(pl.col("side") > 0))
        index.close()
        for frame in texts:
            index.look_up(_numbered(frame).filter(pl.col("side") < len(SPLITS) - 1))
        examples = list(islice(index.examples(), EXAMPLES))
        advice = "Leave these recipes out of valid and test, or move them to the side of their duplicates."
        return finding("near_duplicates", "", int(index.leaked.sum()), examples, advice)


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns recipe_id, side (number) and text (normalized, not empty)."""
    word = pl.col("text").str.normalize("NFKC").str.to_lowercase().str.replace_all(NO_WORD, " ")
    numbered = frame.select("recipe_id", side=side(), text=word.str.strip_chars())
    return numbered.filter(pl.col("text") != "")


def shingles(texts: pl.Series) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Hashes of the character 5-grams of all texts, and the offsets of each text's hashes (number of texts + 1).

    A text of fewer than 5 characters is one shingle.
    """
    padded = texts.str.pad_end(GRAM, "\0")
    sizes = padded.str.len_chars().to_numpy().astype(np.int64)
    signs = np.frombuffer("".join(padded).encode("utf-32-le"), np.uint32).astype(np.uint64)
    hashes = np.zeros(max(len(signs) - GRAM + 1, 0), np.uint64)
    for place in range(GRAM):
        hashes *= _MIX[0]
        hashes += signs[place : place + len(hashes)] + np.uint64(1)
    for shift, factor in ((30, _MIX[1]), (27, _MIX[2])):  # splitmix64
        hashes ^= hashes >> np.uint64(shift)
        hashes *= factor
    hashes ^= hashes >> np.uint64(31)
    ends = np.cumsum(sizes)
    whole = np.ones(len(hashes), bool)
    for back in range(1, GRAM):  # shingles that begin in one text and end in the next
        last = ends[:-1] - back
        whole[last] = False
    offsets = np.concatenate([[0], np.cumsum(sizes - GRAM + 1)])
    return hashes[whole], offsets.astype(np.uint64)


def jaccard(one: NDArray[np.uint64], two: NDArray[np.uint64]) -> float:
    """The exact similarity of two sets of hashes, given as arrays with repetitions."""
    one, two = np.unique(one), np.unique(two)
    both = len(np.intersect1d(one, two, assume_unique=True))
    return both / (len(one) + len(two) - both)


class _Index:
    """An index of the texts of valid and test by the bands of their signatures: add, then close, then look up."""

    def __init__(self, file: IO[bytes], scratch: Path) -> None:
        self._file, self._scratch = file, scratch
        self._codes, self._sides, self._ends = (np.empty(0, kind) for kind in (np.uint64, np.uint8, np.int64))
        self._added: list[tuple[NDArray[Any], ...]] = []
        self._signatures = Spilled(scratch, np.uint32, SLOTS)
        self._unsorted = [Spilled(scratch, np.uint64) for _ in range(BANDS)]
        # Of leaked rows: the other's id, its side, and how similar they are.
        self._first: dict[int, tuple[str, int, float]] = {}

    def add(self, held: pl.DataFrame) -> None:
        if held.is_empty():
            return
        signatures = _signatures(*shingles(held["text"]))
        self._signatures.add(signatures)
        for band, keys in enumerate(_keys(signatures).T):
            self._unsorted[band].add(keys)
        encoded = [f"{name}\0{text}".encode() for name, text in held.select("recipe_id", "text").iter_rows()]
        ends = np.cumsum([len(each) for each in encoded]) + self._file.tell()
        self._added.append((held["recipe_id"].hash(seed=0).to_numpy(), held["side"].to_numpy(), ends))
        self._file.write(b"".join(encoded))

    def close(self) -> None:
        """Sort the bands, after which texts can be looked up."""
        self._file.flush()
        if self._added:
            self._codes, self._sides, self._ends = map(np.concatenate, zip(*self._added, strict=True))
            self._added = []
        self._held = self._signatures.mapped()
        self._bands = []
        while self._unsorted:
            keys = self._unsorted.pop(0).mapped()
            order = np.argsort(keys, kind="stable")
            sorted_bands = Spilled(self._scratch, np.uint64), Spilled(self._scratch, np.uint32)
            for spilled, rows in zip(sorted_bands, (keys[order], order), strict=True):
                spilled.add(rows)
            self._bands.append((sorted_bands[0].mapped(), sorted_bands[1].mapped()))
        self.leaked = np.zeros(len(self._codes), bool)

    def look_up(self, texts: pl.DataFrame) -> None:
        """Mark the texts of the index that are near duplicates of one of these texts of an earlier side."""
        if texts.is_empty() or not len(self.leaked):
            return
        hashes, offsets = shingles(texts["text"])
        signatures = _signatures(hashes, offsets)
        keys, sides = _keys(signatures), texts["side"].to_numpy()
        names = texts["recipe_id"]
        codes = names.hash(seed=0).to_numpy()
        failed: set[tuple[int, int]] = set()
        for band in range(BANDS):
            for asked, held in self._candidates(band, keys[:, band]):
                later = ~self.leaked[held] & (self._sides[held] > sides[asked])
                asked, held = asked[later], held[later]
                alike = (signatures[asked] == self._held[held]).mean(axis=1) >= SIMILARITY - MARGIN
                for row, other in zip(asked[alike].tolist(), held[alike].tolist(), strict=True):
                    if self.leaked[other] or (row, other) in failed or codes[row] == self._codes[other]:
                        continue
                    exact = jaccard(
                        hashes[offsets[row] : offsets[row + 1]],
                        shingles(pl.Series([self._text(other)[1]]))[0],
                    )
                    if exact >= SIMILARITY:
                        self._leak(other, names[row], int(sides[row]), exact)
                    else:
                        failed.add((row, other))

    def _candidates(
        self, band: int, keys: NDArray[np.uint64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Rows of texts and rows of the index with the same key in a band, CHUNK at a time."""
        ordered, order = self._bands[band]
        first = np.searchsorted(ordered, keys, side="left")
        counts = np.searchsorted(ordered, keys, side="right") - first
        rows = np.flatnonzero(counts)
        ends = np.cumsum(counts[rows])
        total = int(ends[-1]) if len(ends) else 0
        for start in range(0, total, CHUNK):
            place = np.arange(start, min(start + CHUNK, total))
            at = np.searchsorted(ends, place, side="right")
            row = rows[at]
            within = place - (ends[at] - counts[row])
            yield row, order[first[row] + within].astype(np.int64)

    def _leak(self, row: int, other: str, of: int, exact: float) -> None:
        self.leaked[row] = True
        if len(self._first) < 1000:
            self._first[row] = (other, of, exact)

    def _text(self, row: int) -> tuple[str, str]:
        """recipe_id and text of a row."""
        start, end = int(self._ends[row - 1]) if row else 0, int(self._ends[row])
        name, _, text = os.pread(self._file.fileno(), end - start, start).decode().partition("\0")
        return name, text

    def examples(self) -> Iterator[str]:
        for row, (other, of, exact) in sorted(self._first.items()):
            name, text = self._text(row)
            yield (
                f"{name} in {SPLITS[self._sides[row]]}, {other} in {SPLITS[of]} ({exact:.2f}): {excerpt(text)}"
            )


def _signatures(hashes: NDArray[np.uint64], offsets: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """MinHash signatures (texts, SLOTS)."""
    from rensa import RMinHash

    matrix: Any = RMinHash.digest_matrix_from_flat_token_hashes(hashes, offsets, SLOTS, SEED)
    return np.array(matrix.to_rows(), np.uint32)


def _keys(signatures: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """One number for the slots of each band (texts, BANDS)."""
    slots = signatures[:, : BANDS * ROWS].reshape(-1, BANDS, ROWS)
    keys = np.zeros((len(signatures), BANDS), np.uint64)
    for row in range(ROWS):
        keys = (keys ^ slots[:, :, row]) * _MIX[0]
        keys ^= keys >> np.uint64(29)
    return keys
