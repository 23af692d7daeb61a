"""Exact tests of differences, by hand: 4 of 4 recipes against none of 4 is one of 70 tables, on either side."""

import math

import polars as pl
import pytest
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


@pytest.mark.parametrize(
    "counts", [(40, 300, 60, 300), (0, 5, 9, 700), (311, 590, 170, 402), (7, 7, 3, 3), (0, 0, 0, 0)]
)
def test_fisher_is_that_of_whole_numbers(counts: tuple[int, int, int, int]) -> None:
    """All tables with these margins, in exact arithmetic: those that are as likely as one that occurs, or less."""
    base, bases, target, targets = counts
    some = base + target
    possible = range(max(0, some - targets), min(bases, some) + 1)
    ways = [math.comb(bases, count) * math.comb(targets, some - count) for count in possible]

    def as_rare(count: int) -> float:
        limit = ways[count - possible.start]
        return sum(way for way in ways if way <= limit) / sum(ways)

    smallest = min(as_rare(possible[0]), as_rare(possible[-1]))
    assert fisher(*counts) == pytest.approx((as_rare(base), smallest), rel=1e-9)


def test_actions_that_could_not_differ_do_not_count_as_tests() -> None:
    rows = [(4, 4, 0, 4), (3, 4, 1, 4), (1, 4, 0, 4), (0, 4, 2, 4)]
    assert p_values(rows) == pytest.approx([2 * 2 / 70, 34 / 70, 1, 12 / 28])


def test_each_pair_has_tests_of_its_own() -> None:
    rows = [(4, 4, 0, 4), (3, 4, 1, 4)]
    assert p_values(rows, pairs=[0, 1]) == pytest.approx([2 / 70, 34 / 70])


def test_nothing_is_tested_at_level_one() -> None:
    assert p_values([(4, 4, 0, 4)], level=1) == [1]
