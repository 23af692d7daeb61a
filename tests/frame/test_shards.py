"""Shards are runs of whole blocks, and together they are everything."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame.shards import blocks, shard_range

sizes = {"rows": st.integers(0, 500), "block": st.integers(1, 60), "shards": st.integers(1, 40)}


@given(**sizes)
def test_shards_one_after_another_are_all_rows(rows: int, block: int, shards: int) -> None:
    found = [row for shard in range(shards) for row in shard_range(rows, block, shard, shards)]
    assert found == list(range(rows))


@given(**sizes)
def test_shards_are_cut_only_between_blocks(rows: int, block: int, shards: int) -> None:
    everything = blocks(range(rows), block)
    found = [
        part for shard in range(shards) for part in blocks(shard_range(rows, block, shard, shards), block)
    ]
    assert found == everything


@given(**sizes)
def test_shards_differ_by_one_block_at_most(rows: int, block: int, shards: int) -> None:
    counts = [len(blocks(shard_range(rows, block, shard, shards), block)) for shard in range(shards)]
    assert max(counts) - min(counts) <= 1


@given(start=st.integers(0, 100), count=st.integers(0, 300), block=st.integers(1, 60))
def test_blocks_have_one_size_but_for_the_last(start: int, count: int, block: int) -> None:
    rows = range(start, start + count)
    found = blocks(rows, block)
    assert [row for part in found for row in part] == list(rows)
    assert all(len(part) == block for part in found[:-1]) and all(0 < len(part) <= block for part in found)
    assert all(left.stop == right.start for left, right in pairwise(found))


def test_shards_by_hand() -> None:
    assert [shard_range(10, 4, shard, 2) for shard in (0, 1)] == [range(4), range(4, 10)]
    assert [shard_range(10, 4, shard, 4) for shard in range(4)] == [
        range(0),
        range(4),
        range(4, 8),
        range(8, 10),
    ]
    assert shard_range(0, 4, 2, 3) == range(0)
