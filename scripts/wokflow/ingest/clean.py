"""Cleaning of recipe text: emoji, special symbols, empty fields (Cultural Adaptation of Recipes, section 3.1)."""

from dataclasses import dataclass

import polars as pl

# Emoji with what binds them: variation selectors, joiners, keycaps, flags, skin tones.
EMOJI = (
    r"(?:[0-9#*]\x{FE0F}?\x{20E3})"
    r"|[\p{Extended_Pictographic}\x{1F1E6}-\x{1F1FF}\x{1F3FB}-\x{1F3FF}\x{FE0E}\x{FE0F}\x{200D}\x{20E3}\x{E0020}-\x{E007F}]"
)
# Pictures and marks that carry no text. What a recipe needs stays: degrees, squared units, fractions, ™-free text.
SYMBOLS = r"[[\p{So}\p{Co}\p{Cn}\p{Cf}\p{Cc}\x{FFFD}]--[\t\n\r°℃℉\x{3380}-\x{33DF}]]"
SPACES = r"[\s\p{Z}]+"


@dataclass(frozen=True)
class Cleaning:
    """Which steps run; the config block ingest.recipes.clean, key by key."""

    emoji: bool = True
    symbols: bool = True
    spaces: bool = True
    simplified: bool = False
    empty_fields: bool = True
    duplicates: bool = True


def clean(records: pl.DataFrame, how: Cleaning, lang: str) -> pl.DataFrame:
    """Clean title, ingredients, steps and dish of records (schema: records.RECORDS) as `how` says.

    With `empty_fields` on, entries of lists that end up empty go, and a recipe without title, ingredients or
    steps gets a reason; rows are never dropped here.
    """
    columns = {name: _text(pl.col(name), how, lang) for name in ("title", "dish")}
    columns |= {
        name: pl.col(name).list.eval(_items(pl.element(), how, lang)) for name in ("ingredients", "steps")
    }
    records = records.with_columns(**columns)
    if how.empty_fields:
        records = records.with_columns(
            pl.col("ingredients", "steps").list.drop_nulls(),
            dish=pl.col("dish").replace("", None),
        )
        empty = (
            pl.when(pl.col("title") == "")
            .then(pl.lit("empty_title"))
            .when(pl.col("ingredients").list.len() == 0)
            .then(pl.lit("empty_ingredients"))
            .when(pl.col("steps").list.len() == 0)
            .then(pl.lit("empty_steps"))
        )
        records = records.with_columns(reason=pl.col("reason").fill_null(empty))
    return records


def _items(text: pl.Expr, how: Cleaning, lang: str) -> pl.Expr:
    cleaned = _text(text, how, lang)
    return cleaned.replace("", None) if how.empty_fields else cleaned


def _text(text: pl.Expr, how: Cleaning, lang: str) -> pl.Expr:
    if how.emoji:
        text = text.str.replace_all(EMOJI, "")
    if how.symbols:
        text = text.str.replace_all(SYMBOLS, " ")
    if how.spaces:
        text = text.str.replace_all(SPACES, " ").str.strip_chars()
    if how.simplified and lang == "zh":
        text = text.map_batches(simplify, return_dtype=pl.String)
    return text


def simplify(text: pl.Series) -> pl.Series:
    """Traditional characters to simplified ones, by OpenCC's t2s."""
    from opencc import OpenCC

    convert = OpenCC("t2s").convert
    return pl.Series(text.name, [None if value is None else convert(value) for value in text], pl.String)
