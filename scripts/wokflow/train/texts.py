"""Recipes as texts that a model reads and writes (Cultural Adaptation of Recipes, section 6.1)."""

import re
from collections.abc import Sequence

from wokflow.steps import joined

HEADINGS = ("Title:", "Ingredients:", "Steps:")  # in Chinese recipes too (section 6.1)
COMMAS = {"en": ", ", "zh": "，"}
_HEADING = re.compile(rf"\s*(?:{'|'.join(HEADINGS)})[^\S\n]*", re.IGNORECASE)


def recipe_text(
    title: str, ingredients: Sequence[str], steps: Sequence[str], lang: str, *, headings: bool = True
) -> str:
    """Title, ingredients and steps, a line each, under the paper's headings or without; ends in a newline."""
    parts = (title, COMMAS[lang].join(ingredients), joined(steps, lang))
    names = [f"{heading} " for heading in HEADINGS] if headings else [""] * len(parts)
    return "".join(f"{name}{part}\n" for name, part in zip(names, parts, strict=True))


def without_headings(text: str) -> str:
    """The text with a line break for each heading: many tokenizers have made one line of a recipe's three."""
    return _HEADING.sub("\n", text).strip()
