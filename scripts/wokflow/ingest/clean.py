"""Cleaning of text: HTML entities, emoji, symbols, empty fields (Cultural Adaptation of Recipes, section 3.1)."""

import html
import itertools
import re
from html.entities import html5

import numpy as np
import polars as pl

from wokflow.ingest.raw_records import items, lengths, relisted
from wokflow.ingest.settings import RecipesSettings

# HTML entities from & to ;, so that "AT&T" and "salt & pepper" stay. Without ; those that can be nothing else:
# numbers, accented letters and a few names, but not &copy or &not, which begin words. For polars, which knows no
# "not followed by", more texts look as if they had some.
_ACCENTED = "[A-Za-z]{1,2}(?:grave|acute|circ|uml|tilde|ring|cedil|slash|lig)"
_CLOSED = r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
ENTITY = rf"{_CLOSED}|&(?:#[0-9]{{2}}|#[xX][0-9A-Fa-f]{{2}}|amp|lt|gt|quot|nbsp|deg|frac[13][24]|{_ACCENTED})"
_ENTITY = re.compile(
    rf"{_CLOSED}|&(?:#[0-9]{{2,5}}(?![0-9])|#[xX][0-9A-Fa-f]{{2,5}}(?![0-9A-Fa-f])"
    rf"|(?:amp|lt|gt|quot|nbsp)(?![A-Za-z0-9])|deg(?![a-z])|frac(?:12|14|34)(?![0-9])|{_ACCENTED})"
)
TIMES = 2  # rounds of decoding, since a text may have been encoded twice: &amp;frac12;
# Emoji and characters that combine with them: variation selectors, joiners, keycaps, flags, skin tones.
_PICTURES = (
    r"[[\p{Extended_Pictographic}&&[\p{Emoji}\p{Cn}]]--[©®™]]\x{1F1E6}-\x{1F1FF}\x{1F3FB}-\x{1F3FF}"
    r"\x{FE0E}\x{FE0F}\x{200D}\x{20E3}\x{E0020}-\x{E007F}"
)
EMOJI = rf"[0-9#*]\x{{FE0F}}?\x{{20E3}}|[{_PICTURES}]"
# Pictures and marks that carry no text. What recipes need stays: degrees, squared units, pounds, ounces, numero
# signs, and the radicals that some fonts use for characters.
_KEPT = r"°℃℉℔℥№\x{2E80}-\x{2FDF}\x{3300}-\x{33DF}"
SYMBOLS = rf"[[\p{{So}}\p{{Co}}\p{{Cn}}\x{{FFFD}}]--[{_KEPT}{_PICTURES}©®™℠]]"
# Removed without leaving a space, as they occur within words.
INVISIBLE = rf"[[\p{{Cf}}\p{{Cc}}©®™℠]--[\s{_PICTURES}]]"
SPACES = r"[\s\p{Z}]{2,}|[[\s\p{Z}]--[ ]]"
EDGES = r"^\s|\s$"
# Text of these characters with single spaces between words needs no cleaning: most of an English corpus.
LATIN = r"\x20-\x7E°¼-ÿ"


def clean(
    records: pl.DataFrame, settings: RecipesSettings, lang: str, *, listed: bool = True
) -> pl.DataFrame:
    """Clean title, ingredients, steps and dish of records (schema: records.RECORDS); plain records are clean already.

    With `empty_fields`, list entries that are empty after cleaning are removed, and a recipe without title, steps
    or (if `listed`) ingredients gets a reason. No row is dropped here.
    """
    lists = [records["ingredients"], records["steps"]]
    sizes = [lengths(column) for column in lists]
    texts = [records["title"], records["dish"], *map(items, lists)]
    rough = ~records["plain"].fill_null(False).to_numpy()
    owners = [rough, rough, *(np.repeat(rough, size) for size in sizes)]
    places = [pl.Series(np.flatnonzero(owner)) for owner in owners]
    gathered = pl.concat([text.gather(at) for text, at in zip(texts, places, strict=True)])
    cleaned = _clean(gathered, settings, lang)  # in one call, as a call costs more than cleaning some texts
    ends = itertools.accumulate(map(len, places))
    parts = [cleaned[end - len(at) : end] for at, end in zip(places, ends, strict=True)]
    title, dish, *entries = (text.scatter(*new) for text, *new in zip(texts, places, parts, strict=True))
    kept = [_kept(column, part, settings) for column, part in zip(entries, parts[2:], strict=True)]
    ingredients, steps = map(relisted, entries, sizes, kept)
    records = records.with_columns(title=title, dish=dish, ingredients=ingredients, steps=steps)
    return _without_empty(records, listed) if settings.empty_fields else records


def _without_empty(records: pl.DataFrame, listed: bool) -> pl.DataFrame:
    """Records with an empty title or list get a reason; an empty dish becomes null."""
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


def _kept(entries: pl.Series, cleaned: pl.Series, settings: RecipesSettings) -> pl.Series | None:
    """Mask of the list entries that stay; None if all do. Only the `cleaned` ones among them can be empty."""
    if not settings.empty_fields or _filled(cleaned, settings).all():
        return None
    return _filled(entries, settings)


def _filled(text: pl.Series, settings: RecipesSettings) -> pl.Series:
    return text != "" if settings.spaces else text.str.contains(r"\S")


def _clean(text: pl.Series, settings: RecipesSettings, lang: str) -> pl.Series:
    """Clean strings; those that need no cleaning are not touched."""
    if settings.entities and (places := text.str.contains(ENTITY).fill_null(False).arg_true()).len():
        decoded = pl.Series(map(without_entities, text.gather(places)), dtype=pl.String)
        text = text.scatter(places, decoded)
    steps = _replacements(settings)
    patterns = [pattern for pattern, _ in steps]
    if settings.spaces:
        patterns.append(EDGES)
    places = text.str.contains("|".join(patterns)).arg_true()
    if steps and places.len():
        dirty = text.gather(places)
        for pattern, replacement in steps:
            dirty = dirty.str.replace_all(pattern, replacement)
        if settings.spaces:
            dirty = dirty.str.strip_chars()
        text = text.scatter(places, dirty)
    return simplify(text) if settings.simplified and lang == "zh" else text


def without_entities(text: str, times: int = TIMES) -> str:
    """A text with HTML entities decoded; names that HTML does not have stay."""
    for _ in range(times):
        text = _ENTITY.sub(_character, text)
    return text


def _character(entity: re.Match[str]) -> str:
    written = entity[0]
    if written[1] != "#" and written.endswith(";") and written[1:] not in html5:
        return written  # html.unescape would take the beginning of &degree; for &deg
    meant = html.unescape(written)
    return written if meant in ("", "\ufffd") else meant


def _replacements(settings: RecipesSettings) -> list[tuple[str, str]]:
    """Patterns and their replacements, in order."""
    removed = []
    if settings.emoji:
        removed.append(EMOJI)
    if settings.symbols:
        removed.append(INVISIBLE)
    steps = []
    if removed:
        steps.append(("|".join(removed), ""))
    if settings.symbols:
        steps.append((SYMBOLS, " "))
    if settings.spaces:
        steps.append((SPACES, " "))
    return steps


def simplify(text: pl.Series) -> pl.Series:
    """Traditional characters to simplified ones, by OpenCC's t2s."""
    from opencc import OpenCC

    convert = OpenCC("t2s").convert
    return pl.Series(text.name, [None if value is None else convert(value) for value in text], pl.String)
