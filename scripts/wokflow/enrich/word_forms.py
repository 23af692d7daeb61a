"""Folding, words and their frequencies, as the dictionary linker needs them."""

import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from wokflow.enrich.letters import DOTTED, plain
from wokflow.frame.languages import SCRIPTS, SPACELESS

SHORT = 3  # letters of words, at most, that are ignored as context
# zipf of very common words: beside a capital more likely part of a longer name (City, River), else seldom a name.
INSIDE = 4.4
OFTEN = 10  # occurrences in lower case that show that a word is an ordinary one
UNKNOWN = 3.5  # zipf of unknown words: neither rare nor common (see meanings.RARE and COMMON)
WITH_TOKENIZERS = frozenset({"ja", "ko"})  # languages whose frequencies wordfreq counts by words of MeCab
CLOSED = frozenset(".!?:;。！？：；…“”\"'«»（）()[]=*•-–—|\n")  # a sentence may begin after one of these
_ALIKE = {  # signs that are written in several ways
    **dict.fromkeys("’‘ʼ＇`´", "'"),
    **dict.fromkeys("‐‑‒–—−", "-"),
    **dict.fromkeys("\t\n\r\u00a0\u2009\u202f\u3000", " "),
    "ς": "σ",
    **{dotted: letter[0] for letter, dotted in DOTTED.items()},
}
# Letters of a language that are written for each other; of Turkish and Azerbaijani, the two that I stands for once
# letters are small: chr.lower does not know which.
_ALIKE_IN = {
    "ru": {"ё": "е"},
    "hi": {"ँ": "ं"},
    "tr": {"ı": "i", "İ": "i"},
    "az": {"ı": "i", "İ": "i"},
    "ar": dict.fromkeys("أإآٱ", "ا"),
    "fa": {"ي": "ی", "ى": "ی", "ك": "ک"},
    "ur": {"ي": "ی", "ى": "ی", "ك": "ک", "ه": "ہ"},
}


def fold(text: str, lang: str) -> str:
    """The text in lower case, with signs that look alike made equal, character by character.

    Chinese characters are simplified. A character whose lower case has two characters stays as it is, so that places
    in the folded text are places in the text.
    """
    return text.translate(_table(lang))


class _Folding(dict[int, str]):
    """A table for str.translate that is filled as characters are met."""

    def __init__(self, lang: str) -> None:
        self._alike = _ALIKE_IN.get(lang, {})
        self._simplify = _simplifier() if SCRIPTS.get(lang) == ("Han",) else None

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = _ALIKE.get(character) or self._alike.get(character) or character.lower()
        folded = self._alike.get(folded, folded)
        if self._simplify and code > 0x2E7F:
            folded = self._simplify(folded)
        self[code] = folded if len(folded) == 1 else character
        return self[code]


@cache
def _table(lang: str) -> _Folding:
    return _Folding(lang)


def _simplifier() -> Any:
    import opencc

    return opencc.OpenCC("t2s").convert


@cache
def word_pattern() -> Any:
    """A compiled pattern of words: letters, digits and the marks that belong to them."""
    import regex

    return regex.compile(r"[\w\p{M}]+")


def is_word(character: str) -> bool:
    """Whether a character is part of a word."""
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"


def context(text: str, lang: str) -> Iterator[int]:
    """32-bit numbers of the words that a text is about: its longer words, or pairs of characters without spaces."""
    return (number for number, _, _ in placed_context(text, lang))


def placed_context(text: str, lang: str) -> Iterator[tuple[int, int, int]]:
    """The numbers of `context`, each with the place where its word or pair begins, and where it ends."""
    folded = fold(text, lang)
    for match in word_pattern().finditer(folded):
        word = match.group()
        start = match.start()
        if lang in SPACELESS and not word.isascii():
            for at in range(len(word) - 1):
                yield _number(word[at : at + 2]), start + at, start + at + 2
        elif len(word) > SHORT:
            yield _number(word.removesuffix("s")), start, match.end()


@lru_cache(1 << 16)
def _number(word: str) -> int:
    return zlib.crc32(word.encode())


def begins(text: str, at: int) -> bool:
    """Whether a sentence, or a part written like one, begins at a place of the text."""
    before = text[:at].rstrip(" ")
    return not before or before[-1] in CLOSED


@lru_cache(1 << 16)
def zipf(word: str, lang: str) -> float:
    """The frequency of a word in a language on the Zipf scale: log10 of its occurrences in a billion words.

    The word is folded; the most frequent of the words that fold to it counts. UNKNOWN where the language has no list
    of frequencies, or one that needs a tokenizer of its own.
    """
    if lang not in _with_frequencies():
        return UNKNOWN
    import wordfreq

    if lang == "zh":
        _cut_chinese()
    return max(float(wordfreq.zipf_frequency(word, lang)), _zipf_unfolded(lang).get(word, 0.0))


@cache
def very_common(lang: str) -> frozenset[str]:
    """The folded words whose zipf is INSIDE or more; none where a language has no frequencies."""
    if lang not in _with_frequencies():
        return frozenset()
    import wordfreq

    listed = wordfreq.get_frequency_dict(lang).items()
    return frozenset(fold(word, lang) for word, share in listed if wordfreq.freq_to_zipf(share) >= INSIDE)


@cache
def _zipf_unfolded(lang: str) -> dict[str, float]:
    """Frequencies, by folded word, of words that the language's list has only unfolded: altin, listed as altın."""
    if lang not in _ALIKE_IN:
        return {}
    import wordfreq

    frequencies: dict[str, float] = {}
    for word, share in wordfreq.get_frequency_dict(lang).items():
        if (folded := fold(word, lang)) != word:
            frequencies[folded] = max(frequencies.get(folded, 0.0), round(wordfreq.freq_to_zipf(share), 2))
    return frequencies


@cache
def _cut_chinese() -> None:
    """Give wordfreq a tokenizer with its own dictionary, lest it read one from a folder that all users may write."""
    from wordfreq import chinese

    from wokflow.frame import jieba_dictionary

    chinese.jieba_tokenizer = jieba_dictionary.tokenizer(str(chinese.DICT_FILENAME))


@cache
def _with_frequencies() -> frozenset[str]:
    import wordfreq

    return frozenset(wordfreq.available_languages()) - WITH_TOKENIZERS


class Cases:
    """How often words are in lower case, and have a capital inside sentences."""

    def __init__(self, lang: str) -> None:
        self._lang = lang
        self._small: Counter[str] = Counter()
        self._capital: Counter[str] = Counter()

    def count(self, texts: Iterable[str]) -> None:
        if self._lang in SPACELESS:
            return
        find = word_pattern().finditer
        for text in map(plain, texts):
            for match in find(text):
                word = match.group()
                if word.islower():
                    self._small[word if word.isascii() else fold(word, self._lang)] += 1
                elif word[0].isupper() and not begins(text, match.start()):
                    self._capital[fold(word, self._lang)] += 1

    def ordinary(self, word: str) -> bool:
        """Whether a folded word is mostly in lower case."""
        return self._small[word] > self._capital[word]

    def surely_ordinary(self, word: str) -> bool:
        """Whether a folded word is mostly in lower case, and often (OFTEN) enough to tell."""
        return self.ordinary(word) and self._small[word] >= OFTEN

    def write(self, path: Path) -> None:
        """Three columns: word, small, capital. Words that occur once are left out."""
        words = sorted(self._small.keys() | self._capital.keys())
        lines = [
            f"{word}\t{self._small[word]}\t{self._capital[word]}\n"
            for word in words
            if self._small[word] + self._capital[word] > 1
        ]
        path.write_text("".join(lines), encoding="utf-8")

    @classmethod
    def read(cls, path: Path, lang: str) -> "Cases":
        cases = cls(lang)
        for line in path.read_text(encoding="utf-8").splitlines():
            word, small, capital = line.split("\t")
            cases._small[word], cases._capital[word] = int(small), int(capital)
        return cases
