"""Parts of a table are all there are in its folder."""

from contextlib import ExitStack
from pathlib import Path

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.ingest.row_parts import Parts
from wokflow.ingest.schemas import REJECTS


def written(folder: Path, count: int, *, fails: bool = False) -> list[str]:
    """Write two rows to `count` parts; the names of the files that are there then."""
    rows = tables.frame(REJECTS, [("made", row, "duplicate", None, "raw") for row in range(2)])
    with ExitStack() as stack:
        parts = Parts(stack, [f"{folder}/part-{part:05}.parquet" for part in range(count)], REJECTS, {})
        for position, row in ((0.0, rows[:1]), (0.9, rows[1:])):
            parts.write(position, row)
        if fails:
            raise OSError
    return sorted(path.name for path in folder.iterdir())


def test_fewer_parts_leave_none_of_the_earlier_ones(tmp_path: Path) -> None:
    """Else who reads the folder has rows twice. Nothing is lost where the new ones could not be written."""
    assert len(written(tmp_path, 4)) == 4
    (tmp_path / "notes.txt").touch()
    with pytest.raises(OSError):
        written(tmp_path, 2, fails=True)
    assert len(list(tmp_path.glob("*.parquet"))) == 4
    assert written(tmp_path, 2) == ["notes.txt", "part-00000.parquet", "part-00001.parquet"]
    assert pl.read_parquet(tmp_path / "*.parquet")["source_row"].to_list() == [0, 1]
