"""Segments clauses into tokens: the most likely words of the glossary, the rules and jieba's dictionary."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from wokflow.frame import jieba_dictionary
from wokflow.frame.wordlists import word_table
from wokflow.parse import lexemes as lx
from wokflow.parse.glossary import Glossary
from wokflow.parse.simplified import simplified

# Kinds of tokens: verbs of the glossary and others, its nouns, other words, and separators.
VERB, OTHER, FOOD, TOOL = "verb", "other", "food", "tool"
WORD, NUMBER, BLANK, JOIN = "word", "number", " ", "、"
NOUN_KINDS = ("ingredients", "tools")  # kinds of words in a glossary that may include noise
# Least count of a word of the glossary or the rules, by its length; jieba's counts are of 60 million words.
FLOOR = {1: 30, 2: 1000}
FLOOR_LONG = 3000
DERIVED = {2: 100, 3: 1500}  # the same for a verb with its result, or a food with its cut
UNKNOWN = 0.5  # count of a character that is in no list
LONGEST = 8  # largest number of characters of a word
CACHED = 1_000_000  # largest number of words whose scores are kept
JOINERS = frozenset("、/+&－➕＋,，")
WORDS = frozenset().union(
    lx.DISPOSAL, lx.INSTRUMENT, lx.PLACE, lx.AND, lx.OR, lx.ASPECT, lx.LOCATION, lx.AFTER, lx.DURING, lx.UNTIL,
    lx.PRODUCT, lx.NEGATION, lx.RESTART, lx.MAYBE, lx.SURELY, lx.CONDITION, lx.PURPOSE, lx.CAUSE, lx.REMARK,
    lx.COPULA, lx.PEOPLE, lx.SUBORDINATOR, lx.MEASURES, lx.AMOUNTS, lx.SHAPES, lx.STATES, lx.LONG_RESULTS,
    lx.OTHER_VERBS, lx.WHOLE_VERBS, lx.MANNER, lx.ORDINARY_NOUNS, lx.HALVES,
)  # fmt: skip
FUNCTION = frozenset().union(
    lx.DISPOSAL, lx.INSTRUMENT, lx.NEGATION, lx.MAYBE, lx.SURELY, lx.CONDITION, lx.CAUSE, lx.REMARK, lx.PEOPLE,
    lx.DURING, lx.SUBORDINATOR, lx.LONG_RESULTS - {"出来"}, lx.MANNER, lx.PURPOSE,
)  # fmt: skip
# Words that the glossary of the paper's authors lists as food or tool but are neither, as (kind, class, word). In
# another class a word means another thing: 平锅 is a pan, but not in class 出锅, serving.
NOISE = frozenset(
    (row["kind"], row["class"], word)
    for row in word_table("grammar/noise.tsv")
    for word in row["words"].split()
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a clause with its kind; words of the glossary have a class too."""

    kind: str
    text: str
    start: int
    end: int
    cls: str = ""
    core: tuple[int, int] = (0, 0)  # of a noun: offsets of the part that is in the glossary


class Lexicon:
    """A glossary prepared for cutting clauses into tokens, without its noise."""

    def __init__(self, glossary: Glossary) -> None:
        frequency, total = jieba_dictionary.frequencies()
        self._total = math.log(total)
        self._frequency = frequency
        self._unknown = math.log(UNKNOWN) - self._total
        self.verbs = in_simplified(glossary.verbs)
        self.listed_foods = glossary.ingredients
        self.tools = in_simplified(without_noise(glossary, "tools"))
        self.foods = in_simplified(without_noise(glossary, "ingredients"))
        self._listed = frozenset(self.verbs) | set(self.foods) | set(self.tools) | WORDS
        self._score = lru_cache(CACHED)(self._scored)
        self._kind = lru_cache(CACHED)(self._kind_of)

    def verb_class(self, surface: str) -> str | None:
        """The class of the longest prefix that the glossary lists as a verb."""
        for end in range(len(surface), 0, -1):
            if (name := self.verbs.get(surface[:end])) is not None:
                return name
        return None

    def tokens(self, clause: str) -> list[Token]:
        """The tokens of a clause, blanks and enumeration commas among them. Takes time linear in its length."""
        tokens: list[Token] = []
        position = 0
        while position < len(clause):
            character = clause[position]
            end = position + 1
            if character.isspace():
                while end < len(clause) and clause[end].isspace():
                    end += 1
                tokens.append(Token(BLANK, " ", position, end))
            elif character in JOINERS:
                tokens.append(Token(JOIN, "、", position, end))
            elif not character.isalnum():
                ranged = tokens and tokens[-1].kind == NUMBER and not character.isspace()
                tokens.append(Token(NUMBER if ranged else WORD, character, position, end))
            else:
                while end < len(clause) and clause[end].isalnum():
                    end += 1
                tokens.extend(self._cut(clause[position:end], position))
            position = end
        return tokens

    def _cut(self, text: str, offset: int) -> Iterable[Token]:
        """The tokens of the most likely cut of `text` into words (Viterbi)."""
        size = len(text)
        best = [0.0] * (size + 1)
        step = [1] * (size + 1)
        for start in range(size - 1, -1, -1):
            top, length = -math.inf, 1
            for end in range(start + 1, min(start + LONGEST, size) + 1):
                score = self._score(text[start:end])
                if score is not None and score + best[end] > top and not self._crosses(text, start, end):
                    top, length = score + best[end], end - start
            best[start], step[start] = top, length
        start = 0
        while start < size:
            end = start + step[start]
            if _numeric(text[start]) and step[start] == 1:
                while end < size and step[end] == 1 and _numeric(text[end]):
                    end += 1
                yield Token(NUMBER, text[start:end], offset + start, offset + end)
            else:
                word = text[start:end]
                kind, name, first, last = self._kind(word)
                core = (offset + start + first, offset + start + last)
                yield Token(kind, word, offset + start, offset + end, name, core)
            start = end

    def _crosses(self, text: str, start: int, end: int) -> bool:
        """Whether a verb with a result or 儿 takes a food's first character: 淋香 in 淋香油, 放入儿 in 放入儿菜."""
        adds = end - start == 2 and text[start] in lx.ADDING and text[end - 1] in lx.STATES
        suffixed = end - start > 1 and text[end - 1] == "儿" and text[start : end - 1] in self.verbs
        if not (adds or suffixed) or text[start:end] in self._listed:
            return False
        return any(text[end - 1 : stop] in self.foods for stop in range(end + 1, end + LONGEST))

    def _scored(self, word: str) -> float | None:
        """Log probability of a word; None if it is not a word."""
        count = self._frequency.get(word, 0)
        if word in lx.BLOCKED and not noun_like(word, self):
            return None
        if word in self._listed:
            count = max(count, FLOOR.get(len(word), FLOOR_LONG))
            if word in lx.LONG_RESULTS:
                count *= 10
        elif self._derived(word):
            count = max(count, DERIVED.get(len(word), FLOOR_LONG))
        elif len(word) > 1 and (not count or self._falls_apart(word)):
            return None
        return math.log(count) - self._total if count else (self._unknown if len(word) == 1 else None)

    def _derived(self, word: str) -> bool:
        """Whether a word is a cooking verb with a result of one character, a food with its cut, or a batter."""
        head, last = word[:-1], word[-1:]
        if last == "儿" and head in self.verbs:
            return len(head) > 1
        if len(head) == 1 and head in self.verbs:
            return head not in lx.TRICKY and last in lx.RESULTS
        if head in lx.STARCHES and last in lx.BATTERS:
            return head in self.foods
        if (
            last not in lx.CUTS
            or head not in self.foods
            or head[-1] in "水油"
            or (len(head) == 1 and head not in lx.HEADS)
        ):
            return False
        return not (head[0] in lx.RESULTS and head[1:] in self.foods)

    def _falls_apart(self, word: str) -> bool:
        """Whether a word of jieba's dictionary is two: a verb with its object (加油), a food with its amount."""
        if lx.JOINED_SEASONINGS.issuperset(word):
            return True
        for end in range(1, len(word)):
            head, rest = word[:end], word[end:]
            noun = noun_like(rest, self)
            if (noun and head[0] in lx.NUMERALS) or (rest in self.tools and head in self.verbs):
                return True
            if head in ("去", "出") and (noun or rest in lx.PARTS):
                return True
            if (head in lx.ADDING and rest in lx.TASTES) or (head in lx.SWITCHES and rest == "火"):
                return True
            if head in self.verbs and len(rest) > 1 and rest in lx.AMOUNTS:
                return True
            verbal = rest in self.verbs or self._derived(rest)
            if rest in ("点", "些") and head in self.verbs:
                return True
            adds = head[0] in lx.ADDING and noun_like(head[1:], self)  # 加水煮
            if verbal and (
                adds
                or noun_like(head, self)
                or head[-1] in lx.LOCATION
                or head in lx.BARE_MANNER | lx.LOCATION
            ):
                return True
            if noun and (
                (head in self.verbs and head not in lx.TRICKY) or head in lx.STATES or head in lx.AMOUNTS
            ):
                return True
            if (
                head in self.verbs
                and head not in lx.TRICKY
                and rest in lx.PLACE | lx.ASPECT | lx.UNTIL | lx.SHAPES
            ):
                return True
            if rest in lx.LOCATION and (head in self.foods or head in self.tools):
                return True
        return False

    def _kind_of(self, word: str) -> tuple[str, str, int, int]:
        """Kind and class of a word of the lattice, and start and end of its part that is in the glossary."""
        size = len(word)
        if word in FUNCTION and not noun_like(word, self):
            return WORD, "", 0, size
        if word in self.verbs:
            return VERB, self.verbs[word], 0, size
        if word in lx.WHOLE_VERBS and (name := self.verb_class(word)):
            return VERB, name, 0, size
        if (
            word in lx.OTHER_VERBS
            and word[1:] in lx.RESULTS
            and word[0] != "放"
            and (name := self.verb_class(word))
        ):
            return VERB, name, 0, size
        if word in lx.OTHER_VERBS:
            return OTHER, "", 0, size
        if word in self.foods:
            return FOOD, self.foods[word], 0, size
        if word in self.tools:
            return TOOL, self.tools[word], 0, size
        if word[0] in lx.NUMERALS and (word[1:] in lx.MEASURES | {"下"} or word[-2:] in lx.MEASURES):
            return NUMBER, "", 0, size
        if word in WORDS or size == 1:
            return WORD, "", 0, size
        return self._compound(word)

    def _compound(self, word: str) -> tuple[str, str, int, int]:
        """A word that only jieba's dictionary has: a verb compound (翻炒), a cut or kind of food (肉块), or none."""
        size = len(word)
        name = self.verb_class(word)
        plain = word[0] not in lx.TRICKY
        seconds = lx.RESULTS if word[0] in lx.COVERING else lx.RESULTS | lx.COOKING_SECOND
        if name and word[:-1] in self.verbs and word[-1] == "儿":
            return VERB, name, 0, size
        if name and plain and ((size == 2 and word[1] in seconds) or word[1:] in lx.LONG_RESULTS):
            return VERB, name, 0, size
        if word in lx.NO_NOUN_HEADS:
            return WORD, "", 0, size
        if word[0] in lx.STARCHES and word[1:] in lx.BATTERS and word[0] in self.foods:
            return FOOD, self.foods[word[0]], 0, 1
        if word in _verbs():
            return OTHER, "", 0, size
        for cut in range(size - 1, 0, -1):
            if word[cut:] in lx.SHAPES | lx.BODY_PARTS and word[:cut] in self.foods:
                return FOOD, self.foods[word[:cut]], 0, cut
        for start in range(1, size):
            if word[start:] in self.foods and (start < size - 1 or word[start:] in lx.HEADS):
                return FOOD, self.foods[word[start:]], start, size
            if word[start:] in self.tools:
                return TOOL, self.tools[word[start:]], start, size
        return WORD, "", 0, size


def without_noise(glossary: Glossary, kind: str) -> dict[str, str]:
    """The ingredients or the tools of a glossary; the paper's own without NOISE."""
    listed: Mapping[str, str] = getattr(glossary, kind)
    noise = NOISE if glossary.noisy else frozenset()
    return {word: name for word, name in listed.items() if (kind, name, word) not in noise}


def in_simplified(listed: Mapping[str, str]) -> dict[str, str]:
    """The words in simplified characters, in which they are looked up. Words listed in that form take precedence."""
    return {simplified(word): name for word, name in listed.items()} | dict(listed)


def ignored(glossary: Glossary) -> str:
    """How many ingredients and tools of a glossary are ignored as noise, for a log; empty if none is."""
    counts = {kind: len(getattr(glossary, kind)) - len(without_noise(glossary, kind)) for kind in NOUN_KINDS}
    said = " and ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    return said and f"{said} of the glossary are ignored: they are listed in resources/grammar/noise.tsv"


def noun_like(word: str, lexicon: Lexicon) -> bool:
    return word in lexicon.foods or word in lexicon.tools


def _numeric(character: str) -> bool:
    return character.isdigit() or character in lx.NUMERALS or character.isnumeric()


@cache
def _verbs() -> frozenset[str]:
    """The words of more than one character that jieba's dictionary tags as verbs."""
    tags = jieba_dictionary.tags()
    return frozenset(word for word, tag in tags.items() if tag in ("v", "vi") and len(word) > 1)
