"""Cleaning of recipe text: emoji, symbols, empty fields (Cultural Adaptation of Recipes, section 3.1)."""

from dataclasses import dataclass

import polars as pl

from wokflow.ingest.records import each_item

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
# Text without a match is Latin with nothing to clean in it: most of an English corpus, found at less cost.
SUSPECT = r"[^\x20-\x7E°¼-ÿ]|  |^ | $"


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
    """Clean title, ingredients, steps and dish of records (schema: records.RECORDS) as `how` says.

    With `empty_fields` on, entries of lists that end up empty go, and a recipe without title, ingredients or
    steps gets a reason; rows are never dropped here. Only where recipes are `listed` must they have ingredients.
    """
    records = records.with_columns(
        *(_clean(records[name], how, lang) for name in ("title", "dish")),
        *(_clean_lists(records[name], how, lang) for name in ("ingredients", "steps")),
    )
    if how.empty_fields:
        empty = (
            pl.when(~pl.col("title").str.contains(r"\S"))
            .then(pl.lit("empty_title"))
            .when(pl.lit(listed) & (pl.col("ingredients").list.len() == 0))
            .then(pl.lit("empty_ingredients"))
            .when(pl.col("steps").list.len() == 0)
            .then(pl.lit("empty_steps"))
        )
        records = records.with_columns(
            dish=pl.when(pl.col("dish").str.contains(r"\S")).then("dish"),
            reason=pl.col("reason").fill_null(empty),
        )
    return records


def _clean_lists(lists: pl.Series, how: Cleaning, lang: str) -> pl.Series:
    """Clean the strings in lists, all at once; with `empty_fields` on, what ends up empty goes."""
    kept = None
    if how.empty_fields:
        kept = (lambda items: items != "") if how.spaces else (lambda items: items.str.contains(r"\S"))
    return each_item(lists, lambda items: _clean(items, how, lang), kept)


def _clean(text: pl.Series, how: Cleaning, lang: str) -> pl.Series:
    """Clean strings; only those that hold anything to clean are touched."""
    gone = [EMOJI] * how.emoji + [INVISIBLE] * how.symbols
    steps = (
        [("|".join(gone), "")] * bool(gone) + [(SYMBOLS, " ")] * how.symbols + [(SPACES, " ")] * how.spaces
    )
    pattern = "|".join([*(pattern for pattern, _ in steps), *([EDGES] if how.spaces else [])])
    touched = _matching(text, pattern) if pattern else pl.Series([], dtype=pl.UInt32)
    if touched.len():
        some = text.gather(touched)
        for pattern, replacement in steps:
            some = some.str.replace_all(pattern, replacement)
        if how.spaces:
            some = some.str.strip_chars()
        text = text.scatter(touched, some)
    return simplify(text) if how.simplified and lang == "zh" else text


def _matching(text: pl.Series, pattern: str) -> pl.Series:
    """The places of the strings that match `pattern`, which no string without a match of SUSPECT does."""
    suspects = text.str.contains(SUSPECT).arg_true()
    return suspects.filter(text.gather(suspects).str.contains(pattern))


def simplify(text: pl.Series) -> pl.Series:
    """Traditional characters to simplified ones, by OpenCC's t2s."""
    from opencc import OpenCC

    convert = OpenCC("t2s").convert
    return pl.Series(text.name, [None if value is None else convert(value) for value in text], pl.String)
