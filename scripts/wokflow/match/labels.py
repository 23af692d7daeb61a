"""Graded pairs: sheets in which people say whether two recipes are the same dish (2), variants (1) or neither (0)."""

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from wokflow.frame.tsv_sheets import read_sheet
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

    A row without `corpus` is of the own corpora. Features whose cells are empty are null; a row with another cell
    that is no number is a reject, and so is one whose pair stands before it with the same grade. Where the grades of
    a pair differ, all its rows are rejects.
    """
    rows: list[dict[str, Any]] = []
    unusable: list[dict[str, Any]] = []
    read = [*read_sheet(path, MANDATORY, ("corpus", *FEATURES))]
    grades: dict[tuple[str, ...], dict[str, int]] = {}  # of each pair, and the first row that has it
    for line, row in read:
        if row["grade"] in GRADES:
            grades.setdefault(_pair(row), {}).setdefault(row["grade"], line)
    for line, row in read:
        cells = {name: row.get(name, "") for name in FEATURES}
        wrong = [f"{name} {cell}" for name, cell in cells.items() if cell and _number(cell) is None]
        given = grades.get(_pair(row), {})
        reason = detail = None
        if row["grade"] not in GRADES:
            reason, detail = "no_grade", row["grade"] or None
        elif wrong:
            reason, detail = "no_number", ", ".join(wrong)
        elif len(given) > 1:
            reason, detail = "several", ", ".join(f"{grade} in row {first}" for grade, first in given.items())
        elif given[row["grade"]] != line:
            reason, detail = "repeated", f"row {given[row['grade']]}"
        if reason:
            raw = " | ".join(row[name] for name in MANDATORY)[:SHOWN]
            unusable.append({"source_row": line, "reason": reason, "detail": detail, "raw": raw})
            continue
        rows.append(
            {name: row[name] for name in MANDATORY[:-1]}
            | {"source_row": line, "grade": GRADES[row["grade"]], "corpus": row.get("corpus") or "own"}
            | {name: _number(cell) for name, cell in cells.items()}
        )
    return pl.DataFrame(rows, SCHEMA), pl.DataFrame(unusable, REJECTS)


def _pair(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in MANDATORY[:-1])


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
