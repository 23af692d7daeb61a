"""Known biases of raters: longer texts, texts of their own model, and those of a model of the same family."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.evaluate import rating_schemas
from wokflow.evaluate.rated import Rated, Ratings, read, shown
from wokflow.evaluate.resampling import Floats, by_unit, drawn, ends, number, ratios, resampled
from wokflow.evaluate.settings import BiasesSettings, Bootstrap
from wokflow.frame import tables
from wokflow.frame.job import Job

RECIPE = "recipe"  # the text that is rated, by its name in what a task shows
RELATIONS = ("self", "family")
REMARK = r"(# \w+)$"
Models = Mapping[str, tuple[str, str]]  # model and family by name
# Numbers (tasks, columns) of chosen tasks, without effects of all else; and how many effects there are.
Residuals = Callable[[NDArray[np.bool_], Floats], tuple[Floats, int]]
SURE = 1e-6  # a coefficient is determined if all solutions agree in it up to this difference


def evaluate_biases(
    *, tasks: str, ratings: list[str], biases: str, settings: BiasesSettings, job: Job
) -> None:
    """Write evaluate/ratings/biases: a row for each dimension, rater and bias, with its interval.

    `length`: the points that a text gains by twice the length, with the effects of its system and of all else that
    the task shows taken out. `self`, `family`: the points that a text gains if it is by the rater's own model, or by
    another model of its family, compared with raters without either relation to its system, and with the rater's
    leniency taken out. A bias that cannot be estimated, for lack of such raters or texts, has no row.
    """
    rated_tasks, models = read(tasks, ratings), by_name(settings.models)
    rows = bias_rows(rated_tasks, settings.bootstrap, RECIPE, models, models)
    tables.write(biases, rating_schemas.RATING_BIASES, rows, job.metadata)


def by_name(models: Iterable[tuple[str, str, str]]) -> Models:
    return {name: (model, family) for name, model, family in models}


def bias_rows(
    of_tasks: Ratings,
    bootstrap: Bootstrap,
    text: str,
    raters: Models,
    systems: Models,
    *,
    within: bool = False,
) -> Iterator[dict[str, Any]]:
    """The rows of evaluate_biases. `text` is the name under which tasks show what is rated.

    `raters` and `systems` have model and family of those who rate and of those who wrote it. With `within`, lengths
    are compared only between tasks that show all the same but that text.
    """
    without = _within(of_tasks, text) if within else _without_effects(of_tasks, text)
    for rated in of_tasks.dimensions:
        if rated.measured:
            yield from _lengths(of_tasks, rated, text, without, bootstrap)
            yield from preferences(of_tasks, rated, raters, systems, bootstrap)


def _relations(ratings: Ratings, raters: Models, systems: Models) -> NDArray[np.int64]:
    """Of each task's system to each rater, (tasks, raters): 0 none, or the place in RELATIONS and 1.

    A person may have the name of a model, and is not that model.
    """
    models = [
        None if person else raters.get(rater)
        for rater, person in zip(ratings.raters, ratings.people, strict=True)
    ]
    of_system = {
        system: [_relation(model, systems.get(system)) for model in models]
        for system in ratings.tasks["system"].unique()
    }
    return np.array([of_system[system] for system in ratings.tasks["system"]], np.int64)


def _relation(one: tuple[str, str] | None, other: tuple[str, str] | None) -> int:
    """Of two models with their families; people have none."""
    if one is None or other is None:
        return 0
    return 1 if one[0] == other[0] else 2 if one[1] == other[1] else 0


def _lengths(
    ratings: Ratings, rated: Rated, text: str, without: Residuals, bootstrap: Bootstrap
) -> Iterator[dict[str, Any]]:
    """Slopes of each rater's means on the binary logarithm of lengths; effects of all else are taken out before.

    As these are estimated, too, the spread is made wider by the degrees of freedom that they take.
    """
    characters = ratings.tasks.select(shown(text).str.len_chars()).to_series()
    texts = (characters.fill_null(0) > 0).to_numpy()
    for place, rater in enumerate(ratings.raters):
        chosen = texts & ~np.isnan(rated.means[:, place])
        if not chosen.any():
            continue
        both = np.column_stack([np.log2(characters.filter(chosen).to_numpy()), rated.means[chosen, place]])
        left, effects = without(chosen, both)
        free = int(chosen.sum()) - effects - 1
        longer, higher = left.T
        if free < 1 or np.ptp(longer) < SURE:
            continue
        parts = by_unit(np.column_stack([longer * higher, longer**2]), rated.units[chosen])
        slope = float(ratios(parts.sum(axis=0)))
        spread = slope + (ratios(resampled(parts, bootstrap)) - slope) * np.sqrt(chosen.sum() / free)
        yield _row(rated, rater, "length", chosen, slope, spread)


def _kinds(ratings: Ratings, text: str) -> pl.DataFrame:
    """The system of each task, and each text that it shows but the one that is rated."""
    names = ratings.tasks["shown"].explode().struct.field("name").unique().sort()
    texts = (shown(name).alias(f"shown {name}") for name in names if name != text)
    return ratings.tasks.select("system", *texts)


def _without_effects(ratings: Ratings, text: str) -> Residuals:
    """Takes all effects of systems and of the texts that are shown out of the numbers of chosen tasks.

    Each system is an effect, and each text that is shown under any name but `text`. They are taken out by an
    orthonormal basis (tasks, rank), which raters of the same tasks share.
    """
    kinds = _kinds(ratings, text)
    effects = kinds.to_dummies().to_numpy().astype(np.float64)
    known: dict[bytes, Floats] = {}

    def residuals(chosen: NDArray[np.bool_], numbers: Floats) -> tuple[Floats, int]:
        if chosen.tobytes() not in known:
            left, sizes, _ = np.linalg.svd(effects[chosen], full_matrices=False)
            known[chosen.tobytes()] = left[:, sizes > sizes.max(initial=0) * SURE]
        basis = known[chosen.tobytes()]
        return numbers - basis @ (basis.T @ numbers), basis.shape[1]

    return residuals


def _within(ratings: Ratings, text: str) -> Residuals:
    """Takes the mean of its group out of the numbers of chosen tasks.

    A group shows all the same but `text`, with the same remark at its end (# deletion, # addition).
    """
    kinds = _kinds(ratings, text).with_columns(
        remark=ratings.tasks.select(shown(text)).to_series().str.extract(REMARK)
    )
    groups = kinds.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy()

    def residuals(chosen: NDArray[np.bool_], numbers: Floats) -> tuple[Floats, int]:
        _, place, sizes = np.unique(groups[chosen], return_inverse=True, return_counts=True)
        sums = np.zeros((len(sizes), numbers.shape[1]))
        np.add.at(sums, place, numbers)
        return numbers - (sums / sizes[:, None])[place], len(sizes)

    return residuals


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
        solved: Floats = np.einsum("sij,sj->si", inverse, times @ self.right)
        open_ones = np.abs(np.eye(left.shape[1]) - inverse @ left).max(axis=2) > SURE
        return np.where(open_ones, np.nan, solved)


def preferences(
    ratings: Ratings, rated: Rated, raters: Models, systems: Models, bootstrap: Bootstrap
) -> Iterator[dict[str, Any]]:
    """The rows `self` and `family` of evaluate_biases, of one dimension.

    Least squares of all raters together: a task's merit, a rater's leniency, and what it adds by relation. The merits
    drop out where each task's own mean is taken away from both sides of its equations.
    """
    means, relations = rated.means, _relations(ratings, raters, systems)
    many = len(ratings.raters)
    normal = _normal(means, relations)
    chosen = (~np.isnan(means)).sum(axis=1) > 1
    if not chosen.any():
        return
    whole = normal.solutions(np.ones((1, len(means)), np.int64))[0]
    units, unit_of = np.unique(rated.units[chosen], return_inverse=True)
    times = np.zeros((bootstrap.samples, len(means)), np.int64)
    times[:, chosen] = drawn(len(units), bootstrap.samples, bootstrap.seed)[:, unit_of]
    samples = normal.solutions(times)
    for place, rater in enumerate(ratings.raters):
        for kind, name in enumerate(RELATIONS, 1):
            own = (relations[:, place] == kind) & ~np.isnan(means[:, place]) & chosen
            at = many * kind + place
            if own.any() and not np.isnan(whole[at]):
                yield _row(rated, rater, name, own, float(whole[at]), samples[:, at])


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
    rated: Rated,
    rater: str,
    bias: str,
    tasks: NDArray[np.bool_],
    value: float,
    samples: Sequence[float] | Floats,
) -> Any:
    """The row of a bias that is measured by some tasks."""
    several = len(np.unique(rated.units[tasks])) > 1
    low, high = ends(np.asarray(samples)) if several else (None, None)
    named = {"dimension": rated.dimension, "rater": rater, "bias": bias, "tasks": int(tasks.sum())}
    return named | {"estimate": number(value), "low": low, "high": high}
