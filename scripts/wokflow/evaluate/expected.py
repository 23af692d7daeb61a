"""Pivot actions of a dish pair, their orders, and the ingredient that changes, for the evaluation of actions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Progress
from wokflow.parse.extract import Action
from wokflow.parse.glossary import Glossary
from wokflow.parse.other_texts import Extractor
from wokflow.pivot.occurrences import Proto, parsed, proto
from wokflow.pivot.replacements import Swap, read_split, swap

SHOWN = 5  # pairs that a line of the log names
Pair = tuple[str, str]  # base dish, target dish


class Order(NamedTuple):
    before: Proto
    after: Proto


@dataclass(frozen=True)
class Pivots:
    """The pivots of one dish pair: actions to remove and to insert, and the orders of each inserted action.

    Of a replacement, `remove` has the old action and `insert` the new one. `replaced` holds the classes of the
    removed ingredient and of the one that takes its place, if the glossary has both. `words` are those of the
    phrases that stand for an action (pivot/candidates; section 4.2).
    """

    remove: frozenset[Proto] = frozenset()
    insert: frozenset[Proto] = frozenset()
    orders: Mapping[Proto, Sequence[Order]] = field(default_factory=dict)
    replaced: Swap | None = None
    words: Mapping[Proto, tuple[str, ...]] = field(default_factory=dict)

    def with_other_ingredient(self, action: Proto) -> Proto:
        """The action with the added ingredient in place of the removed one."""
        return self.replaced(action) if self.replaced else action


def words(action: Action) -> tuple[str, ...]:
    """An action's verb, ingredients and tools as written."""
    return (action.verb, *(noun.surface for noun in (*action.foods, *action.tools)))


def read_pivots(
    instances: pl.DataFrame,
    files: Sequence[str],
    glossary: Glossary,
    extract: Extractor,
    progress: Progress,
) -> dict[Pair, Pivots]:
    """The pivots of each dish pair of the instances.

    `files` are those of pivot/pivots and pivot/orders, and perhaps that of pivot/candidates. The log counts pairs
    without pivot actions, and names those whose ingredients the glossary lacks.
    """
    pivots, orders, *candidates = files
    every = read_split(pivots)
    kinds = {kind: _by_pair(every.filter(pl.col("kind") == kind)) for kind in ("remove", "insert")}
    ordered = _orders(orders)
    phrases = _phrases(candidates, extract) if candidates else {}
    pairs = instances.select("base_dish", "target_dish", "ingredient_removed", "ingredient_added").unique()
    pivots_of, without = {}, list[str]()
    for base, target, removed, added in pairs.sort("base_dish", "target_dish").iter_rows():
        pair = base, target
        remove, insert = (frozenset(actions.get(pair, ())) for actions in kinds.values())
        if not remove | insert:
            without.append(f"{base} to {target}")
        absent = " and ".join(name for name in (removed, added) if name and name not in glossary.ingredients)
        if removed and absent:
            progress.say(
                f"{base} to {target}: {absent} is not in the glossary; replacements are not recognised"
            )
        pivots_of[pair] = Pivots(
            remove, insert, ordered.get(pair, {}), swap(glossary, removed, added), phrases.get(pair, {})
        )
    if without:
        more = f" and {len(without) - SHOWN} more" if len(without) > SHOWN else ""
        progress.say(
            f"{len(without)} of {len(pivots_of)} pairs have no pivot actions; their instances do not count at level "
            f"2: {', '.join(without[:SHOWN])}{more}"
        )
    return pivots_of


def _actions(rows: pl.DataFrame) -> Iterator[tuple[Pair, Proto]]:
    columns = ("base_dish", "target_dish", "verb_class", "ingredient_classes", "tool_classes")
    for base, target, verb, foods, tools in rows.select(columns).iter_rows():
        yield (base, target), Proto(verb, tuple(sorted(foods)), tuple(sorted(tools)))


def _by_pair(pivots: pl.DataFrame) -> dict[Pair, list[Proto]]:
    inserted: dict[Pair, list[Proto]] = {}
    for pair, action in _actions(pivots):
        inserted.setdefault(pair, []).append(action)
    return inserted


def _orders(path: str) -> dict[Pair, dict[Proto, list[Order]]]:
    orders: dict[Pair, dict[Proto, list[Order]]] = {}
    columns = ["base_dish", "target_dish", "pivot", "before", "after"]
    for base, target, pivot, before, after in tables.read(path, columns).iter_rows():
        of_pair = orders.setdefault((base, target), {})
        of_pair.setdefault(parsed(pivot), []).append(Order(parsed(before), parsed(after)))
    return orders


def _phrases(candidates: Sequence[str], extract: Extractor) -> dict[Pair, dict[Proto, tuple[str, ...]]]:
    """The words of each candidate, as its phrases have them."""
    rows = tables.read(candidates)
    texts = rows["phrases"].explode().drop_nulls().unique().sort().to_list()
    read = dict(zip(texts, extract(texts), strict=True))
    words_of: dict[Pair, dict[Proto, tuple[str, ...]]] = {}
    for (pair, action), phrases in zip(_actions(rows), rows["phrases"], strict=True):
        alike = [one for phrase in phrases for one in read[phrase] if one.verb_class == action.verb]
        same = [words(one) for one in alike if proto(one) == action]
        words_of.setdefault(pair, {})[action] = tuple(
            chain.from_iterable(same or (_completed(one, action) for one in alike))
        )
    return words_of


def _completed(one: Action, action: Proto) -> Iterator[str]:
    """The words of an action in a phrase, and the classes of what it inherits in a whole recipe."""
    yield one.verb
    for mentions, classes in ((one.foods, action.ingredients), (one.tools, action.tools)):
        named = {mention.surface: mention.cls for mention in mentions if mention.cls in classes}
        yield from named
        yield from (name for name in classes if name not in named.values())
