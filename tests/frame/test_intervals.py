"""The interval of a share is that of scipy."""

import pytest
from scipy.stats import binomtest
from wokflow.frame.intervals import wilson


@pytest.mark.parametrize(("wins", "trials"), [(0, 5), (5, 5), (1, 30), (200, 778)])
def test_the_interval_of_a_share_is_scipys(wins: int, trials: int) -> None:
    expected = binomtest(wins, trials).proportion_ci(0.95, method="wilson")
    assert wilson(wins / trials, trials) == pytest.approx((expected.low, expected.high), abs=1e-12)
