"""Exact tests of differences, by hand: 4 of 4 recipes against none of 4 is one of 70 tables, on either side."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import fisher_exact
from wokflow.pivot.support import COUNTS, fisher, with_p_values


def p_values(
    rows: list[tuple[int, int, int, int]], level: float = 0.05, pairs: list[int] | None = None
) -> list[float]:
    frame = pl.DataFrame(rows, COUNTS, orient="row").with_columns(pair=pl.Series(pairs or [0] * len(rows)))
    return with_p_values(frame, level)["p_value"].to_list()


@pytest.mark.parametrize(
    ("counts", "p_value", "smallest"),
    [
        ((4, 4, 0, 4), 2 / 70, 2 / 70),
        ((0, 4, 4, 4), 2 / 70, 2 / 70),
        ((3, 4, 1, 4), 34 / 70, 2 / 70),
        ((2, 4, 0, 4), 12 / 28, 12 / 28),
    ],
)
def test_fisher(counts: tuple[int, int, int, int], p_value: float, smallest: float) -> None:
    assert fisher(*counts) == pytest.approx((p_value, smallest))


@pytest.mark.parametrize("seed", range(8))
def test_fisher_is_that_of_scipy(seed: int) -> None:
    random = np.random.default_rng(seed)
    bases, targets = random.integers(1, 600, 2).tolist()
    base, target = int(random.integers(bases + 1)), int(random.integers(targets + 1))

    def exact(count: int) -> float:
        other = base + target - count
        return float(fisher_exact([[count, bases - count], [other, targets - other]]).pvalue)

    smallest = min(exact(max(0, base + target - targets)), exact(min(bases, base + target)))
    assert fisher(base, bases, target, targets) == pytest.approx((exact(base), smallest), rel=1e-9)


def test_actions_that_could_not_differ_do_not_count_as_tests() -> None:
    rows = [(4, 4, 0, 4), (3, 4, 1, 4), (1, 4, 0, 4), (0, 4, 2, 4)]
    assert p_values(rows) == pytest.approx([2 * 2 / 70, 34 / 70, 1, 12 / 28])


def test_each_pair_has_tests_of_its_own() -> None:
    rows = [(4, 4, 0, 4), (3, 4, 1, 4)]
    assert p_values(rows, pairs=[0, 1]) == pytest.approx([2 / 70, 34 / 70])


def test_nothing_is_tested_at_level_one() -> None:
    assert p_values([(4, 4, 0, 4)], level=1) == [1]
