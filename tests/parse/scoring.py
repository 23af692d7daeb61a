"""Precision, recall and F1 of extracted actions against labelled ones."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from wokflow.parse.types import Action


class Score(NamedTuple):
    """Shares from 0 to 1, and the counts behind them."""

    precision: float
    recall: float
    f1: float
    right: int
    predicted: int
    gold: int


class Labelled(NamedTuple):
    """An action for comparison: offset of its verb, and classes."""

    offset: int
    verb_class: str
    ingredients: frozenset[str]
    tools: frozenset[str]


@dataclass(frozen=True)
class Scores:
    """Scores of three kinds of units.

    `verbs`: offset and class of a verb. `actions`: the same with the sets of explicit ingredient classes and of tool
    classes. `links`: pairs of a verb's offset and an explicit ingredient class.
    """

    verbs: Score
    actions: Score
    links: Score


def labelled(record: dict[str, Any]) -> list[Labelled]:
    """The actions of a record of gold_actions.dev.jsonl."""
    return [
        Labelled(
            action["offset"],
            action["verb_class"],
            frozenset(noun["class"] for noun in action["ingredients"]),
            frozenset(noun["class"] for noun in action["tools"]),
        )
        for action in record["actions"]
    ]


def predicted(actions: Iterable[Action]) -> list[Labelled]:
    """The actions of a step."""
    return [
        Labelled(
            action.start,
            action.verb_class,
            frozenset(mention.cls for mention in action.ingredients),
            frozenset(mention.cls for mention in action.tools),
        )
        for action in actions
    ]


def score(gold: Sequence[Sequence[Labelled]], found: Sequence[Sequence[Labelled]]) -> Scores:
    """Micro-averaged scores over texts; gold[i] and found[i] are the actions of the i-th text.

    Raises ValueError if the numbers of texts differ.
    """
    pairs = list(zip(gold, found, strict=True))
    return Scores(
        _compare(pairs, lambda action: [(action.offset, action.verb_class)]),
        _compare(pairs, lambda action: [tuple(action)]),
        _compare(pairs, lambda action: [(action.offset, name) for name in sorted(action.ingredients)]),
    )


def _compare(pairs: Sequence[tuple[Sequence[Labelled], Sequence[Labelled]]], keys: Any) -> Score:
    right = gold = found = 0
    for wanted, given in pairs:
        counted: list[Counter[Hashable]] = [
            Counter(key for one in side for key in keys(one)) for side in (wanted, given)
        ]
        right += (counted[0] & counted[1]).total()
        gold += counted[0].total()
        found += counted[1].total()
    precision = right / found if found else float(not gold)
    recall = right / gold if gold else float(not found)
    both = precision + recall
    return Score(precision, recall, 2 * precision * recall / both if both else 0.0, right, found, gold)
