"""Which items words of a sentence may mean, and how likely each is."""

import math
import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wokflow.enrich.inflection import HOMOGRAPHS
from wokflow.enrich.names import (
    ACRONYM,
    ALIAS,
    DOTTED,
    IRREGULAR,
    OF_MANY,
    OF_ONE,
    PLURAL,
    Names,
    article,
    dots,
    written,
)
from wokflow.enrich.word_forms import INSIDE, fold, word_pattern, zipf
from wokflow.frame.languages import SPACELESS

RARE = (
    3.3  # zipf below which a word more likely names an item than is an ordinary word: soba, pulque, not voice
)
COMMON = 3.8  # zipf from which a word is more likely ordinary than an alias: crust, industrial
SURE, WEAK, NOT = 0.0, -10.0, -100.0  # how well words fit a name; these outweigh all other weights
PROPER = (
    4.2  # zipf below which a capitalized word is more likely a name than a nationality: Ottoman, not British
)
FAMOUS = (
    100  # pages of an item whose name counts though it is a very common word: Australia in Hindi, Reading
)
WELL_KNOWN = 32  # bit of such an item beside those of names.OWNER


class Wording(NamedTuple):
    """Words of a text that match a name, as they are written.

    `key` is the folded name without its article; `single`: it is one word; `exact` is the CRC-32 of the words;
    `capitals` has the bits of the words that begin with one; `bare` is the bit of the first word if it is an article.
    `inside`: a word with a capital stands directly beside them, as in a longer name; `first`: a sentence begins here;
    neither counts without capitals. `shouted`: words in capitals throughout that are too long for an acronym. `dots`:
    see names.dots; `homograph`: a Hindi word that means another thing with a dot below a letter.
    """

    key: str
    single: bool
    exact: int
    capitals: int
    irregular: bool
    bare: int
    shouted: bool
    dots: int
    homograph: bool
    plural: bool
    inside: bool
    first: bool


@dataclass(frozen=True, eq=False, slots=True)
class Meaning:
    """The items that a name may mean, in the order of their rows, and the likeliest one without further evidence.

    `weights` are the weights of the name for each item, `pages` those of the items' pages. `weak`: whether the name,
    as it is written, counts for the item only with evidence in the text; `usual` is None if it is so for all.
    """

    usual: tuple[str, float] | None
    entities: list[int]
    numbers: list[int]
    weights: list[float]
    pages: list[float]
    weak: list[bool]

    @property
    def certain(self) -> bool:
        """Whether the choice does not depend on the text."""
        return len(self.numbers) == 1 and not self.weak[0]

    def likeliest(self, items: Iterable[int]) -> tuple[str, float] | None:
        """The item with the best sum of weight, pages and evidence, and its score; None if all are weak, without any.

        `items` are indices (from 0) of items, once for each word of the text that is evidence for them.
        """
        known = [0] * len(self.numbers)
        for item in items:
            known[item] += 1
        return _likeliest(self.numbers, self.weights, self.pages, self.weak, known)

    def among(self, qids: Collection[str]) -> str | None:
        """The first of its items that is one of these."""
        return next((qid for number in self.numbers if (qid := f"Q{number}") in qids), None)


Name = tuple[int, int, int]  # where it ends, where its word ends (further on if that is a plural), its number
Place = tuple[int, int, Meaning]  # where a name ends, where its word ends, and what it means


class Word(NamedTuple):
    """What is known of a word and the character after it, wherever it stands.

    `number` is its number in word_forms.context; `names` are the names within the word from its beginning, the
    longest first; `longest` is the first of them that fits, if the word is in lower case (`small`), where nothing
    else matters. `longer` says when to look for longer names; `suffixes` are the lengths of the suffixes that it ends
    with.
    """

    number: int | None
    small: bool
    names: Sequence[Name]
    longest: Place | None
    longer: str
    suffixes: Sequence[int]


def _is_another(wording: Wording, flags: int) -> bool:
    """Whether the words and a name are two words of Hindi that only a dot tells apart."""
    return wording.homograph and (flags ^ wording.dots) & DOTTED != 0


def _likeliest(
    numbers: list[int], weights: list[float], pages: list[float], weak: list[bool], known: list[int]
) -> tuple[str, float] | None:
    totals = {
        item: weights[item] + (pages[item] + 2.0 * min(count, 2))
        for item, count in enumerate(known)
        if count or not weak[item]
    }
    if not totals:
        return None
    best = min(totals, key=lambda item: (-totals[item], numbers[item]))
    return f"Q{numbers[best]}", 1 / sum(math.exp(total - totals[best]) for total in totals.values())


class Meanings:
    """Finds the possible meanings of names in texts of one language."""

    def __init__(self, names: Names, *, free: bool, plurals: bool) -> None:
        self._names = names
        self._lang = names.lang
        self._free = free
        self._plurals = plurals

    def __call__(self, name: int, words: str, plural: bool, inside: bool, first: bool) -> Meaning | None:
        """The possible meanings of `words`, a name or its plural; None if they fit no item. See Wording.

        Homographs of the words with other dots (राज़ for राज) count only where no name has the same dots.
        """
        wording = self._wording(words, plural, inside, first)
        frequent = wording.single and zipf(wording.key, self._lang) >= INSIDE
        fitting: dict[tuple[int, int, int, int], float] = {}
        same: dict[int, float] = {}
        other: dict[int, float] = {}
        for entity, *form in self._names.owners_of(name):
            spelling, capitals, kind, flags = form
            if flags & PLURAL and not self._plurals:
                continue
            if frequent and self._names.sitelinks[entity] >= FAMOUS:
                flags |= WELL_KNOWN
            key = spelling, capitals, kind, flags
            weight = fitting.get(key)
            if weight is None:
                fits = SURE if self._free else self._fits(wording, spelling, capitals, kind, flags)
                if not self._free and _is_another(wording, flags):
                    fits = min(WEAK, fits)
                weight = fitting[key] = (kind != ALIAS) * 2.0 + (spelling == wording.exact) * 0.5 + fits
            if weight >= WEAK:
                weights = other if _is_another(wording, flags) else same
                weights[entity] = max(weights.get(entity, WEAK), weight)
        return self._meaning(same or other) if same or other else None

    def _meaning(self, weights: dict[int, float]) -> Meaning:
        entities = list(weights)
        numbers, sitelinks = (of[entities].tolist() for of in (self._names.numbers, self._names.sitelinks))
        weak = [weight < SURE for weight in weights.values()]
        strong = [weight - WEAK * less for weight, less in zip(weights.values(), weak, strict=True)]
        pages = list(map(math.log1p, sitelinks))
        usual = _likeliest(numbers, strong, pages, weak, [0] * len(numbers))
        return Meaning(usual, entities, numbers, strong, pages, weak)

    def about(self, meaning: Meaning) -> dict[int, list[int]]:
        """The numbers of words in the descriptions and topics of items, each with the items (from 0) that have it."""
        about: dict[int, list[int]] = {}
        for word, item in zip(*self._names.about_of(meaning.entities), strict=True):
            about.setdefault(word, []).append(item)
        return about

    def _wording(self, words: str, plural: bool, inside: bool, first: bool) -> Wording:
        bare = len(article(words, self._lang))
        key = fold(words, self._lang)[bare:]
        capitals, flags = written(words)
        return Wording(
            key=key,
            single=not any(joint in key for joint in " -"),
            exact=zlib.crc32(words.encode()),
            capitals=capitals,
            irregular=bool(flags & IRREGULAR),
            shouted=words.isupper() and len(key) > ACRONYM,
            dots=dots(words),
            homograph=self._lang == "hi" and key in HOMOGRAPHS,
            bare=1 if bare else 0,
            plural=plural,
            inside=inside,
            first=first,
        )

    def _fits(self, wording: Wording, spelling: int, capitals: int, kind: int, flags: int) -> float:
        """Whether the words can be the name, by how both are written: SURE, WEAK or NOT.

        `spelling`, `capitals`, `kind` and `flags` are the name's (names.OWNER). A name with capitals must be written
        with them, except titles and labels of common nouns, labels with a rare word in them, and parts of labels
        (see _is_partly_small). A single common word is not taken for an alias, nor for a name inside a longer one or,
        if it is mostly in lower case, at the beginning of a sentence. WEAK are many one-word aliases, very common
        words (in scripts with capitals those that often are in lower case; not of WELL_KNOWN items), and words in
        capitals throughout.
        """
        if wording.exact != spelling and (flags & IRREGULAR or wording.irregular):
            if flags & IRREGULAR or not wording.shouted:
                return NOT
            return WEAK if wording.single and not self._is_rare(wording.key) else SURE
        if wording.bare and wording.inside and wording.exact != spelling:
            return NOT  # the Hong Kong Park is no band called The Hong Kong
        wanted = capitals & ~wording.bare
        if wanted == 1 and kind != ALIAS and (not wording.single or flags & OF_MANY):
            wanted = 0  # as titles begin, and some labels
        if wording.plural or flags & PLURAL:
            return NOT if wanted or (wording.capitals and wording.inside) else self._of_alias(wording, kind)
        if wanted & ~wording.capitals:
            kept = wording.capitals & ~wording.bare
            small = self._is_partly_small(wording, kept & wanted) if kept else self._is_rare(wording.key)
            return SURE if small and kind != ALIAS else NOT
        if not wording.single or flags & IRREGULAR:
            return self._of_alias(wording, kind)
        return self._of_word(wording, spelling, wanted, kind, flags)

    def _of_word(self, wording: Wording, spelling: int, wanted: int, kind: int, flags: int) -> float:
        """SURE, WEAK or NOT for a single word. `wanted` are the capitals that it must have, and has; see _fits."""
        common = zipf(wording.key, self._lang)
        if (common >= COMMON and kind == ALIAS) or (common >= INSIDE and wording.inside and wording.capitals):
            return NOT
        doubtful = common >= INSIDE and not flags & WELL_KNOWN
        if flags & OF_ONE and doubtful:
            return WEAK
        if self._is_rare(wording.key) or not self._names.cases.ordinary(wording.key):
            return self._of_alias(wording, kind)
        if not wanted:
            part = common >= COMMON and wording.inside and wording.capitals
            return NOT if part else self._of_alias(wording, kind)
        if wording.inside or wording.first or (wording.bare and wording.exact != spelling):
            return NOT
        return WEAK if doubtful and self._names.cases.surely_ordinary(wording.key) else SURE

    def _is_partly_small(self, wording: Wording, capitals: int) -> bool:
        """Whether a name may be written with only these capitals: the Ottoman army, the bishop of Valencia.

        It may if the first word is likely a name (PROPER), or if a word after `of` is.
        """
        if wording.bare:
            return False
        words = word_pattern().findall(wording.key)
        named = [
            number
            for number, word in enumerate(words)
            if capitals >> number & 1 and not self._names.cases.ordinary(word)
        ]
        if not named:
            return False
        if named[0] == 0 and zipf(words[0], self._lang) < (RARE if wording.first else PROPER):
            return True
        return "of" in words[1:] and words.index("of", 1) < named[-1]

    def _of_alias(self, wording: Wording, kind: int) -> float:
        """SURE or WEAK: a one-word alias is weak if it is not rare, is an acronym, or stands in a longer name."""
        if kind != ALIAS or not wording.single or self._lang in SPACELESS:
            return SURE
        strong = (
            self._is_rare(wording.key) and not wording.irregular and not (wording.capitals and wording.inside)
        )
        return SURE if strong else WEAK

    def _is_rare(self, key: str) -> bool:
        return any(zipf(word, self._lang) < RARE for word in key.split())
