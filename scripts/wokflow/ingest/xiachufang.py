"""XiaChuFang's recipe_corpus_full.json: one JSON object a line; name, dish, recipeIngredient, recipeInstructions."""

import io
import json
import re

import polars as pl

from wokflow.ingest.records import Lines, Reject, frame, rejected, strings, text

LANG = "zh"
UNKNOWN_DISH = "Unknown"
START = re.compile(rb"[^\n]*\n")

_STRING = r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrtu])*"'
_LIST = rf"\[\s*(?:{_STRING}(?:\s*,\s*{_STRING})*)?\s*\]"
_VALUE = rf"(?:{_STRING}|{_LIST}|-?\d+(?:\.\d+)?|null|true|false)"
_FLAT = rf"^\s*\{{\s*{_STRING}\s*:\s*{_VALUE}(?:\s*,\s*{_STRING}\s*:\s*{_VALUE})*\s*\}}\s*$"
_SURROGATE = r"\\u[dD][89a-fA-F]"
_KEYS = {
    "name": rf'"name"\s*:\s*"',
    "dish": rf'"dish"\s*:\s*(?:"|null)',
    "recipeIngredient": rf'"recipeIngredient"\s*:\s*\[',
    "recipeInstructions": rf'"recipeInstructions"\s*:\s*\[',
}
_SCHEMA = {
    "name": pl.String,
    "dish": pl.String,
    "recipeIngredient": pl.List(pl.String),
    "recipeInstructions": pl.List(pl.String),
}


def is_header(line: str) -> bool:
    """JSON lines have none."""
    return False


def read(lines: Lines) -> pl.DataFrame:
    """The records of a block, in order, as recipes to be cleaned or with a reason why not."""
    raw = pl.col("raw")
    strict = raw.str.contains(_FLAT) & ~raw.str.contains(_SURROGATE)
    for pattern in _KEYS.values():
        strict &= raw.str.count_matches(pattern) == 1
    table = pl.DataFrame({"raw": lines.text}).with_row_index("line").with_columns(strict=strict)
    if lines.damage:
        table = table.with_columns(strict=pl.col("strict") & ~pl.col("line").is_in(list(lines.damage)))
    records = _read_fast(table.filter("strict"))
    rest = table.filter(~pl.col("strict") & (raw.str.strip_chars() != ""))
    if rest.is_empty():
        return records.drop("line")
    rows = [
        dict(rejected(line, lines.damage[number])) if number in lines.damage else decode(line)
        for number, line in rest.select("line", "raw").iter_rows()
    ]
    more = frame(rows).with_columns(line=rest["line"]).select(records.columns)
    return pl.concat([records, more]).sort("line").drop("line")


def _read_fast(lines: pl.DataFrame) -> pl.DataFrame:
    if lines.is_empty():
        fields = pl.DataFrame(schema=_SCHEMA)
    else:
        fields = pl.read_ndjson(io.BytesIO(lines["raw"].str.join("\n").item().encode()), schema=_SCHEMA)
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
    )


def decode(raw: str) -> dict[str, object]:
    """One record, strictly: its fields, or the reason why it is no recipe."""
    try:
        return {"raw": raw, **_fields(raw)}
    except Reject as reject:
        return dict(rejected(raw, reject))


def _fields(raw: str) -> dict[str, object]:
    try:
        record = json.loads(raw)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Reject("broken_record", f"{error}") from error
    if not isinstance(record, dict):
        raise Reject("wrong_type", f"the line holds {type(record).__name__}, not an object")
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
