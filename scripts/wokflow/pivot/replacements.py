"""Pivot actions that differ in the changed ingredient alone: one replacement, not a removal and an insertion."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from wokflow.frame import tables
from wokflow.parse.glossary import Glossary
from wokflow.pivot import schemas
from wokflow.pivot.occurrences import Proto

Pair = tuple[str, str]  # base dish, target dish


class Swap(NamedTuple):
    """Classes of the removed ingredient and of the one that takes its place."""

    old: str
    new: str

    def __call__(self, action: Proto) -> Proto:
        """The action with the added ingredient in place of the removed one."""
        foods = {self.new if name == self.old else name for name in action.ingredients}
        return action._replace(ingredients=tuple(sorted(foods)))


def swap(glossary: Glossary, removed: str | None, added: str) -> Swap | None:
    """The swap of two ingredients; None if one is only added, or the glossary lacks one or has both in one class."""
    old, new = glossary.ingredients.get(removed or ""), glossary.ingredients.get(added)
    return Swap(old, new) if old and new and old != new else None


def swaps(pairs: pl.DataFrame, glossary: Glossary) -> dict[Pair, Swap]:
    """The swaps of the pairs from dishes.read_pairs, for those that have one."""
    rows = pairs.select("base_dish", "target_dish", "ingredient_removed", "ingredient_added").iter_rows()
    of_pair = {(base, target): swap(glossary, removed, added) for base, target, removed, added in rows}
    return {pair: known for pair, known in of_pair.items() if known}


def merged(pivots: pl.DataFrame, of_pair: Mapping[Pair, Swap]) -> pl.DataFrame:
    """The pivot actions, with a replacement for each removal whose swapped action is an insertion.

    Such insertions are left out. A replacement has the base dish's frequency of the old action and the target dish's
    frequency of the new one; people decided it if they decided either. Columns are those of pivot/pivots.
    """
    rows = pivots.to_dicts()
    inserted = {(_pair(row), _action(row)): row for row in rows if row["kind"] == "insert"}
    result: list[dict[str, Any]] = []
    for row in rows:
        pair, other = _pair(row), of_pair.get(_pair(row))
        twin = inserted.get((pair, other(_action(row)))) if other and row["kind"] == "remove" else None
        if twin and twin["kind"] == "insert":
            twin["kind"] = "merged"
            people = "people" if "people" in (row["decided_by"], twin["decided_by"]) else row["decided_by"]
            new = {"kind": "replace", "new_ingredient_classes": twin["ingredient_classes"]}
            row = row | new | {"target_frequency": twin["target_frequency"], "decided_by": people}
        result.append(row)
    schema = tables.columns(schemas.PIVOTS)
    return pl.DataFrame(
        [{name: row.get(name) for name in schema} for row in result if row["kind"] != "merged"], schema
    )


def split(pivots: pl.DataFrame) -> pl.DataFrame:
    """The pivot actions with a removal and an insertion for each replacement; these insertions come last."""
    replaced = pl.col("kind") == "replace"
    old = pivots.with_columns(kind=pl.when(replaced).then(pl.lit("remove")).otherwise("kind"))
    new = pivots.filter(replaced).with_columns(
        kind=pl.lit("insert"), ingredient_classes="new_ingredient_classes"
    )
    return pl.concat([old, new])


def read_split(path: str) -> pl.DataFrame:
    """The table pivot/pivots with a removal and an insertion for each replacement."""
    return split(tables.read(path))


def _pair(row: Mapping[str, Any]) -> Pair:
    return row["base_dish"], row["target_dish"]


def _action(row: Mapping[str, Any]) -> Proto:
    foods, tools = (tuple(sorted(row[name])) for name in ("ingredient_classes", "tool_classes"))
    return Proto(row["verb_class"], foods, tools)
