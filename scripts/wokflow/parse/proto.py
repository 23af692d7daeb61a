"""Proto-actions: actions by the classes of their words (Liu et al. 2022, appendix A.2).

They are compared across recipes. So of inherited ingredients only the main ones count: 翻炒 of beef is the same
action whatever seasons it. If an action inherits none, all its ingredients count.
"""

from collections.abc import Iterable, Sequence

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.parse import schemas
from wokflow.parse.kinds import flavours


def parse_proto(*, actions: Sequence[str], proto: Sequence[str], job: Job) -> None:
    """Write each action, part by part, as a verb class, a set of ingredient classes and a set of tool classes."""
    for source, target in zip(actions, proto, strict=True):
        rows = tables.scan(source).select(
            "recipe_id",
            "position",
            "verb_class",
            _set("ingredient_classes"),
            _set("tool_classes"),
            "inherited",
        )
        tables.write(target, schemas.PROTO_ACTIONS, compared_rows(rows.collect()), job.metadata)


def compared(classes: Iterable[str]) -> frozenset[str]:
    """The classes of inherited ingredients by which an action is compared: those that do not only flavour, or all."""
    every = frozenset(classes)
    return frozenset(name for name in every if not flavours(name)) or every


def compared_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with only the ingredients by which they are compared."""
    names = rows["ingredient_classes"].explode().unique().drop_nulls()
    seasonings = [name for name in names if flavours(name)]
    main = pl.col("ingredient_classes").list.filter(~pl.element().is_in(seasonings))
    chosen = pl.when(pl.col("inherited") & (main.list.len() > 0)).then(main).otherwise("ingredient_classes")
    return rows.with_columns(chosen.alias("ingredient_classes"))


def _set(name: str) -> pl.Expr:
    return pl.col(name).list.unique().list.sort()
