"""The surroundings of names in a text: longer names around them, and words of Chinese."""

from collections.abc import Callable
from functools import lru_cache

from wokflow.enrich.word_forms import begins, is_word

JOINTS = " -–"  # between the words of a name
# Signs before words. Inside a sentence, a word after one of them has a capital only if it is a name.
OPENING = "([{\"“‘'«"
OWNERS = ("'s", "’s")


def in_longer(text: str, start: int, end: int) -> bool:
    """Whether a mention is likely part of a longer name: a word with a capital stands beside it.

    Names also continue across a hyphen or `of`, but not across a comma or 's.
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
    """The start of the word that ends at a place, and the word without OPENING signs; it may be empty."""
    at = text.rfind(" ", 0, max(end, 0)) + 1
    return at, text[at : max(end, 0)].lstrip(OPENING)


def segmenter() -> Callable[[str], frozenset[int]]:
    """A function that gives the word boundaries of a Chinese text, by jieba without its cache or global tokenizer."""
    from wokflow.frame import jieba_dictionary

    tokenizer = jieba_dictionary.tokenizer()

    @lru_cache(16)
    def places(text: str) -> frozenset[int]:
        at, boundaries = 0, {0}
        for word in tokenizer.cut(text):
            at += len(word)
            boundaries.add(at)
        return frozenset(boundaries)

    return places
