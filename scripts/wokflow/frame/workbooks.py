"""Sheets for people as workbooks (.xlsx), beside those with tabs: the same cells, text guarded in the same way."""

import io
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.frame.misread_text import refuse_misread
from wokflow.frame.text_files import Row
from wokflow.frame.tsv_sheets import FORMULA, GUARD, read_sheet

LARGEST = 256 << 20  # bytes of a workbook's parts, unpacked
LONGEST = 32_000  # characters of a cell; spreadsheets hold 32,767
TALLEST = 300  # points of a row; the most that a spreadsheet shows is 409
LINE = 15  # points
CUT = " [...]"
INLINE, MESSAGE = 255, 225  # characters of a list of values, and of a message, that spreadsheets take
VALUES = "values"  # the worksheet with values of longer lists
NOTE = 2  # filled cells of a row above the header, at most
_RETURN = re.compile("(?:_x000D_|\r)\n?", re.IGNORECASE)  # as workbooks may have it, escaped or not
_STAMP = re.compile(rb"(<dcterms:(?:created|modified)[^<>]*>)[^<]*")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Page:
    """A worksheet: a header and rows. `widths` are those of the columns, in characters; `choices` has the allowed
    values of columns by name. Without a header, the rows are text to read.
    """

    name: str
    header: Sequence[str]
    rows: Sequence[Sequence[str | float]]
    widths: Sequence[int]
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)


def clean(text: str) -> str:
    """A text in a form that every sheet can hold: without control characters, with line feeds as line ends, and cut
    after LONGEST characters, with a mark.
    """
    text = _NO_XML.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    return text if len(text) <= LONGEST else text[:LONGEST] + CUT


def guarded(text: str) -> str:
    """Clean text as a cell of a workbook: its lines stay."""
    text = clean(text)
    return GUARD + text if text.startswith((*FORMULA, GUARD)) else text


def write_workbook(path: str | Path, pages: Sequence[Page]) -> None:
    """Write worksheets in order; the same pages give the same bytes."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for page in pages:
        _write_page(book.create_sheet(page.name), page)
    held = io.BytesIO()
    book.save(held)
    with tables.atomic(path) as temporary, ZipFile(held) as archive, ZipFile(temporary, "w") as written:
        for info in archive.infolist():
            part = _STAMP.sub(rb"\g<1>2000-01-01T00:00:00Z", archive.read(info))
            same = ZipInfo(info.filename)  # of 1980
            same.compress_type = info.compress_type
            written.writestr(same, part)


def _write_page(sheet: Any, page: Page) -> None:
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    rows = [page.header, *page.rows] if page.header else page.rows
    letters = [get_column_letter(number + 1) for number in range(len(page.widths))]
    for number, row in enumerate(rows, 1):
        lines = 1
        for place, (cell, width) in enumerate(zip(row, page.widths, strict=True), 1):
            made = sheet.cell(number, place)
            made.value = guarded(cell) if isinstance(cell, str) else cell
            if isinstance(cell, str):
                made.data_type = "s"  # text, whatever it begins with
                lines = max(lines, sum(1 + _columns(line) // width for line in cell.split("\n")))
            made.alignment = Alignment(wrap_text=True, vertical="top")
        sheet.row_dimensions[number].height = min(TALLEST, LINE * lines)
    for letter, width in zip(letters, page.widths, strict=True):
        sheet.column_dimensions[letter].width = width
    if page.header:
        for cell in sheet[1]:
            cell.font = Font(bold=True)
        sheet.freeze_panes = "A2"
    for name, values in page.choices.items():
        letter = letters[list(page.header).index(name)]
        rule = DataValidation(type="list", formula1=_choices(sheet.parent, name, values), allow_blank=True)
        rule.error = f"One of: {', '.join(values)}"[:MESSAGE]
        rule.showErrorMessage = True
        rule.add(f"{letter}2:{letter}{len(rows)}")
        sheet.add_data_validation(rule)


def _choices(book: Any, name: str, values: Sequence[str]) -> str:
    """The formula of a list of values or, if it cannot hold them, of their cells in the worksheet VALUES."""
    inline = ",".join(values)
    if len(inline) <= INLINE and inline.count(",") == len(values) - 1 and '"' not in inline:
        return f'"{inline}"'
    if VALUES not in book.sheetnames:
        book.create_sheet(VALUES).append([])
    sheet = book[VALUES]
    place = sum(cell.value is not None for cell in sheet[1]) + 1
    for number, value in enumerate([name, *values], 1):
        sheet.cell(number, place, guarded(value)).data_type = "s"
    letter = sheet.cell(1, place).column_letter
    sheet.column_dimensions[letter].width = max(map(_columns, values))
    return f"{VALUES}!${letter}$2:${letter}${len(values) + 1}"


def _columns(line: str) -> int:
    """The width of a line in Latin characters; East Asian characters count twice."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in line)


def read_filled(path: str | Path, mandatory: Collection[str]) -> list[Row]:
    """The rows of a filled-in sheet, as `read_worksheets` has them, without their worksheets."""
    return [row for _, row in read_worksheets(path, mandatory)]


def read_worksheets(path: str | Path, mandatory: Collection[str]) -> list[tuple[str, Row]]:
    """The rows of a filled-in sheet, a workbook or (by its ending) a tab-separated table, by column, each with the
    name of its worksheet; cells are trimmed and without guards.

    The rows of a workbook are those of all worksheets that have the columns, also below notes. Raises UserError for
    a file that is neither, for one without the columns, and for rows above the header.
    """
    if Path(path).suffix.lower() != ".xlsx":
        return [("", row) for row in read_sheet(str(path), mandatory)]
    try:
        rows = list(_rows(path, mandatory))
    except UserError:
        raise
    except Exception as error:  # the library raises whatever a damaged part makes it
        raise UserError(
            f"{path} cannot be read as a workbook ({type(error).__name__}: {error}). Open it in a spreadsheet, "
            "remove its password if it has one, and save it again as .xlsx."
        ) from error
    refuse_misread(path, ((f"row {line}", row) for _, (line, row) in rows), copied=True)
    return rows


def _rows(path: str | Path, mandatory: Collection[str]) -> Iterator[tuple[str, Row]]:
    from openpyxl import load_workbook

    with ZipFile(path) as archive:
        if sum(info.file_size for info in archive.infolist()) > LARGEST:
            raise BadZipFile(f"more than {LARGEST >> 20} MB")
    book = load_workbook(path, read_only=True, data_only=True)
    try:
        has_columns = False
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # some programs write wrong ones
            header: list[str] | None = None
            above = 0  # the first row that is no note
            for line, cells in enumerate(sheet.iter_rows(values_only=True), 1):
                row = [_text(cell) for cell in cells]
                if header is None:
                    if set(mandatory) <= set(row):
                        header, has_columns = row, True
                        _check_header(f"{path}, worksheet {sheet.title}", row, line, above)
                    elif sum(map(bool, row)) > NOTE:
                        above = above or line
                elif any(row):
                    yield (
                        sheet.title,
                        (
                            line,
                            {name: cell for name, cell in zip(header, row, strict=False) if name}
                            | {name: "" for name in header[len(row) :] if name},
                        ),
                    )
        if not has_columns:
            raise UserError(f"{path}: no worksheet has the columns {', '.join(mandatory)}.")
    finally:
        book.close()


def _check_header(where: str, header: Sequence[str], line: int, above: int) -> None:
    if above:
        raise UserError(
            f"{where}: row {above} stands above the names of the columns in row {line}, perhaps because these were "
            "sorted, too. Move them to the top."
        )
    if twice := [name for name in header if name and header.count(name) > 1]:
        raise UserError(f"{where}: column {twice[0]} occurs twice.")


def _text(cell: Any) -> str:
    """A cell as text: a whole number without a point, a date as ISO 8601."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    text = cell.isoformat() if isinstance(cell, datetime) else str(cell)
    text = _RETURN.sub("\n", text).strip()
    return text[1:] if text.startswith(GUARD) and text[1:].startswith((*FORMULA, GUARD)) else text
