"""What stands beside and inside of names in a text, and where the characters of a composed text were written."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from wokflow.enrich.words import UNSEEN, begins, is_word

JOINTS = " -–"  # between the words of a name
OWNERS = ("'s", "’s")


class Places(NamedTuple):
    """Where each character of a composed text begins and ends in the text as it is written."""

    starts: Sequence[int]
    ends: Sequence[int]


def placed(text: str) -> tuple[str, Places | None]:
    """The text as words.composed gives it, and its places; None if it is the text itself, as nearly always."""
    if text.isascii() or (unicodedata.is_normalized("NFC", text) and not _unseen().search(text)):
        return text, None
    seen = text.translate(UNSEEN)
    at = [place for place, character in enumerate(text) if ord(character) not in UNSEEN]
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _letters().finditer(seen):
        start, stop = match.span()
        piece = unicodedata.normalize("NFC", match.group())
        pieces.append(piece)
        if piece == match.group():
            starts += at[start:stop]
            ends += [place + 1 for place in at[start:stop]]
        else:
            starts += [at[start]] * len(piece)
            ends += [at[stop - 1] + 1] * len(piece)
    return "".join(pieces), Places(starts, ends)


@cache
def _unseen() -> re.Pattern[str]:
    return re.compile(f"[{''.join(map(chr, UNSEEN))}]")


@cache
def _letters() -> Any:
    """A compiled pattern of letters with all their marks: no others are composed with each other."""
    import regex

    return regex.compile(r"\X")


def in_longer(text: str, start: int, end: int) -> bool:
    """Whether a mention seems to be a part of a longer name: a word with a capital stands beside it.

    So it does behind a hyphen or `of`; behind a comma or 's another name begins.
    """
    if end < len(text) and text[end] in JOINTS:
        behind = end + 1
        if text.startswith("of ", behind):
            behind += 7 if text.startswith("the ", behind + 3) else 3
        if text[behind : behind + 1].isupper():
            return True
    if not start or text[start - 1] not in JOINTS:
        return False
    at, word = _word_before(text, start - 1)
    if word in ("of", "the"):
        if word == "the":
            at, word = _word_before(text, at - 1)
        if word != "of":
            return False
        at, word = _word_before(text, at - 1)
    named = word[:1].isupper() and is_word(word[-1]) and not word.endswith(OWNERS)
    return named and not begins(text, at)


def _word_before(text: str, end: int) -> tuple[int, str]:
    """Where the word begins that ends at a place, and the word, which may be empty."""
    at = text.rfind(" ", 0, max(end, 0)) + 1
    return at, text[at : max(end, 0)]


def segmenter() -> Callable[[str], frozenset[int]]:
    """Where words of Chinese begin and end, by jieba; its cache and its global tokenizer are not touched."""
    from wokflow.frame import jieba_dictionary

    tokenizer = jieba_dictionary.tokenizer()

    @lru_cache(16)
    def places(text: str) -> frozenset[int]:
        at, found = 0, {0}
        for word in tokenizer.cut(text):
            at += len(word)
            found.add(at)
        return frozenset(found)

    return places
