"""A light reading of steps and titles in either language: ways of cooking and vessels, and what kind of dish it is.

The words stand in resources/rerank/cooking.tsv; one after a hyphen (-baking powder) is an exception, in which no
other is found. It needs no parser, so that both languages are read alike.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from wokflow.frame.wordlists import word_table

WORDS = word_table("rerank/cooking.tsv")
NAMES = tuple(row["name"] for row in WORDS)  # each is known by its place here
TITLES, STEPS = ("form",), ("action", "vessel")  # the kinds of words that are read in each
EXCEPTION = "-"
COUNT = r"\d一两二三四五六七八九十½¼¾⅓⅔几半"
# 1杯, 半大碗 and 两茶杯 are measures; 取一碗, 分成4碗 and 一碗中 are bowls
MEASURE = re.compile(rf"(?<![{COUNT}取另第分成装])[{COUNT}]{{1,4}}+[大小满]?[量茶]?[杯碗](?![中里内])")
ENDING = re.compile(r"(?:e?s|e?d|e|y|ied|p?ing|ped|er)?(?![a-z])")


def cooking(steps: Sequence[str], lang: str) -> list[int]:
    """The ways of cooking and vessels that steps name, as places in NAMES, sorted."""
    return _read(steps, lang, STEPS)


def forms(title: str, lang: str) -> list[int]:
    """The kinds of dishes that a title names (soup, cake, noodles), as places in NAMES, sorted."""
    return _read([title], lang, TITLES)


def _read(texts: Sequence[str], lang: str, kinds: tuple[str, ...]) -> list[int]:
    places, blank = set(), "" if lang == "zh" else " "
    text = "\n".join(blank.join(each.lower().split()) for each in texts)
    if lang == "zh":
        text = MEASURE.sub(" ", text)
    for end, (length, place) in _words(lang, kinds).iter_long(text):
        if (
            place is not None
            and WORDS[place]["kind"] in kinds
            and (lang == "zh" or _is_word(text, end - length + 1, end + 1))
        ):
            places.add(place)
    return sorted(places)


def _is_word(text: str, start: int, stop: int) -> bool:
    """Whether an English word begins here, and ends here but for an ending of a verb or a plural."""
    if start and text[start - 1].isalpha():
        return False
    return ENDING.match(text, stop) is not None


@cache
def _words(lang: str, kinds: tuple[str, ...]) -> Any:
    """Words of some kinds, and of vessels: a rice cooker in a title is no rice, but a casserole is a stew."""
    import ahocorasick

    words = ahocorasick.Automaton()
    for kind in ("vessel", *kinds):  # of two meanings of a word the last counts
        for place, row in enumerate(WORDS):
            if row["kind"] == kind:
                for word in row["zh"].split() if lang == "zh" else row["en"].split("|"):
                    name = word.removeprefix(EXCEPTION)
                    words.add_word(name, (len(name), place if name == word else None))
    words.make_automaton()
    return words
