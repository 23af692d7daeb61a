"""RecipeNLG's full_dataset.csv: `,title,ingredients,directions,link,source,NER`, three of them JSON lists.

A record begins with its running number, so that reading can resume after a row with unbalanced quotes: a line that
is a complete record by itself counts as one, whatever precedes it.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

import polars as pl

from wokflow.ingest.clean import ENTITY, LATIN
from wokflow.ingest.raw_records import (
    JSON_ESCAPE,
    Lines,
    Reject,
    Row,
    frame,
    joined,
    parse,
    rejected,
    strings,
)

LANG = "en"
FIELDS = ("number", "title", "ingredients", "directions", "link", "source", "NER")
HEADER = ("", *FIELDS[1:])
_LISTS = {"ingredients": "ingredients", "directions": "steps"}  # column of the source -> column of recipes

# A quoted field up to its closing quote, or to the end of the text; possessive, for linear time.
_OPEN = r'"[^"]*+(?:""[^"]*+)*+'
_OTHER = r'[^",\n]*+'
_OPEN_LINE = _OPEN.replace('[^"]', r'[^"\n]')
START = re.compile(rf'(?m)^[0-9]++(?:,(?:{_OPEN_LINE}"|{_OTHER})){{6}}\r?\n'.encode())

_RECORD = r'^[0-9]+(?:,(?:"(?:[^"]|"")*"|[^",]*)){6}$'
_WHOLE = re.compile(rf'[0-9]++(?:,(?:{_OPEN}"|{_OTHER})){{6}}')
_UNFINISHED = re.compile(rf'[0-9]++(?:,(?:{_OPEN}"|{_OTHER})){{0,5}},{_OPEN}')
_BEGINS = re.compile(r"[0-9]+,")
_FIELD = re.compile(rf'(?:({_OPEN})"|((?:[^",\n][^,\n]*+)?))(?=,|\Z)')
# Strict form: a record whose lists are as json.dumps writes them and csv quotes them.
_ANY = r'(?:"(?:[^"]|"")*"|[^",]*)'
_CSV_ESCAPE = JSON_ESCAPE.replace(r'\\["\\', r'\\(?:"")|\\[\\')
_ITEM = rf'""(?:[^"\\\x00-\x1f]|{_CSV_ESCAPE})*""'
_LIST = rf'(?:"\[(?:{_ITEM}(?:, {_ITEM})*)?\]"|\[\])'
_STRICT = rf"^[0-9]+,{_ANY},{_LIST},{_LIST}(?:,{_ANY}){{3}}$"
# Plain: a strict record with nothing to clean, of words of Latin letters with single spaces between them.
_LETTER = rf'[[{LATIN}]--[ "\\]]'
_LATIN_ESCAPE = r'\\(?:""|u00(?:b0|b[c-f]|[c-f][0-9a-f]))'  # characters of LATIN as json.dumps writes them
_UNQUOTED, _WORD = rf"[{_LETTER}--[,]]+", rf"(?:{_LETTER}|{_LATIN_ESCAPE})+"
_PLAIN_TITLE = rf'(?:{_UNQUOTED}(?: {_UNQUOTED})*|"{_LETTER}+(?: {_LETTER}+)*")'
_PLAIN_ITEM = rf'""{_WORD}(?: {_WORD})*""'
_PLAIN_LIST = rf'"\[{_PLAIN_ITEM}(?:, {_PLAIN_ITEM})*\]"'
_PLAIN = rf"^[0-9]+,{_PLAIN_TITLE},{_PLAIN_LIST},{_PLAIN_LIST}(?:,{_ANY}){{3}}$"
# A list of texts as Python prints it, which pandas writes where the lists had been read.
_PYTHON_ITEM = r"""(?:'(?:[^'\\\n]|\\[\\'nrtxuU])*+'|"(?:[^"\\\n]|\\[\\nrtxuU])*+")"""
_PYTHON_LIST = re.compile(rf"\[{_PYTHON_ITEM}(?:, {_PYTHON_ITEM})*+\]")
_LOOKAHEAD = 50  # most lines of one record


def is_header(line: str) -> bool:
    """Whether a line names the published columns; the first, of row numbers, may have a name."""
    number, _, rest = line.replace('"', "").partition(",")
    return rest == ",".join(HEADER[1:]) and not number.isdecimal()


def is_whole(raw: str) -> bool:
    """Whether a readable record is not cut off: its last field is a whole list."""
    try:
        return isinstance(parse(_values(raw)[-1]), list)
    except (ValueError, Reject):
        return False


def read(lines: Lines) -> pl.DataFrame:
    """The records of a block, in order: recipes to be cleaned, or rejects with their reason."""
    raw = pl.col("raw")
    table = pl.DataFrame({"raw": lines.text}).with_row_index("line")
    sure = ~pl.col("line").is_in(list(lines.damage))
    if b"\r" in lines.data:  # polars drops a CR at the end of a field
        sure &= ~raw.str.contains("\r", literal=True)
    entity = raw.str.contains("&", literal=True) & raw.str.contains(ENTITY)
    table = table.with_columns(plain=sure & raw.str.contains(_PLAIN) & ~entity)
    slow = table.filter(~pl.col("plain")).filter(~(sure & raw.str.contains(_STRICT)))
    if slow.is_empty():
        return _read_fast(table, lines.joined()).drop("line")
    fast = table.join(slow, on="line", how="anti", maintain_order="left")
    cut = [line for line, reject in lines.damage.items() if reject.reason == "oversized_row"]
    slow = slow.with_columns(whole=raw.str.contains(_RECORD) | pl.col("line").is_in(cut))
    rest = [_row([line], lines.damage) for line in slow.filter("whole").select("line", "raw").iter_rows()]
    rest += [_row(group, lines.damage) for group in _groups(slow.filter(~pl.col("whole")))]
    numbers = pl.Series("line", [line for line, _ in rest], pl.UInt32)
    more = frame([row for _, row in rest]).insert_column(0, numbers)
    return pl.concat([_read_fast(fast, joined(fast["raw"])), more]).sort("line").drop("line")


def _read_fast(lines: pl.DataFrame, data: bytes) -> pl.DataFrame:
    """Records of lines in strict form; `data` is the same lines joined."""
    names = {f"column_{number + 1}": name for number, name in enumerate(FIELDS)}
    if lines.is_empty():
        fields = pl.DataFrame(schema=dict.fromkeys(FIELDS, pl.String()))
    else:
        fields = pl.read_csv(
            data, has_header=False, schema=dict.fromkeys(names, pl.String()), columns=[1, 2, 3, 4]
        )
        fields = fields.rename({column: names[column] for column in fields.columns})
    if fields.height != lines.height:
        raise AssertionError(f"{fields.height} rows were parsed from {lines.height} records")
    return pl.concat([lines, fields], how="horizontal").select(
        "line",
        "raw",
        pl.col("title").fill_null(""),
        *(pl.col(name).str.json_decode(pl.List(pl.String)).alias(to) for name, to in _LISTS.items()),
        pl.lit(None, pl.String).alias("dish"),
        pl.col("link").replace("", None).alias("url"),
        pl.lit(None, pl.String).alias("reason"),
        pl.lit(None, pl.String).alias("detail"),
        "plain",
    )


def _row(group: list[tuple[int, str]], damage: dict[int, Reject]) -> tuple[int, Row]:
    """The first number of numbered lines that form one record, and the record, parsed in Python."""
    raw = "\n".join(raw for _, raw in group)
    hurt = next((damage[line] for line, _ in group if line in damage), None)
    return group[0][0], rejected(raw, hurt) if hurt else decode(raw)


def _groups(lines: pl.DataFrame) -> Iterator[list[tuple[int, str]]]:
    """Groups of lines that form one record each, made of lines that are not complete records themselves."""
    for run in _runs(lines):
        begin = 0
        while begin < len(run):
            end = begin + _length([raw for _, raw in run[begin : begin + _LOOKAHEAD]])
            if run[begin][1].strip():
                yield run[begin:end]
            begin = end


def _runs(lines: pl.DataFrame) -> Iterator[list[tuple[int, str]]]:
    """Runs of lines that follow one another in the source."""
    run: list[tuple[int, str]] = []
    for line, raw in lines.select("line", "raw").iter_rows():
        if run and line != run[-1][0] + 1:
            yield run
            run = []
        if run or raw.strip():
            run.append((line, raw))
    if run:
        yield run


def _length(lines: list[str]) -> int:
    """Number of lines of the record that begins with the first line; a broken one ends before the next number."""
    if not _BEGINS.match(lines[0]):
        return 1
    for length in range(1, len(lines)):
        if not _UNFINISHED.fullmatch("\n".join(lines[:length])):
            break
        if _WHOLE.fullmatch("\n".join(lines[: length + 1])):
            return length + 1
    return next((length for length in range(1, len(lines)) if _BEGINS.match(lines[length])), len(lines))


def decode(raw: str) -> Row:
    """One record, parsed strictly: its fields, or a reject with its reason."""
    try:
        return {"raw": raw, **_fields(raw)}
    except Reject as reject:
        return rejected(raw, reject)


def _fields(raw: str) -> Row:
    values = _values(raw)
    if len(values) != len(FIELDS):
        raise Reject("broken_record", f"{len(values)} fields, not {len(FIELDS)}")
    fields = dict(zip(FIELDS, values, strict=True))
    if not (fields["number"].isascii() and fields["number"].isdecimal()):
        raise Reject("broken_record", "does not begin with a row number")
    return recipe(fields)


def recipe(fields: Mapping[str, str]) -> Row:
    """Fields of a recipe from fields of the source, by name. Raises Reject for a malformed list."""
    return {
        "title": fields["title"],
        "ingredients": read_list(fields["ingredients"], "ingredients"),
        "steps": read_list(fields["directions"], "directions"),
        "url": fields.get("link") or None,
    }


def _values(raw: str) -> list[str]:
    """The fields of a CSV record. Unlike with Python's csv, fields may be of any length and a lone CR is text."""
    values: list[str] = []
    begin = 0
    while begin <= len(raw):
        field = _FIELD.match(raw, begin)
        if not field:
            raise Reject("broken_record", f"unbalanced quotes in field {len(values) + 1}")
        quoted, plain = field.groups()
        values.append(plain if quoted is None else quoted[1:].replace('""', '"'))
        begin = field.end() + 1
    return values


def read_list(value: str, field: str) -> list[str]:
    """A list of strings, as JSON or as Python prints it; raises Reject where it is none."""
    try:
        return strings(parse(value), field)
    except ValueError as error:
        if (printed := _printed(value)) is not None:
            return strings(printed, field)
        raise Reject("bad_list", f"{field} is no JSON list: {error}") from error


def _printed(value: str) -> list[str] | None:
    """The list of texts that Python prints exactly so; None if there is none."""
    if not _PYTHON_LIST.fullmatch(value):
        return None
    with suppress(ValueError, SyntaxError):
        texts: list[str] = ast.literal_eval(value)
        return texts if str(texts) == value else None
    return None
