"""The actions in the recipes of compared dishes."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from wokflow.frame import tables
from wokflow.parse.proto import compared
from wokflow.parse.types import Action

CLASSES = ("ingredient_classes", "tool_classes")


class Proto(NamedTuple):
    """An action by its classes; those of ingredients and tools are sorted, each once."""

    verb: str
    ingredients: tuple[str, ...]
    tools: tuple[str, ...]

    @property
    def written(self) -> str:
        """As `written` writes it: verb/ingredient,ingredient/tool,tool."""
        return "/".join((self.verb, ",".join(self.ingredients), ",".join(self.tools)))


def proto(action: Action) -> Proto:
    """The proto-action of an action, as in the table parse/proto, with ingredients that are inherited."""
    classes = frozenset(food.cls for food in action.foods)
    foods = compared(classes) if action.inherited else classes
    return Proto(action.verb_class, tuple(sorted(foods)), tuple(sorted({tool.cls for tool in action.tools})))


def parsed(written: str) -> Proto:
    """An action as `Proto.written` and the function `written` write it."""
    verb, *classes = written.split("/")
    foods, tools = (tuple(sorted(filter(None, listed.split(",")))) for listed in classes)
    return Proto(verb, foods, tools)


def occurrences(proto: Sequence[str], dishes: str | Sequence[str], names: Sequence[str]) -> pl.DataFrame:
    """dish, recipe_id, position and action of all actions in recipes of the named dishes, sorted by these columns.

    `proto` and `dishes` are parts of parse/proto and pivot/dishes. Memory holds the result only. An action is written
    as verb/ingredient,ingredient/tool,tool, by classes.
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
    """The columns verb_class, ingredient_classes and tool_classes as one string."""
    return pl.concat_str("verb_class", *(pl.col(name).list.join(",") for name in CLASSES), separator="/")


def parted(action: pl.Expr) -> list[pl.Expr]:
    """The three columns of an action that `written` wrote."""
    verb, *classes = (action.str.split("/").list.get(part) for part in range(3))
    empty = pl.lit([], pl.List(pl.String))
    lists = (
        pl.when(text == "").then(empty).otherwise(text.str.split(",")).alias(name)
        for name, text in zip(CLASSES, classes, strict=True)
    )
    return [verb.alias("verb_class"), *lists]
