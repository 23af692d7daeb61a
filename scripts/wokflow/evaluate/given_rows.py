"""Rows of users' tables (Parquet or TSV), numbered for error messages."""

from collections.abc import Iterator, Sequence

import polars as pl

from wokflow.frame.job import UserError
from wokflow.frame.misread_text import refuse_misread
from wokflow.frame.text_files import read_table

# The row's number in the file, from 1, and its cells in the order of the columns that were asked for.
Row = tuple[int, list[str | None]]


def read_rows(
    path: str,
    columns: Sequence[str],
    what: str,
    optional: Sequence[str] = (),
    *,
    comments: bool = False,
    copied: bool = False,
) -> Iterator[Row]:
    """Cells of the columns, then of the optional ones, which are null in a table without them.

    A table whose name ends in .tsv is TSV with a header; any other is Parquet. `what` names its contents in messages;
    with `comments`, rows of a TSV that begin with # are passed over; with `copied`, texts are those of models. Raises
    UserError, with file and row, for a file that cannot be read, for missing columns, and as refuse_misread does.
    """
    if path.endswith(".tsv"):
        for number, row in read_table(
            path, columns, what, optional=optional, comments=comments, copied=copied
        ):
            yield number, [row.get(name) for name in (*columns, *optional)]
    else:
        names = (*columns, *optional)
        rows = [*_from_parquet(path, columns, optional)]
        refuse_misread(
            path,
            ((f"row {number}", dict(zip(names, row, strict=True))) for number, row in rows),
            copied=copied,
        )
        yield from rows


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


def _check(path: str, header: Sequence[str], columns: Sequence[str]) -> None:
    if missing := [name for name in columns if name not in header]:
        raise UserError(f"{path}: missing column {', '.join(missing)}; found were {', '.join(header)}.")
