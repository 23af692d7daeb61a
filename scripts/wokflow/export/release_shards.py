"""Shards of a release: Parquet files of bounded size that Hugging Face's viewer can read in pieces."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from wokflow.export.parquet_pages import row_group_size
from wokflow.frame import tables

SHARD = 256 << 20  # bytes after which a shard is full: the hub advises less than 500 MB
GROUP = 128 << 20  # bytes of values in a row group: the hub's viewer reads none of more than 300 MB
MOST = 4 * GROUP  # most bytes of a row group in a release from elsewhere
PIECE = 64  # rows decompressed at a time to measure them


@dataclass
class ShardWriter:
    """Write a split of a subset, frame by frame, to as many shards as its size needs.

    Each frame becomes a row group, or is halved until its values have at most GROUP bytes, so that the frames
    determine the bytes. The shards get their final names, which include their number, at the end. With `jsonl`, the
    same rows are written as JSON lines, too. Use as a context manager.
    """

    root: Path
    subset: str
    split: str
    schema: pa.Schema
    jsonl: bool
    rows: list[int] = field(default_factory=list)  # number of rows of each shard

    def __enter__(self) -> "ShardWriter":
        self._parquet: pq.ParquetWriter | None = None
        self._lines: Any = None
        self._path = Path()
        self._singles = [field.name for field in self.schema if _single(field.type)]
        return self

    def write(self, frame: pl.DataFrame) -> None:
        """Append rows, which have the columns of the schema. Raises ValueError if they do not fit it."""
        if not frame.height:
            return
        if self._parquet is None:
            self._open()
        assert self._parquet is not None
        try:
            # In one piece: pages of a file end where pieces of memory do, of which the same rows have others.
            rows = frame.select(self.schema.names).rechunk().to_arrow().cast(self.schema)
            for group in _row_groups(rows):
                self._parquet.write_table(group, row_group_size=len(group))
        except (ValueError, KeyError, pa.ArrowException, pl.exceptions.PolarsError) as error:
            raise ValueError(
                f"subset {self.subset}, split {self.split}: rows do not fit the table: {error}"
            ) from error
        self.rows[-1] += frame.height
        if self._lines is not None:
            rows_of = frame.select(self.schema.names).iter_rows(named=True)
            self._lines.writelines(_line(row, self._singles) for row in rows_of)
        if self._path.stat().st_size >= SHARD:
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


def lines_path(path: str) -> str:
    """The JSON lines with the rows of a Parquet shard, both as paths in the release."""
    return path.replace("data/", "jsonl/", 1).removesuffix("parquet") + "jsonl"


@dataclass(frozen=True)
class Rows:
    """The rows of shards in order, a row group at a time, as often as somebody iterates over them.

    `columns` are paths in the Parquet files: source.id reads no other member of source. polars would read whole
    columns, of several row groups at once.
    """

    paths: Sequence[Path]
    columns: Sequence[str] | None = None
    select: Sequence[pl.Expr] = ()

    def __iter__(self) -> Iterator[pl.DataFrame]:
        for path in self.paths:
            with tables.opened(path) as file:
                for number in range(file.num_row_groups):
                    frame = pl.from_arrow(file.read_row_group(number, self.columns))
                    assert isinstance(frame, pl.DataFrame)
                    yield frame.select(self.select) if self.select else frame


def shard_problems(path: Path, schema: pa.Schema, rows: int, group: int) -> Iterator[tuple[str, str]]:
    """The problems of a shard that should have `rows` rows, in row groups of at most `group`, each with its gate.

    The gate is "schema" or "counts". The whole shard is read, some rows at a time, since the footer does not show
    damaged pages; but row groups whose values would fill the memory are not read.
    """
    read = 0
    try:
        with tables.opened(path) as file:
            columns, stored = file.schema_arrow, file.metadata
            leaves = [file.schema.column(number) for number in range(stored.num_columns)]
        if stored.num_rows != rows:
            yield "counts", f"has {stored.num_rows} rows; the manifest says {rows}"
        if not columns.equals(schema):
            yield "schema", "has other columns than this version of Wokflow gives to its subset"
            return
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        with (
            path.open("rb") as pages,
            pq.ParquetFile(path, page_checksum_verification=True, read_dictionary=texts) as file,
        ):
            for number in range(file.num_row_groups):
                if stored.row_group(number).num_rows > group:
                    yield "schema", f"has a row group of more than {group} rows, which Wokflow never writes"
                    return
                rows_read = _rows_read(file, number, row_group_size(pages, stored, number))
                if rows_read is None:
                    size = f"more than {MOST >> 20} MiB"
                    yield "schema", f"has a row group of {size}, which Wokflow never writes"
                    return
                read += rows_read
        if read != stored.num_rows:
            yield "counts", f"has {read} rows where its end says {stored.num_rows}"
    except (OSError, ValueError, pa.ArrowException) as error:
        yield "counts", f"is no Parquet file, or cut off, or damaged: {error}"


def _rows_read(file: pq.ParquetFile, number: int, size: int) -> int | None:
    """The number of rows of a row group, by reading it; None if its values have more than MOST bytes.

    `size` is the size by its pages' headers. Since a few kilobytes can repeat one long text thousands of times, texts
    are read as indices of their dictionary.
    """
    rows, texts = 0, 0
    if size > MOST:
        return None
    for batch in file.iter_batches(PIECE, row_groups=[number]):
        rows += len(batch)
        texts += sum(values_size(column) for column in batch.columns)
        if texts > MOST:
            return None
    return rows


def _row_groups(rows: pa.Table) -> Iterator[pa.Table]:
    """The rows, halved until each part has at most GROUP bytes or is a single row."""
    if len(rows) < 2 or sum(values_size(column) for column in rows.columns) <= GROUP:
        yield rows
        return
    half = len(rows) // 2
    yield from _row_groups(rows.slice(0, half))
    yield from _row_groups(rows.slice(half))


def values_size(values: pa.Array | pa.ChunkedArray) -> int:
    """Bytes of the values in a column; they depend on the values only, not on Arrow's buffers."""
    kind = values.type
    if pa.types.is_list(kind):
        return 8 * len(values) + values_size(pc.list_flatten(values))
    if pa.types.is_struct(kind):
        return sum(values_size(pc.struct_field(values, [place])) for place in range(kind.num_fields))
    if isinstance(values, pa.DictionaryArray):
        lengths = pc.binary_length(values.dictionary).take(values.indices)
    elif pa.types.is_string(kind):
        lengths = pc.binary_length(values)
    else:
        return 8 * len(values)
    return 8 * len(values) + int(pc.sum(pc.cast(lengths, pa.int64())).as_py() or 0)


def rows_size(path: Path) -> int:
    """Uncompressed bytes of a shard's rows."""
    stored = pq.read_metadata(path)
    return sum(stored.row_group(number).total_byte_size for number in range(stored.num_row_groups))


def rows_as_lines(shard: Path, schema: pa.Schema) -> Iterator[str]:
    """The JSON lines of the rows of a Parquet shard, as ShardWriter writes them."""
    singles = [field.name for field in schema if _single(field.type)]
    for frame in Rows([shard]):
        yield from (_line(row, singles) for row in frame.iter_rows(named=True))


def _line(row: dict[str, Any], singles: list[str]) -> str:
    return json.dumps(row | {name: _shortest(row[name]) for name in singles}, ensure_ascii=False) + "\n"


def _single(kind: pa.DataType) -> bool:
    """Whether a column holds float32 numbers, or lists of them."""
    return bool(pa.types.is_float32(kind.value_type if pa.types.is_list(kind) else kind))


def _shortest(value: float | list[float] | None) -> float | list[float] | None:
    """float32 numbers as the shortest decimals that are read as the same float32."""
    if value is None:
        return None
    if isinstance(value, list):
        return [float(str(np.float32(each))) for each in value]
    return float(str(np.float32(value)))
