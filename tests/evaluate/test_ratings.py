"""Means, agreement and differences of ratings whose answers are known."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.evaluate.ratings import evaluate_ratings, metric
from wokflow.evaluate.settings import RatingsSettings
from wokflow.evaluate.stage import RATING_TABLES
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.judge.schemas import RATINGS, TASKS
from wokflow.pivot.agreement import alpha, coincidences

# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section C: units by raters, 0 where there is none.
KRIPPENDORFF = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    "C": [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
}
VALUES = ["1", "2", "3", "4", "5"]


def measured(
    folder: Path, scale: str, rated: list[tuple[str, str, int, str]], people: tuple[str, ...] = ()
) -> dict[str, pl.DataFrame]:
    """The tables of figures of ratings (task, rater, repetition, value); a task is <cuisine>:<system>."""
    tasks = [
        {
            "task_id": task,
            "study": "ash",
            "item": task,
            "system": task.split(":")[1],
            "shown": [{"name": "dish", "text": "Pie"}, {"name": "cuisine", "text": task.split(":")[0]}],
            "dimensions": [{"name": "harmony", "scale": scale, "question": "?", "values": VALUES}],
        }
        for task in dict.fromkeys(task for task, *_ in rated)
    ]
    rows = [
        {"task_id": task, "rater": rater, "repetition": repetition, "dimension": "harmony", "value": value}
        | {"kind": "person" if rater in people else "model", "rationale": "", "status": "exact"}
        for task, rater, repetition, value in rated
    ]
    paths: dict[str, Any] = {
        name: str(folder / f"{name}.parquet") for name in ("tasks", "ratings", *RATING_TABLES)
    }
    for name, schema, written in (("tasks", TASKS, tasks), ("ratings", RATINGS, rows)):
        frame = tables.frame(schema, written)
        tables.write(paths[name], schema, frame, {})
    given = {"ratings": [paths["ratings"]], "settings": RatingsSettings(), "job": Job()}
    figures = [paths[name] for name in RATING_TABLES]
    evaluate_ratings(tasks=paths["tasks"], figures=figures, **given)
    return {name: tables.read(paths[name]) for name in RATING_TABLES}


def test_means_by_cuisine_system_and_rater(tmp_path: Path) -> None:
    rated = [
        ("Thai:x", "a", 1, "1"),
        ("Thai:x", "a", 2, "3"),
        ("Thai:x", "b", 1, "5"),
        ("Thai:y", "a", 1, "4"),
        ("Aztec:x", "b", 1, "2"),
    ]
    means = measured(tmp_path, "ordinal", rated)["means"]
    found = {
        (by, cuisine, system, rater): (tasks, ratings, mean, deviation)
        for by, _, cuisine, system, rater, tasks, ratings, mean, _, _, deviation in means.iter_rows()
    }
    assert found["all", None, None, None] == (3, 5, 3.0, pytest.approx(2.5**0.5))
    assert found["cuisine", "Thai", None, None] == (2, 4, 3.25, pytest.approx((35 / 12) ** 0.5))
    assert found["system", None, "x", None] == (2, 4, 2.75, pytest.approx((35 / 12) ** 0.5))
    assert found["rater", None, None, "b"][:3] == (2, 2, 3.5)
    assert found["system and rater", None, "x", "a"] == (1, 2, 2.0, pytest.approx(2**0.5))
    assert found["cuisine and system and rater", "Aztec", "x", "b"] == (1, 1, 2.0, None)
    assert len(found) == means.height == 1 + 2 + 2 + 2 + 3 + 4


@pytest.mark.parametrize(("scale", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_between_raters_is_that_of_krippendorff_s_example(
    tmp_path: Path, scale: str, printed: float
) -> None:
    rated = [
        (f"Thai:{unit}", rater, 1, str(value))
        for rater, row in KRIPPENDORFF.items()
        for unit, value in enumerate(row)
        if value
    ]
    agreement = measured(tmp_path, scale, rated)["agreement"]
    between = agreement.row(by_predicate=pl.col("rater").is_null(), named=True)
    assert between["alpha"] == pytest.approx(printed, abs=5e-4)
    assert (between["units"], between["ratings"], between["scale"]) == (11, 41, scale)


def test_a_rater_s_repetitions_agree_with_one_another(tmp_path: Path) -> None:
    """One repeats 2, 2 and 4, 4. The other says 1, 3 and 3, 3: 1 and 3 meet twice, 2 * 4 = 8; by chance
    1 * 3 pairs in both orders, of 4 - 1, make 2 * 3 * 4 / 3 = 8.
    """
    rated = [("Thai:x", "same", n, "2") for n in (1, 2)] + [("Thai:y", "same", n, "4") for n in (1, 2)]
    rated += [("Thai:x", "other", 1, "1"), ("Thai:x", "other", 2, "3")]
    rated += [("Thai:y", "other", 1, "3"), ("Thai:y", "other", 2, "3")]
    agreement = measured(tmp_path, "interval", rated)["agreement"]
    alphas = dict(agreement.filter(pl.col("rater").is_not_null()).select("rater", "alpha").rows())
    assert alphas == {"same": 1.0, "other": 0.0}


def test_differences_are_of_means_over_repetitions_of_tasks_that_both_rated(tmp_path: Path) -> None:
    rated = [
        ("Thai:x", "a", 1, "1"),
        ("Thai:x", "a", 2, "2"),  # 1.5
        ("Thai:x", "b", 1, "3"),
        ("Thai:y", "a", 1, "5"),
        ("Thai:y", "b", 1, "4"),
        ("Aztec:x", "a", 1, "5"),  # not of both
    ]
    found = measured(tmp_path, "ordinal", rated)["differences"]
    assert found["tasks", "difference", "absolute", "closeness"].rows() == [(2, -0.25, 1.25, 1 - 1.25 / 4)]


def test_a_nominal_scale_has_agreement_alone(tmp_path: Path) -> None:
    found = measured(tmp_path, "nominal", [("Thai:x", "a", 1, "1"), ("Thai:x", "b", 1, "1")])
    assert [found[name].height for name in RATING_TABLES] == [0, 3, 0, 0, 0]
    assert found["agreement"]["alpha"].to_list() == [None] * 3  # nothing can differ


def test_an_interval_scale_counts_the_numbers_and_not_their_places() -> None:
    import numpy as np

    matrix = coincidences(np.array([[1, 1, 0], [0, 0, 2], [2, 0, 0]]))
    apart, near = (alpha(matrix, metric("interval", values)) for values in (["1", "2", "9"], ["1", "2", "3"]))
    assert apart is not None and near is not None and apart > near
