"""Cooking actions of a recipe: verbs of the glossary with the ingredients and tools they act on."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from wokflow.parse.glossary import Glossary
from wokflow.parse.lattice import FOOD, Lexicon
from wokflow.parse.paper import extract_paper
from wokflow.parse.parsed import read_parsed
from wokflow.parse.rules import Reader
from wokflow.parse.sentences import actions
from wokflow.parse.types import Act, Action, Clause, Mention, Noun, Parse

__all__ = ["Action", "Mention", "Method", "Parse", "Style", "extract"]

Method = Literal["rules", "parser", "both"]
Style = Literal["house", "paper"]
CACHED = 200_000  # largest number of clauses in the cache


def extract(
    steps: Sequence[str],
    glossary: Glossary,
    parses: Mapping[str, Parse] | None = None,
    *,
    method: Method | str = "rules",
    style: Style | str = "house",
) -> list[list[Action]]:
    """The actions of each step, in order of their verbs.

    In style "house" a verb is an action if it tells the cook to do something, or names a stage to wait for;
    modifiers, negated verbs, results, purposes, remarks and background events are not. Its nouns are its objects,
    topics, instruments and places. A verb without ingredient and tool inherits the ingredients of the nearest
    earlier action that has any, across steps. Style "paper" follows appendix A.2 of Liu et al. (2022); see `paper`.

    `method` says what analyses a clause. "rules": the rules alone. "parser": its entry in `parses`, and the rules if
    it has none. "both": the rules, and the parse for a noun between two verbs that they leave undecided.
    Offsets count in the step: step[action.start:action.end] == action.verb.
    """
    if style == "paper":
        return extract_paper(steps, glossary, parses)
    read = reader(glossary, parses or {}, method)
    found: list[list[Action]] = []
    known: tuple[Mention, ...] = ()
    for text in steps:
        step: list[Action] = []
        for act in actions(text, simplified(text), read):
            step.append(_action(text, act, known))
            known = step[-1].ingredients or known
        found.append(step)
    return found


def reader(glossary: Glossary, parses: Mapping[str, Parse], method: str) -> Callable[[str, str], Clause]:
    """The function that reads a clause, given as written and in simplified characters."""
    rules = _rules(glossary)
    if method == "rules":
        return lambda written, clause: rules.read(clause)
    if method not in ("parser", "both"):
        raise ValueError(f"method is {method!r}, not rules, parser or both")

    def read(written: str, clause: str) -> Clause:
        parse = parses.get(written)
        if parse is None or "".join(parse.words) != "".join(written.split()):
            return rules.read(clause)
        if method == "parser":
            return read_parsed(clause, parse, rules.lexicon)
        return Reader(rules.lexicon.tokens(clause), rules.lexicon, parse).read()

    return read


class Rules:
    """Reads clauses with one glossary, and caches the result by clause, since recipes repeat many clauses."""

    def __init__(self, glossary: Glossary) -> None:
        self.lexicon = Lexicon(glossary)
        self._read: dict[str, Clause] = {}

    def read(self, clause: str) -> Clause:
        found = self._read.get(clause)
        if found is None:
            if len(self._read) >= CACHED:
                self._read.clear()
            found = self._read[clause] = Reader(self.lexicon.tokens(clause), self.lexicon).read()
        return found


@lru_cache(maxsize=4)
def _rules(glossary: Glossary) -> Rules:
    return Rules(glossary)


def _action(text: str, act: Act, known: tuple[Mention, ...]) -> Action:
    foods, tools = _mentions(text, act.nouns, True), _mentions(text, act.nouns, False)
    inherited = () if foods or tools else known
    return Action(
        act.start, act.end, text[act.start : act.end], act.cls, foods, tools, inherited, act.optional
    )


def _mentions(text: str, nouns: Sequence[Noun], food: bool) -> tuple[Mention, ...]:
    chosen = {(noun.start, noun.end): noun.cls for noun in nouns if (noun.kind == FOOD) == food}
    return tuple(Mention(text[start:end], name, start, end) for (start, end), name in sorted(chosen.items()))


def simplified(text: str) -> str:
    """Traditional to simplified characters, full-width letters and digits to half-width; the length stays."""
    return text if text.isascii() else text.translate(_table())


@lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    from opencc import OpenCC

    convert = OpenCC("t2s").convert
    table = {}
    for code in [*range(0x4E00, 0xA000), *range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF5B)]:
        character = chr(code)
        plain = convert(unicodedata.normalize("NFKC", character))
        if plain != character and len(plain) == 1:
            table[code] = plain
    return table
