"""Parts of parallel sentences hold the rows in their order, however many they are."""

from pathlib import Path

import polars as pl
import pytest
from wokflow.ingest import stream

from tests.ingest.test_sentences import read_into


def test_parts_divide_the_rows_and_nothing_else(tmp_path: Path) -> None:
    rows = "".join(f"{n} bowls of rice\t{n}碗米饭\n" for n in range(50_000))
    (tmp_path / "a.tsv").write_text("source\ttarget\n" + rows)
    one = read_into(tmp_path, "tsv", str(tmp_path / "a.tsv"), "en-zh", language=False)
    four = read_into(tmp_path, "tsv", str(tmp_path / "a.tsv"), "en-zh", parts=4, language=False)
    assert one == four
    sizes = [len(pl.read_parquet(tmp_path / f"s{number}.parquet")) for number in range(4)]
    assert min(sizes) > 0


def test_rejects_stay_in_order_where_the_second_file_is_the_longer_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their place is told by the first file, and behind its end by the second."""
    monkeypatch.setattr(stream, "CHUNK", 99)
    (tmp_path / "a.en").write_text("rice\n" * 300)
    (tmp_path / "a.zh").write_text("饭\n" * 900)
    bad = read_into(
        tmp_path, "moses", str(tmp_path / "a"), "en-zh", parts=5, truncated="keep", mostly_rejected="keep"
    )[1]
    assert [row for row, _ in bad] == sorted(row for row, _ in bad) and len(bad) > 600
