"""Small tables that a reader may edit: topics, classes, phrases."""

import csv
from collections.abc import Iterator
from pathlib import Path

from wokflow.frame.job import UserError


def read_table(path: str, *columns: str) -> Iterator[tuple[str, str]]:
    """Two columns of a table with tabs, without quotes; lines that begin with # are comments."""
    lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    reader = csv.DictReader(
        (line for line in lines if line.strip() and not line.startswith("#")),
        dialect="excel-tab",
        quoting=csv.QUOTE_NONE,
    )
    if missing := [name for name in columns if name not in (reader.fieldnames or ())]:
        raise UserError(f"{path}: missing column {', '.join(missing)}.")
    for row in reader:
        first, second = (row[name] or "" for name in columns)
        yield first, second
