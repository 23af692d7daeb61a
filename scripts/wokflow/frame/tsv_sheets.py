"""Sheets for people: tab-separated tables that can be opened, filled in and saved in spreadsheet programs.

Spreadsheet programs evaluate a cell that begins with one of FORMULA. Text that begins so, or with an apostrophe, gets
an apostrophe in front, which is removed when the sheet is read.
"""

import csv
import io
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from wokflow.frame import tables
from wokflow.frame.text_files import NO_TEXT, Row, read_table

FORMULA = tuple("=+-@＝＋－＠\t\r\n")  # East Asian programs treat fullwidth ones alike
GUARD = "'"


def write_sheet(path: str | Path, header: Sequence[str], rows: Iterable[Sequence[str | float]]) -> None:
    """Write a TSV that begins with a byte order mark, so that spreadsheets show Chinese correctly.

    Text is guarded, its white space folded, and what no text has removed; numbers stay numbers, those of type float
    with six decimal places.
    """
    text = io.StringIO()
    writer = csv.writer(text, dialect="excel-tab", lineterminator="\n")
    writer.writerow(header)
    writer.writerows([written(cell) for cell in row] for row in rows)
    tables.write_text(path, "\ufeff" + text.getvalue())


def read_sheet(
    path: str, mandatory: Collection[str], optional: Collection[str] = (), *, copied: bool = True
) -> list[Row]:
    """The rows of a sheet, with trimmed cells without guards; missing cells at the end are empty.

    `copied`: it shows texts of corpora or models.

    Raises UserError as text_files.read_table does.
    """
    rows = read_table(path, mandatory, optional=optional, whole=False, copied=copied)
    return [(line, {name: _plain(cell) for name, cell in row.items()}) for line, row in rows]


def written(cell: str | float) -> str:
    """The text of a cell in a sheet."""
    if not isinstance(cell, str):
        return f"{cell:.6f}" if isinstance(cell, float) else str(cell)
    text = " ".join(NO_TEXT.sub("", cell).split())
    return GUARD + text if text.startswith((*FORMULA, GUARD)) else text


def _plain(cell: str) -> str:
    cell = cell.strip()
    return cell[1:] if cell.startswith(GUARD) and cell[1:].startswith((*FORMULA, GUARD)) else cell
