"""Level 2: the changes of a recipe against the pivot actions of its dish pair (Liu et al. 2022, section 6.2)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wokflow.evaluate.expected import Pivots, words
from wokflow.evaluate.score_intervals import Floats, Metric, mean, ratio, share, skipped
from wokflow.parse.extract import Action
from wokflow.parse.other_texts import Extractor
from wokflow.parse.vectors import Matrix, pieces, read_vectors
from wokflow.pivot.occurrences import Proto, proto

POSSIBLE, PAPER = "possible", "paper"  # definitions of the pivot actions and changes that count
SOFT = ("precision", "recall", "f1", "f1_insert", "f1_remove")


@dataclass(frozen=True, slots=True)
class Place:
    """The place at which a proto-action first occurs in a text, and its words there."""

    start: int
    words: tuple[str, ...]


Recipe = Mapping[Proto, Place]
Cut = Callable[[str], list[str]]  # a word into its parts


class Changes(NamedTuple):
    removed: frozenset[Proto]
    inserted: frozenset[Proto]


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of one instance: changes made, pivot actions to find, and those found, hard and soft.

    `listed` counts all pivot actions of the dish pair, also those that are not to be found. `located` are inserted
    pivot actions, and `placed` those of them that stand where they should.
    """

    made_remove: int
    made_insert: int
    pivots_remove: int
    pivots_insert: int
    listed: int
    hard_remove: int
    hard_insert: int
    soft_remove: float
    soft_insert: float
    located: int
    placed: int


def recipe(actions: Sequence[Action]) -> Recipe:
    """A text's proto-actions, each at its first place."""
    places: dict[Proto, Place] = {}
    for action in sorted(actions, key=lambda action: action.start):
        places.setdefault(proto(action), Place(action.start, words(action)))
    return places


def compare(base: Recipe, text: Recipe, pivots: Pivots, definition: str) -> tuple[Changes, Changes]:
    """The changes that were made, and those that the pivot actions call for.

    Changes are differences of sets, since pivot actions are a set: an action is removed once the text has it nowhere.
    By definition `paper` all changes and all pivot actions of the dish pair count, as section 6.2.1 has it.

    By definition `possible` only pivot actions that are possible changes to this recipe count: those to remove that
    it has, and those to insert that it lacks. (If recall were of all pivot actions, a text without all actions to
    remove, and otherwise unchanged, would have an F1 of removes of about 17 with the pivot actions and base recipes
    that the authors released; their models have 23 to 27 in table 5.) Simple replacements are left out: an action
    gets the added ingredient in place of the removed one. If both sides of a replacement are pivot actions, it does
    not count, whether the text makes it or not.
    """
    removed, inserted = base.keys() - text.keys(), text.keys() - base.keys()
    if definition == PAPER:
        return Changes(frozenset(removed), frozenset(inserted)), Changes(pivots.remove, pivots.insert)
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
    soft scores are skipped. Actions of similar words, above the cosine `tau`, count in soft scores; `segment` cuts
    words without a vector. `definition` says which changes and pivot actions count (`compare`).
    """

    def __init__(
        self,
        bases: Sequence[str],
        pivots: Sequence[Pivots],
        extract: Extractor,
        segment: Cut,
        vectors: str | None,
        tau: float,
        definition: str,
    ) -> None:
        self._bases = list(map(recipe, extract(bases)))
        self._pivots = pivots
        self._extract = extract
        self._similarity = Similarity(*read_vectors(vectors), segment) if vectors else None
        self._tau, self._definition = tau, definition

    def __call__(self, texts: Sequence[str]) -> list[Metric]:
        recipes = map(recipe, self._extract(texts))
        counts = [
            count(base, text, pivots, self._similarity, self._tau, self._definition)
            for base, text, pivots in zip(self._bases, recipes, self._pivots, strict=True)
        ]
        return metrics(counts, self._similarity is not None, self._tau, self._definition)


class Similarity:
    """Cosines between actions: between the averages of their words' vectors.

    A word without a vector stands for the words that `segment` cuts it into, and these for their characters.
    """

    def __init__(self, vocabulary: Sequence[str], vectors: Matrix, segment: Cut) -> None:
        self._row = {word: row for row, word in enumerate(vocabulary)}
        self._vectors = vectors
        self._segment = segment
        self._known: dict[tuple[str, ...], Floats] = {}

    def __call__(self, left: Sequence[tuple[str, ...]], right: Sequence[tuple[str, ...]]) -> Floats:
        """Cosines (left, right); 0 where an action's first word, its verb, has no vector, nor a part of it."""
        cosines = np.array([self._unit(one) for one in left]) @ np.array([self._unit(one) for one in right]).T
        return np.clip(np.asarray(cosines, np.float64), -1, 1)

    def _unit(self, phrase: tuple[str, ...]) -> Floats:
        if phrase not in self._known:
            rows = [self._rows(word) for word in phrase]
            total = np.zeros(self._vectors.shape[1])
            if rows[0]:
                total += sum(self._vectors[some].mean(axis=0, dtype=np.float64) for some in rows if some)
            self._known[phrase] = total / (np.linalg.norm(total) or 1.0)
        return self._known[phrase]

    def _rows(self, word: str) -> list[int]:
        """The rows of a word, or of its parts."""
        return [
            self._row[known]
            for part in pieces(word, self._row, self._segment)
            for known in ([part] if part in self._row else part)
            if known in self._row
        ]


def count(
    base: Recipe,
    text: Recipe,
    pivots: Pivots,
    similarity: Similarity | None,
    tau: float,
    definition: str,
) -> Counts:
    """Compare a text with its base recipe, and the changes with the pivot actions."""
    made, wanted = compare(base, text, pivots, definition)
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
        listed=len(pivots.remove | pivots.insert),
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
    similarities = similarity([where[action].words for action in made], phrases)
    return np.where(similarities > tau, similarities, 0.0)


def _best(weights: Floats) -> float:
    """The largest sum of weights in which each change and each pivot action is used once."""
    from scipy.optimize import linear_sum_assignment

    return float(weights[linear_sum_assignment(weights, maximize=True)].sum())


def signature(definition: str) -> str:
    which = "possible in the base recipe" if definition == POSSIBLE else "all"
    return f"changes:sets|pivots:{which}|nothing to find:precision alone|places:first|average:instances"


def metrics(counts: Collection[Counts], soft: bool, tau: float, definition: str) -> list[Metric]:
    """Precision, recall, F1, and F1 of inserts and of removes, hard and soft; and the order accuracy.

    Scores are means over the instances that have pivot actions to find (to insert for the F1 of inserts, to remove
    for that of removes). The precision of no changes is 0. Precision is also of instances whose dish pair has pivot
    actions, but none to find: 100 without changes, else 0. Order accuracy is the share of inserted pivot actions that
    are well placed, over all instances together. Without `soft` the soft scores are skipped.
    """
    of = {name: np.array([getattr(one, name) for one in counts], np.float64) for name in Counts.__slots__}
    metrics: list[Metric] = []
    for kind in ("hard", "soft"):
        signed = signature(definition) + (f"|tau:{tau:g}|pairs:one to one" if kind == "soft" else "")
        if kind == "soft" and not soft:
            note = "No word vectors are given."
            metrics += [skipped(f"soft_{name}", len(counts), note) for name in SOFT]
            continue
        remove, insert = of[f"{kind}_remove"], of[f"{kind}_insert"]
        hits, made = remove + insert, of["made_remove"] + of["made_insert"]
        wanted = of["pivots_remove"] + of["pivots_insert"]
        precision = np.where((wanted == 0) & (made == 0), 1.0, share(hits, made))
        values = (
            (precision, of["listed"]),
            (share(hits, wanted), wanted),
            (share(2 * hits, made + wanted), wanted),
            (share(2 * insert, of["made_insert"] + of["pivots_insert"]), of["pivots_insert"]),
            (share(2 * remove, of["made_remove"] + of["pivots_remove"]), of["pivots_remove"]),
        )
        metrics += [
            mean(f"{kind}_{name}", value, counted > 0, signed)
            for name, (value, counted) in zip(SOFT, values, strict=True)
        ]
    return [*metrics, ratio("order_accuracy", 100 * of["placed"], of["located"], signature(definition))]
