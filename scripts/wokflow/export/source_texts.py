"""Looks up the records that a release's rows point at by id, and digests them, so that changes are detected.

A stand-off release has ids where a full one has text. Both are made from the same rows, and the same functions fill
in the text: from the tables of a run, or in `wokflow rehydrate` from another copy of the corpora.
"""

import hashlib
import json
import mmap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from wokflow.frame import tables

RECIPE = ("title", "ingredients", "steps", "dish")
SENTENCE = ("source", "target")
FIELDS = {"recipes": RECIPE, "sentences": SENTENCE}  # columns of a record's text, by table of stage ingest
TEXT = {"recipes": ("title", "ingredients", "steps"), "sentences": SENTENCE}  # those that people have written
IDS = {"recipes": "recipe_id", "sentences": "sentence_id"}

Rows = NDArray[np.int64]


def corpus_of(record_id: str) -> str:
    """The corpus of a record: recipenlg of recipenlg:12."""
    return record_id.rpartition(":")[0]


def numbers(ids: pl.Series) -> pl.Series:
    """Row numbers in the source, as int64: 12 of recipenlg:12; null for an invalid id."""
    return ids.str.extract(r":(\d+)$").cast(pl.Int64, strict=False)


class Texts:
    """Looks up the records of a corpus by id, with 8 bytes of memory for each record.

    The records are written uncompressed to a file in `folder`, which is mapped into memory.
    """

    def __init__(self, corpus: str, table: str, parts: Sequence[str], folder: Path) -> None:
        """`parts` of ingest/recipes or ingest/sentences, whose rows are in the order of their source_row."""
        self.corpus, self.fields, self._id = corpus, FIELDS[table], IDS[table]
        lines = [pl.col(name) for name in TEXT[table]]
        joined = (
            pl.concat_list(lines).list.join("\n")
            if table == "recipes"
            else pl.concat_str(lines, separator="\n")
        )
        self._whole = pl.col("id"), joined.alias("text")
        self.lang = ""
        path = folder / f"{corpus}.arrow"
        scanned = tables.scan(parts)
        if table == "recipes":
            first = scanned.select("lang").head(1).collect()
            self.lang = first.item() if first.height else ""
        scanned.select(pl.col(self._id).alias("id"), *self.fields).sink_ipc(path, compression="uncompressed")
        self.rows: Rows = scanned.select("source_row").collect().to_series().to_numpy().astype(np.int64)
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        table_read = pa.ipc.open_file(pa.py_buffer(self._map)).read_all()
        frame = pl.from_arrow(table_read, rechunk=False)
        assert isinstance(frame, pl.DataFrame)
        self._frame = frame

    @property
    def size(self) -> int:
        """How many row numbers the source has: one more than the last."""
        return int(self.rows.max(initial=-1)) + 1

    def take(self, ids: pl.Series) -> pl.DataFrame:
        """A row for each of `ids`, in order: `id` and the fields, which are null if there is no such record."""
        wanted = numbers(ids)
        known = wanted.is_not_null() & (ids.str.strip_suffix(":" + wanted.cast(pl.String)) == self.corpus)
        return self._at(wanted.fill_null(-1).to_numpy(), known.fill_null(False).to_numpy()).with_columns(
            id=ids
        )

    def _at(self, wanted: Rows, known: NDArray[np.bool_]) -> pl.DataFrame:
        place = np.minimum(np.searchsorted(self.rows, wanted), max(len(self.rows) - 1, 0))
        if not len(self.rows):
            return self._frame.clear(len(wanted))
        there = known & (self.rows[place] == wanted)
        return self._frame[pl.Series(place, dtype=pl.UInt32)].with_columns(
            pl.when(pl.lit(pl.Series(there))).then(pl.col(name)).alias(name) for name in self.fields
        )

    def whole(self, batch: int = 20_000) -> Iterator[pl.DataFrame]:
        """All records in order: `id`, and `text`, the lines of title, ingredients and steps, or of both sentences."""
        for start in range(0, self._frame.height, batch):
            yield self._frame[start : start + batch].select(self._whole)
            self.forget()

    def text_at(self, ids: pl.Series) -> pl.Series:
        """The text of each of `ids`, as in `whole`; null if there is no such record."""
        return self.take(ids).select(self._whole)["text"]

    def forget(self) -> None:
        """Release the memory of looked-up records; the system reads them again if needed."""
        self._map.madvise(mmap.MADV_DONTNEED)

    def digests(self, rows: Rows, batch: int = 20_000) -> Iterator[pl.DataFrame]:
        """Frames with record_id and sha256 of the records with these row numbers.

        The digest of a record that the corpus does not have is null.
        """
        for start in range(0, len(rows), batch):
            some = rows[start : start + batch]
            records = self._at(some, np.ones(len(some), np.bool_))
            missing = records[self.fields[0]].is_null()
            digests = [
                None if gone else record_digest(row)
                for gone, row in zip(missing, records.select(self.fields).iter_rows(), strict=True)
            ]
            yield pl.DataFrame(
                {"record_id": [f"{self.corpus}:{row}" for row in some.tolist()], "sha256": digests},
                schema={"record_id": pl.String, "sha256": pl.String},
            )
            self.forget()


def record_digest(fields: Iterable[object]) -> str:
    """SHA-256 of a record's fields, in the order of FIELDS, as JSON without blanks in UTF-8."""
    text = json.dumps(list(fields), ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def open_texts(parts: Iterable[str], folder: Path) -> dict[str, Texts]:
    """The records by corpus, from parts at .../ingest/<table>/<corpus>/part-NNNNN.parquet."""
    by_table: dict[tuple[str, str], list[str]] = {}
    for part in parts:
        table, corpus = Path(part).parts[-3:-1]
        by_table.setdefault((corpus, table), []).append(part)
    return {corpus: Texts(corpus, table, paths, folder) for (corpus, table), paths in by_table.items()}


def recipes(ids: pl.Series, texts: Mapping[str, Texts]) -> pl.Series:
    """The recipes with these ids, all of one corpus, as structs of id and RECIPE; null where the id is null."""
    known = ids.drop_nulls()
    corpus = texts[corpus_of(known[0])] if known.len() else next(iter(texts.values()))
    records = corpus.take(ids).select("id", *RECIPE)
    return records.select(
        pl.when(pl.col("id").is_not_null()).then(pl.struct(pl.all())).alias(ids.name)
    ).to_series()
