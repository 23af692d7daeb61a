"""Gold test sets: adaptations written by people, as users give them."""

import csv
from pathlib import Path

import polars as pl

from wokflow.job import UserError

TARGET = ("title", "ingredients", "steps")
SOURCE = tuple(f"source_{name}" for name in TARGET)
BETWEEN = "|"  # entries of a list


def gold_sources(path: str | None) -> list[str]:
    """The ids of the source recipes of a gold set; none where there is no set."""
    return [] if path is None else read_gold(path)["source_id"].to_list()


def read_gold(path: str) -> pl.DataFrame:
    """A gold set: source_id, title, ingredients, steps, and the source's own (source_title and so on) or null.

    The file is a table with tabs and a header. Entries of ingredients and steps stand between bars. The source is
    the recipe of that id in the corpora, unless the columns source_title, source_ingredients and source_steps hold
    it. Raises UserError, with file and row, for missing columns, empty cells and sources that come twice.
    """
    rows = csv.DictReader(
        Path(path).read_text(encoding="utf-8-sig").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE
    )
    missing = [name for name in ("source_id", *TARGET) if name not in (rows.fieldnames or ())]
    if missing:
        raise UserError(f"{path}: the gold set lacks the columns {', '.join(missing)}.")
    found: dict[str, dict[str, object]] = {}
    for number, row in enumerate(rows, start=2):
        empty = [name for name in ("source_id", *TARGET) if not (row[name] or "").strip()]
        if empty:
            raise UserError(f"{path}, line {number}: {', '.join(empty)} is empty.")
        if row["source_id"] in found:
            raise UserError(f"{path}, line {number}: {row['source_id']} is there twice.")
        own = all((row.get(name) or "").strip() for name in SOURCE)
        found[row["source_id"]] = {
            "source_id": row["source_id"],
            **_recipe(row, TARGET),
            **(_recipe(row, SOURCE) if own else dict.fromkeys(SOURCE)),
        }
    return pl.DataFrame(list(found.values()), SCHEMA)


def _recipe(row: dict[str, str], names: tuple[str, ...]) -> dict[str, object]:
    title, *lists = names
    return {title: row[title].strip()} | {
        name: [entry.strip() for entry in row[name].split(BETWEEN) if entry.strip()] for name in lists
    }


SCHEMA = {
    "source_id": pl.String,
    **{name: pl.String if name.endswith("title") else pl.List(pl.String) for name in (*TARGET, *SOURCE)},
}
