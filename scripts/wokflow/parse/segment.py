"""Chinese text to words: jieba, with the glossary as its user dictionary."""

import functools
import re
import warnings
from types import ModuleType
from typing import Any

from wokflow.parse.glossary import Glossary

DECIMAL = re.compile(r"(\d+\.\d+)")
# Treebanks write these as two words, jieba's dictionary as one.
NUMBER_AND_MEASURE = re.compile(
    "(?!十分钟)[一二两三四五六七八九十半几]+"
    "(?:分钟|小时|[个层勺下次面遍滴夜刀片块根颗粒只条把碗杯瓶段瓣天克斤锅盘盆份张朵])"
)


class Segmenter:
    """Cuts text into words that, put together, are the text without its white space.

    Surfaces of the glossary that consist of Chinese characters are words of the dictionary, each frequent enough
    that it is not cut where it stands alone. What jieba's dictionary has as one word although it is a verb and an
    ingredient of the glossary (加盐), or a number and a measure (两勺), is cut, unless the glossary has it too. Words
    in no dictionary are not guessed: on recipes, jieba's guesses are of the kind of 锅内放.

    Nothing is read from or written to jieba's cache, and its global tokenizer stays as it is.
    """

    def __init__(self, glossary: Glossary) -> None:
        self._tokenizer = _tokenizer(glossary)

    def __call__(self, text: str) -> list[str]:
        words: list[str] = []
        for index, stretch in enumerate(DECIMAL.split(text)):
            words += [stretch] if index % 2 else self._tokenizer.cut(stretch, HMM=False)
        return [word for word in words if not word.isspace()]


def _tokenizer(glossary: Glossary) -> Any:
    surfaces = {*glossary.verbs, *glossary.ingredients, *glossary.tools}
    tokenizer = _jieba().Tokenizer()
    frequencies, tokenizer.total = _dictionary()
    tokenizer.FREQ = frequencies.copy()
    tokenizer.initialized = True
    for word in frequencies:
        if word not in surfaces and _is_two_words(word, glossary):
            tokenizer.FREQ[word] = 0  # as a mere beginning of words
    for word in sorted(surfaces):  # in order, since each changes what the next is cut into
        if all("\u4e00" <= character <= "\u9fd5" for character in word):
            tokenizer.add_word(word)
    return tokenizer


def _is_two_words(word: str, glossary: Glossary) -> bool:
    verb_and_ingredient = any(
        word[:cut] in glossary.verbs and word[cut:] in glossary.ingredients for cut in range(1, len(word))
    )
    return verb_and_ingredient or NUMBER_AND_MEASURE.fullmatch(word) is not None


@functools.cache
def _dictionary() -> tuple[dict[str, int], int]:
    """jieba's own dictionary with its prefixes, and the sum of the frequencies."""
    jieba = _jieba()
    frequencies, total = jieba.Tokenizer.gen_pfdict(jieba.dt.get_dict_file())
    return frequencies, total


def _jieba() -> ModuleType:
    with warnings.catch_warnings():  # it imports a module that setuptools is to lose
        warnings.simplefilter("ignore")
        import jieba
    module: ModuleType = jieba
    return module
