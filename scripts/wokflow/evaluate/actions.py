"""Level 2: the changes of a recipe against the pivot actions of its dish pair (Liu et al. 2022, section 6.2)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wokflow.evaluate.intervals import Floats, Metric, mean, skipped
from wokflow.evaluate.pivots import Pivots, proto, words
from wokflow.parse.extract import Action
from wokflow.parse.texts import Extractor
from wokflow.parse.vectors import Matrix, read_vectors
from wokflow.pivot.occurrences import Proto

SIGNATURE = "changes:sets|pivots:possible in the base recipe|places:first|average:instances"
SOFT = ("precision", "recall", "f1", "f1_insert", "f1_remove")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a proto-action first occurs in a text, and in which words."""

    start: int
    words: tuple[str, ...]


Recipe = Mapping[Proto, Place]


class Changes(NamedTuple):
    removed: frozenset[Proto]
    inserted: frozenset[Proto]


@dataclass(frozen=True, slots=True)
class Counts:
    """Of one instance: changes made, pivot actions to find, and those found, hard and soft.

    `located` are inserted pivot actions, and `placed` those of them that stand where they should.
    """

    made_remove: int
    made_insert: int
    pivots_remove: int
    pivots_insert: int
    hard_remove: int
    hard_insert: int
    soft_remove: float
    soft_insert: float
    located: int
    placed: int


def recipe(actions: Sequence[Action]) -> Recipe:
    """A text's proto-actions, each at its first place."""
    found: dict[Proto, Place] = {}
    for action in sorted(actions, key=lambda action: action.start):
        found.setdefault(proto(action), Place(action.start, words(action)))
    return found


def compare(base: Recipe, text: Recipe, pivots: Pivots) -> tuple[Changes, Changes]:
    """The changes that were made, and those that the pivot actions call for; both without simple replacements.

    Changes are differences of sets, since pivot actions are a set: an action is removed once the text has it nowhere.
    Only pivot actions that are possible changes to this recipe count: those to remove that it has, and those to
    insert that it lacks. (If recall were of all pivot actions, a text without all actions to remove, and otherwise
    unchanged, would have an F1 of removes of about 17 with the pivot actions and base recipes that the authors
    released; their models have 23 to 27 in table 5.)
    In a simple replacement, an action gets the added ingredient in place of the removed one. Both sides of it are
    left out; if both are pivot actions, the replacement is neither credit nor fault, whether made or not.
    """
    removed, inserted = base.keys() - text.keys(), text.keys() - base.keys()
    remove, insert = pivots.remove & base.keys(), pivots.insert - base.keys()
    other = pivots.with_other_ingredient
    called_for = {action for action in remove if other(action) in insert}
    plain = called_for | {action for action in removed if other(action) in inserted}
    made = Changes(frozenset(removed - plain), frozenset(inserted - set(map(other, plain))))
    return made, Changes(frozenset(remove - called_for), frozenset(insert - set(map(other, called_for))))


def well_placed(pivot: Proto, start: int, text: Recipe, pivots: Pivots) -> bool:
    """Whether an action at `start` meets all orders of `pivot`.

    An order compares first places, as pivot.orders does. An order with an action that the text lacks is met.
    """
    for before, after in pivots.orders.get(pivot, ()):
        other = before if after == pivot else after
        if other in text:
            first, second = (text[other].start, start) if other == before else (start, text[other].start)
            if first > second:
                return False
    return True


class Evaluator:
    """Compares the actions of texts with those of their base recipes and their dish pairs' pivot actions.

    `bases` and `pivots` have an item for each instance. `vectors` is a folder of parse.vectors, or None: then
    soft scores are skipped. Actions of similar words, above the cosine `tau`, count in soft scores.
    """

    def __init__(
        self,
        bases: Sequence[str],
        pivots: Sequence[Pivots],
        extract: Extractor,
        vectors: str | None,
        tau: float,
    ) -> None:
        self._bases = list(map(recipe, extract(bases)))
        self._pivots = pivots
        self._extract = extract
        self._similarity = Similarity(*read_vectors(vectors)) if vectors else None
        self._tau = tau

    def __call__(self, texts: Sequence[str]) -> list[Metric]:
        recipes = map(recipe, self._extract(texts))
        counts = [
            count(base, text, pivots, self._similarity, self._tau)
            for base, text, pivots in zip(self._bases, recipes, self._pivots, strict=True)
        ]
        return metrics(counts, self._similarity is not None, self._tau)


class Similarity:
    """Cosines between actions: between the averages of their words' vectors."""

    def __init__(self, vocabulary: Sequence[str], vectors: Matrix) -> None:
        self._row = {word: row for row, word in enumerate(vocabulary)}
        self._vectors = vectors
        self._known: dict[tuple[str, ...], Floats] = {}

    def __call__(self, left: Sequence[tuple[str, ...]], right: Sequence[tuple[str, ...]]) -> Floats:
        """Cosines (left, right); 0 where no word of an action has a vector."""
        cosines = np.array([self._unit(one) for one in left]) @ np.array([self._unit(one) for one in right]).T
        return np.clip(np.asarray(cosines, np.float64), -1, 1)

    def _unit(self, phrase: tuple[str, ...]) -> Floats:
        if phrase not in self._known:
            rows = [self._row[word] for word in phrase if word in self._row]
            total = self._vectors[rows].sum(axis=0, dtype=np.float64)
            self._known[phrase] = total / (np.linalg.norm(total) or 1.0)
        return self._known[phrase]


def count(base: Recipe, text: Recipe, pivots: Pivots, similarity: Similarity | None, tau: float) -> Counts:
    """Compare a text with its base recipe, and the changes with the pivot actions."""
    made, wanted = compare(base, text, pivots)
    located = made.inserted & wanted.inserted
    placed = {action for action in located if well_placed(action, text[action].start, text, pivots)}
    gone = made.removed & wanted.removed
    soft_remove, soft_insert = float(len(gone)), float(len(placed))
    if similarity:
        left, right = sorted(made.removed - gone), sorted(wanted.removed - gone)
        near = _near(left, right, base, pivots, similarity, tau)
        soft_remove += _best(near)
        left, right = sorted(made.inserted - placed), sorted(wanted.inserted - placed)
        near = _near(left, right, text, pivots, similarity, tau)
        for row, column in np.argwhere(near):
            near[row, column] *= well_placed(right[column], text[left[row]].start, text, pivots)
        soft_insert += _best(near)
    return Counts(
        made_remove=len(made.removed),
        made_insert=len(made.inserted),
        pivots_remove=len(wanted.removed),
        pivots_insert=len(wanted.inserted),
        hard_remove=len(gone),
        hard_insert=len(placed),
        soft_remove=soft_remove,
        soft_insert=soft_insert,
        located=len(located),
        placed=len(placed),
    )


def _near(
    made: Sequence[Proto],
    wanted: Sequence[Proto],
    where: Recipe,
    pivots: Pivots,
    similarity: Similarity,
    tau: float,
) -> Floats:
    """Similarities of changes (rows) and pivot actions (columns); 0 where they do not exceed tau."""
    if not made or not wanted:
        return np.zeros((len(made), len(wanted)))
    phrases = [pivots.words.get(pivot) or (pivot.verb, *pivot.ingredients, *pivot.tools) for pivot in wanted]
    found = similarity([where[action].words for action in made], phrases)
    return np.where(found > tau, found, 0.0)


def _best(weights: Floats) -> float:
    """The largest sum of weights in which each change and each pivot action is used once."""
    from scipy.optimize import linear_sum_assignment

    return float(weights[linear_sum_assignment(weights, maximize=True)].sum())


def metrics(counts: Collection[Counts], soft: bool, tau: float) -> list[Metric]:
    """Precision, recall, F1, and F1 of inserts and of removes, hard and soft; and the order accuracy.

    Scores are means over the instances that have pivot actions to find (to insert for the F1 of inserts, to remove
    for that of removes). The precision of no changes is 0. Order accuracy is the share of inserted pivot actions that
    are well placed, over all instances together. Without `soft` the soft scores are skipped.
    """
    of = {name: np.array([getattr(one, name) for one in counts], np.float64) for name in Counts.__slots__}
    found = []
    for kind in ("hard", "soft"):
        signature = SIGNATURE if kind == "hard" else f"{SIGNATURE}|tau:{tau}|pairs:one to one"
        if kind == "soft" and not soft:
            note = "No word vectors are given."
            found += [skipped(f"soft_{name}", len(counts), note) for name in SOFT]
            continue
        remove, insert = of[f"{kind}_remove"], of[f"{kind}_insert"]
        hits, made = remove + insert, of["made_remove"] + of["made_insert"]
        wanted = of["pivots_remove"] + of["pivots_insert"]
        shares = (
            (hits, made, wanted),
            (hits, wanted, wanted),
            (2 * hits, made + wanted, wanted),
            (2 * insert, of["made_insert"] + of["pivots_insert"], of["pivots_insert"]),
            (2 * remove, of["made_remove"] + of["pivots_remove"], of["pivots_remove"]),
        )
        found += [
            mean(f"{kind}_{name}", _share(part, whole), wanted > 0, signature)
            for name, (part, whole, wanted) in zip(SOFT, shares, strict=True)
        ]
    order = np.column_stack([of["placed"], of["located"]])
    return [*found, Metric("order_accuracy", order, signature=SIGNATURE)]


def _share(part: Floats, whole: Floats) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
