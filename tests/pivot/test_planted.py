"""What is planted is found: a small run of the benchmark of recovery."""

from pathlib import Path

from tests.bench.planted import planted
from tests.bench.test_pivot import curve, false_rate, found_orders, found_pivots


def test_planted_pivots_and_orders_are_found(tmp_path: Path) -> None:
    truth = planted(tmp_path / "planted", pairs=2, count=150, seed=0)
    precision, recall = found_pivots(tmp_path / "planted", truth)
    assert precision >= 0.9 and recall >= 0.9
    tested = found_orders(tmp_path / "planted", truth, correct=True)
    precision, recall = map(float, curve(tested)[:2])
    assert precision >= 0.9 and recall >= 0.7
    assert false_rate(tested, "independent") <= 0.05
