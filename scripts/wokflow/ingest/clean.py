"""Cleaning of recipe text: emoji, symbols, empty fields (Cultural Adaptation of Recipes, section 3.1)."""

import itertools
from dataclasses import dataclass

import numpy as np
import polars as pl

from wokflow.ingest.records import items, lengths, relisted

# Emoji, and what binds them: variation selectors, joiners, keycaps, flags, skin tones.
_PICTURES = (
    r"[[\p{Extended_Pictographic}&&[\p{Emoji}\p{Cn}]]--[©®™]]\x{1F1E6}-\x{1F1FF}\x{1F3FB}-\x{1F3FF}"
    r"\x{FE0E}\x{FE0F}\x{200D}\x{20E3}\x{E0020}-\x{E007F}"
)
EMOJI = rf"[0-9#*]\x{{FE0F}}?\x{{20E3}}|[{_PICTURES}]"
# Pictures and marks that carry no text. What a recipe needs stays: degrees, squared units, pounds, ounces,
# numero signs, and the radicals that some fonts give for characters.
_KEPT = r"°℃℉℔℥№\x{2E80}-\x{2FDF}\x{3300}-\x{33DF}"
SYMBOLS = rf"[[\p{{So}}\p{{Co}}\p{{Cn}}\x{{FFFD}}]--[{_KEPT}{_PICTURES}©®™℠]]"
# What is to go without leaving a space in a word.
INVISIBLE = rf"[[\p{{Cf}}\p{{Cc}}©®™℠]--[\s{_PICTURES}]]"
SPACES = r"[\s\p{Z}]{2,}|[[\s\p{Z}]--[ ]]"
EDGES = r"^\s|\s$"
# Words of these, a single space between two of them, hold nothing to clean: most of an English corpus.
LATIN = r"\x20-\x7E°¼-ÿ"


@dataclass(frozen=True)
class Cleaning:
    """Which steps run; the config block ingest.recipes.clean, key by key."""

    emoji: bool = True
    symbols: bool = True
    spaces: bool = True
    simplified: bool = False
    empty_fields: bool = True
    duplicates: bool = True


def clean(records: pl.DataFrame, how: Cleaning, lang: str, *, listed: bool = True) -> pl.DataFrame:
    """Clean title, ingredients, steps and dish of records (schema: records.RECORDS) as `how` says, but of plain ones.

    With `empty_fields` on, entries of lists that end up empty go, and a recipe without title, ingredients or
    steps gets a reason; rows are never dropped here. Only where recipes are `listed` must they have ingredients.
    """
    lists = [records["ingredients"], records["steps"]]
    sizes = [lengths(some) for some in lists]
    texts = [records["title"], records["dish"], *map(items, lists)]
    rough = ~records["plain"].fill_null(False).to_numpy()
    owners = [rough, rough, *(np.repeat(rough, size) for size in sizes)]
    places = [pl.Series(np.flatnonzero(owner)) for owner in owners]
    gathered = pl.concat([text.gather(at) for text, at in zip(texts, places, strict=True)])
    cleaned = _clean(gathered, how, lang)  # all at once: a call costs more than some texts
    ends = itertools.accumulate(map(len, places))
    parts = [cleaned[end - len(at) : end] for at, end in zip(places, ends, strict=True)]
    title, dish, *entries = (text.scatter(*new) for text, *new in zip(texts, places, parts, strict=True))
    kept = [_kept(some, part, how) for some, part in zip(entries, parts[2:], strict=True)]
    ingredients, steps = map(relisted, entries, sizes, kept)
    records = records.with_columns(title=title, dish=dish, ingredients=ingredients, steps=steps)
    return _without_empty(records, listed) if how.empty_fields else records


def _without_empty(records: pl.DataFrame, listed: bool) -> pl.DataFrame:
    """An empty dish is none; records with another empty field get a reason."""
    empty = (
        pl.when(~pl.col("title").str.contains(r"\S"))
        .then(pl.lit("empty_title"))
        .when(pl.lit(listed) & (pl.col("ingredients").list.len() == 0))
        .then(pl.lit("empty_ingredients"))
        .when(pl.col("steps").list.len() == 0)
        .then(pl.lit("empty_steps"))
    )
    return records.with_columns(
        dish=pl.when(pl.col("dish").str.contains(r"\S")).then("dish"),
        reason=pl.col("reason").fill_null(empty),
    )


def _kept(entries: pl.Series, cleaned: pl.Series, how: Cleaning) -> pl.Series | None:
    """Which entries of lists stay, some of them `cleaned`; None for all."""
    if not how.empty_fields or _filled(cleaned, how).all():
        return None
    return _filled(entries, how)


def _filled(text: pl.Series, how: Cleaning) -> pl.Series:
    return text != "" if how.spaces else text.str.contains(r"\S")


def _clean(text: pl.Series, how: Cleaning, lang: str) -> pl.Series:
    """Clean strings; only those that hold anything to clean are touched."""
    gone = [EMOJI] * how.emoji + [INVISIBLE] * how.symbols
    steps = (
        [("|".join(gone), "")] * bool(gone) + [(SYMBOLS, " ")] * how.symbols + [(SPACES, " ")] * how.spaces
    )
    pattern = "|".join([*(pattern for pattern, _ in steps), *([EDGES] if how.spaces else [])])
    places = text.str.contains(pattern).arg_true()
    if steps and places.len():
        some = text.gather(places)
        for pattern, replacement in steps:
            some = some.str.replace_all(pattern, replacement)
        if how.spaces:
            some = some.str.strip_chars()
        text = text.scatter(places, some)
    return simplify(text) if how.simplified and lang == "zh" else text


def simplify(text: pl.Series) -> pl.Series:
    """Traditional characters to simplified ones, by OpenCC's t2s."""
    from opencc import OpenCC

    convert = OpenCC("t2s").convert
    return pl.Series(text.name, [None if value is None else convert(value) for value in text], pl.String)
