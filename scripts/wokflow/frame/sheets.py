"""Sheets for people: tables with tabs that spreadsheets open, fill in and save again.

A spreadsheet computes a cell that begins with one of FORMULA. Text that does, or that begins with an apostrophe, is
written with an apostrophe before it, which is taken away when the sheet is read: it comes back as it was.
"""

import csv
import io
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from wokflow.frame import tables
from wokflow.frame.text_files import Row, read_table

FORMULA = tuple("=+-@＝＋－＠\t\r\n")  # spreadsheets of East Asia take the wide ones for the narrow
GUARD = "'"


def write_sheet(path: str | Path, header: Sequence[str], rows: Iterable[Sequence[str | float]]) -> None:
    """Write a TSV that begins with a byte order mark, so that spreadsheets show Chinese correctly.

    Text is guarded, and its white space folded; numbers stay numbers, those of type float with six decimal places.
    """
    text = io.StringIO()
    writer = csv.writer(text, dialect="excel-tab", lineterminator="\n")
    writer.writerow(header)
    writer.writerows([written(cell) for cell in row] for row in rows)
    tables.write_text(path, "\ufeff" + text.getvalue())


def read_sheet(path: str, mandatory: Collection[str]) -> list[Row]:
    """The rows of a sheet: cells trimmed and without their guards, those that are missing at the end empty.

    Raises UserError as text_files.read_table does.
    """
    rows = read_table(path, mandatory, whole=False)
    return [(line, {name: _plain(cell) for name, cell in row.items()}) for line, row in rows]


def written(cell: str | float) -> str:
    """A cell as it stands in a sheet."""
    if not isinstance(cell, str):
        return f"{cell:.6f}" if isinstance(cell, float) else str(cell)
    text = " ".join(cell.split())
    return GUARD + text if text.startswith((*FORMULA, GUARD)) else text


def _plain(cell: str) -> str:
    cell = cell.strip()
    return cell[1:] if cell.startswith(GUARD) and cell[1:].startswith((*FORMULA, GUARD)) else cell
