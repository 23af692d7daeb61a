"""Differences between an utterance and its adaptation, found without a model; and whether an item is still there."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_GAP = re.compile(r"[^\w]+")
_PART = re.compile(r"\w+(?:['’]\w+)?")  # a word, or a part of one with hyphens
_POSSESSIVE = re.compile(r"['’]s?$")
_PLURAL = re.compile(r"(?<=ss|zz|ch|sh)es$|(?<=x)es$|(?<=\w\w\wo)es$|(?<=\w\w[^\Ws])s$")
SHORT = 3  # letters of a word of which none may be missing


class Edit(NamedTuple):
    """Words that take the place of others; where there are none, it is an addition or a deletion.

    `start` and `end` are the place in the utterance, which an addition has between two characters.
    """

    start: int
    end: int
    original: str
    adapted: str

    @property
    def kind(self) -> str:
        return kind_of(self.original, self.adapted)


def kind_of(original: str, adapted: str) -> str:
    """What an edit is, by the words that went and those that came."""
    if not original:
        return "addition"
    return "replacement" if adapted else "deletion"


def edits(text: str, adapted: str) -> Iterator[Edit]:
    """The edits that insert and delete the fewest words, letter case and marks aside; adjacent edits are one."""
    for (start, end), (begin, stop) in places(text, adapted):
        yield Edit(start, end, text[start:end], adapted[begin:stop])


def places(text: str, adapted: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where each edit is, in both texts."""
    from rapidfuzz.distance import Indel

    one, other = ([*_WORD.finditer(side)] for side in (text, adapted))
    codes = Indel.opcodes(*([word[0].casefold() for word in side] for side in (one, other)))
    for same, several in groupby(codes, key=lambda code: code.tag == "equal"):
        if not same:
            first, *_, last = [*several] * 2
            yield (
                _span(one, first.src_start, last.src_end),
                _span(other, first.dest_start, last.dest_end),
            )


def _span(words: Sequence[re.Match[str]], first: int, behind: int) -> tuple[int, int]:
    """The place of some words in their text; without words, the place after the preceding word."""
    if first < behind:
        return words[first].start(), words[behind - 1].end()
    place = words[first - 1].end() if first else 0
    return place, place


def plain(text: str) -> str:
    """Words in small letters with single blanks between and around, as they are compared."""
    return f" {_GAP.sub(' ', text.casefold()).strip()} "


def likeness(item: str, adapted: str) -> float:
    """How much of an item is still in an adapted utterance, 0 to 100: rapidfuzz's partial_ratio of whole words.

    Blanks around words count, so that an item within a longer word is not the item: bar in barfi. Plural and
    possessive of the item's last word are that word, in English: pies, Knick's. A part of a word of three letters or
    fewer is not that word: he is not the. An utterance that is shorter than the item is compared as a whole.
    """
    from rapidfuzz.fuzz import partial_ratio, ratio

    sought = plain(item)
    if not sought.strip():  # an item of marks alone
        return 100.0 if item.strip() in adapted else 0.0
    last = _PART.findall(item)[-1]
    there = _PART.sub(lambda word: last if _stem(word[0]) == _stem(last) else word[0], adapted)
    words = [_apart(word, sought.split()) for word in plain(there).split()]
    there = f" {' '.join(words)} "
    return ratio(sought, there) if len(there) < len(sought) else partial_ratio(sought, there)


def _stem(word: str) -> str:
    """A word without the -s of a plural or possessive; ie, as in pies and parties, is y."""
    stem = _PLURAL.sub("", _POSSESSIVE.sub("", word.casefold()))
    return f"{stem[:-2]}y" if stem.endswith("ie") else stem


def _apart(word: str, item: Sequence[str]) -> str:
    """A word that is only a part of a short word of an item, in signs that no item has; any other as it is."""
    part = word not in item and any(word in one for one in item if len(one) <= SHORT)
    return "\0" * len(word) if part else word
