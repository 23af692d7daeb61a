"""The names of all items in one language, as a trie in which the dictionary linker looks mentions up.

The trie (marisa-trie) and the tables beside it are mapped into memory: a job does not wait until they are loaded, and
the jobs of a node share them.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.enrich.entities import number_of
from wokflow.enrich.inflection import HOMOGRAPHS, forms
from wokflow.enrich.letters import LOANS, plain
from wokflow.enrich.naming import NAMING
from wokflow.enrich.word_forms import Cases, context, fold, very_common, word_pattern
from wokflow.frame import tables
from wokflow.frame.digests import path_digest
from wokflow.frame.job import Job
from wokflow.frame.language_codes import base
from wokflow.frame.languages import SPACELESS

LONGEST = 100  # characters of a name; longer ones are titles of papers and the like
BATCH = 1 << 18  # items whose names are read at once
LABEL, TITLE, ALIAS = range(3)  # kinds of names, the strongest first
ACRONYM = 3  # letters: an alias this short is kept only in capitals
BITS = 16  # bits of `beginnings` for each name
WORDS = 16  # words of a name, at most, whose capitals are stored
IRREGULAR = 1  # with capitals inside words, as in BBC or iPhone
PLURAL = 2  # a plural or another inflected form
OF_ONE = 4  # a proper noun in a script without capitals, by its English label: a person, a place, a work
OF_MANY = 8  # a common noun, by its English label
DOTTED = 16  # with a dot below a letter that Hindi has for loanwords
ARTICLES = {
    "en": ("the", "a", "an"),
    "fr": ("le", "la", "les", "un", "une"),
    "es": ("el", "la", "los", "las", "un", "una"),
    "de": ("der", "die", "das", "ein", "eine"),
    "it": ("il", "lo", "la", "i", "gli", "le", "un", "una"),
    "pt": ("o", "a", "os", "as", "um", "uma"),
    "nl": ("de", "het", "een"),
}
# A name of an item: the item's row in enrich/entities, the CRC-32 of the name as it is written, the bits of its first
# words that begin with a capital, its kind (LABEL and so on), and the bits IRREGULAR to DOTTED.
OWNER = np.dtype([("entity", "<i4"), ("exact", "<u4"), ("capitals", "<u2"), ("kind", "u1"), ("flags", "u1")])


def enrich_names(*, entities: str, names: str, digest: str, lang: str, job: Job) -> None:
    """Write the folder `names`: all labels, aliases and titles of pages that items have in a language.

    Left out are names of a single character (without the article), of more than LONGEST, without letters, and with a
    NUL; and aliases of up to ACRONYM letters that are not all capitals, in languages with capitals. Common nouns of
    some languages also have their inflected forms (see inflection.forms).

    The folder holds `names.marisa`, a trie that numbers the folded names; `starts` (names + 1), where each name's
    owners begin in `owners` (OWNER); `numbers` and `sitelinks`, the number of the item's id and of its pages by row
    of enrich/entities; and, for items that share a name or may be in doubt (see _weak), `about`, `about_starts` and
    `about_words`: their rows and the numbers of the words in their descriptions and topics (see word_forms.context).
    `lang` may be a variant, as zh-tw, of whose language all rules are. `beginnings` is a Bloom filter with one hash,
    the CRC-32, of the beginnings of names (see beginning). `cases.tsv` counts how often each word has lower case and
    a capital in descriptions and summaries (word_forms.Cases). `digest` is that of all files.
    """
    import marisa_trie

    batches = [_named(rows, base(lang)) for rows in _batches(entities, lang)]
    named = pl.concat(batches) if batches else _frame([])
    job.progress.say(f"{named.height} names in {lang}, of {named['entity'].n_unique()} items")
    keys = named["key"].unique().sort()
    trie = marisa_trie.Trie(keys.to_list())
    number = np.fromiter((trie[key] for key in keys), np.uint32, len(keys))
    named = named.join(pl.DataFrame({"key": keys, "name": number}), on="key")
    named = named.sort("name", "entity", "kind", "exact").unique(["name", "entity", "exact"], keep="first")
    named = named.sort("name", "entity", "kind", "exact")
    owners = np.zeros(named.height, OWNER)
    for column in ("entity", "exact", "capitals", "kind", "flags"):
        owners[column] = named[column].to_numpy()
    starts = np.searchsorted(named["name"].to_numpy(), np.arange(len(keys) + 1)).astype(np.int64)
    items = tables.read(entities, ["qid", "sitelinks"])
    with tables.atomic_folder(names) as folder:
        trie.save(str(folder / "names.marisa"))
        np.save(folder / "starts.npy", starts)
        np.save(folder / "owners.npy", owners)
        np.save(folder / "numbers.npy", items["qid"].str.slice(1).cast(pl.Int64).to_numpy())
        np.save(folder / "sitelinks.npy", items["sitelinks"].to_numpy())
        _cases(entities, lang).write(folder / "cases.tsv")
        np.save(folder / "beginnings.npy", _beginnings(keys))
        described = np.union1d(_sharing(owners, starts), _weak(named, base(lang)))
        for name, array in _about(entities, lang, described).items():
            np.save(folder / f"{name}.npy", array)
    tables.write_text(digest, f"{path_digest(names)}\n")


def _batches(entities: str, lang: str) -> Any:
    """Columns entity, label, title, aliases and proper (see _of) of the items with names in the language.

    Names for all languages in another script are among the aliases: sentences may have them as they are.
    """
    scanned = tables.scan(entities, ["texts"]).with_row_index("entity")
    for start in range(0, tables.rows([entities]), BATCH):
        rows = scanned.slice(start, BATCH).explode("texts").drop_nulls("texts").unnest("texts")
        proper = rows.filter(pl.col("lang") == NAMING).select(
            "entity", proper=pl.col("label").str.contains(r"^\P{Ll}")
        )
        aliases = pl.concat_list("aliases", "foreign")
        named = rows.filter(pl.col("lang") == lang).select("entity", "label", "title", aliases=aliases)
        yield named.join(proper, on="entity", how="left", maintain_order="left").collect()


def _named(rows: pl.DataFrame, lang: str) -> pl.DataFrame:
    kinds: dict[tuple[int, str], int] = {}
    proper: dict[int, bool | None] = {}
    for entity, label, title, aliases, of_proper in rows.iter_rows():
        proper[entity] = of_proper
        page = title and title.split(" (")[0]  # the page on Java (island) is on Java
        for kind, given in ((LABEL, label), (TITLE, page), *((ALIAS, alias) for alias in aliases)):
            name = plain(given or "").strip()
            if name and (entity, name) not in kinds and _is_name(name, kind, lang):
                kinds[entity, name] = kind
    described = []
    for (entity, name), kind in kinds.items():
        key, (capitals, flags) = fold(name, lang), written(name)
        flags |= _of(proper[entity], name) | dots(name)
        exact = zlib.crc32(name.encode())
        described.append((entity, key, exact, capitals, kind, flags))
        if capitals <= 1 and not flags & OF_ONE and not article(key, lang):  # others are proper nouns
            for form in forms(key, lang):
                described.append((entity, form, exact, capitals, kind, flags | PLURAL))
    return _frame(described)


def _of(proper: bool | None, name: str) -> int:
    """OF_ONE or OF_MANY, by whether the item's English label begins with a capital; 0 if that says nothing."""
    if proper:
        return OF_ONE if name.upper() == name.lower() else 0
    return 0 if proper is None else OF_MANY


def dots(name: str) -> int:
    """The bit DOTTED or 0, of words in the form of letters.plain."""
    return 0 if LOANS.isdisjoint(name) else DOTTED


def _frame(rows: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
    schema = {
        "entity": pl.Int32,
        "key": pl.String,
        "exact": pl.UInt32,
        "capitals": pl.UInt16,
        "kind": pl.UInt8,
        "flags": pl.UInt8,
    }
    return pl.DataFrame(rows, schema, orient="row")


def _is_name(name: str, kind: int, lang: str) -> bool:
    own = name[len(article(name, lang)) :]
    if (
        len(name) > LONGEST
        or "\0" in name
        or sum(map(str.isalnum, own)) < 2
        or not any(map(str.isalpha, own))
    ):
        return False
    return lang in SPACELESS or kind != ALIAS or len(own) > ACRONYM or own.isupper() or not own.isascii()


def article(text: str, lang: str) -> str:
    """The article that a text begins with, and the space after it; empty if there is none."""
    first, space, _ = text.partition(" ")
    return first + space if space and first.lower() in ARTICLES.get(lang, ()) else ""


def written(name: str) -> tuple[int, int]:
    """Which of a name's first words begin with a capital, as bits, and IRREGULAR or 0."""
    capitals = flags = 0
    for number, match in enumerate(word_pattern().finditer(name)):
        word = match.group()
        if number < WORDS and word[0].isupper():
            capitals |= 1 << number
        if word[1:] != word[1:].lower():
            flags = IRREGULAR
    return capitals, flags


def beginning(key: str) -> str | None:
    """The first two words of a name, or its only word and the next character; None if nothing follows that word."""
    words = word_pattern().finditer(key)
    first, second = next(words, None), next(words, None)
    if first is None or first.end() == len(key):
        return None
    return key[: second.end() if second else first.end() + 1]


def _beginnings(keys: pl.Series) -> NDArray[np.uint8]:
    """The Bloom filter of the names' beginnings: a power of two of bits, at least BITS for each name."""
    bits = np.zeros(1 << max(10, (BITS * len(keys) - 1).bit_length() - 3), np.uint8)
    size = 8 * len(bits)
    for start in range(0, len(keys), BATCH):
        begun = {zlib.crc32(text.encode()) for key in keys[start : start + BATCH] if (text := beginning(key))}
        places = np.fromiter(begun, np.int64, len(begun)) % size
        np.bitwise_or.at(bits, places >> 3, np.uint8(1) << (places & 7).astype(np.uint8))
    return bits


def _sharing(owners: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """The items that share a name with another item, each once."""
    counts = np.diff(starts)
    shared = np.repeat(counts > 1, counts)
    return np.unique(owners["entity"][shared])


def _weak(named: pl.DataFrame, lang: str) -> NDArray[np.int32]:
    """The items with a one-word alias, a very common word as name, or one of HOMOGRAPHS: see meanings.WEAK."""
    if lang in SPACELESS:
        return np.empty(0, np.int32)
    own = pl.col("key").str.replace(rf"^(?:{'|'.join(ARTICLES.get(lang, ('-',)))}) ", "")
    single = ~own.str.contains("[ -]")
    common = own.is_in(list(very_common(lang)))
    dotted = pl.col("key").is_in(list(HOMOGRAPHS)) if lang == "hi" else False
    weak = named.filter(single & ((pl.col("kind") == ALIAS) | common | dotted))
    return np.unique(weak["entity"].to_numpy())


def _cases(entities: str, lang: str) -> Cases:
    """How words are written in the descriptions and summaries of all items."""
    cases = Cases(lang)
    scanned = tables.scan(entities, ["texts"])
    for start in range(0, tables.rows([entities]), BATCH):
        rows = scanned.slice(start, BATCH).explode("texts").drop_nulls("texts").unnest("texts")
        texts = rows.filter(pl.col("lang") == lang).select("description", "summary").collect()
        for column in texts:
            cases.count(column.drop_nulls())
    return cases


def _about(entities: str, lang: str, items: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
    """The words that items are about: `about`, `about_starts` and `about_words` (see enrich_names)."""
    wanted = pl.LazyFrame({"entity": pl.Series(items, dtype=pl.UInt32)})
    rows = (
        tables.scan(entities, ["topics", "texts"])
        .with_row_index("entity")
        .join(wanted, on="entity", how="semi")
        .explode("texts")
        .drop_nulls("texts")
        .unnest("texts")
        .filter(pl.col("lang") == lang)
        .select("entity", "topics", "description")
        .sort("entity")
        .collect()
    )
    words = [
        sorted({*context(plain(" ".join([description or "", *topics])), lang)})
        for _, topics, description in rows.iter_rows()
    ]
    ends = np.cumsum([0, *map(len, words)])
    return {
        "about": rows["entity"].to_numpy().astype(np.int32),
        "about_starts": ends.astype(np.int64),
        "about_words": np.fromiter((word for of in words for word in of), np.uint32, ends[-1]),
    }


def _tester(beginnings: memoryview) -> Callable[[str], object]:
    last = 8 * len(beginnings) - 1

    def begins(text: str) -> int:
        place = zlib.crc32(text.encode()) & last
        return beginnings[place >> 3] >> (place & 7) & 1

    return begins


@dataclass(frozen=True, eq=False)
class Names:
    """The folder that enrich_names writes, mapped into memory."""

    lang: str
    trie: Any
    starts: NDArray[np.int64]
    owners: NDArray[Any]
    numbers: NDArray[np.int64]
    sitelinks: NDArray[np.int32]
    about: NDArray[np.int32]
    about_starts: NDArray[np.int64]
    about_words: NDArray[np.uint32]
    begins: Callable[[str], object]  # whether a name may begin with a folded text of the form of `beginning`
    cases: Cases

    @classmethod
    def open(cls, folder: str | Path, lang: str) -> "Names":
        import marisa_trie

        arrays = {
            name: np.load(Path(folder, f"{name}.npy"), mmap_mode="r").view(np.ndarray)
            for name in ("starts", "owners", "numbers", "sitelinks", "about", "about_starts", "about_words")
        }
        beginnings = np.load(Path(folder, "beginnings.npy"), mmap_mode="r").data
        trie = marisa_trie.Trie().mmap(str(Path(folder, "names.marisa")))
        cases = Cases.read(Path(folder, "cases.tsv"), lang)
        return cls(lang, trie, **arrays, begins=_tester(beginnings), cases=cases)

    def has_item(self, qid: str) -> bool:
        """Whether the table of entities has an item."""
        return number_of(qid) in self._items

    @cached_property
    def _items(self) -> frozenset[int]:
        return frozenset(self.numbers.tolist())

    def owners_of(self, name: int) -> list[tuple[int, int, int, int, int]]:
        """The items that have a name, by its number: rows of OWNER."""
        owners: list[tuple[int, int, int, int, int]] = self.owners[
            self.starts[name] : self.starts[name + 1]
        ].tolist()
        return owners

    def about_of(self, entities: Sequence[int]) -> tuple[list[int], list[int]]:
        """The numbers of the words that items are about, and for each the index of its item in `entities`.

        Items that share no name have none.
        """
        if not len(self.about):
            return [], []
        wanted = np.array(entities, self.about.dtype)
        rows = np.searchsorted(self.about, wanted).clip(max=len(self.about) - 1)
        starts = self.about_starts[rows]
        counts = np.where(self.about[rows] == wanted, self.about_starts[rows + 1] - starts, 0)
        # From a word's place in the result to its place in about_words.
        shifts = starts - counts.cumsum() + counts
        words = self.about_words[np.arange(counts.sum()) + shifts.repeat(counts)]
        return words.tolist(), np.arange(len(wanted)).repeat(counts).tolist()
