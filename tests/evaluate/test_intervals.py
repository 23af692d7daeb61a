"""Means, ratios and their bootstrap intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.evaluate import intervals
from wokflow.evaluate.intervals import Bootstrap, Metric, interval, mean, ratio, scores, skipped

FEW = Bootstrap(samples=50)


def test_a_mean_is_over_the_instances_that_count() -> None:
    metric = mean("share", [1, 0, 0.5, 1], np.array([True, True, True, False]))
    masks = {"all": np.ones(4, bool), "two": np.array([True, False, False, True])}
    rows = scores("r", [metric], masks, FEW)
    assert rows.select("dataset", "value", "instances").rows() == [("all", 50.0, 3), ("two", 100.0, 1)]
    assert rows.row(1)[4:6] == (100.0, 100.0)  # of one instance every resample is the same


def test_a_ratio_is_of_sums_and_not_a_mean_of_ratios() -> None:
    metric = Metric("order", np.array([[1, 1], [0, 3], [0, 0]], float))
    assert scores("r", [metric], {"all": np.ones(3, bool)}, FEW).row(0)[3] == 25.0


def test_what_was_not_measured_is_null_with_a_reason() -> None:
    none = mean("share", [1.0], np.array([False]))
    rows = scores("r", [skipped("bert", 1, "no model"), none], {"all": np.ones(1, bool)}, FEW)
    assert rows.select("value", "low", "high", "instances", "note").rows() == [
        (None, None, None, 0, "no model"),
        (None, None, None, 0, "No instance counts for it."),
    ]


def test_the_interval_is_that_of_resampled_means() -> None:
    values = np.arange(10) / 10
    parts = np.column_stack([values, np.ones(10)])
    drawn = np.random.default_rng(3).integers(10, size=(200, 10))
    low, high = np.quantile(100 * values[drawn].mean(axis=1), [0.05, 0.95])
    assert interval(parts, ratio, Bootstrap(200, 0.9, 3)) == pytest.approx((45.0, low, high), abs=1e-4)


def test_the_interval_of_a_proportion_is_about_as_wide_as_theory_has_it() -> None:
    values = np.arange(400) % 2
    _, low, high = interval(np.column_stack([values, np.ones(400)]), ratio, Bootstrap(4000))
    assert (low, high) == pytest.approx((50 - 4.9, 50 + 4.9), abs=0.5)  # 1.96 * sqrt(.25 / 400)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 3))
def test_the_score_lies_within_bounds_and_its_interval_too(values: list[float], seed: int) -> None:
    parts = np.column_stack([values, np.ones(len(values))])
    value, low, high = interval(parts, ratio, Bootstrap(40, 0.95, seed))
    assert 0 <= low <= high <= 100 and 0 <= value <= 100


def test_resamples_are_as_many_as_asked_when_they_come_in_several_lots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = np.column_stack([np.arange(6), np.ones(6)])
    seen = []

    def statistic(sums: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        seen.append(len(sums))
        return ratio(sums)

    monkeypatch.setattr(intervals, "CELLS", 13)
    interval(parts, statistic, Bootstrap(samples=5))
    assert seen == [2, 2, 1, 1]  # the last is the score itself
