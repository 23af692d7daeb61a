"""Raters held against each other: kappa, tau, calibration; and intervals beside those of tasks that are drawn."""

import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau
from sklearn.metrics import cohen_kappa_score
from wokflow.evaluate.resampling import alphas, kappas, mean_intervals, tau, taus, with_interval
from wokflow.evaluate.settings import Bootstrap
from wokflow.pivot.agreement import ordinal, unit_coincidences

from tests.evaluate.test_ratings import measured

DRAW = random.Random(5)
# 60 tasks, which b rates as a does, with noise; c at random.
TRUTH = [DRAW.randint(1, 5) for _ in range(60)]
RATED = {
    "a": TRUTH,
    "b": [min(5, max(1, value + DRAW.choice([-1, 0, 0, 1]))) for value in TRUTH],
    "c": [DRAW.randint(1, 5) for _ in TRUTH],
}
ROWS = [
    (f"Thai:{task:02}", rater, 1, str(value))
    for rater, values in RATED.items()
    for task, value in enumerate(values)
]


def test_kappa_and_tau_are_those_of_scikit_learn_and_scipy(tmp_path: Path) -> None:
    found = measured(tmp_path, "ordinal", ROWS)["differences"]
    assert found["rater", "other"].rows() == [("a", "b"), ("a", "c"), ("b", "c")]
    for row in found.iter_rows(named=True):
        one, other = RATED[row["rater"]], RATED[row["other"]]
        assert row["kappa"] == pytest.approx(cohen_kappa_score(one, other, weights="quadratic"))
        assert row["tau"] == pytest.approx(kendalltau(one, other).statistic)
        assert row["kappa_low"] < row["kappa"] < row["kappa_high"]
        assert row["tau_low"] < row["tau"] < row["tau_high"]


def test_kappa_of_repetitions_counts_each_with_each(tmp_path: Path) -> None:
    """a says 1 and 2, b says 2; both say 4. Shares: (1, 2) and (2, 2) a half each, (4, 4) 1: observed 1/2.

    By chance, a has 1/2, 1/2, 1 of 1, 2, 4, and b 1, 1 of 2, 4: (1/2 * 1 + 1/2 * 9 + 1/2 * 4 + 1 * 4) / 2 = 5.5.
    """
    rated = [("Thai:x", "a", 1, "1"), ("Thai:x", "a", 2, "2"), ("Thai:x", "b", 1, "2")]
    rated += [("Thai:y", "a", 1, "4"), ("Thai:y", "b", 1, "4")]
    [row] = measured(tmp_path, "ordinal", rated)["differences"].iter_rows(named=True)
    assert row["kappa"] == pytest.approx(1 - 0.5 / 5.5)


def test_tau_of_a_rater_that_always_says_the_same_is_none(tmp_path: Path) -> None:
    rated = [(f"Thai:{task}", rater, 1, value) for task, rater, value in [("x", "a", "1"), ("y", "a", "3")]]
    rated += [("Thai:x", "b", 1, "2"), ("Thai:y", "b", 1, "2")]
    [row] = measured(tmp_path, "ordinal", rated)["differences"].iter_rows(named=True)
    assert [row[name] for name in ("tau", "tau_low", "tau_high")] == [None] * 3
    assert row["kappa"] == 0.0


def test_intervals_are_those_of_tasks_that_are_drawn() -> None:
    """Held against resamples drawn by hand."""
    many, draw = Bootstrap(samples=4000), np.random.default_rng(1)
    one, other = (np.array(RATED[name]) for name in "ab")
    units = np.zeros((60, 5), np.int64)
    tables = np.zeros((60, 5, 5))
    for task, (left, right) in enumerate(zip(one, other, strict=True)):
        units[task, left - 1] += 1
        units[task, right - 1] += 1
        tables[task, left - 1, right - 1] = 1
    squares = (np.arange(5)[:, None] - np.arange(5)[None]) ** 2.0
    parts = {"alpha": unit_coincidences(units), "kappa": tables, "tau": tables}
    statistics = {"alpha": alphas(ordinal), "kappa": kappas(squares), "tau": taus}
    found = {name: with_interval(parts[name], statistics[name], many) for name in ("alpha", "kappa")}
    found["tau"] = tau(one.astype(float), other.astype(float), np.arange(60), many)
    tasks = draw.integers(60, size=(4000, 60))
    for name, (value, *interval) in found.items():
        by_hand = statistics[name](np.stack([parts[name][drawn].sum(axis=0) for drawn in tasks]))
        assert value is not None and interval == pytest.approx(np.quantile(by_hand, [0.025, 0.975]), abs=0.02)
    means = np.column_stack([one, np.ones(60)])[None]
    by_hand = one[tasks].mean(axis=1)
    assert np.array(mean_intervals(means, many))[:, 0] == pytest.approx(
        np.quantile(by_hand, [0.025, 0.975]), abs=0.05
    )


def test_raters_are_held_against_people_where_these_rated(tmp_path: Path) -> None:
    """m says 4 of x (people: 2 and 3, and so 2.5), 4 and 2 of y (people: 4), and 5 of z, which none of them rated."""
    rated = [
        ("Thai:x", "m", 1, "4"),
        ("Thai:y", "m", 1, "4"),
        ("Thai:y", "m", 2, "2"),
        ("Thai:z", "m", 1, "5"),
    ]
    rated += [("Thai:x", "p", 1, "2"), ("Thai:x", "q", 1, "3"), ("Thai:y", "p", 1, "4")]
    rated += [(f"Thai:{task}", "n", 1, "1") for task in "xyz"]
    found = measured(tmp_path, "ordinal", rated, people=("p", "q"))
    calibration = found["calibration"].filter(pl.col("rater") == "m")
    assert calibration["against"].to_list() == ["people"] * 3
    shown = ("value", "tasks", "ratings", "mean", "others", "difference", "absolute", "absolute_each")
    assert calibration[shown].rows() == [
        (None, 2, 3, 3.5, 3.25, 0.25, 1.25, 1.25),  # 1.5 and -1; of x, to each 2 and 1
        ("2", 1, 1, 2.0, 4.0, -2.0, 2.0, 2.0),
        ("4", 2, 2, 4.0, 3.25, 0.75, 0.75, 0.75),
    ]
    of_p = found["calibration"].filter(pl.col("rater") == "p", pl.col("value").is_null())
    assert of_p["against", "tasks", "difference"].rows() == [("people", 1, -1.0)]  # q rated x alone
    kinds = {frozenset(row[:2]): row[2] for row in found["differences"]["rater", "other", "kinds"].rows()}
    assert kinds[frozenset("mn")] == "model-model" and kinds[frozenset("mp")] == "model-person"
    assert kinds[frozenset("pq")] == "person-person"


def test_models_are_held_against_the_others_where_no_people_rated(tmp_path: Path) -> None:
    found = measured(tmp_path, "ordinal", ROWS)["calibration"]
    whole = found.filter(pl.col("value").is_null())
    assert whole["against"].to_list() == ["others"] * 3
    others = (np.array(RATED["b"]) + np.array(RATED["c"])) / 2
    row = whole.row(0, named=True)
    assert row["tau"] == pytest.approx(kendalltau(RATED["a"], others).statistic)
    assert row["low"] < row["difference"] < row["high"]
    assert row["difference"] == pytest.approx(np.mean(RATED["a"] - others))


def test_means_of_two_tasks_lie_between_both(tmp_path: Path) -> None:
    rated = [("Thai:x", "a", 1, "1"), ("Thai:y", "a", 1, "3"), ("Aztec:x", "b", 1, "2")]
    means = measured(tmp_path, "ordinal", rated)["means"]
    of = {(row["by"], row["cuisine"]): (row["low"], row["high"]) for row in means.iter_rows(named=True)}
    assert of["cuisine", "Thai"] == (1.0, 3.0) and of["cuisine", "Aztec"] == (None, None)
