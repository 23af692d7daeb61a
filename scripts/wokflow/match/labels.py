"""Graded pairs: sheets in which people say whether two recipes are the same dish (2), variants (1) or neither (0)."""

from typing import Any

import polars as pl

from wokflow.frame.sheets import read_sheet
from wokflow.match.schemas import FEATURES

MANDATORY = ("zh_id", "zh_title", "en_id", "en_title", "grade")
GRADES = {"0": 0, "1": 1, "2": 2}
SHOWN = 200  # characters of a row of the sheet, in its reject
SCHEMA: dict[str, Any] = {
    "source_row": pl.Int64,
    **dict.fromkeys(MANDATORY[:-1], pl.String),
    "grade": pl.Int64,
    "corpus": pl.String,
    **dict.fromkeys(FEATURES, pl.Float32),
}
REJECTS: dict[str, Any] = {
    "source_row": pl.Int64,
    "reason": pl.String,
    "detail": pl.String,
    "raw": pl.String,
}


def read_labels(path: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The graded pairs of a sheet with what it says of their features, and rejects (schema match/rejects/labels).

    A row without `corpus` is of the own corpora. Features whose cells are empty or
    no numbers are null.
    """
    rows: list[dict[str, Any]] = []
    unusable: list[dict[str, Any]] = []
    for line, row in read_sheet(path, MANDATORY):
        grade = GRADES.get(row["grade"])
        if grade is None:
            raw = " | ".join(row[name] for name in MANDATORY)[:SHOWN]
            unusable.append(
                {"source_row": line, "reason": "no_grade", "detail": row["grade"] or None, "raw": raw}
            )
            continue
        rows.append(
            {name: row[name] for name in MANDATORY[:-1]}
            | {"source_row": line, "grade": grade, "corpus": row.get("corpus") or "own"}
            | {name: _number(row.get(name, "")) for name in FEATURES}
        )
    return pl.DataFrame(rows, SCHEMA), pl.DataFrame(unusable, REJECTS)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
