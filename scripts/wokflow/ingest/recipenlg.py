"""RecipeNLG's full_dataset.csv: `,title,ingredients,directions,link,source,NER`, three of them JSON lists.

A record begins with its running number. That is what lets reading go on behind a row with unbalanced quotes: a
line that is a whole record by itself is one, whatever stands before it.
"""

import csv
import io
import json
import re
from collections.abc import Iterator

import polars as pl

from wokflow.ingest.records import Lines, Reject, frame, rejected, strings, text

LANG = "en"
FIELDS = ("number", "title", "ingredients", "directions", "link", "source", "NER")
HEADER = ("", *FIELDS[1:])
START = re.compile(rb'\d+(?:,(?:"(?:[^"\n]|"")*"|[^",\n]*)){6}\r?\n')

_RECORD = r'^\d+(?:,(?:"(?:[^"]|"")*"|[^",]*)){6}$'
_BEGINS = re.compile(r"\d+,")
_ITEM = r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrtu])*"'
_LIST = rf"^\[(?:{_ITEM}(?:, ?{_ITEM})*)?\]$"
_SURROGATE = r"\\u[dD][89a-fA-F]"
_LOOKAHEAD = 50  # lines that one record may spread over


def is_header(line: str) -> bool:
    return tuple(next(csv.reader([line]), [])) == HEADER


def read(lines: Lines) -> pl.DataFrame:
    """The records of a block, in order, as recipes to be cleaned or with a reason why not."""
    table = pl.DataFrame({"raw": lines.text}).with_row_index("line")
    table = table.with_columns(whole=pl.col("raw").str.contains(_RECORD))
    if lines.damage:
        table = table.with_columns(damaged=pl.col("line").is_in(list(lines.damage)))
        fast = table.filter(pl.col("whole") & ~pl.col("damaged"))
    else:
        fast = table.filter("whole")
    records, slow = _read_fast(fast)
    rest = [(line, raw, decode(raw)) for line, raw in slow.select("line", "raw").iter_rows()]
    rest += _read_slow(table.filter(~pl.col("whole")), lines.damage)
    if lines.damage:
        alone = table.filter(pl.col("whole") & pl.col("damaged"))
        rest += [
            (line, raw, rejected(raw, lines.damage[line])) for line, raw in alone.select("line", "raw").iter_rows()
        ]
    if not rest:
        return records.drop("line")
    more = frame([row for _, _, row in rest]).with_columns(
        line=pl.Series([line for line, _, _ in rest], dtype=pl.UInt32)
    )
    return pl.concat([records, more.select(records.columns)]).sort("line").drop("line")


def _read_fast(lines: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lines that are whole records -> (records, the lines whose lists are not in strict form)."""
    names = {f"column_{number + 1}": name for number, name in enumerate(FIELDS)}
    if lines.is_empty():
        fields = pl.DataFrame(schema=dict.fromkeys(FIELDS, pl.String))
    else:
        data = lines["raw"].str.join("\n").item().encode()
        fields = pl.read_csv(
            io.BytesIO(data),
            has_header=False,
            schema=dict.fromkeys(names, pl.String),
            columns=[1, 2, 3, 4],
        )
        fields = fields.rename({column: names[column] for column in fields.columns}).fill_null("")
    if fields.height != lines.height:
        raise AssertionError(f"{fields.height} rows were parsed from {lines.height} records")
    table = pl.concat([lines.select("line", "raw"), fields.select("title", "ingredients", "directions", "link")], how="horizontal")
    lists = pl.col("ingredients", "directions")
    strict = pl.all_horizontal(lists.str.contains(_LIST)) & ~pl.any_horizontal(lists.str.contains(_SURROGATE))
    table = table.with_columns(strict=strict)
    records = table.filter("strict").select(
        "line",
        "raw",
        "title",
        pl.col("ingredients").str.json_decode(pl.List(pl.String)),
        pl.col("directions").str.json_decode(pl.List(pl.String)).alias("steps"),
        pl.lit(None, pl.String).alias("dish"),
        pl.col("link").replace("", None).alias("url"),
        pl.lit(None, pl.String).alias("reason"),
        pl.lit(None, pl.String).alias("detail"),
    )
    return records, table.filter(~pl.col("strict"))


def _read_slow(lines: pl.DataFrame, damage: dict[int, Reject]) -> list[tuple[int, str, dict[str, object]]]:
    """Runs of lines that are no whole records: joined where a record spreads over several."""
    rows = []
    run: list[tuple[int, str]] = []
    for line, raw in [*lines.select("line", "raw").iter_rows(), (-1, "")]:
        if run and line != run[-1][0] + 1:
            for group in _joined(run):
                raw_record = "\n".join(raw for _, raw in group)
                hurt = next((damage[number] for number, _ in group if number in damage), None)
                row = rejected(raw_record, hurt) if hurt else decode(raw_record)
                rows.append((group[0][0], raw_record, row))
            run = []
        run.append((line, raw))
    return rows


def _joined(run: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    record = re.compile(_RECORD)
    begin = 0
    while begin < len(run):
        if not run[begin][1].strip():
            begin += 1
            continue
        end = begin + 1
        while (
            end < min(len(run), begin + _LOOKAHEAD)
            and not _BEGINS.match(run[end][1])
            and not record.match("\n".join(raw for _, raw in run[begin:end]))
        ):
            end += 1
        yield run[begin:end]
        begin = end


def decode(raw: str) -> dict[str, object]:
    """One record, strictly: its fields, or the reason why it is no recipe."""
    try:
        return {"raw": raw, **_fields(raw)}
    except Reject as reject:
        return dict(rejected(raw, reject))


def _fields(raw: str) -> dict[str, object]:
    try:
        rows = list(csv.reader(io.StringIO(raw, newline=""), strict=True))
    except csv.Error as error:
        raise Reject("broken_record", f"{error}") from error
    if len(rows) != 1 or len(rows[0]) != len(FIELDS):
        raise Reject("broken_record", f"{len(rows[0]) if rows else 0} fields, not {len(FIELDS)}")
    fields = dict(zip(FIELDS, rows[0], strict=True))
    if not fields["number"].isdecimal():
        raise Reject("broken_record", "does not begin with a row number")
    return {
        "title": fields["title"],
        "ingredients": _list(fields["ingredients"], "ingredients"),
        "steps": _list(fields["directions"], "directions"),
        "url": fields["link"] or None,
    }


def _list(value: str, field: str) -> list[str]:
    try:
        return strings(json.loads(value), field)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Reject("bad_list", f"{field} is no JSON list: {error}") from error
