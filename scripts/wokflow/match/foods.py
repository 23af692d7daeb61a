"""Foods that ingredient lines name, as concepts that both languages share.

A concept is a class of the glossary (resources/glossary). English names reach it through the lexicon, whose entries
give Chinese surfaces of a class their English; foods that the lexicon alone knows are concepts by their English name.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from wokflow.frame.text_files import read_table, tables_in
from wokflow.frame.wordlists import word_lists, word_table
from wokflow.match.english_nouns import MEATS
from wokflow.parse.glossary import Glossary, read_glossary

WORD = re.compile(r"[a-zà-ÿ]+")
MADE = {"broth", "stock", "bouillon", "oil", "vinegar", "juice", "sauce"}  # of the food before: beef broth
BRACKETED = re.compile(r"[（(【\[][^）)】\]]*+[）)】\]]?")
UTENSILS = [  # measures that are called by food: 茶匙 is no tea
    food + tool
    for food in ("茶", "汤", "咖啡", "米", "奶粉", "饭", "酒", "盐", "大汤", "小茶")
    for tool in "匙勺杯碗"
]
WORDS = word_lists("rerank/words.tsv")
PLAIN, PRODUCTS, NO_FOODS = WORDS["PLAIN"], WORDS["PRODUCTS"], WORDS["NO_FOODS"]
SINGULAR = {
    "greens": "greens",
    "leaves": "leaf",
    "loaves": "loaf",
    "halves": "half",
    "radishes": "radish",
    "zucchinis": "zucchini",
}
# English of cookbooks for foods that the lexicon calls otherwise, or more narrowly than the glossary's classes.
ALIASES = {row["english"]: row["food"] for row in word_table("rerank/english.tsv")}


class Foods:
    """Reads ingredient lines of either language as concepts."""

    def __init__(self, entries: Iterable[tuple[str, str]], glossary: Glossary) -> None:
        """`entries` are the Chinese and English names of foods; `glossary` has their classes."""
        import ahocorasick

        english: dict[str, str] = {}
        for zh, en in entries:
            english.setdefault(zh, _phrase(en))
        named = {zh: _phrase(en) for zh, en in glossary.english.get("ingredient", {}).items()}
        classes: dict[str, Counter[str]] = defaultdict(Counter)
        for zh, en in english.items():
            if zh in glossary.ingredients:
                classes[en][glossary.ingredients[zh]] += 1
        concept_of = {en: min(of, key=lambda name: (-of[name], name)) for en, of in classes.items()}
        concept_of = {en: named.get(name, name) for en, name in concept_of.items()}
        for en in {*english.values(), *named.values()}:
            concept_of.setdefault(en, en)
        concept_of |= {en: en for en in named.values()}
        for alias, en in ALIASES.items():
            concept_of[_phrase(alias)] = concept_of.get(_phrase(en), _phrase(en))
        concept_of |= {name: concept_of.get(name, name) for name in map(_phrase, ALIASES.values())}
        lists = {en for en in concept_of if " and " in en and concept_of.keys() >= {*en.split(" and ")}}
        self._english: Mapping[str, str] = {
            en: name for en, name in concept_of.items() if en and name not in NO_FOODS and en not in lists
        }
        self._longest = max((len(en.split()) for en in self._english), default=1)
        self._chinese = ahocorasick.Automaton()
        surfaces = {zh: concept_of[en] for zh, en in english.items() if en}
        surfaces |= {zh: named.get(name, name) for zh, name in glossary.ingredients.items()}
        surfaces = {zh: concept_of.get(name, name) for zh, name in surfaces.items() if name not in NO_FOODS}
        for zh, name in surfaces.items():
            self._chinese.add_word(zh, (len(zh), name))
        for unit in UTENSILS:
            self._chinese.add_word(unit, (len(unit), ""))
        self._chinese.make_automaton()
        self.names: Sequence[str] = sorted({*surfaces.values(), *self._english.values()})
        self._broader = lru_cache(None)(self._find_broader)

    @classmethod
    def load(cls, lexicon: str | Path, glossary: str | Path) -> "Foods":
        """Read the ingredients of a lexicon's tables, in the order of their names, and a glossary."""
        rows = (row for path in tables_in(lexicon) for _, row in read_table(path, ("zh", "en", "kind")))
        foods = (
            (row["zh"].strip(), row["en"].strip()) for row in rows if row["kind"].strip() == "ingredient"
        )
        return cls(foods, read_glossary(glossary))

    def read(self, line: str, lang: str) -> list[str]:
        """The concepts that a line names; none where it names no food that is known."""
        return self.chinese(line) if lang == "zh" else self.english(line)

    def chinese(self, line: str) -> list[str]:
        """The longest names in a line, from the left; brackets count where nothing else names a food."""
        return self._chinese_names(BRACKETED.sub(" ", line)) or self._chinese_names(line)

    def _chinese_names(self, text: str) -> list[str]:
        if not len(self._chinese):
            return []
        return list(dict.fromkeys(name for _, (_, name) in self._chinese.iter_long(text) if name))

    def english(self, line: str) -> list[str]:
        """The same of an English line; words of PLAIN inside a name are passed over."""
        return self._english_names(BRACKETED.sub(" ", line.lower())) or self._english_names(line.lower())

    def _english_names(self, text: str) -> list[str]:
        words = _singular(text)
        kept = [word for word in words if word not in PLAIN]
        names: dict[str, None] = {}
        start = 0
        while start < len(kept):
            for stop in range(min(len(kept), start + self._longest), start, -1):
                if name := self._english.get(" ".join(kept[start:stop])):
                    if not (stop < len(kept) and kept[stop] in PRODUCTS and kept[stop] in MADE):
                        names[name] = None
                    start = stop
                    break
            else:
                start += 1
        return list(names)

    def broader(self, concept: str) -> list[str]:
        """The broader concepts of a food: pork for pork belly, sugar for rock sugar."""
        return list(self._broader(concept))

    def _find_broader(self, concept: str) -> tuple[str, ...]:
        words = concept.split()
        parts = [" ".join(words[cut:]) for cut in range(1, len(words))]
        if words[-1] in PRODUCTS:
            parts = [part for part in parts if part not in PRODUCTS]
        elif words[0] in MEATS:
            parts.append(words[0])
        broader = (self._english.get(part) for part in parts)
        return tuple(dict.fromkeys(name for name in broader if name and name != concept))


def _singular(text: str) -> list[str]:
    words = []
    for word in WORD.findall(text):
        if word in SINGULAR:
            word = SINGULAR[word]
        elif word.endswith("ies") and len(word) > 4:
            word = word[:-3] + "y"
        elif word.endswith("oes"):
            word = word[:-2]
        elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
            word = word[:-1]
        words.append(word)
    return words


def _phrase(name: str) -> str:
    return " ".join(word for word in _singular(BRACKETED.sub(" ", name.lower())) if word not in PLAIN)
