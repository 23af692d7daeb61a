"""Sheets for people: tables with tabs that spreadsheets open, fill in and save again."""

import csv
import io
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from wokflow.frame import tables
from wokflow.frame.text_files import Row, read_table

FORMULA = tuple("=+-@'")  # what a cell that a spreadsheet computes begins with, and what guards against it
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def write_sheet(path: str | Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a TSV that begins with a byte order mark, so that spreadsheets show Chinese correctly.

    White space in cells is folded. A cell that a spreadsheet would compute is written with an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text, dialect="excel-tab", lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_guarded(" ".join(cell.split())) for cell in row] for row in rows)
    tables.write_text(path, "\ufeff" + text.getvalue())


def read_sheet(path: str, mandatory: Collection[str]) -> list[Row]:
    """The rows of a sheet: cells trimmed and without their guards, those that are missing at the end empty.

    Raises UserError as text_files.read_table does.
    """
    rows = read_table(path, mandatory, whole=False)
    return [(line, {name: _plain(cell) for name, cell in row.items()}) for line, row in rows]


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) and not NUMBER.fullmatch(cell) else cell


def _plain(cell: str) -> str:
    cell = cell.strip()
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell
