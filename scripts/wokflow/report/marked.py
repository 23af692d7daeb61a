"""A recipe's actions marked in its text."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from wokflow.parse.glossary import Glossary
from wokflow.report.charts import Html, esc, paragraph, table
from wokflow.report.gloss import english, with_english

LEGEND = Html(
    '<b class="verb" lang="zh">切<sup>1</sup></b> a verb with the number of its action, '
    '<span class="food" lang="zh">五花肉</span> an ingredient, <span class="tool" lang="zh">锅</span> a tool. '
    "What an action inherits is not marked again; the table has it in brackets."
)


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
    found: list[Mark] = []
    for row in actions:
        _add(found, Mark(row["start"], row["end"], "verb", row["position"] + 1))
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
            if _add(found, Mark(at, at + len(word), kind)):
                break
    return sorted(found)


def _add(found: list[Mark], mark: Mark) -> bool:
    """Add the mark if it overlaps no other. Return whether it is among the marks now."""
    if all(mark.end <= other.start or other.end <= mark.start for other in found):
        found.append(mark)
    return mark in found


def clause(step: str, row: dict[str, Any]) -> tuple[int, int]:
    """Where the clause around an action's verb lies in its step."""
    length = len(row["text"])
    begin = step.find(row["text"], max(0, row["end"] - length), row["start"] + length)
    return (begin, begin + length) if begin >= 0 else (row["start"], row["end"])


def text(step: str, found: Sequence[Mark]) -> Html:
    """A step with its marks."""
    parts, done = [], 0
    for mark in found:
        words = esc(step[mark.start : mark.end])
        if mark.kind == "verb":
            marked = f'<b class="verb">{words}<sup>{mark.number}</sup></b>'
        else:
            marked = f'<span class="{mark.kind}">{words}</span>'
        parts += [esc(step[done : mark.start]), marked]
        done = mark.end
    return Html("".join(parts) + esc(step[done:]))


def recipe(title: str, steps: Sequence[str], actions: Sequence[dict[str, Any]], glossary: Glossary) -> Html:
    """A recipe's steps with marks, a legend, and its actions in a table beside them."""
    lines = "".join(
        f"<li>{text(step, marks(step, [row for row in actions if row['step'] == number]))}</li>\n"
        for number, step in enumerate(steps)
    )
    left = f'<h4 lang="zh">{esc(title)}</h4>\n<ol class="marked" lang="zh">{lines}</ol>\n{paragraph(LEGEND)}'
    rows = [(str(row["position"] + 1), *_cells(row, glossary)) for row in actions]
    right = table(["#", "Verb", "Ingredients", "Tools"], rows)
    head = f"{actions[0]['recipe_id']} · {len(actions)} actions"
    return Html(
        f"<article><header>{esc(head)}</header><div><section>{left}</section>\n"
        f"<section>{right}</section></div></article>\n"
    )


def _cells(row: dict[str, Any], glossary: Glossary) -> list[Html]:
    """Verb, ingredients and tools of an action, with English and notes below."""

    def gloss(kind: str, classes: Sequence[str]) -> str:
        return english(glossary, kind, classes) if glossary.english else ""

    ingredients, inherited = "、".join(row["ingredients"]), row["inherited"] and row["ingredients"]
    return [
        with_english(row["verb"], gloss("verb", [row["verb_class"]]), "optional" if row["optional"] else ""),
        with_english(
            f"（{ingredients}）" if inherited else ingredients,
            gloss("ingredient", row["ingredient_classes"]),
            "inherited" if inherited else "",
        ),
        with_english("、".join(row["tools"]), gloss("tool", row["tool_classes"])),
    ]
