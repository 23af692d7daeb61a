"""Rows of users' tables (Parquet or TSV), numbered for error messages."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from wokflow.frame.job import UserError

# The row's number in the file, from 1, and its cells in the order of the columns that were asked for.
Row = tuple[int, list[str | None]]


def read_rows(
    path: str, columns: Sequence[str], what: str, optional: Sequence[str] = (), *, comments: bool = False
) -> Iterator[Row]:
    """Cells of the columns, then of the optional ones, which are null in a table without them.

    A table whose name ends in .tsv is TSV with a header; any other is Parquet. `what` names its contents in messages;
    with `comments`, rows of a TSV that begin with # are passed over. Raises UserError, with file and row, for a file
    that cannot be read and for missing columns.
    """
    if path.endswith(".tsv"):
        yield from _from_tsv(path, columns, optional, what, comments)
    else:
        yield from _from_parquet(path, columns, optional)


def _from_parquet(path: str, columns: Sequence[str], optional: Sequence[str]) -> Iterator[Row]:
    try:
        frame = pl.scan_parquet(path, glob=False)
        header = frame.collect_schema().names()
        _check(path, header, columns)
        wanted = [
            (pl.col(name) if name in header else pl.lit(None)).cast(pl.String).alias(name)
            for name in (*columns, *optional)
        ]
        rows = frame.select(wanted).collect()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UserError(
            f"{path} cannot be read as Parquet (a table with tabs is to end in .tsv): {error}"
        ) from error
    for number, row in enumerate(rows.iter_rows(), start=1):
        yield number, list(row)


def _from_tsv(
    path: str, columns: Sequence[str], optional: Sequence[str], what: str, comments: bool
) -> Iterator[Row]:
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, dialect="excel-tab", strict=True)
            full = ((number, row) for number, row in enumerate(reader, start=1) if row)
            rows = (pair for pair in full if not (comments and pair[1][0].startswith("#")))
            _, header = next(rows, (0, list[str]()))
            _check(path, header, columns)
            places = [header.index(name) if name in header else None for name in (*columns, *optional)]
            for number, row in rows:
                if len(row) != len(header):
                    raise UserError(
                        f"{path}, row {number}: {len(row)} cells, but the header has {len(header)}. Tabs and line "
                        "breaks inside a cell call for quotes around it."
                    )
                yield number, [None if place is None else row[place] for place in places]
    except FileNotFoundError as error:
        raise UserError(f"There is no file {path} with {what}.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8: save it again as Unicode (UTF-8) text.") from error
    except csv.Error as error:
        raise UserError(
            f"{path}: a cell that begins with a quote has to end with one, quotes inside doubled ({error})."
        ) from error


def _check(path: str, header: Sequence[str], columns: Sequence[str]) -> None:
    if missing := [name for name in columns if name not in header]:
        raise UserError(f"{path}: missing column {', '.join(missing)}; found were {', '.join(header)}.")
