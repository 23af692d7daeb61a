"""Proto-actions: actions by the classes of their words (Liu et al. 2022, appendix A.2)."""

from collections.abc import Sequence

import polars as pl

from wokflow.frame import tables
from wokflow.parse import schemas


def parse_proto(*, actions: Sequence[str], proto: Sequence[str], metadata: dict[str, str]) -> None:
    """Write each action, part by part, as a verb class, a set of ingredient classes and a set of tool classes."""
    for source, target in zip(actions, proto, strict=True):
        rows = tables.scan(source).select(
            "recipe_id",
            "position",
            "verb_class",
            *map(_set, ("ingredient_classes", "tool_classes")),
            "inherited",
        )
        tables.write(target, schemas.PROTO_ACTIONS, rows.collect(), metadata)


def _set(name: str) -> pl.Expr:
    return pl.col(name).list.unique().list.sort()
