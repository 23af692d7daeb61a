"""What is planted is found: a small run of the benchmark of recovery."""

from pathlib import Path

import pytest

from tests.bench.planted import planted
from tests.bench.test_pivot import (
    EACH,
    LEAST_PRECISION,
    LEVEL,
    PRECISE,
    curve,
    false_rate,
    found_orders,
    found_pivots,
)


@pytest.mark.parametrize("count", [count for count in EACH if count >= PRECISE])
def test_by_default_nine_in_ten_orders_are_true(tmp_path: Path, count: int) -> None:
    truth = planted(tmp_path / "planted", pairs=3, count=count, seed=count)
    precision, recall = found_pivots(tmp_path / "planted", truth)
    assert precision >= 0.9 and recall >= 0.9
    tested = found_orders(tmp_path / "planted", truth)
    precision, recall = map(float, curve(tested)[:2])
    assert precision >= LEAST_PRECISION and recall >= 0.6
    assert false_rate(tested, "independent") <= LEVEL


def test_the_papers_rule_finds_more_and_claims_more(tmp_path: Path) -> None:
    truth = planted(tmp_path / "planted", pairs=1, count=50, seed=0)
    found_pivots(tmp_path / "planted", truth)
    presets = (found_orders(tmp_path / "planted", truth, preset=name) for name in ("strict", "paper"))
    (precision, recall), (papers, more) = (map(float, curve(tested)[:2]) for tested in presets)
    assert more > recall and papers < precision
