"""Rows of users' tables (Parquet or TSV), numbered for error messages."""

from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from wokflow.frame.job import UserError
from wokflow.frame.misread_text import refuse_misread
from wokflow.frame.text_files import read_table
from wokflow.frame.writing import name_of

TEXT = "prediction"  # stays as it is; other cells are names, or numbers
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
    with `comments`, rows of a TSV that begin with # are passed over; with `copied`, texts are those of models. Cells
    but TEXT come without blanks around them and without invisible characters. Raises UserError, with file and row,
    for a file that cannot be read, for missing columns, and as refuse_misread does.
    """
    names = (*columns, *optional)
    rows: Iterable[Row]
    if path.endswith(".tsv"):
        table = read_table(path, columns, what, optional=optional, comments=comments, copied=copied)
        rows = ((number, [row.get(name) for name in names]) for number, row in table)
    else:
        rows = [*_from_parquet(path, columns, optional)]
        refuse_misread(
            path,
            ((f"row {number}", dict(zip(names, row, strict=True))) for number, row in rows),
            copied=copied,
        )
    for number, cells in rows:
        yield (
            number,
            [
                cell if name == TEXT or not cell else name_of(cell)
                for name, cell in zip(names, cells, strict=True)
            ],
        )


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
