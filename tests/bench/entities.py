"""Synthetic items, sentences that mention them, and dumps of them, of the shape of Wikidata's: the same each time."""

import gzip
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from wokflow.enrich.schemas import ENTITIES
from wokflow.frame import tables

BATCH = 100_000  # items that are made at once
NAMES = 1.6  # of an item: a label, and aliases
LENGTHS = (0.2, 0.45, 0.22, 0.13)  # shares of names of 1 to 4 words
ALIASES = (0.62, 0.22, 0.1, 0.06)  # shares of items with 0 to 3 aliases
COMMON = 40_000  # words of the language
INVENTED = 300_000  # words of names alone
SMALL = 0.15  # share of names in small letters, as common nouns are
FUNCTION = 500  # the most frequent words are in no names in small letters
POPULAR = 10_000  # items that sentences mention
STATEMENTS = (2, 40)  # of an item in a dump, at least and at most
WORDS = 24  # of a sentence, besides the items' names
SYLLABLES = [
    f"{first}{vowel}{last}" for first in "bdfgklmnprstvz" for vowel in "aeiou" for last in ("", *"lnrst")
]


@cache
def _vocabulary() -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    """Words of the language and invented ones; their shares in sentences, which have only the first, and in names."""
    import wordfreq

    common = [word for word in wordfreq.top_n_list("en", 2 * COMMON) if word.isalpha()][:COMMON]
    draw = np.random.default_rng(0)
    parts = draw.choice(SYLLABLES, (2 * INVENTED, 3))
    invented = list(dict.fromkeys(map("".join, parts)))
    words = list(dict.fromkeys([*common, *invented]))[: COMMON + INVENTED]
    said = np.array([wordfreq.word_frequency(word, "en") for word in common])
    named = np.concatenate([_zipf(len(common)), _zipf(len(words) - len(common))])
    return words, said / said.sum(), named / 2


def _zipf(count: int) -> NDArray[np.float64]:
    """Shares by rank. The first ranks are alike, so that no word alone is the name of thousands of items."""
    shares = 1 / np.arange(500, count + 500)
    return np.asarray(shares / shares.sum())


def _drawn(draw: np.random.Generator, shares: NDArray[np.float64], size: int) -> NDArray[np.int64]:
    return np.searchsorted(np.cumsum(shares), draw.random(size) * shares.sum()).clip(max=len(shares) - 1)


def _names(draw: np.random.Generator, count: int) -> pl.Series:
    """Names of 1 to 4 words, most with capitals."""
    words, _, shares = _vocabulary()
    small, large = (pl.Series(form(word) for word in words) for form in (str.lower, str.title))
    lengths = pl.lit(pl.Series(draw.choice(4, count, p=LENGTHS)))
    capital = pl.lit(pl.Series(draw.random(count) >= SMALL))
    columns = []
    for place in range(4):
        drawn = _drawn(draw, shares, count)
        rarer = np.where(drawn < FUNCTION, len(words) - 1 - drawn, drawn)
        word = pl.when(capital).then(large.gather(drawn)).otherwise(small.gather(rarer))
        columns.append(pl.when(lengths >= place).then(word))
    return pl.select(pl.concat_str(columns, separator=" ", ignore_nulls=True)).to_series()


def items(start: int, count: int) -> pl.DataFrame:
    """Rows of enrich/entities."""
    draw = np.random.default_rng([1, start])
    aliases = [f"alias{number}" for number in range(len(ALIASES) - 1)]
    rows = pl.DataFrame(
        {
            "row": np.arange(start, start + count),
            **{column: _names(draw, count) for column in ("label", "about", *aliases)},
            "has": draw.choice(len(ALIASES), count, p=ALIASES),
        }
    )
    nothing = pl.lit([], pl.List(pl.String))
    text = pl.struct(
        lang=pl.lit("en"),
        label="label",
        description=pl.lit("kind of ") + pl.col("about").str.to_lowercase(),
        aliases=pl.concat_list(aliases).list.head(pl.col("has")),
        foreign=nothing,
        title=pl.when(pl.col("row") < POPULAR).then("label"),
        summary=pl.lit(None, pl.String),
    )
    return rows.select(
        qid=pl.lit("Q") + (pl.col("row") + 1).cast(pl.String),
        sitelinks=(pl.lit(300_000) / (pl.col("row") + 1000)).cast(pl.Int32),
        instance_of=pl.lit(["Q5"]),
        subclass_of=nothing,
        origins=nothing,
        countries=nothing,
        topics=nothing,
        texts=pl.concat_list(text),
    )


def write_items(path: str | Path, names: int) -> int:
    """Write the table enrich/entities of items with about so many names; the number of items."""
    count = round(names / NAMES)
    with tables.PartWriter(path, ENTITIES, {}) as part:
        for start in range(0, count, BATCH):
            part.write(items(start, min(BATCH, count - start)))
    return count


def sentences(entities: str | Path, count: int) -> pl.DataFrame:
    """`text`, and `planted`: the one or two labels of items that it mentions."""
    words, shares, _ = _vocabulary()
    draw = np.random.default_rng(2)
    known = tables.scan(entities, ["texts"]).head(POPULAR).collect()["texts"]
    labels = known.list.first().struct.field("label").to_list()
    rows = []
    for number, drawn in enumerate(np.split(_drawn(draw, shares, count * WORDS), count)):
        said = [words[one] for one in drawn]
        said[0] = said[0].title()
        planted = [labels[draw.integers(len(labels))] for _ in range(1 + number % 2)]
        for place, label in enumerate(planted, 1):
            said.insert(place * WORDS // 3, label)
        rows.append((" ".join(said) + ".", planted))
    return pl.DataFrame(rows, ["text", "planted"], orient="row")


def write_dump(path: str | Path, count: int) -> int:
    """Write a dump (.json.gz) of items as Wikidata has them, of 10 to 60 kB each; the number of bytes of its JSON."""
    draw = random.Random(3)
    rows = items(0, count)
    size = 4
    with gzip.open(path, "wb", compresslevel=6) as file:
        file.write(b"[\n")
        for row in rows.iter_rows(named=True):
            line = json.dumps(_entity(draw, row["qid"], row["texts"][0]), ensure_ascii=False).encode()
            size += len(line) + 2
            file.write(line + b",\n")
        file.write(b"]\n")
    return size


def _entity(draw: random.Random, qid: str, text: dict[str, Any]) -> dict[str, Any]:
    """Names in 50 languages, pages in some of them, and STATEMENTS with a reference each."""
    label = text["label"]
    langs = ["en", *(f"{first}{last}" for first in "abcdefg" for last in "hijklmn")]
    pages = langs[: draw.randint(0, len(langs))]
    claims: dict[str, list[dict[str, Any]]] = {}
    for number in range(draw.randint(*STATEMENTS)):
        name = draw.choice(("P31", "P17", "P495", "P279", *(f"P{draw.randint(500, 9000)}" for _ in range(8))))
        claims.setdefault(name, []).append(_statement(draw, name, f"{qid}${number}"))
    return {
        "type": "item",
        "id": qid,
        "labels": {lang: {"language": lang, "value": label} for lang in langs},
        "descriptions": {lang: {"language": lang, "value": text["description"]} for lang in langs},
        "aliases": {
            lang: [{"language": lang, "value": alias} for alias in text["aliases"]] for lang in langs[::5]
        },
        "claims": claims,
        "sitelinks": {
            f"{lang}wiki": {"site": f"{lang}wiki", "title": f"{label} {lang}", "badges": []} for lang in pages
        },
        "lastrevid": draw.randrange(10**9),
    }


def _statement(draw: random.Random, name: str, identity: str) -> dict[str, Any]:
    snaks = [_snak(draw, one) for one in ("P248", "P854", "P813")]
    return {
        "mainsnak": _snak(draw, name),
        "type": "statement",
        "id": f"{identity}-{draw.getrandbits(128):032x}",
        "rank": "normal",
        "references": [
            {
                "hash": f"{draw.getrandbits(160):040x}",
                "snaks": {snak["property"]: [snak] for snak in snaks},
                "snaks-order": [snak["property"] for snak in snaks],
            }
        ],
    }


def _snak(draw: random.Random, name: str) -> dict[str, Any]:
    number = draw.randrange(1, 10**8)
    return {
        "snaktype": "value",
        "property": name,
        "hash": f"{draw.getrandbits(160):040x}",
        "datavalue": {
            "value": {"entity-type": "item", "numeric-id": number, "id": f"Q{number}"},
            "type": "wikibase-entityid",
        },
        "datatype": "wikibase-item",
    }
