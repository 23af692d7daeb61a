"""A recipe's actions marked in its text."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from wokflow.parse.glossary import Glossary
from wokflow.report.gloss import english, with_english
from wokflow.report.render import Cell, Table

Piece = tuple[
    str, str, int
]  # its kind (verb, food, tool or none), its text, and the number of a verb's action


class Mark(NamedTuple):
    """A verb, food or tool: text[start:end] of a step. A verb has the number of its action, from 1."""

    start: int
    end: int
    kind: str
    number: int = 0


def marks(step: str, actions: Sequence[dict[str, Any]]) -> list[Mark]:
    """Marks of a step's actions (rows of parse/actions), in reading order, without overlaps.

    The table has the places of verbs. Ingredients and tools are looked for in the verb's clause, then in the whole
    step, the nearest to the verb first, and longer words before shorter ones.
    """
    taken: list[Mark] = []
    for row in actions:
        _add(taken, Mark(row["start"], row["end"], "verb", row["position"] + 1))
    words = [
        (word, kind, row)
        for row in actions
        for kind, words in (("food", [] if row["inherited"] else row["ingredients"]), ("tool", row["tools"]))
        for word in words
    ]
    for word, kind, row in sorted(words, key=lambda named: -len(named[0])):
        begin, end = clause(step, row)
        starts = [match.start() for match in re.finditer(re.escape(word), step)]
        starts.sort(key=lambda at: (not begin <= at < end, abs(at - row["start"])))
        for at in starts:
            if _add(taken, Mark(at, at + len(word), kind)):
                break
    return sorted(taken)


def _add(placed: list[Mark], mark: Mark) -> bool:
    """Add the mark if it overlaps no other. Return whether it is among the marks now."""
    if all(mark.end <= other.start or other.end <= mark.start for other in placed):
        placed.append(mark)
    return mark in placed


def clause(step: str, row: dict[str, Any]) -> tuple[int, int]:
    """Where the clause around an action's verb lies in its step."""
    length = len(row["text"])
    begin = step.find(row["text"], max(0, row["end"] - length), row["start"] + length)
    return (begin, begin + length) if begin >= 0 else (row["start"], row["end"])


def pieces(text: str, placed: Sequence[Mark]) -> list[Piece]:
    """A text in pieces, marked ones and what lies between them."""
    parts: list[Piece] = []
    done = 0
    for mark in placed:
        parts += [("", text[done : mark.start], 0), (mark.kind, text[mark.start : mark.end], mark.number)]
        done = mark.end
    return [*parts, ("", text[done:], 0)]


def recipe(steps: Sequence[str], actions: Sequence[dict[str, Any]], glossary: Glossary) -> dict[str, Any]:
    """A recipe's steps in pieces, and its actions as a table."""
    marked = [
        pieces(step, marks(step, [row for row in actions if row["step"] == number]))
        for number, step in enumerate(steps)
    ]
    rows = [(str(row["position"] + 1), *_cells(row, named(row, actions), glossary)) for row in actions]
    return {"steps": marked, "actions": Table(["No.", "Verb", "Ingredients", "Tools"], rows)}


def named(row: dict[str, Any], actions: Sequence[dict[str, Any]]) -> list[str]:
    """The ingredients of an action that its clause names, unless it names them for another action.

    Where an action inherits, the table of actions does not say which of its ingredients are named.
    """
    if not row["inherited"]:
        return list(row["ingredients"])
    clause = row["step"], row["text"]
    others = [each for each in actions if not each["inherited"] and (each["step"], each["text"]) == clause]
    taken = {word for each in others for word in each["ingredients"]}
    return [word for word in row["ingredients"] if word in row["text"] and word not in taken]


def _cells(row: dict[str, Any], named: Sequence[str], glossary: Glossary) -> list[Cell]:
    """Verb, ingredients and tools of an action, with English and notes below; what it inherits is in brackets."""

    inherited = [word for word in row["ingredients"] if word not in named]
    names = {
        kind: english(glossary, kind, row[f"{kind}_classes"] if kind != "verb" else [row["verb_class"]])
        for kind in ("verb", "ingredient", "tool")
    }
    shown = (f"（{'、'.join(inherited)}）" if inherited else "") + "、".join(named)
    return [
        with_english(row["verb"], names["verb"], "optional" if row["optional"] else ""),
        with_english(shown, names["ingredient"], "inherited" if inherited else ""),
        with_english("、".join(row["tools"]), names["tool"]),
    ]
