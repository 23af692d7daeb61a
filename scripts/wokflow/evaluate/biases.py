"""Known biases of raters: longer texts, texts of their own model, and those of a model of the same family."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wokflow.evaluate import rating_schemas
from wokflow.evaluate.rated import Rated, Ratings, read, shown
from wokflow.evaluate.ratings import frame
from wokflow.evaluate.resampling import Floats, drawn, ends, number, ratios, resampled
from wokflow.evaluate.settings import BiasesSettings, Bootstrap
from wokflow.frame import tables
from wokflow.frame.job import Job

RECIPE = "recipe"  # the text that is rated, by its name in what a task shows
RELATIONS = ("self", "family")
SURE = 1e-6  # a coefficient is determined if no other solution differs in it by more


def evaluate_biases(
    *, tasks: str, ratings: list[str], biases: str, settings: BiasesSettings, job: Job
) -> None:
    """Write evaluate/ratings/biases: a row for each dimension, rater and bias, with its interval.

    `length`: points for a text of twice the length, beyond what is given to its system and to all else that the task
    shows. `self`, `family`: points for a text of the rater's own model, and of another one of its family, beyond what
    raters that have neither relation to its system give it, and beyond the rater's leniency. Where no such raters
    are, or no such texts, nothing can be told, and there is no row.
    """
    found = read(tasks, ratings)
    models = {name: (model, family) for name, model, family in settings.models}
    relations, basis = _relations(found, models), _bases(found)
    rows = [
        row
        for rated in found.dimensions
        if rated.measured
        for row in (
            *_lengths(found, rated, basis, settings.bootstrap),
            *_preferences(found, rated, relations, settings.bootstrap),
        )
    ]
    tables.write(
        biases, rating_schemas.RATING_BIASES, frame(rating_schemas.RATING_BIASES, iter(rows)), job.metadata
    )


def _relations(ratings: Ratings, models: Mapping[str, tuple[str, str]]) -> NDArray[np.int64]:
    """Of each task's system to each rater, (tasks, raters): 0 none, or the place in RELATIONS and 1."""
    of_system = {
        system: [_relation(models.get(rater), models.get(system)) for rater in ratings.raters]
        for system in ratings.tasks["system"].unique()
    }
    return np.array([of_system[system] for system in ratings.tasks["system"]], np.int64)


def _relation(one: tuple[str, str] | None, other: tuple[str, str] | None) -> int:
    """Of two models with their families; people have none."""
    if one is None or other is None:
        return 0
    return 1 if one[0] == other[0] else 2 if one[1] == other[1] else 0


def _lengths(
    ratings: Ratings, rated: Rated, basis: Callable[[NDArray[np.bool_]], Floats], bootstrap: Bootstrap
) -> Iterator[dict[str, Any]]:
    """Slopes of each rater's means on the binary logarithm of lengths; effects of all else are taken out before.

    As these are estimated, too, the spread is made wider by the degrees of freedom that they take.
    """
    characters = ratings.tasks.select(shown(RECIPE).str.len_chars()).to_series()
    texts = (characters.fill_null(0) > 0).to_numpy()
    for place, rater in enumerate(ratings.raters):
        chosen = texts & ~np.isnan(rated.means[:, place])
        if not chosen.any():
            continue
        both = np.column_stack([np.log2(characters.filter(chosen).to_numpy()), rated.means[chosen, place]])
        effects = basis(chosen)
        free = int(chosen.sum()) - effects.shape[1] - 1
        longer, higher = (both - effects @ (effects.T @ both)).T
        if free < 1 or np.ptp(longer) < SURE:
            continue
        parts = np.column_stack([longer * higher, longer**2])
        slope = float(ratios(parts.sum(axis=0)))
        spread = slope + (ratios(resampled(parts, bootstrap)) - slope) * np.sqrt(chosen.sum() / free)
        yield _row(rated, rater, "length", int(chosen.sum()), slope, spread)


def _bases(ratings: Ratings) -> Callable[[NDArray[np.bool_]], Floats]:
    """Of chosen tasks, an orthonormal basis (tasks, rank) of all effects of systems and of the texts that are shown.

    Each system is an effect, and each text that is shown under any name but the recipe's. Raters of the same tasks
    share a basis.
    """
    tasks = ratings.tasks
    names = tasks["shown"].explode().struct.field("name").unique().sort()
    kinds = tasks.select("system", *(shown(name).alias(f"shown {name}") for name in names if name != RECIPE))
    effects = kinds.to_dummies().to_numpy().astype(np.float64)
    known: dict[bytes, Floats] = {}

    def basis(chosen: NDArray[np.bool_]) -> Floats:
        if chosen.tobytes() not in known:
            left, sizes, _ = np.linalg.svd(effects[chosen], full_matrices=False)
            known[chosen.tobytes()] = left[:, sizes > sizes.max(initial=0) * SURE]
        return known[chosen.tobytes()]

    return basis


@dataclass(frozen=True, eq=False)
class _Normal:
    """Normal equations of each task: of which kind its left side is, the left sides of kinds, and the right sides."""

    kinds: NDArray[np.intp]
    left: Floats
    right: Floats

    def solutions(self, times: NDArray[np.int64]) -> Floats:
        """The solutions where tasks count so often, (samples, unknowns); NaN for what is not determined."""
        of_kinds = np.zeros((len(times), len(self.left)))
        for kind in range(len(self.left)):
            of_kinds[:, kind] = times[:, self.kinds == kind].sum(axis=1)
        left = np.tensordot(of_kinds, self.left, axes=1)
        inverse = np.linalg.pinv(left, hermitian=True)
        found: Floats = np.einsum("sij,sj->si", inverse, times @ self.right)
        open_ones = np.abs(np.eye(left.shape[1]) - inverse @ left).max(axis=2) > SURE
        return np.where(open_ones, np.nan, found)


def _preferences(
    ratings: Ratings, rated: Rated, relations: NDArray[np.int64], bootstrap: Bootstrap
) -> Iterator[dict[str, Any]]:
    """Least squares of all raters together: a task's merit, a rater's leniency, and what it adds by relation.

    The merits drop out where each task's own mean is taken away from both sides of its equations.
    """
    means = rated.means
    many = len(ratings.raters)
    normal = _normal(means, relations)
    chosen = (~np.isnan(means)).sum(axis=1) > 1
    if not chosen.any():
        return
    whole = normal.solutions(np.ones((1, len(means)), np.int64))[0]
    times = np.zeros((bootstrap.samples, len(means)), np.int64)
    times[:, chosen] = drawn(int(chosen.sum()), bootstrap.samples, bootstrap.seed)
    samples = normal.solutions(times)
    for place, rater in enumerate(ratings.raters):
        for kind, name in enumerate(RELATIONS, 1):
            own = (relations[:, place] == kind) & ~np.isnan(means[:, place]) & chosen
            at = many * kind + place
            if own.any() and not np.isnan(whole[at]):
                yield _row(rated, rater, name, int(own.sum()), float(whole[at]), samples[:, at])


def _normal(means: Floats, relations: NDArray[np.int64]) -> _Normal:
    """Unknowns are each rater's leniency, then what it adds to its own texts, then what it adds to its family's."""
    tasks, many = means.shape
    known = ~np.isnan(means)
    patterns, kinds = np.unique(np.column_stack([relations, known]), axis=0, return_inverse=True)
    left, designs = [], []
    for pattern in patterns:
        rated = np.flatnonzero(pattern[many:])
        design = np.zeros((many, many * (1 + len(RELATIONS))))
        design[rated, rated] = 1
        related = rated[pattern[rated] > 0]
        design[related, many * pattern[related] + related] = 1
        design[rated] -= design[rated].mean(axis=0) if len(rated) else 0
        designs.append(design)
        left.append(design.T @ design)
    filled = np.where(known, means, 0)
    right = np.stack([filled[task] @ designs[kind] for task, kind in enumerate(kinds)])
    return _Normal(kinds, np.array(left), right.reshape(tasks, -1))


def _row(
    rated: Rated, rater: str, bias: str, tasks: int, value: float, samples: Sequence[float] | Floats
) -> Any:
    low, high = ends(np.asarray(samples)) if tasks > 1 else (None, None)
    named = {"dimension": rated.dimension, "rater": rater, "bias": bias, "tasks": tasks}
    return named | {"estimate": number(value), "low": low, "high": high}
