"""Runs against their baseline: what is tested, and Holm's correction."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from wokflow.evaluate.comparisons import LEAST, comparison_rows, corrected
from wokflow.evaluate.measured import Measured, read_measured
from wokflow.evaluate.score_intervals import Metric, interval, mean, score
from wokflow.evaluate.settings import Bootstrap

from tests.evaluate.adapted import write_parts

FEW = Bootstrap(samples=20)


def measured(of: Metric, run: str = "r", ids: Sequence[str] | None = None) -> Measured:
    names = ids or [f"{number:03}" for number in range(len(of.values))]
    return Measured("zh-en/silver", run, of.name, tuple(names), of)


def test_runs_are_compared_on_what_both_have() -> None:
    one = measured(mean("m", [1, 1, 0]), "a", ["x", "y", "z"])
    other = measured(mean("m", [0, 0, 1]), "b", ["w", "x", "y"])
    row = comparison_rows([(one, other)], 100, FEW).row(0, named=True)
    assert (row["instances"], row["differing"]) == (2, 1)
    assert row["difference"] == 50  # (1 + 1) / 2 - (0 + 1) / 2
    assert row["p_value"] is row["bootstrap_p"] is row["adjusted_p"] is None and not row["significant"]


def test_runs_that_share_no_instance_are_not_compared() -> None:
    pair = measured(mean("m", [1]), "a", ["x"]), measured(mean("m", [1]), "b", ["y"])
    assert comparison_rows([pair], 100, FEW).is_empty()


@pytest.mark.parametrize(("differing", "tested"), [(LEAST - 1, False), (LEAST, True)])
def test_there_is_no_test_where_too_few_instances_differ(differing: int, tested: bool) -> None:
    same = [0.5] * 30
    pair = (
        measured(mean("m", [*[0.9] * differing, *same]), "a"),
        measured(mean("m", [0.5] * differing + same), "b"),
    )
    row = comparison_rows([pair], 2000, FEW).row(0, named=True)
    assert row["differing"] == differing and row["significant"] == tested
    assert (row["p_value"] is None) != tested


def test_length_is_not_tested() -> None:
    pair = measured(mean("tokens", [0.9] * 40), "a"), measured(mean("tokens", [0.1] * 40), "b")
    row = comparison_rows([pair], 100, FEW).row(0, named=True)
    assert row["difference"] == 80 and row["p_value"] is None and not row["significant"]


def test_holm_by_hand() -> None:
    # four tests of one data set: .01 * 4, .02 * 3, .03 * 2, .04 * 1, none below the one before; two of another
    rows = pl.DataFrame(
        {
            "dataset": ["a", "b", "a", "a", "b", "a", "a"],
            "p_value": [0.03, 0.02, 0.01, 0.04, 0.9, 0.02, None],
        }
    )
    found = corrected(rows)
    assert found["adjusted_p"].to_list() == pytest.approx([0.06, 0.04, 0.04, 0.06, 0.9, 0.06, None])
    assert found["significant"].to_list() == [False, True, True, False, False, False, False]
    assert corrected(rows.with_columns(p_value=pl.lit(0.5)))["adjusted_p"].to_list() == [1.0] * 7


def test_a_clear_difference_is_significant_and_a_doubtful_one_is_not() -> None:
    base = [0.1, 0.2, 0.3, 0.4] * 10
    pairs = [
        (measured(mean("m", [x + 0.3 for x in base])), measured(mean("m", base), "b")),
        (measured(mean("m", base[::-1])), measured(mean("m", base), "b")),
    ]
    clear, doubtful = comparison_rows(pairs, 2000, FEW).to_dicts()
    assert clear["significant"] and clear["p_value"] == pytest.approx(2 / 2001, abs=1e-6)
    assert not doubtful["significant"] and doubtful["p_value"] > 0.9  # the difference is 0


def test_the_order_of_instances_in_the_table_changes_nothing(tmp_path: Path) -> None:
    rows = [{"instance_id": f"i{number}", "run": "r", "parts": [float(number), 1.0]} for number in range(8)]
    mixed = [rows[place] for place in (3, 1, 7, 0, 2, 6, 5, 4)]
    (one,), (other,) = (
        read_measured([write_parts(tmp_path / name, some)]) for name, some in (("a", rows), ("b", mixed))
    )
    assert one.ids == other.ids and interval(one.of, FEW) == interval(other.of, FEW)


def test_instances_without_a_value_do_not_count(tmp_path: Path) -> None:
    rows = [
        {"instance_id": "a", "run": "r", "parts": [1.0, 2.0]},
        {"instance_id": "b", "run": "r", "parts": [0.0, 0.0], "value": None},
        {"instance_id": "a", "run": "r", "metric": "n", "parts": None, "note": "No model."},
    ]
    first, second = read_measured([write_parts(tmp_path / "p", rows)])
    assert (first.ids, score(first.of)) == (("a",), 0.5)
    assert (second.ids, second.of.note) == ((), "No model.")
