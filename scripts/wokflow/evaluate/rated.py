"""Ratings as counts: how often each rater gave each task each value of a scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.evaluate.resampling import Counts, Floats
from wokflow.frame import tables
from wokflow.frame.job import UserError

TASK_COLUMNS = ("task_id", "system", "shown", "dimensions")
COLUMNS = ("task_id", "rater", "kind", "repetition", "dimension", "value")


@dataclass(frozen=True, eq=False)
class Rated:
    """The ratings of a dimension: `counts` are (tasks, raters, values), in one order for all dimensions.

    `units` has of each task the number of its resampling unit; tasks of a unit are drawn together.
    """

    dimension: str
    scale: str
    values: tuple[str, ...]
    counts: Counts
    units: Counts

    @property
    def measured(self) -> bool:
        """Whether values are numbers, or places in an order."""
        return self.scale != "nominal"

    @property
    def numbers(self) -> Floats:
        """The values as numbers; ordinal values that are not numbers count by their places, from 1 on."""
        try:
            return np.array([float(value) for value in self.values])
        except ValueError:
            return np.arange(1.0, len(self.values) + 1)

    @property
    def means(self) -> Floats:
        """Of each rater's repetitions, (tasks, raters); NaN where there are none."""
        with np.errstate(invalid="ignore"):
            averages: Floats = (self.counts @ self.numbers) / self.counts.sum(axis=2)
        return averages


@dataclass(frozen=True, eq=False)
class Ratings:
    """All ratings: `tasks` has a row for each task, `rows` one for each rating; `people`: which raters are people."""

    tasks: pl.DataFrame
    rows: pl.DataFrame
    raters: tuple[str, ...]
    people: tuple[bool, ...]
    dimensions: tuple[Rated, ...]

    def references(self, rater: int) -> tuple[str, list[int]]:
        """The raters that a rater is compared with, with their places: people, if any other than this one rated, else
        all others.
        """
        others = [place for place in range(len(self.raters)) if place != rater]
        people = [place for place in others if self.people[place]]
        return ("people", people) if people else ("others", others)

    def of_models(self) -> "Ratings":
        """Those of models; all where no model or nobody else rated."""
        if len(set(self.people)) < 2:
            return self
        return of(self.tasks, self.rows.filter(pl.col("kind") != "person").select(COLUMNS))


def read(tasks: str, ratings: Sequence[str]) -> Ratings:
    """The ratings of judge/tasks that a table gives. Dimensions without ratings are left out."""
    return of(tables.read(tasks, [*TASK_COLUMNS]), rating_rows(ratings))


def rating_rows(ratings: Sequence[str]) -> pl.DataFrame:
    if ratings:
        return tables.read(ratings, [*COLUMNS])
    return pl.DataFrame(schema=dict.fromkeys(COLUMNS, pl.String))


def of(tasks: pl.DataFrame, rows: pl.DataFrame) -> Ratings:
    """The ratings of some tasks, with columns TASK_COLUMNS and perhaps `unit`: what is drawn together in resamples.
    Without it, each task is drawn by itself.

    Raises UserError for a name that both a model and a person have: their ratings cannot be told apart.
    """
    unit = "unit" if "unit" in tasks.columns else "task_id"
    known = tasks.select(*TASK_COLUMNS, unit=unit).sort("task_id")
    units = known["unit"].rank("dense").cast(pl.Int64).to_numpy()
    rows = rows.join(
        known.select("task_id", "system", cuisine=shown("cuisine")), on="task_id", maintain_order="left"
    )
    raters = rows.select("rater", "kind").unique().sort("rater", "kind")
    if twice := raters.filter(pl.col("rater").is_duplicated())["rater"].unique().sort().to_list():
        raise UserError(
            f"{', '.join(twice)}: a model and a person have this name, and their ratings cannot be told apart. Give "
            "the model another name in the table of judge.models."
        )
    names = tuple(raters["rater"])
    scales = {one["name"]: one for row in known["dimensions"].to_list() for one in row}
    places = {
        column: {name: place for place, name in enumerate(of)}
        for column, of in (("task_id", known["task_id"]), ("rater", names))
    }
    dimensions = []
    for name, scale in scales.items():
        some = rows.filter(pl.col("dimension") == name)
        values = tuple(scale["values"])
        counts = np.zeros((known.height, len(names), len(values)), np.int64)
        at = [
            some[column].replace_strict(of, return_dtype=pl.Int64).to_numpy()
            for column, of in {
                **places,
                "value": {value: place for place, value in enumerate(values)},
            }.items()
        ]
        np.add.at(counts, tuple(at), 1)
        if some.height:
            dimensions.append(Rated(name, scale["scale"], values, counts, units))
    return Ratings(known, rows, names, tuple(raters["kind"] == "person"), tuple(dimensions))


def shown(name: str) -> pl.Expr:
    """The texts that tasks show under a name; null if a task has none."""
    field = pl.element().struct.field
    return (
        pl.col("shown")
        .list.eval(pl.element().filter(field("name") == name).struct.field("text"))
        .list.first()
    )


def both(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """The tasks that have both of two numbers."""
    rated_twice: NDArray[np.bool_] = ~(np.isnan(one) | np.isnan(other))
    return rated_twice
