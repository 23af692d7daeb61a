"""Words of a title, and lists of them in English."""

from collections.abc import Iterable
from typing import NamedTuple


class Entry(NamedTuple):
    """One word of a title: the Chinese, the English, and the kind of word."""

    zh: str
    en: str
    kind: str


def without_gloss(text: str) -> str:
    """A text without its brackets, their contents, and the white space before them."""
    *closed, rest = text.split(")")
    return "".join(
        [*(part.partition("(")[0].rstrip() if "(" in part else f"{part})" for part in closed), rest]
    )


def listed(texts: Iterable[str], table: dict[str, str]) -> str:
    """The texts as a list, "a, b and c"; the last word of each is replaced by the table (plurals or singulars)."""
    parts = [without_gloss(text).rpartition(" ") for text in texts]
    items = [head + space + table.get(last, last) for head, space, last in parts]
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
