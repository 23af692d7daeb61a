"""Shards hold every row once, however rows come and are cut."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wokflow.export.forms import FORMS
from wokflow.export.release_shards import ShardWriter, shard_problems

from tests.export.made import same


def test_a_row_group_is_halved_until_its_values_are_few_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wokflow.export.release_shards.GROUP", 1_000)
    with ShardWriter(tmp_path, "a", "train", FORMS["records"].own, jsonl=False) as writer:
        writer.write(pl.DataFrame({"record_id": ["a:1"] * 8, "sha256": ["x" * 100] * 7 + ["y" * 2_000]}))
    stored = pq.read_metadata(tmp_path / "data/a/train-00000-of-00001.parquet")
    assert [stored.row_group(number).num_rows for number in range(stored.num_row_groups)] == [4, 2, 1, 1]


def test_a_row_group_of_many_equal_numbers_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take a few bytes in the file, however many they are."""
    schema, shard = FORMS["pairs"].own, tmp_path / "shard.parquet"
    row = {"source_id": "a:1", "target_ids": ["b:1"], "scores": [0.0] * 1_000}
    pq.write_table(pa.Table.from_pylist([row], schema), shard)
    assert not list(shard_problems(shard, schema, 1, 5))
    monkeypatch.setattr("wokflow.export.release_shards.MOST", 4_000)
    monkeypatch.delattr(pq.ParquetFile, "iter_batches")
    assert [gate for gate, _ in shard_problems(shard, schema, 1, 5)] == ["schema"]


def lie(shard: Path, number: int) -> None:
    """Put 0 into the footer for a number above 63, wherever it has it, in as many bytes."""
    stored = shard.read_bytes()
    begin = len(stored) - 8 - int.from_bytes(stored[-8:-4], "little")
    written, rest = b"", 2 * number  # as Thrift writes numbers of varying length
    while rest > 127:
        written, rest = written + bytes([rest % 128 + 128]), rest // 128
    written += bytes([rest])
    assert written in stored[begin:]
    nothing = bytes([128] * (len(written) - 1) + [0])
    shard.write_bytes(stored[:begin] + stored[begin:].replace(written, nothing))


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("rows", [1, 1_000])
def test_pages_are_believed_and_no_footer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, rows: int
) -> None:
    """One long text, or many equal numbers, that the footer says are nothing: they are refused unread."""
    monkeypatch.setattr("wokflow.export.release_shards.MOST", 4_000)
    schema, shard = FORMS["records"].own, tmp_path / "shard.parquet"
    row = {"record_id": "a:1", "sha256": "x" * (5_000 if rows == 1 else 1)}
    pq.write_table(pa.Table.from_pylist([row] * rows, schema), shard, data_page_version=version)
    column = pq.read_metadata(shard).row_group(0).column(1)
    lie(shard, rows if rows > 1 else column.total_uncompressed_size)
    claimed = pq.read_metadata(shard).row_group(0).column(1)
    assert claimed.total_uncompressed_size < 200 and claimed.num_values == rows % 1_000
    monkeypatch.delattr(pq.ParquetFile, "iter_batches")
    assert ("schema", "has a row group of more than 0 MiB, which Wokflow never writes") in [
        *shard_problems(shard, schema, rows % 1_000, 5_000)
    ]


def test_rows_are_counted_as_they_are_read(tmp_path: Path) -> None:
    schema, shard = FORMS["records"].own, tmp_path / "shard.parquet"
    pq.write_table(
        pa.Table.from_pylist([{"record_id": "a:1", "sha256": "x"}] * 300, schema), shard, row_group_size=200
    )
    lie(shard, 100)
    problems = [*shard_problems(shard, schema, 300, 5_000)]
    assert problems and all(gate == "counts" for gate, _ in problems)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batch=st.integers(1, 5), limit=st.integers(1, 5_000), group=st.integers(1, 4), count=st.integers(0, 9))
def test_rows_survive_however_they_come_and_are_cut(
    tmp_path_factory: pytest.TempPathFactory, batch: int, limit: int, group: int, count: int
) -> None:
    """Row groups, and so bytes, depend on the rows and the size of a shard, not on how the rows come."""
    from wokflow.export.dataset import write_subset

    table = pl.DataFrame(
        {
            "record_id": [f"a:{number}" for number in range(count)],
            "sha256": [str(number) * 64 for number in range(count)],
            "split": [("train", "test")[number % 2] for number in range(count)],
        },
        schema={"record_id": pl.String, "sha256": pl.String, "split": pl.String},
    )
    form = replace(FORMS["records"], group=group)
    folders = []
    for step in (batch, 100):
        folder = tmp_path_factory.mktemp("cut")
        frames = (table[start : start + step] for start in range(0, count, step))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("wokflow.export.release_shards.SHARD", limit)
            counts = write_subset(
                folder, "records", form, frames, {}, ("train", "test"), full=False, jsonl=True
            )
        folders.append(folder)
    assert same(*folders)
    for split in ("train", "test"):
        wanted = table.filter(pl.col("split") == split).drop("split")
        assert sum(counts.get(split, [])) == wanted.height
        paths = sorted((folders[0] / "data").rglob(f"{split}-*.parquet"))
        assert [pq.read_metadata(path).num_rows for path in paths] == counts.get(split, [])
        assert all(f"-of-{len(paths):05}" in path.name for path in paths)
        if paths:
            assert pl.concat([pl.read_parquet(path) for path in paths]).equals(wanted)
            lines = [
                json.loads(line)
                for path in sorted((folders[0] / "jsonl").rglob(f"{split}-*.jsonl"))
                for line in path.read_text().splitlines()
            ]
            assert lines == wanted.to_dicts()


def test_frames_in_pieces_are_the_same_bytes(tmp_path: Path) -> None:
    """A page ends where a piece of memory does; rows that are read from a release come in other pieces."""
    ids = [f"recipenlg:{number}" for number in range(50_000)]
    table = pl.DataFrame({"record_id": ids, "sha256": [f"{number * 7919:064x}" for number in range(50_000)]})
    pieces = pl.concat([table[at : at + 7_001] for at in range(0, len(table), 7_001)], rechunk=False)
    for name, frame in (("one", table), ("pieces", pieces)):
        with ShardWriter(tmp_path / name, "a", "train", FORMS["records"].own, jsonl=False) as writer:
            writer.write(frame)
    assert same(tmp_path / "one", tmp_path / "pieces")


def test_rows_that_do_not_fit_are_no_shard(tmp_path: Path) -> None:
    with (
        ShardWriter(tmp_path, "a", "train", FORMS["records"].own, jsonl=False) as writer,
        pytest.raises(ValueError, match="subset a, split train: rows do not fit"),
    ):
        writer.write(pl.DataFrame({"record_id": ["a:1"], "sha256": [None]}))
