"""Sheets for people: tables with tabs that spreadsheets open, fill in and save again."""

import csv
import io
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from wokflow.frame import tables
from wokflow.frame.job import UserError

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


def read_sheet(path: str, mandatory: Collection[str]) -> list[tuple[int, dict[str, str]]]:
    """The rows of a sheet with the numbers of their last lines: cells by column, trimmed and without their guards.

    Empty lines are passed over. Raises UserError for a file that is not there, is not UTF-8, lacks a mandatory
    column, or has a quoted cell that does not end.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise UserError(f"There is no file {path}.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8: save it again as Unicode (UTF-8) text.") from error
    reader = csv.reader(io.StringIO(text, newline=""), dialect="excel-tab", strict=True)
    header = [name.strip() for name in next(reader, [])]
    if missing := set(mandatory) - set(header):
        raise UserError(
            f"{path}, row 1: missing column {', '.join(sorted(missing))}. Are the columns separated by tabs?"
        )
    try:
        return [
            (reader.line_num, dict(zip(header, map(_plain, row), strict=False)))
            for row in reader
            if any(cell.strip() for cell in row)
        ]
    except csv.Error as error:
        raise UserError(
            f"{path}, row {reader.line_num}: {error}. A cell that begins with a quotation mark must end with one, "
            "and one inside it is doubled, as spreadsheets write it."
        ) from error


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) and not NUMBER.fullmatch(cell) else cell


def _plain(cell: str) -> str:
    cell = cell.strip()
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell
