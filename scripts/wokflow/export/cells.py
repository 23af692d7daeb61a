"""Searches all text of a table, inside lists and structs as well."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import polars as pl

from wokflow.export.gate_findings import EXAMPLES

# The places of what was found in a text: (start, end), not empty, in order.
Finder = Callable[[str], list[tuple[int, int]]]


@dataclass(frozen=True)
class Search:
    """A quick pattern (Rust's regex crate) that every hit matches, and the function that finds the hits where it
    matches.

    `advice` says what to do about hits.
    """

    prefilter: str
    find: Finder
    advice: str


@dataclass
class Hits:
    """The number of rows with a hit, and the first of them: (id, column, text, places)."""

    rows: int = 0
    first: list[tuple[str, str, str, list[tuple[int, int]]]] = field(default_factory=list)


def search(
    rows: Iterable[pl.DataFrame], key: str | pl.Expr, searches: Mapping[str, Search]
) -> dict[str, Hits]:
    """Count the rows in which each search hits any string, a frame at a time. Keys are in the order of `searches`.

    `key` is the row's id, such as "recipe_id" or pl.col("source").struct.field("id").
    """
    all_hits = {name: Hits() for name in searches}
    names = pl.col(key) if isinstance(key, str) else key
    for batch in rows:
        ids = batch.select(names.cast(pl.String).alias("id")).to_series()
        hit: dict[str, dict[int, tuple[str, str, list[tuple[int, int]]]]] = {name: {} for name in searches}
        for path, cells in strings(batch):
            for name, one in searches.items():
                for row, text in cells.filter(pl.col("text").str.contains(one.prefilter)).iter_rows():
                    if row not in hit[name] and (places := one.find(text)):
                        hit[name][row] = (path, text, places)
        for name, own in hit.items():
            all_hits[name].rows += len(own)
            for row in sorted(own)[: EXAMPLES - len(all_hits[name].first)]:
                all_hits[name].first.append((str(ids[row]), *own[row]))
    return all_hits


def strings(frame: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """The path of each column that holds strings, such as "targets.title", and its cells: row (UInt32), text."""
    rows = pl.Series("row", range(frame.height), dtype=pl.UInt32)
    for column in frame.get_columns():
        yield from _strings(column.name, rows, column)


def _strings(path: str, rows: pl.Series, values: pl.Series) -> Iterator[tuple[str, pl.DataFrame]]:
    kind = values.dtype
    if isinstance(kind, pl.String | pl.Categorical | pl.Enum):
        yield path, pl.DataFrame({"row": rows, "text": values.cast(pl.String)}).drop_nulls()
    elif isinstance(kind, pl.Struct):
        for inner in kind.fields:
            yield from _strings(f"{path}.{inner.name}", rows, values.struct.field(inner.name))
    elif isinstance(kind, pl.List | pl.Array):
        if isinstance(kind, pl.Array):
            values = values.arr.to_list()
        entries = pl.DataFrame({"row": rows, "value": values}).explode("value")
        yield from _strings(path, entries["row"], entries["value"])
