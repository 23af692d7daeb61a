"""Base recipes of the counterfactual testbed (Liu et al. 2022): base dish, target dish, recipe text, tab-separated.

One line is one recipe with one step. Its title and its dish are the base dish; it lists no ingredients.
"""

import re

import polars as pl

from wokflow.ingest.raw_records import Lines, Reject, Row, frame, rejected

LANG = "zh"
FIELDS = ("base dish", "target dish", "text")
START = re.compile(rb"(?m)^[^\n]*\n")


def is_header(line: str) -> bool:
    """Whether a line is the header: the published file has none."""
    return False


def is_whole(raw: str) -> bool:
    """True: a readable record counts as whole, since a text may end anywhere."""
    return True


def read(lines: Lines) -> pl.DataFrame:
    """The records of a block, in order: recipes to be cleaned, or rejects with their reason."""
    return frame(
        [
            rejected(line, lines.damage[number]) if number in lines.damage else decode(line)
            for number, line in enumerate(lines.text)
            if line.strip()
        ]
    )


def decode(raw: str) -> Row:
    """One record: its fields, or a reject with its reason."""
    fields = raw.split("\t")
    if len(fields) != len(FIELDS):
        return rejected(raw, Reject("broken_record", f"{len(fields)} fields, not {len(FIELDS)}"))
    base, _, text = fields
    return {"raw": raw, "title": base, "ingredients": [], "steps": [text], "dish": base}
