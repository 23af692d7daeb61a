"""Actions exactly as in Liu et al. (2022), appendix A.2: glossary verbs with the glossary nouns below them.

"If a verb has noun children that are ingredients or cooking tools, they are also included in the action"; words
outside of the glossary are ignored. The authors' parser is not known; its behaviour is inferred from the actions that
they released:

* Words are cut finely: 切片, 去皮, 焯水, 水开 and the like are a verb and a noun, although the glossary lists them
  as verbs (切/片 is among the actions, the classes 加水 and 切碎 are not).
* List members, modifiers, instruments and measures are all children (撒/个人,口味,盐, 切/手指,薄片), and a word
  that the glossary lists as verb and ingredient is both (包/钱).
* Each action has an ingredient. A verb without one takes that of its clause's topic (苦瓜洗净切片: 切), else those
  of the nearest earlier verb of the recipe that has any, since verbs in a row share their object; if there is none,
  the verb is dropped.

Without a parse, nouns belong to the verbs beside them: a noun between two verbs belongs to both.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from wokflow.parse.clauses import clauses
from wokflow.parse.glossary import Glossary
from wokflow.parse.parsed import parse_of
from wokflow.parse.segment import Segmenter
from wokflow.parse.types import Action, Mention, Parse

ONE_WORD = frozenset({"发酵", "包裹", "油炸"})  # could be split into a verb and a noun, but are not


class GlossaryWord(NamedTuple):
    """A word of the glossary in a step, with its class as verb, ingredient and tool."""

    surface: str
    start: int
    end: int
    verb: str | None
    ingredient: str | None
    tool: str | None


@dataclass(slots=True)
class Frame:
    """A verb with the nouns that may belong to it: before it, after it, and before the first verb of its clause."""

    verb: GlossaryWord
    before: list[GlossaryWord] = field(default_factory=list)
    after: list[GlossaryWord] = field(default_factory=list)
    topic: list[GlossaryWord] = field(default_factory=list)


class Words:
    """Cuts clauses into words of the glossary."""

    def __init__(self, glossary: Glossary) -> None:
        self.glossary = glossary
        self._cut = Segmenter(glossary)
        self._surfaces = {*glossary.verbs, *glossary.ingredients, *glossary.tools}
        self._longest = max(map(len, self._surfaces), default=0)
        self._known: dict[str, tuple[str, ...]] = {}

    def tokens(self, text: str, start: int, end: int) -> Iterator[GlossaryWord]:
        """The glossary's words in text[start:end], in order."""
        verbs, ingredients, tools = self.glossary.verbs, self.glossary.ingredients, self.glossary.tools
        at = start
        for word in self._cut(text[start:end]):
            for part in self._parts(word):
                while at < end and text[at].isspace():
                    at += 1
                stop = at + len(part)
                if part in self._surfaces:
                    yield GlossaryWord(
                        part, at, stop, verbs.get(part), ingredients.get(part), tools.get(part)
                    )
                at = stop

    def _parts(self, word: str) -> tuple[str, ...]:
        if word not in self._surfaces:
            return (word,) if len(word) == 1 else self._pieces(word)
        if word not in self._known:
            self._known[word] = self._verb_and_noun(word) or (word,)
        return self._known[word]

    def _pieces(self, word: str) -> tuple[str, ...]:
        """A word of jieba's dictionary as words of the glossary if it consists of these (翻炒: 翻, 炒)."""
        pieces: list[str] = []
        at = 0
        while at < len(word):
            sizes = range(min(self._longest, len(word) - at), 0, -1)
            size = next((size for size in sizes if word[at : at + size] in self._surfaces), 0)
            if not size:
                return (word,)
            pieces += self._parts(word[at : at + size])
            at += size
        return tuple(pieces)

    def _verb_and_noun(self, word: str) -> tuple[str, str] | None:
        """The two words of a verb that is a verb and a noun: 切 and 片 of 切片, 水 and 开 of 水开."""
        if word in self.glossary.verbs and word not in ONE_WORD:
            for cut in range(1, len(word)):
                left, right = word[:cut], word[cut:]
                if (left in self.glossary.verbs and self._is_noun(right)) or (
                    self._is_noun(left) and right in self.glossary.verbs
                ):
                    return left, right
        return None

    def _is_noun(self, word: str) -> bool:
        return word in self.glossary.ingredients or word in self.glossary.tools


def extract_paper(
    steps: Sequence[str], glossary: Glossary, parses: Mapping[str, Parse] | None = None
) -> list[list[Action]]:
    """The actions of each step, in order of their verbs.

    With a parse in `parses`, a noun belongs to the verbs above it in the tree of its clause. Without one, the nouns
    up to the next verb on either side belong to a verb. `inherited` is empty and `optional` false: the paper has
    neither.
    """
    words, by_step = _words(glossary), []
    shared: list[GlossaryWord] = []
    for step in steps:
        by_step.append(list[Action]())
        for frame in _frames_of(step, words, parses or {}):
            if action := _action(frame, shared):
                by_step[-1].append(action)
            shared = _with_ingredient(frame.after) or _with_ingredient(frame.before) or shared
    return by_step


def _frames_of(step: str, words: Words, parses: Mapping[str, Parse]) -> Iterator[Frame]:
    for start, end in clauses(step):
        tokens = list(words.tokens(step, start, end))
        parse = parse_of(step[start:end], parses)
        yield from _frames(tokens) if parse is None else _tree_frames(tokens, step, start, parse)


@lru_cache(maxsize=1)
def _words(glossary: Glossary) -> Words:
    return Words(glossary)


def _frames(tokens: Iterable[GlossaryWord]) -> list[Frame]:
    """The verbs of a clause with their nouns; a noun between two verbs belongs to both."""
    frames: list[Frame] = []
    pending: list[GlossaryWord] = []
    for token in tokens:
        if token.verb:
            frames.append(Frame(token, pending))
            pending = []
            continue
        pending.append(token)
        if frames:
            frames[-1].after.append(token)
    return _topped(frames)


def _topped(frames: list[Frame]) -> list[Frame]:
    for frame in frames[1:]:
        frame.topic = frames[0].before
    return frames


def _tree_frames(tokens: Sequence[GlossaryWord], text: str, start: int, parse: Parse) -> list[Frame]:
    """The verbs with their nouns by the tree. A noun belongs to all verbs in the nearest word above it (翻炒)."""
    at = _word_at(text, start, parse.words)
    frames: dict[int, list[Frame]] = {}
    for token in tokens:
        if token.verb:
            frames.setdefault(at.get(token.start, -1), []).append(Frame(token))
    for token in tokens:
        if not token.verb:
            for frame in frames.get(_governor(at.get(token.start, -1), parse, frames), ()):
                (frame.before if token.start < frame.verb.start else frame.after).append(token)
    every = (frame for word in frames.values() for frame in word)
    return _topped(sorted(every, key=lambda frame: frame.verb.start))


def _governor(word: int, parse: Parse, frames: Mapping[int, object]) -> int:
    for _ in parse.words:  # bounds the depth, so that a damaged parse with a cycle ends too
        if word < 0 or word in frames:
            break
        word = parse.heads[word]
    return word


def _word_at(text: str, start: int, words: Sequence[str]) -> dict[int, int]:
    """The index of the word that covers each offset of the text, from `start` on."""
    places: dict[int, int] = {}
    for index, word in enumerate(words):
        while start < len(text) and text[start].isspace():
            start += 1
        places.update(dict.fromkeys(range(start, start + len(word)), index))
        start += len(word)
    return places


def _action(frame: Frame, shared: list[GlossaryWord]) -> Action | None:
    """The verb with its own nouns, and with shared ones if these have no ingredient."""
    verb, nouns = frame.verb, frame.before + frame.after
    foods = _with_ingredient([verb, *nouns]) or _with_ingredient(frame.topic) or shared
    if not foods:
        return None
    ingredients = tuple(_mention(noun, noun.ingredient) for noun in foods)
    tools = tuple(_mention(noun, noun.tool) for noun in nouns if noun.tool)
    place = verb.start, verb.end, verb.surface, verb.verb or ""
    return Action(*place, ingredients, tools, inherited=(), optional=False)


def _with_ingredient(nouns: Iterable[GlossaryWord]) -> list[GlossaryWord]:
    return [noun for noun in nouns if noun.ingredient]


def _mention(token: GlossaryWord, name: str | None) -> Mention:
    return Mention(token.surface, name or "", token.start, token.end)
