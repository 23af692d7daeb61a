"""Shards of a release: Parquet files of bounded size that Hugging Face's viewer can read in pieces."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from wokflow.frame import tables

SHARD = 256 << 20  # bytes after which a shard is full: the hub advises less than 500 MB


@dataclass
class ShardWriter:
    """Write one split of a subset, frame by frame, in as many shards as its size asks for.

    Each frame is a row group, so the frames decide the bytes. The shards get their final names, which say how many
    they are, at the end. With `jsonl`, the same rows are written as JSON lines as well. Use as a context manager.
    """

    root: Path
    subset: str
    split: str
    schema: pa.Schema
    jsonl: bool = False
    limit: int = SHARD
    rows: list[int] = field(default_factory=list)  # of each shard

    def __enter__(self) -> "ShardWriter":
        self._parquet: pq.ParquetWriter | None = None
        self._lines: Any = None
        self._path = Path()
        self._singles = [field.name for field in self.schema if _single(field.type)]
        return self

    def write(self, frame: pl.DataFrame) -> None:
        """Append rows, with columns as in the schema. Raises ValueError where they do not fit it."""
        if not frame.height:
            return
        if self._parquet is None:
            self._open()
        assert self._parquet is not None
        try:
            rows = frame.select(self.schema.names).to_arrow().cast(self.schema)
            self._parquet.write_table(rows, row_group_size=len(rows))
        except (ValueError, KeyError, pa.ArrowException, pl.exceptions.PolarsError) as error:
            raise ValueError(
                f"subset {self.subset}, split {self.split}: rows do not fit the table: {error}"
            ) from error
        self.rows[-1] += frame.height
        if self._lines is not None:
            rows_of = frame.select(self.schema.names).iter_rows(named=True)
            self._lines.writelines(_line(row, self._singles) for row in rows_of)
        if self._path.stat().st_size >= self.limit:
            self._close()

    def __exit__(self, *error: Any) -> None:
        self._close()
        for folder, ending in ((self.root / "data", "parquet"), (self.root / "jsonl", "jsonl")):
            for number in range(len(self.rows)):
                path = folder / self.subset / self._name(number, ending)
                if path.exists():
                    path.rename(path.with_name(shard_name(self.split, number, len(self.rows), ending)))

    def _open(self) -> None:
        number = len(self.rows)
        self.rows.append(0)
        self._path = self.root / "data" / self.subset / self._name(number, "parquet")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._parquet = pq.ParquetWriter(
            self._path,
            self.schema,
            compression="zstd",
            write_page_index=True,
            write_page_checksum=True,
            use_content_defined_chunking=True,
        )
        if self.jsonl:
            path = self.root / "jsonl" / self.subset / self._name(number, "jsonl")
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lines = path.open("w", encoding="utf-8", newline="\n")

    def _close(self) -> None:
        for file in (self._parquet, self._lines):
            if file is not None:
                file.close()
        self._parquet = self._lines = None

    def _name(self, number: int, ending: str) -> str:
        return f".{self.split}-{number:05}.{ending}"


def shard_name(split: str, number: int, shards: int, ending: str = "parquet") -> str:
    return f"{split}-{number:05}-of-{shards:05}.{ending}"


def shard_paths(subset: str, split: str, shards: int) -> Iterator[str]:
    """The Parquet shards of a split, as paths in the release."""
    for number in range(shards):
        yield f"data/{subset}/{shard_name(split, number, shards)}"


def shard_problems(path: Path, schema: pa.Schema, rows: int, group: int) -> Iterator[tuple[str, str]]:
    """What is wrong with a shard that should have so many rows, in row groups of at most `group`.

    Each problem comes with the gate that it is for, "schema" or "counts". All of the shard is read, a row group at a
    time, since a damaged page shows in no footer.
    """
    try:
        with tables.opened(path) as file:
            found, count = file.schema_arrow, file.metadata.num_rows
            if count != rows:
                yield "counts", f"has {count} rows; the manifest says {rows}"
            if not found.equals(schema):
                yield "schema", "has other columns than this version of Wokflow gives to its subset"
            for number in range(file.num_row_groups):
                if file.metadata.row_group(number).num_rows > group:
                    yield "schema", f"has a row group of more than {group} rows, which Wokflow never writes"
                    return
                file.read_row_group(number)
    except (OSError, pa.ArrowException) as error:
        yield "counts", f"is no Parquet file, or cut off, or damaged: {error}"


def rows_size(path: Path) -> int:
    """Bytes of a shard's rows without compression."""
    stored = pq.read_metadata(path)
    return sum(stored.row_group(number).total_byte_size for number in range(stored.num_row_groups))


def _line(row: dict[str, Any], singles: list[str]) -> str:
    return json.dumps(row | {name: _shortest(row[name]) for name in singles}, ensure_ascii=False) + "\n"


def _single(kind: pa.DataType) -> bool:
    """Whether a column holds float32 numbers, or lists of them."""
    return bool(pa.types.is_float32(kind.value_type if pa.types.is_list(kind) else kind))


def _shortest(value: float | list[float] | None) -> float | list[float] | None:
    """float32 numbers as the shortest decimals that are the same float32 when they are read again."""
    if value is None:
        return None
    if isinstance(value, list):
        return [float(str(np.float32(each))) for each in value]
    return float(str(np.float32(value)))
