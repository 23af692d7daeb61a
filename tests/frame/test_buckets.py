"""Rows are read again range by range, each once, and no temporary file stays."""

from pathlib import Path

import polars as pl
import pytest
from wokflow.frame import buckets
from wokflow.frame.buckets import Buckets, scratch
from wokflow.frame.leftovers import temporary_name


def test_rows_come_back_by_ranges_and_in_the_order_in_which_they_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten values in three ranges of four: a range without rows is left out."""
    monkeypatch.setattr(buckets, "LEAST", 1)
    monkeypatch.setattr(buckets, "MOST", 3)
    with scratch(tmp_path / "out") as folder:
        rows = Buckets(folder / "by", "at", 10)
        for at, value in (([9, 0, 3], [1, 2, 3]), ([1, 9, 0], [4, None, 6])):
            rows.add(pl.DataFrame({"at": at, "value": value}, {"at": pl.Int32, "value": pl.Float32}))
        found = [some.rows() for some in rows]
    assert found == [[(0, 2), (3, 3), (1, 4), (0, 6)], [(9, 1), (9, None)]]
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    left = temporary_name(tmp_path / "out.rows")  # with this process's number, as of an earlier one
    left.mkdir()
    (left / "000.arrow").touch()
    with scratch(tmp_path / "out") as folder:
        assert not list(folder.iterdir())
    assert not list(tmp_path.iterdir())
