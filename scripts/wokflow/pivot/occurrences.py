"""Where actions occur in the recipes of the dishes that are compared."""

from collections.abc import Sequence

import polars as pl

from wokflow import tables

CLASSES = ("ingredient_classes", "tool_classes")


def occurrences(proto: Sequence[str], dishes: Sequence[str], names: Sequence[str]) -> pl.DataFrame:
    """dish, recipe_id, position, action of all actions in recipes of the named dishes, in this order.

    `proto` and `dishes` are parts of parse/proto and pivot/dishes. Only what is returned is held in memory.
    An action is written verb/ingredient,ingredient/tool,tool, by classes.
    """
    of_dishes = tables.scan(dishes, ["recipe_id", "dish"]).filter(pl.col("dish").is_in(list(names)))
    return (
        tables.scan(proto, ["recipe_id", "position", "verb_class", *CLASSES])
        .join(of_dishes.collect(engine="streaming").lazy(), on="recipe_id")
        .select("dish", "recipe_id", "position", action=written())
        .collect(engine="streaming")
        .sort("dish", "recipe_id", "position")
    )


def written() -> pl.Expr:
    """The action of columns verb_class, ingredient_classes and tool_classes, as one string."""
    return pl.concat_str("verb_class", *(pl.col(name).list.join(",") for name in CLASSES), separator="/")


def parted(action: pl.Expr) -> list[pl.Expr]:
    """An action as written, back to its three columns."""
    verb, *classes = (action.str.split("/").list.get(part) for part in range(3))
    empty = pl.lit([], pl.List(pl.String))
    lists = (
        pl.when(text == "").then(empty).otherwise(text.str.split(",")).alias(name)
        for name, text in zip(CLASSES, classes, strict=True)
    )
    return [verb.alias("verb_class"), *lists]
