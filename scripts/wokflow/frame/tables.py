"""Reads and writes tables: folders of Parquet parts, written completely or not at all, each time the same bytes."""

import base64
import errno
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from wokflow.frame.job import UserError
from wokflow.frame.leftovers import remove, remove_leftovers, temporary_name

ROW_GROUP = 50_000
ROWS_READ = b"rows_read"  # in the metadata of tables that are made from a source: the rows that it has
Row = Mapping[str, Any] | Sequence[Any]  # values by column, or in the order of the columns
BATCH = 4_096  # rows that are read at once where a file is only checked


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """The path of a temporary file to write; it becomes `path` if the block succeeds, and is removed otherwise.

    Its name belongs to this process alone, so that two jobs that write the same file, as after a crash, do not mix
    their bytes. Temporary files of writers that have provably ended are removed first.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path)
    temporary = temporary_name(path)
    remove(temporary)  # of an earlier process of this number, or a link that somebody has put there
    try:
        yield temporary
        _to_disk(temporary)
        temporary.replace(path)
        _to_disk(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_folder(folder: str | Path) -> Iterator[Path]:
    """A temporary folder to write in; it replaces `folder` if the block succeeds, and is removed otherwise.

    The old folder is renamed first and deleted last: a crash leaves the old folder or the new one, complete, under
    its own name or a temporary one. Temporary folders of writers that have provably ended are removed first.
    """
    folder = Path(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(folder)
    temporary, aside = temporary_name(folder), temporary_name(folder, aside=True)
    temporary.mkdir()
    try:
        yield temporary
        for path in (*temporary.rglob("*"), temporary):
            if path.is_file() or path.is_dir():
                _to_disk(path)
        _swap(temporary, folder, aside)
        _to_disk(folder.parent)
    except BaseException:
        remove(temporary)
        raise
    remove(aside)


def _swap(new: Path, folder: Path, aside: Path) -> None:
    """Replace a folder by a new one, and rename the old one to `aside`; if that fails, the old one stays."""
    try:
        folder.rename(aside)
    except FileNotFoundError:
        new.rename(folder)
        return
    try:
        new.rename(folder)
    except OSError:
        aside.rename(folder)
        raise


def _to_disk(path: Path) -> None:
    """Flush a file, or a folder's list of names, to disk; some file systems cannot flush folders."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP) or not path.is_dir():
            raise
    finally:
        os.close(file)


def write_text(path: str | Path, text: str) -> None:
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def strings_digest(strings: Iterable[str]) -> str:
    """SHA-256 of strings in order, each after its length, whatever file they lie in."""
    digest = hashlib.sha256()
    for string in strings:
        data = string.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


class PartWriter:
    """Write one part of a table, frame by frame. Use as a context manager.

    Strings are passed on as polars' views, without a copy; the file declares them as strings.
    """

    def __init__(self, path: str | Path, schema: pa.Schema, metadata: Mapping[str, str]) -> None:
        schema = schema.with_metadata(dict(metadata))
        self._schema = pa.schema([field.with_type(_viewed(field.type)) for field in schema])
        self._metadata = dict(metadata) | {"ARROW:schema": base64.b64encode(schema.serialize())}
        self._atomic = atomic(path)
        self._path = path

    def __enter__(self) -> "PartWriter":
        self._temporary = self._atomic.__enter__()
        scalars = [field.name for field in self._schema if not pa.types.is_nested(field.type)]
        self._writer = pq.ParquetWriter(
            self._temporary,
            self._schema,
            compression="zstd",
            use_dictionary=False,
            write_statistics=scalars,
            store_schema=False,
            write_page_checksum=True,
        )
        self._writer.add_key_value_metadata(self._metadata)
        return self

    def write(self, rows: pl.DataFrame | pa.Table) -> None:
        """Append rows; columns are taken by name. Raises ValueError if they do not fit the schema."""
        try:
            for start in range(0, max(len(rows), 1), ROW_GROUP):
                self._writer.write_table(self._whole(rows[start : start + ROW_GROUP]))
        except (ValueError, KeyError, pa.ArrowException, pl.exceptions.PolarsError) as error:
            raise ValueError(f"{self._path}: rows do not fit the table's schema: {error}") from error

    def _whole(self, rows: pl.DataFrame | pa.Table) -> pa.Table:
        """Rows in one piece: pages of a file would end where pieces of memory do, which may vary."""
        names = self._schema.names
        if isinstance(rows, pl.DataFrame):
            rows = rows.select(names).rechunk().to_arrow(compat_level=pl.CompatLevel.newest())
        return rows.select(names).combine_chunks().cast(self._schema)

    def note(self, metadata: Mapping[str, str]) -> None:
        """Add to the metadata of the file, which its end holds."""
        self._writer.add_key_value_metadata(dict(metadata))

    def to_disk(self) -> None:
        """Flush written row groups to disk now, so that closing the file is quick."""
        _to_disk(self._temporary)

    def __exit__(self, *error: Any) -> bool | None:
        try:
            self._writer.close()
        except BaseException:
            self._atomic.__exit__(*sys.exc_info())
            raise
        return self._atomic.__exit__(*error)


def _viewed(kind: pa.DataType) -> pa.DataType:
    """The type with string views in place of strings, in lists as well."""
    if pa.types.is_string(kind):
        return pa.string_view()
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_viewed(kind.value_type)))
    return kind


def write(
    path: str | Path, schema: pa.Schema, rows: pl.DataFrame | Iterable[Row], metadata: Mapping[str, str]
) -> None:
    """Write a table in one part, of a frame or of rows as `frame` takes them."""
    with PartWriter(path, schema, metadata) as part:
        part.write(rows if isinstance(rows, pl.DataFrame) else frame(schema, rows))


def write_none(path: str | Path, schema: pa.Schema, metadata: Mapping[str, str]) -> None:
    """Write a table without rows."""
    write(path, schema, (), metadata)


def frame(schema: pa.Schema, rows: Iterable[Row] = ()) -> pl.DataFrame:
    """Rows as a frame with the types of a table's schema."""
    return pl.DataFrame(list(rows), columns(schema), orient="row")


def columns(schema: pa.Schema) -> pl.Schema:
    """The columns of a table's schema with the types that polars has for them."""
    return pl.DataFrame(schema.empty_table()).schema


def opened(part: str | Path) -> pq.ParquetFile:
    """A part, for reading in batches. Reading a damaged page raises OSError."""
    return pq.ParquetFile(part, page_checksum_verification=True)


_compared: set[tuple[str, int, int, int, str]] = set()  # columns of files, in this process


def compare(parts: Iterable[str | Path], columns: Iterable[str] | None = None) -> None:
    """Verify columns (None: all) of parts by the checksums of their pages, once in a process.

    polars does not verify them: a flipped bit could change a text unnoticed. Raises UserError, with the file, for a
    damaged page.
    """
    wanted = None if columns is None else set(columns)
    for part in parts:
        stat = Path(part).stat()
        file_is = (str(part), stat.st_ino, stat.st_size, stat.st_mtime_ns)
        try:
            with opened(part) as file:
                names = [name for name in file.schema_arrow.names if wanted is None or name in wanted]
                new = [name for name in names if (*file_is, name) not in _compared]
                for _ in file.iter_batches(BATCH, columns=new) if new else ():
                    pass
        except (pa.ArrowException, OSError) as error:
            if getattr(error, "errno", None) is not None:
                raise  # by the system
            raise UserError(damaged(part, error)) from error
        _compared.update((*file_is, name) for name in new)


def damaged(part: str | Path, reason: object) -> str:
    """The message about a part that cannot be read."""
    why = " ".join(str(reason).split())
    return (
        f"{part} is damaged ({why}). Delete it, and run Snakemake again: the job that wrote it makes it anew. If no "
        "job did, take a good copy. If that happens again, have the disk checked."
    )


def read(parts: str | Path | Sequence[str | Path], columns: Iterable[str] | None = None) -> pl.DataFrame:
    """All parts of a table, in order."""
    return scan(parts, columns).collect()


def scan(parts: str | Path | Sequence[str | Path], columns: Iterable[str] | None = None) -> pl.LazyFrame:
    """The rows of all parts, or some of their columns, once the checksums of their pages have been verified."""
    paths = [parts] if isinstance(parts, str | Path) else list(parts)
    wanted = None if columns is None else list(columns)
    compare(paths, wanted)
    frame = pl.scan_parquet([str(path) for path in paths], glob=False)
    return frame.select(wanted) if wanted is not None else frame


def rows(parts: Sequence[str | Path]) -> int:
    """Number of rows, from the parts' footers."""
    return sum(pq.read_metadata(part).num_rows for part in parts)


def rows_read(parts: Sequence[str | Path]) -> int:
    """Number of rows that the source of a table had, as noted when it was read; 0 if no part has the note."""
    notes = ((pq.read_metadata(part).metadata or {}).get(ROWS_READ, b"0") for part in parts)
    return max(map(int, notes), default=0)


def damage(part: str | Path) -> str | None:
    """The error with which pyarrow or polars fails to read a Parquet file to its end; None if both succeed."""
    try:
        with opened(part) as file:
            for _ in file.iter_batches(BATCH):
                pass
            for name in file.schema_arrow.names:
                pl.read_parquet(part, columns=[name], glob=False)
    except (pa.ArrowException, pl.exceptions.PolarsError, OSError) as error:
        return str(error) or type(error).__name__
    return None


def provenance(key: str, inputs: Iterable[str | Path] = ()) -> dict[str, str]:
    """Metadata for a part's footer: the rule's key, and the sources (corpus: checksum) behind its inputs."""
    sources: dict[str, str] = {}
    for part in inputs:
        known = (pq.read_metadata(part).metadata or {}).get(b"sources", b"{}")
        sources |= json.loads(known)
    return {"key": key, "sources": json.dumps(sources, sort_keys=True)}


def of_source(metadata: Mapping[str, str], name: str, source: str) -> dict[str, str]:
    """Metadata of tables that are made from a source directly; `source` is its description by ingest_source."""
    checksum = json.loads(Path(source).read_text(encoding="utf-8"))["sha256"]
    return {**metadata, "sources": json.dumps({name: checksum})}
