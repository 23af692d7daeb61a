"""The unit of computation is a block of fixed size in a fixed order; a shard is a run of whole blocks.

So results do not depend on the number of shards; only the places where they are cut do.
"""


def shard_range(rows: int, block: int, shard: int, shards: int) -> range:
    """The rows of shard `shard` of `shards`, in whole blocks of `block` rows (the last block may be short)."""
    count = -(-rows // block)
    first, last = shard * count // shards, (shard + 1) * count // shards
    return range(min(first * block, rows), min(last * block, rows))


def blocks(rows: range, block: int) -> list[range]:
    """`rows` in runs of `block`."""
    return [range(start, min(start + block, rows.stop)) for start in range(rows.start, rows.stop, block)]
