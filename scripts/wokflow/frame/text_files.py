"""Reads files written by people, text and tab-separated tables in UTF-8, and reports faults with their line."""

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

from wokflow.frame.job import UserError
from wokflow.frame.misread_text import refuse_misread
from wokflow.frame.writing import expected, natural

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UTF32_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
# By Python's name and by that of iconv, the more frequent ones first. Those of Turkish, Hebrew and Baltic languages
# are left out: another one always looks as likely.
ENCODINGS = {
    "gb18030": "GB18030",
    "cp950": "BIG5",
    "cp1252": "WINDOWS-1252",
    "cp1250": "WINDOWS-1250",
    "cp1251": "WINDOWS-1251",
    "cp932": "CP932",
    "cp949": "CP949",
    "cp1253": "WINDOWS-1253",
    "cp1256": "WINDOWS-1256",
    "mac_roman": "MACINTOSH",
    "koi8_r": "KOI8-R",
    "cp437": "CP437",
}
# In UTF-7, a plus before letters that are no word or number (+leg), or one letter of Latin with a mark (AOA is à).
_SHIFTED = re.compile(
    rb"\+(?:A[M-X][A-Za-z0-9+/](?![A-Za-z0-9+/])"
    rb"|(?!(?:[0-9]*[A-Za-z]?[a-z]*|[A-Za-z]?[a-z]*[0-9]*|[A-Z]+[0-9]*)(?![A-Za-z0-9+/])))"
)
# Encodings whose bytes are ASCII, with what they cannot do without.
ESCAPED = {
    "utf_7": ("UTF-7", _SHIFTED),
    "iso2022_jp": ("ISO-2022-JP", re.compile(b"\x1b")),
    "iso2022_kr": ("ISO-2022-KR", re.compile(b"\x1b")),
}
# Share of what looks like a language once ASCII is read so; characters beyond ASCII that are enough of any language.
MOSTLY, ENOUGH = 1 / 2, 8
NO_TEXT = re.compile("[\0\x1b]")  # NUL and escape, which texts do not hold
# Files of other programs, by their first bytes.
OTHERS = {
    b"PK\3\4": "a workbook, a document or a zip archive",
    b"\xd0\xcf\x11\xe0": "a workbook or document of old (.xls, .doc)",
    b"\x1f\x8b": "compressed by gzip",
    b"BZh91AY": "compressed by bzip2",
    b"%PDF-": "a PDF",
    b"{\\rtf": "a document with formats (RTF)",
    b"PAR1": "a Parquet file",
    b"SQLite format 3\0": "a SQLite database",
}
TABLES = (".tsv", ".txt", ".tab", ".csv", ".xlsx", ".xls", ".ods")  # endings that tables may have
LOOKED_AT = 1 << 16  # bytes by which an encoding is told
NATURAL = 1 / 3  # share of words that look like those of a language in the right encoding, at least
ALIKE = 0.8  # similarity of an unknown column to the one that is meant
SHOWN = 30  # characters of a cell in a message
BREAK = re.compile("\r\n?|\n")
# A cell that begins with a quotation mark and cannot be a quoted one: pairs of marks, with text behind the last.
_MARKED = re.compile(r'(?:^|(?<=\t))(?:"[^"\t\r\n]+"[^"\t\r\n]+)+(?=[\t\r\n]|$)')
TABS = "Are the columns separated by tabs?"

# The number of the last line of a row, and its cells by column.
Row = tuple[int, dict[str, str]]


def read_text(path: str | Path, what: str = "") -> str:
    """A file's text, without a byte order mark.

    Raises UserError for a missing file (`what` names its purpose), for one of another program, for one that is not
    UTF-8, with the line, the likely encoding and how to convert it, and for one with bytes that no text has.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        about = f" with {what}" if what else ""
        raise UserError(
            f"There is no file {path}{about}." if missing else f"{path} cannot be read: {error.strerror}."
        ) from error
    if kind := next((kind for begin, kind in OTHERS.items() if data.startswith(begin)), None):
        raise UserError(
            f"{path} is {kind}, not text. Save what it holds as Unicode (UTF-8) text, tables with tabs."
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path} is not UTF-8 (line {line}). {advice(data)}") from error
    if _is_utf16(data) or (data.isascii() and _escaped(data)):
        raise UserError(f"{path} is not UTF-8. {advice(data)}")
    if found := NO_TEXT.search(text):
        line, byte = text.count("\n", 0, found.start()) + 1, "NUL" if found[0] == "\0" else "escape"
        raise UserError(
            f"{path}, line {line}: a character {byte}, which no text has. Take a good copy if the file was damaged; "
            "else remove it: tr -d '\\000\\033' < OLD > NEW"
        )
    return text


def read_prose(path: str | Path, what: str = "") -> str:
    """A text for people or models, such as a prompt; also refused if it was read in a wrong encoding before."""
    text = read_text(path, what)
    refuse_misread(path, ((f"line {line}", {"": each}) for line, each in enumerate(text.split("\n"), 1)))
    return text


def comma_hint(text: object) -> str:
    """What to do about a number that is written with a decimal comma; empty for anything else."""
    number = re.fullmatch(r"\s*([-+]?[0-9]*),([0-9]+)\s*", text) if isinstance(text, str) else None
    return f" Write a point, not a comma: {number[1] or 0}.{number[2]}" if number else ""


def encoding_of(data: bytes) -> str | None:
    """The likely encoding of bytes that are not UTF-8, or all ASCII, by iconv's name; None: unknown.

    It is the one in which most words look like those of a language; of several, the more frequent encoding.
    """
    if data.startswith(UTF32_MARKS):  # one of them begins as UTF-16's
        return "UTF-32"
    if data.isascii() and (named := _escaped(data)):
        return named
    if _is_utf16(data):
        # Without a mark, iconv takes the machine's own order, in which a letter of ASCII comes before its zero.
        marked = data.startswith(UTF16_MARKS) or data[1::2].count(0) >= data[::2].count(0)
        return "UTF-16" if marked else "UTF-16BE"
    shown = b"\n".join(line for line in data[:LOOKED_AT].splitlines() if not line.isascii())
    shares = {named: natural(_decoded(shown, codec)) for codec, named in ENCODINGS.items()}
    best = max(shares, key=lambda named: shares[named])
    return best if shares[best] > NATURAL else None


def _is_utf16(data: bytes) -> bool:
    """Whether there is UTF-16's mark, or a zero at every other byte of much of it."""
    zeros = abs(data[::2].count(0) - data[1::2].count(0))
    return data.startswith(UTF16_MARKS) or zeros > len(data) / 4


def _escaped(data: bytes) -> str | None:
    """The encoding of ESCAPED in which ASCII holds characters that are expected, or several words of a language."""
    for codec, (named, mark) in ESCAPED.items():
        text = _decoded(data[:LOOKED_AT], codec) if mark.search(data) else ""
        several = sum(not character.isascii() for character in text) >= ENOUGH
        if expected(text) > MOSTLY or (several and natural(text) > MOSTLY):
            return named
    return None


def _decoded(data: bytes, codec: str) -> str:
    """The text, without a character that is cut off; empty if these bytes are no such text."""
    try:
        return codecs.getincrementaldecoder(codec)().decode(data)
    except UnicodeDecodeError:
        return ""


def advice(data: bytes) -> str:
    """Advice on a file with these bytes, which are not UTF-8."""
    named = encoding_of(data)
    if not named:
        return "Save it again as Unicode (UTF-8) text."
    return (
        f"It looks like {named}: save it again as Unicode (UTF-8) text, or convert it: "
        f"iconv -f {named} -t UTF-8 OLD > NEW"
    )


@contextmanager
def longest_cell(characters: int) -> Iterator[None]:
    """Within it, cells that module csv reads may have so many characters; its limit is of the whole process."""
    before = csv.field_size_limit(characters)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def read_table(
    path: str | Path,
    columns: Collection[str],
    what: str = "",
    *,
    optional: Collection[str] = (),
    comments: bool = False,
    whole: bool = True,
    copied: bool | Collection[str] = False,
) -> Iterator[Row]:
    """The rows of a tab-separated table whose first line has the names of its columns. Empty lines are skipped.

    A cell that begins with a quotation mark ends with one, and one inside it is doubled, as spreadsheet programs
    write it; one that cannot be meant so ("mock" crab) is read as it stands. `optional`: columns that may be missing,
    but not be written otherwise. `comments`: lines that begin with # are skipped. `whole`: a row must have as many
    cells as the header; otherwise missing cells are empty. `copied`: see misread_text.refuse_misread. Raises
    UserError, with the line, if the table lacks one of `columns`, has one twice, or a row does not fit; for a quoted
    cell with tabs and line breaks, which may be rows behind a mark that was never closed; for text that was read in a
    wrong encoding before; and as `read_text` does.
    """
    text = read_text(path, what)
    rows = _rows(path, text, columns, optional, comments=comments, whole=whole)
    if text.isascii():
        yield from rows
    else:
        held = [*rows]
        refuse_misread(path, ((f"line {line}", row) for line, row in held), copied=copied)
        yield from held


def tables_in(folder: str | Path) -> list[Path]:
    """The tables (*.tsv) of a folder, by name.

    Raises UserError if there are none, and for one that has another ending and would not be read.
    """
    files = sorted(path for path in Path(folder).iterdir() if not path.name.startswith((".", "~$")))
    if others := [path for path in files if path.suffix != ".tsv" and path.suffix.lower() in TABLES]:
        raise UserError(
            f"{others[0]} would not be read: tables of this folder end in .tsv. Save it with tabs as "
            f"{others[0].stem}.tsv, or take it out."
        )
    found = [path for path in files if path.suffix == ".tsv"]
    if not found:
        raise UserError(f"{folder} has no table: they end in .tsv.")
    return found


def _rows(
    path: str | Path,
    text: str,
    columns: Collection[str],
    optional: Collection[str],
    *,
    comments: bool,
    whole: bool,
) -> Iterator[Row]:
    begins = True

    def lines() -> Iterator[str]:
        nonlocal begins
        for line in io.StringIO(text, newline=""):
            # The reader takes a line at a time; one within a quoted cell is no comment.
            comment, begins = comments and begins and line.startswith("#"), False
            yield "\n" if comment else _MARKED.sub(_quoted, line)

    reader = csv.reader(lines(), dialect="excel-tab", strict=True)
    header: list[str] | None = None
    begin = 1  # the first line of the row
    try:
        for row in reader:
            begins = True
            where = f"{path}, line {reader.line_num}"
            several, begin = _check_breaks(path, begin, row), reader.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if header is None:
                header = _header(where, row, columns, optional)
                continue
            if not several and not any(cell.strip() for cell in row[len(header) :]):
                row = row[: len(header)]  # tabs that a spreadsheet added
            if len(row) > len(header) or (whole and len(row) < len(header)):
                raise UserError(
                    f"{where}: {len(row)} cells, but the header has {len(header)}; empty cells count. A cell "
                    "that holds a tab or a line break needs quotation marks around it."
                )
            yield reader.line_num, dict(zip(header, row + [""] * (len(header) - len(row)), strict=True))
    except csv.Error as error:
        where = f"line {begin}" if begin == reader.line_num else f"lines {begin} to {reader.line_num}"
        raise UserError(
            f"{path}, {where}: {error}. A cell that begins with a quotation mark must end with one, and one inside "
            'it is doubled, as spreadsheets write it: """Best"" and ""worst"""'
        ) from error
    if header is None:
        _header(f"{path}, line 1", [], columns, optional)


def _quoted(cell: re.Match[str]) -> str:
    doubled = cell[0].replace('"', '""')
    return f'"{doubled}"'


def _check_breaks(path: str | Path, line: int, row: list[str]) -> bool:
    """Whether a row that begins in this line has cells with line breaks. Raises UserError where one has tabs, too."""
    several = False
    for cell in row:
        breaks = len(BREAK.findall(cell))
        if breaks and "\t" in cell:
            raise UserError(
                f"{path}, line {line}: the quotation mark that begins a cell, {cell[:SHOWN]!r}, ends it only in line "
                f"{line + breaks}, behind tabs. If the mark is part of the text, write three: one that begins "
                "the cell, two for it; and one at the cell's end. If the cell is to hold all that, replace its tabs."
            )
        several, line = several or breaks > 0, line + breaks
    return several


def _header(where: str, row: list[str], columns: Collection[str], optional: Collection[str]) -> list[str]:
    header = [name.strip() for name in row]
    if missing := sorted(set(columns) - set(header)):
        present = f"; found were {', '.join(header)}. {TABS}" if header else "."
        raise UserError(f"{where}: missing column {', '.join(missing)}{present}")
    if twice := [name for name in header if name and header.count(name) > 1]:
        raise UserError(f"{where}: column {twice[0]} occurs twice.")
    for name in set(optional) - set(header):
        others = {other.casefold(): other for other in header if other not in (*columns, *optional)}
        if close := get_close_matches(name, others, n=1, cutoff=ALIKE):
            raise UserError(f"{where}: column {others[close[0]]} is unknown. Did you mean {name}?")
    return header
