"""Recipes whose actions can be seen: each word is an action, verb/ingredient,ingredient/tool, by its classes.

A surface is its class, or class=surface.
"""

import re
from collections.abc import Sequence

from wokflow.parse.extract import Action, Mention
from wokflow.pivot.occurrences import Proto, parsed


def extract(texts: Sequence[str]) -> list[list[Action]]:
    return [[_action(match) for match in re.finditer(r"\S+/\S*/\S*", text)] for text in texts]


def _action(match: re.Match[str]) -> Action:
    verb, foods, tools = match[0].split("/")
    (surface, name), start = _noun(verb), match.start()
    return Action(
        start, match.end(), surface, name, _mentions(foods, start), _mentions(tools, start), (), False
    )


def _mentions(listed: str, start: int) -> tuple[Mention, ...]:
    return tuple(Mention(*_noun(one), start, start) for one in listed.split(",") if one)


def _noun(written: str) -> tuple[str, str]:
    name, _, surface = written.partition("=")
    return surface or name, name


def actions(text: str) -> frozenset[Proto]:
    return frozenset(map(parsed, text.split()))
