"""RecipeNLG's recipes in CSV that another program wrote: columns by their names, in any order and dialect.

The published file is read by `recipenlg`, which is much faster and continues after any damage. This reader takes the
output of Python's csv, pandas, polars, R and spreadsheets: with additional columns, without row numbers, with all
cells quoted, line breaks within cells, other separators, escapes in place of doubled quotes.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from wokflow.ingest import recipenlg
from wokflow.ingest.raw_records import Lines, Reader, Reject, Row, frame, lines, rejected

LANG = recipenlg.LANG
WANTED = ("title", "ingredients", "directions")
LONGEST = 1 << 20  # characters of a cell: a quote that is not closed within them is stray
LONGEST_NAME = 40  # characters of a column's name
FORM = frozenset({"broken_record", "bad_list"})  # reasons that indicate another layout
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SEPARATORS, QUOTES, ESCAPES = ",\t;|", "\"'", ("", "\\")


class NoLayoutError(ValueError):
    """A header that names columns but lacks required ones; the message says which."""


class _OpenError(Exception):
    """A quote that is not closed within the text."""


@dataclass(frozen=True)
class Dialect:
    """The separator of cells, their quotation mark, and the escape character (empty if there is none)."""

    separator: str
    quote: str
    escape: str

    @cached_property
    def _cell(self) -> re.Pattern[str]:
        """A cell: quoted up to its closing quote (group 1), open to the end of the text (2), or plain (3)."""
        quote, separator, escape = map(re.escape, (self.quote, self.separator, self.escape))
        escaped = rf"|{escape}[\s\S]" if escape else ""
        inside = rf"(?:[^{quote}{escape}]++|{quote}{quote}{escaped})*+"
        plain = rf"(?!{quote})(?:[^{separator}\n{escape}]++{escaped})*+"
        return re.compile(rf"{quote}({inside})(?:{quote}(?={separator}|\r?(?:\n|\Z))|(\Z))|({plain})")

    @cached_property
    def _pairs(self) -> re.Pattern[str]:
        """Two characters in a quoted cell that stand for the second one: escaped or doubled."""
        doubled = f"{self.quote}({self.quote})"
        return re.compile(rf"{re.escape(self.escape)}([\s\S])|{doubled}" if self.escape else doubled)

    def record(self, text: str, at: int) -> tuple[int, list[str] | None]:
        """The end of the record that begins at `at`, with its line end, and its cells; None if quotes are unbalanced.

        Such a record ends with its first line. Raises _OpenError where `text` ends inside a quoted cell.
        """
        begin, cells = at, []
        while True:
            cell = self._cell.match(text, at, at + LONGEST)
            if cell and cell[2] is not None and cell.end() == len(text):
                raise _OpenError
            if not cell or cell[2] is not None:
                return text.find("\n", begin) + 1 or len(text), None
            at, more = cell.end(), text.startswith(self.separator, cell.end())
            cells.append(self._text(cell, last=not more))
            if not more:
                end = text.find("\n", at) + 1 or len(text)  # a CR may stand before it
                return end, cells
            at += 1

    def _text(self, cell: re.Match[str], *, last: bool) -> str:
        """The content of a cell, without quotes and escapes."""
        quoted, _, plain = cell.groups()
        if quoted is not None:
            return self._pairs.sub(lambda pair: pair[pair.lastindex or 0], quoted)
        value = plain.removesuffix("\r") if last else plain
        return re.sub(rf"{re.escape(self.escape)}([\s\S])", r"\1", value) if self.escape else value


@dataclass(frozen=True)
class Columns:
    """A reader of records in a dialect whose header says where the columns are; see records.Reader."""

    dialect: Dialect
    places: Mapping[str, int]
    width: int  # cells of each record
    LANG: str = LANG

    def START(self, data: bytes) -> int:  # noqa: N802  # a pattern in other readers
        """The end of the last record in `data` that is whole whatever follows."""
        text = data.decode(errors="surrogateescape")
        end = max((end for end, _, _ in self._records(text, last=False)), default=0)
        return len(text[:end].encode(errors="surrogateescape"))

    def is_header(self, line: str) -> bool:
        """True: only the first line of a file is asked about, which is the header."""
        return True

    def is_whole(self, raw: str) -> bool:
        """Whether a readable record is not cut off: if its last cell is a list, the list is whole."""
        cells = _cells(self.dialect, raw)
        if self.width - 1 not in (self.places["ingredients"], self.places["directions"]):
            return True
        try:
            recipenlg.read_list(cells[-1], "its last cell")
        except Reject:
            return False
        return True

    def read(self, lines: Lines) -> pl.DataFrame:
        """The records of a block, in order: recipes to be cleaned, or rejects with their reason."""
        text = lines.data.decode()
        rows: list[Row] = []
        begin = line = 0
        for end, raw, cells in self._records(text, last=True):
            after = line + max(text.count("\n", begin, end), 1)
            hurt = next((lines.damage[at] for at in range(line, after) if at in lines.damage), None)
            if hurt:
                rows.append(rejected(raw, hurt))
            elif raw.strip():
                rows.append(self._row(raw, cells))
            begin, line = end, after
        return frame(rows)

    def _row(self, raw: str, cells: Sequence[str] | None) -> Row:
        if cells is None:
            return rejected(raw, Reject("broken_record", "unbalanced quotes"))
        if len(cells) != self.width:
            return rejected(raw, Reject("broken_record", f"{len(cells)} fields, not {self.width}"))
        values = {name: cells[place] for name, place in self.places.items()}
        try:
            return {"raw": raw, **recipenlg.recipe(values)}
        except Reject as reject:
            return rejected(raw, reject)

    def _records(self, text: str, *, last: bool) -> Iterator[tuple[int, str, list[str] | None]]:
        """The end of each record, its raw text, and its cells, if its quotes are balanced.

        If several lines form no record, only the first counts as broken. `last`: nothing follows.
        """
        at = 0
        while at < len(text):
            cells: list[str] | None
            first = text.find("\n", at) + 1 or len(text)
            try:
                end, cells = self.dialect.record(text, at)
            except _OpenError:
                if not last:
                    return
                end, cells = first, None
            if end == len(text) and not last and not text.endswith("\n"):
                return
            if cells and len(cells) != self.width and end > first:
                end, cells = first, None
            yield end, text[at:end].removesuffix("\n").removesuffix("\r"), cells
            at = end


def reader_of(head: bytes) -> Reader:
    """The reader for a file of RecipeNLG's recipes that begins with `head`: the one that can read most of its rows.

    Columns are read by the names in the header. Raises NoLayoutError if it names only some of the required columns,
    one of them twice, or none in any known way; a file without a header is read as it was published.
    """
    head = head.removeprefix(BYTE_ORDER_MARK)
    line = head.partition(b"\n")[0].decode(errors="replace").removesuffix("\r")
    published: Reader = recipenlg
    if recipenlg.is_header(line) and not _misfits(published, head):
        return published
    named = [
        (dialect, [cell.strip().lower() for cell in cells])
        for dialect in itertools.starmap(Dialect, itertools.product(SEPARATORS, QUOTES, ESCAPES))
        if (cells := _cells(dialect, line))
    ]
    readers: list[Reader] = [reader for dialect, names in named for reader in _columns(dialect, names)]
    if not readers:
        _, most = max(named, key=lambda parsed: len(_known(parsed[1])), default=(None, []))
        if missing := [name for name in WANTED if name not in most]:
            if _known(most) and len(missing) < len(WANTED):
                columns = ", ".join(name or "(no name)" for name in most)
                raise NoLayoutError(f"has the columns {columns}, and lacks {', '.join(missing)}")
        elif twice := [name for name in WANTED if most.count(name) > 1]:
            raise NoLayoutError(f"has more than one column named {twice[0]}")
    if not readers and _is_foreign_header(cells := _cells(Dialect(",", '"', ""), line)):
        columns = ", ".join(name or "(no name)" for name in cells)
        raise NoLayoutError(f"has the columns {columns}, none of which has a known name")
    if recipenlg.is_header(line) or not readers:
        readers.insert(0, published)
    return min(readers, key=lambda reader: _misfits(reader, head))


def _cells(dialect: Dialect, line: str) -> list[str]:
    try:
        return dialect.record(line, 0)[1] or []
    except _OpenError:
        return []


def _is_foreign_header(cells: Sequence[str]) -> bool:
    """Whether a line of the published width has names instead of a recipe: short, all different, and no lists."""
    names = [cell.strip() for cell in cells]
    return (
        len(names) == len(recipenlg.FIELDS)
        and len(set(names)) == len(names)
        and all(len(name) <= LONGEST_NAME and name.isprintable() and "[" not in name for name in names)
    )


def _known(names: Sequence[str]) -> set[str]:
    return {name.lower() for name in recipenlg.FIELDS[1:]} & set(names)


def _columns(dialect: Dialect, names: Sequence[str]) -> Iterator[Columns]:
    """Readers for a header: as it stands, and with a column of row names that it does not name, as R writes it."""
    if any(names.count(name) != 1 for name in WANTED):
        return
    places = {name: names.index(name) for name in (*WANTED, "link") if name in names}
    yield Columns(dialect, places, len(names))
    yield Columns(dialect, {name: place + 1 for name, place in places.items()}, len(names) + 1)


def _misfits(reader: Reader, head: bytes) -> float:
    """Rows of another form for each recipe, at the beginning of a file."""
    start = reader.START
    cut = start(head) if callable(start) else head.rfind(b"\n") + 1
    data = head[: cut or len(head)]
    if reader.is_header(data.partition(b"\n")[0].decode(errors="replace").removesuffix("\r")):
        data = data.partition(b"\n")[2]
    reasons = reader.read(lines(data))["reason"] if data else pl.Series([], dtype=pl.String)
    return int(reasons.is_in(FORM).sum()) / max(reasons.null_count(), 0.1)
