"""Segments Chinese text by jieba, with the glossary as its user dictionary."""

import re
from typing import Any

from wokflow.frame import jieba_dictionary
from wokflow.frame.languages import CHINESE
from wokflow.parse.glossary import Glossary

DECIMAL = re.compile(r"((?<!\d)\d++\.\d++)")
# Treebanks write these as two words, jieba's dictionary as one.
NUMBER_AND_MEASURE = re.compile(
    "(?!十分钟)[一二两三四五六七八九十半几]+"
    "(?:分钟|小时|[个层勺下次面遍滴夜刀片块根颗粒只条把碗杯瓶段瓣天克斤锅盘盆份张朵])"
)


class Segmenter:
    """Segments text into words that, joined, are the text without its white space.

    Surfaces of the glossary in Chinese characters are added to jieba's dictionary, frequent enough not to be cut when
    they stand alone. A word of jieba's dictionary that is a verb and an ingredient of the glossary (加盐), or a
    number and a measure (两勺), is cut, unless the glossary lists it as a whole. Words in no dictionary are not
    guessed: on recipes jieba's guesses are wrong too often (锅内放).

    jieba's cache and its global tokenizer are not touched.
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
    tokenizer = jieba_dictionary.tokenizer()
    frequencies = tokenizer.FREQ
    tokenizer.FREQ = frequencies.copy()
    for word in frequencies:
        if word not in surfaces and _is_two_words(word, glossary):
            tokenizer.FREQ[word] = 0  # 0: no word itself, but the beginning of longer ones
    for word in sorted(surfaces):  # sorted, because each addition changes how the next is cut
        if CHINESE.fullmatch(word):
            tokenizer.add_word(word)
    return tokenizer


def _is_two_words(word: str, glossary: Glossary) -> bool:
    verb_and_ingredient = any(
        word[:cut] in glossary.verbs and word[cut:] in glossary.ingredients for cut in range(1, len(word))
    )
    return verb_and_ingredient or NUMBER_AND_MEASURE.fullmatch(word) is not None
