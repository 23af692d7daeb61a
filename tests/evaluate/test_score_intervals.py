"""Scores of sums, their intervals, and comparisons of two runs: by hand, and what must hold for all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.evaluate import score_intervals
from wokflow.evaluate.score_intervals import (
    Floats,
    Metric,
    f1_of_sums,
    interval,
    mean,
    p_values,
    ratio,
    score,
    score_rows,
    skipped,
)
from wokflow.evaluate.settings import Bootstrap

FEW = Bootstrap(samples=50)
shares = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=12)


def numbers(*values: float) -> Floats:
    return np.array(values, np.float64)


def test_f1_by_hand() -> None:
    sums = np.array([[3.0, 3, 4, 6], [0, 0, 0, 6], [0, 0, 0, 0], [2, 1, 4, 4]])
    assert f1_of_sums(sums) == pytest.approx([60.0, 0, 0, 100 * 2 * 0.5 * 0.25 / 0.75])


def test_a_mean_is_over_the_instances_that_count() -> None:
    metric = mean("share", [1, 0, 0.5, 1], np.array([True, True, True, False]), "s")
    assert metric.values[:3].tolist() == [100, 0, 50] and np.isnan(metric.values[3])
    two = metric.some(np.array([True, False, False, True]))
    rows = score_rows([("r", "all", metric), ("r", "two", two)], FEW)
    assert rows.select("dataset", "value", "instances").rows() == [("all", 50.0, 3), ("two", 100.0, 1)]
    assert rows.row(1)[4:] == (None, None, 1, "s", None)  # of one instance every resample is the same


def test_a_ratio_is_of_sums_and_not_a_mean_of_ratios() -> None:
    metric = ratio("order", numbers(100, 0, 0), numbers(1, 3, 0))
    assert score_rows([("r", "all", metric)], FEW).select("value", "instances").row(0) == (25.0, 2)


def test_what_was_not_measured_is_null_with_a_reason() -> None:
    none = mean("share", [1.0], np.array([False]))
    rows = score_rows([("r", "all", one) for one in (skipped("bert", 1, "no model"), none)], FEW)
    assert rows.select("value", "low", "high", "instances", "note").rows() == [
        (None, None, None, 0, "no model"),
        (None, None, None, 0, "No instance counts for it."),
    ]


def test_the_interval_of_two_instances_by_hand() -> None:
    # a resample has both (half of the time), or one of them twice: means 50, and 0 or 100
    assert interval(mean("m", [0, 1]), Bootstrap(samples=4000)) == (0, 100)
    assert interval(mean("m", [0.5, 0.5, 0.5]), FEW) == (50, 50)


def test_the_interval_of_a_proportion_is_about_as_wide_as_theory_has_it() -> None:
    low, high = interval(mean("m", np.arange(400) % 2), Bootstrap(samples=4000))
    assert (low, high) == pytest.approx((50 - 4.9, 50 + 4.9), abs=0.5)  # 1.96 * sqrt(.25 / 400)


def test_p_and_intervals_do_not_depend_on_how_many_draws_are_held_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = mean("m", np.arange(30) / 30), mean("m", np.arange(30)[::-1] ** 2 / 900)
    all_at_once = p_values(one, other, 200, FEW), interval(one, FEW)
    monkeypatch.setattr(score_intervals, "CELLS", 700)
    assert (p_values(one, other, 200, FEW), interval(one, FEW)) == all_at_once


def test_p_of_random_swaps_by_hand() -> None:
    # better in all of 5 instances: of 32 ways to swap, two make a difference as large
    one, other = mean("m", numbers(0.5, 0.6, 0.7, 0.8, 0.9)), mean("m", numbers(0.1, 0.1, 0.1, 0.1, 0.1))
    assert p_values(one, other, 10_000, FEW)[0] == 2 / 32
    # +3 +2 -1 in all 4: sums of signs are 6 4 2 0 0 2 4 6, and 4 or more are 4 of 8
    one, other = mean("m", numbers(0.3, 0.2, 0)), mean("m", numbers(0, 0, 0.1))
    assert p_values(one, other, 10_000, FEW)[0] == 4 / 8


def test_p_of_the_bootstrap_by_hand() -> None:
    one, other = mean("m", [1.0] * 4), mean("m", [0.5] * 4)
    assert (
        p_values(one, other, 10, FEW)[1] == 1 / 51
    )  # all resamples differ by 50: none by more than the mean


def test_micro_f1_is_compared_by_the_sums_of_triples() -> None:
    parts = np.array([[2.0, 2, 4, 4]] * 6), np.array([[1.0, 1, 4, 4]] * 6)
    one, other = (Metric("smatch", f1_of_sums(part), part, "f1") for part in parts)
    assert (score(one), score(other)) == (50, 25)
    assert p_values(one, other, 10_000, FEW)[0] == 2 / 64


@given(shares, st.integers(0, 5))
def test_what_must_hold_of_comparisons(values: list[tuple[float, float]], seed: int) -> None:
    bootstrap = Bootstrap(samples=30, seed=seed)
    one, other = (mean("m", [pair[side] for pair in values]) for side in (0, 1))
    forth, back, same = (p_values(a, b, 60, bootstrap) for a, b in ((one, other), (other, one), (one, one)))
    assert forth[1] == back[1] and same[0] == 1
    assert 0 < forth[0] <= 1 and 1 / 31 <= forth[1] <= 1
    if len(values) <= 5:  # all swaps are tried: no draw decides
        assert forth[0] == back[0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 3))
def test_the_score_lies_within_bounds_and_its_interval_too(values: list[float], seed: int) -> None:
    metric = mean("m", values)
    value, (low, high) = score(metric), interval(metric, Bootstrap(samples=40, seed=seed))
    assert -1e-9 <= low <= high <= 100 + 1e-9 and -1e-9 <= value <= 100 + 1e-9
