"""Recipes as texts that models read and write (Cultural Adaptation of Recipes, section 6.1)."""

import re
from collections.abc import Sequence

import polars as pl

from wokflow.frame import tables
from wokflow.frame.joined_steps import joined

HEADINGS = ("Title:", "Ingredients:", "Steps:")  # in Chinese recipes too (section 6.1)
COMMAS = {"en": ", ", "zh": "，"}
_NAMES = "|".join(heading.removesuffix(":") for heading in HEADINGS)
_BOLD = "[*_]{0,3}"  # how chat models mark headings: **Title:**, ## Steps:
_HEADING = re.compile(
    rf"(?:#{{1,6}}[^\S\n]*)?{_BOLD}(?<![A-Za-z])(?:{_NAMES}){_BOLD}[:：]{_BOLD}[^\S\n]*", re.IGNORECASE
)


def recipe_text(
    title: str, ingredients: Sequence[str], steps: Sequence[str], lang: str, *, headings: bool = True
) -> str:
    """Title, ingredients and steps, one line each, with the paper's headings or without; ends in a newline."""
    parts = (title, COMMAS[lang].join(ingredients), joined(steps, lang))
    names = [f"{heading} " for heading in HEADINGS] if headings else [""] * len(parts)
    return "".join(f"{name}{part}\n" for name, part in zip(names, parts, strict=True))


def recipe_texts(recipes: Sequence[str], ids: pl.Series, *, headings: bool = True) -> dict[str, str]:
    """The texts of the recipes with these ids, by recipe_id; `recipes` are parts of ingest/recipes."""
    columns = ["recipe_id", "title", "ingredients", "steps", "lang"]
    wanted = tables.scan(recipes, columns).filter(pl.col("recipe_id").is_in(ids.unique().implode()))
    rows = wanted.collect(engine="streaming").iter_rows()
    return {recipe: recipe_text(*parts, headings=headings) for recipe, *parts in rows}


def without_headings(text: str) -> str:
    """The text with each heading, and the marks around it, replaced by a line break.

    Many tokenizers join a recipe's three lines into one, so headings are looked for within lines, too.
    """
    *before, last = _HEADING.split(text)
    return "\n".join([*(part.rstrip() for part in before), last]).strip()
