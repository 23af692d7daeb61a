"""Actions by the letter of Liu et al. (2022), appendix A.2: glossary verbs and the glossary nouns beside them.

"If a verb has noun children that are ingredients or cooking tools, they are also included in the action"; words
outside of the glossary count for nothing. The authors' parser is not known. What it must have done shows in the
actions they released, and is done here as well:

* Words are cut finely: 切片, 去皮, 焯水, 水开 and the like are a verb and a noun, though the glossary lists them
  as verbs (切/片 is among the actions, the classes 加水 and 切碎 are not).
* Lists, modifiers, instruments and measures are children like any other (撒/个人,口味,盐, 切/手指,薄片), and a
  word that is a verb and an ingredient is both (包/钱).
* Each action has an ingredient. A verb without nouns is therefore read with the ingredients of the nearest verb
  before it in the step that has any, as verbs in a row share their object; where there is none, it is left out.
* A noun between two verbs may hang on either, and a fronted noun on any verb of its clause: see `_readings`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from wokflow.parse.clauses import clauses
from wokflow.parse.extract import Action, Mention, Parse
from wokflow.parse.glossary import Glossary
from wokflow.parse.segment import Segmenter

ONE_WORD = frozenset({"发酵", "包裹", "油炸"})  # a verb and a noun by their looks only


class Token(NamedTuple):
    """A word of the glossary in a step, with its class in each of the lists that have it."""

    surface: str
    start: int
    end: int
    verb: str | None
    ingredient: str | None
    tool: str | None


@dataclass(slots=True)
class Frame:
    """A verb with the nouns that may hang on it: beside it, and in front of its clause's first verb."""

    verb: Token
    before: list[Token] = field(default_factory=list)
    after: list[Token] = field(default_factory=list)
    topic: list[Token] = field(default_factory=list)


class Words:
    """Cuts clauses into words and keeps those of the glossary."""

    def __init__(self, glossary: Glossary) -> None:
        self.glossary = glossary
        self._cut = Segmenter(glossary)
        self._surfaces = {*glossary.verbs, *glossary.ingredients, *glossary.tools}
        self._longest = max(map(len, self._surfaces), default=0)
        self._known: dict[str, tuple[str, ...]] = {}

    def tokens(self, text: str, start: int, end: int) -> Iterator[Token]:
        """The glossary's words in text[start:end], in order."""
        verbs, ingredients, tools = self.glossary.verbs, self.glossary.ingredients, self.glossary.tools
        at = start
        for word in self._cut(text[start:end]):
            for part in self._parts(word):
                while at < end and text[at].isspace():
                    at += 1
                stop = at + len(part)
                if part in self._surfaces:
                    yield Token(part, at, stop, verbs.get(part), ingredients.get(part), tools.get(part))
                at = stop

    def _parts(self, word: str) -> tuple[str, ...]:
        if word not in self._surfaces:
            return (word,) if len(word) == 1 else self._pieces(word)
        if word not in self._known:
            self._known[word] = self._verb_and_noun(word) or (word,)
        return self._known[word]

    def _pieces(self, word: str) -> tuple[str, ...]:
        """A word of the general dictionary as words of the glossary (翻炒: 翻, 炒) if it consists of them."""
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
        """切片 as 切 and 片, 水开 as 水 and 开."""
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
    """The actions of each step, in order of their verbs; a verb has one action for each of its readings.

    A clause that `parses` has hangs its nouns on the verbs above them in its tree; in others the nouns up to
    the next verb on either side count. `inherited` is empty and `optional` false: the paper knows neither.
    """
    words = _words(glossary)
    return [list(_step(step, words, parses or {})) for step in steps]


def _step(step: str, words: Words, parses: Mapping[str, Parse]) -> Iterator[Action]:
    shared: list[Token] = []
    for start, end in clauses(step):
        tokens = list(words.tokens(step, start, end))
        parse = parses.get(step[start:end])
        for frame in _frames(tokens) if parse is None else _tree_frames(tokens, step, start, parse):
            yield from _actions(frame, shared)
            shared = _with_ingredient(frame.after) or _with_ingredient(frame.before) or shared


_LAST: list[Words] = []


def _words(glossary: Glossary) -> Words:
    """The words of a glossary; those of the last one asked for are kept."""
    if not _LAST or _LAST[0].glossary is not glossary:
        _LAST[:] = [Words(glossary)]
    return _LAST[0]


def _frames(tokens: Iterable[Token]) -> list[Frame]:
    """A noun between two verbs is beside both."""
    frames: list[Frame] = []
    waiting: list[Token] = []
    for token in tokens:
        if token.verb:
            frames.append(Frame(token, waiting))
            waiting = []
            continue
        waiting.append(token)
        if frames:
            frames[-1].after.append(token)
    return _topped(frames)


def _topped(frames: list[Frame]) -> list[Frame]:
    for frame in frames[1:]:
        frame.topic = frames[0].before
    return frames


def _tree_frames(tokens: Sequence[Token], text: str, start: int, parse: Parse) -> list[Frame]:
    """A noun is beside the verbs of the nearest word above it in the tree that has any (翻炒 has two)."""
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
    for _ in parse.words:  # a tree is no deeper, and what is no tree ends here too
        if word < 0 or word in frames:
            break
        word = parse.heads[word]
    return word


def _word_at(text: str, start: int, words: Sequence[str]) -> dict[int, int]:
    """Which word covers each place of the text from `start`."""
    places: dict[int, int] = {}
    for index, word in enumerate(words):
        while start < len(text) and text[start].isspace():
            start += 1
        places.update(dict.fromkeys(range(start, start + len(word)), index))
        start += len(word)
    return places


def _actions(frame: Frame, shared: list[Token]) -> list[Action]:
    """One action for each reading that has an ingredient, where classes differ."""
    verb, found = frame.verb, {}
    own = [verb] if verb.ingredient else []
    for nouns in _readings(frame) or [[] if own else shared]:
        ingredients = tuple(_mention(noun, noun.ingredient) for noun in own + nouns if noun.ingredient)
        tools = tuple(_mention(noun, noun.tool) for noun in nouns if noun.tool)
        classes = frozenset(food.cls for food in ingredients), frozenset(tool.cls for tool in tools)
        if ingredients and classes not in found:
            place = verb.start, verb.end, verb.surface, verb.verb or ""
            found[classes] = Action(*place, ingredients, tools, inherited=(), optional=False)
    return list(found.values())


def _readings(frame: Frame) -> list[list[Token]]:
    """The nouns that a verb may be read with.

    All nouns beside it (放姜炒葱: 炒 with 姜 and 葱); these and the clause's topic (苦瓜洗净去籽: 去 with 苦瓜 and
    籽); the topic alone, where what stands beside the verb belongs to its neighbour; and of an object behind
    it the last word alone, the head of a noun phrase or the last of a list.
    """
    beside = frame.before + frame.after
    return [nouns for nouns in (beside, frame.topic + beside, frame.topic, frame.after[-1:]) if nouns]


def _with_ingredient(nouns: Iterable[Token]) -> list[Token]:
    return [noun for noun in nouns if noun.ingredient]


def _mention(token: Token, name: str | None) -> Mention:
    return Mention(token.surface, name or "", token.start, token.end)
