"""XiaChuFang's recipe_corpus_full.json: JSON lines; name, dish, recipeIngredient, recipeInstructions."""

import io
import re
from collections import Counter
from typing import Any

import polars as pl

from wokflow.ingest.raw_records import (
    JSON_STRING,
    Lines,
    Reject,
    Row,
    frame,
    joined,
    parse,
    rejected,
    strings,
    text,
)

LANG = "zh"
UNKNOWN_DISH = "Unknown"
START = re.compile(rb"(?m)^[^\n]*\n")

# The strict form: a flat object whose keys have no escapes, with each required field exactly once.
_COMMA, _COLON = r"[ \t]*,[ \t]*", r"[ \t]*:[ \t]*"
_LIST = rf"\[[ \t]*(?:{JSON_STRING}(?:{_COMMA}{JSON_STRING})*)?[ \t]*\]"
_NUMBER = r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?"
_VALUE = rf"(?:{JSON_STRING}|{_LIST}|{_NUMBER}|null|true|false)"
_PAIR = rf'"[^"\\\x00-\x1f]*"{_COLON}{_VALUE}'
_FLAT = rf"^[ \t]*\{{[ \t]*{_PAIR}(?:{_COMMA}{_PAIR})*[ \t]*\}}[ \t]*$"
_KEYS = {
    "name": '"',
    "dish": r'(?:"|null)',
    "recipeIngredient": r"\[",
    "recipeInstructions": r"\[",
}
_ANY_KEY = rf'"(?:{"|".join(_KEYS)})"{_COLON}'
_SCHEMA = {
    "name": pl.String(),
    "dish": pl.String(),
    "recipeIngredient": pl.List(pl.String()),
    "recipeInstructions": pl.List(pl.String()),
}


def is_header(line: str) -> bool:
    """Whether a line is the header: JSON lines have none."""
    return False


def is_whole(raw: str) -> bool:
    """True: a readable record is whole, since no part of an object is an object."""
    return True


def read(lines: Lines) -> pl.DataFrame:
    """The records of a block, in order: recipes to be cleaned, or rejects with their reason."""
    raw = pl.col("raw")
    strict = raw.str.contains(_FLAT) & (raw.str.count_matches(_ANY_KEY) == len(_KEYS))
    for key, value in _KEYS.items():
        strict &= raw.str.contains(f'"{key}"{_COLON}{value}')
    table = pl.DataFrame({"raw": lines.text}).with_row_index("line").with_columns(strict=strict)
    if lines.damage:
        table = table.with_columns(strict=pl.col("strict") & ~pl.col("line").is_in(list(lines.damage)))
    fast = table.filter("strict")
    records = _read_fast(fast, lines.joined() if fast.height == table.height else joined(fast["raw"]))
    rest = table.filter(~pl.col("strict") & (raw.str.strip_chars() != ""))
    if rest.is_empty():
        return records.drop("line")
    rows = [
        rejected(line, lines.damage[number]) if number in lines.damage else decode(line)
        for number, line in rest.select("line", "raw").iter_rows()
    ]
    more = frame(rows).with_columns(line=rest["line"]).select(records.columns)
    return pl.concat([records, more]).sort("line").drop("line")


def _read_fast(lines: pl.DataFrame, data: bytes) -> pl.DataFrame:
    """Records of lines in strict form; `data` is the same lines joined."""
    fields = pl.read_ndjson(io.BytesIO(data), schema=_SCHEMA) if data else pl.DataFrame(schema=_SCHEMA)
    if fields.height != lines.height:
        raise AssertionError(f"{fields.height} rows were parsed from {lines.height} records")
    return pl.concat([lines.select("line", "raw"), fields], how="horizontal").select(
        "line",
        "raw",
        pl.col("name").alias("title"),
        pl.col("recipeIngredient").alias("ingredients"),
        pl.col("recipeInstructions").alias("steps"),
        pl.col("dish").replace({UNKNOWN_DISH: None, "": None}),
        pl.lit(None, pl.String).alias("url"),
        pl.lit(None, pl.String).alias("reason"),
        pl.lit(None, pl.String).alias("detail"),
        pl.lit(None, pl.Boolean).alias("plain"),
    )


class _Object(dict[str, Any]):
    """A JSON object that knows how often each of its keys stands in it."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.times = Counter(key for key, _ in pairs)


def decode(raw: str) -> Row:
    """One record, parsed strictly: its fields, or a reject with its reason."""
    try:
        return {"raw": raw, **_fields(raw)}
    except Reject as reject:
        return rejected(raw, reject)


def _fields(raw: str) -> Row:
    try:
        record = parse(raw, _Object)
    except ValueError as error:
        raise Reject("broken_record", f"{error}") from error
    if not isinstance(record, _Object):
        raise Reject("wrong_type", f"the line holds {type(record).__name__}, not an object")
    if twice := [key for key in _KEYS if record.times[key] > 1]:
        raise Reject("repeated_field", ", ".join(twice))
    missing = [key for key in ("name", "recipeIngredient", "recipeInstructions") if key not in record]
    if missing:
        raise Reject("missing_field", ", ".join(missing))
    dish = record.get("dish")
    return {
        "title": text(record["name"], "name"),
        "ingredients": strings(record["recipeIngredient"], "recipeIngredient"),
        "steps": strings(record["recipeInstructions"], "recipeInstructions"),
        "dish": None if dish in (None, "", UNKNOWN_DISH) else text(dish, "dish"),
    }
