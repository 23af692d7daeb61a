"""Train, valid and test, with or without leaks between them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.match import schemas
from wokflow.match.directions import DIRECTIONS
from wokflow.match.edges import Edges, coded, grouped, large
from wokflow.match.held_out import held_out, tested_recipes
from wokflow.match.settings import SplitSettings

SPLITS = ("train", "valid", "test")
Shares = tuple[float, float]  # of valid and test
BATCH = 1 << 18  # pairs that are written at once
# Without a card, Hugging Face's datasets loads all Parquet files below a folder as one table, of both directions.
CARD = """---
configs:
- config_name: zh-en
  data_files: [{split: pairs, path: zh-en/*.parquet}]
- config_name: en-zh
  data_files: [{split: pairs, path: en-zh/*.parquet}]
---
Accepted pairs by direction, one pair a row; the column `split` says train, valid or test. In a release
(docs/release.md) splits are files of their own.
"""


def match_split(
    *,
    accepted: Sequence[str],
    silver: Sequence[str],
    eligible: Sequence[str],
    pairs: Sequence[str],
    leaks: str,
    settings: SplitSettings,
    job: Job,
) -> None:
    """Write the accepted pairs of each direction with their split, and the leaks of both kinds of split.

    `sources` draws source recipes separately in each direction. `grouped` draws components, recipes that pairs of any
    direction connect, so that no recipe is in two splits. Only the numbers of pairs are held in memory. A card for
    readers of whole folders lies above both tables.

    `accepted` and `pairs` are the tables of both directions, in the order of DIRECTIONS. Where there are separate
    test sets (`silver`, both tables of match/silver or none; gold sets), pairs that contain one of their recipes, a
    recipe with such a recipe's title, or one that is paired with these, are in test, whatever was drawn.
    """
    kind, seed, shares = settings.kind, settings.seed, (settings.valid, settings.test)
    scanned = {direction: tables.scan(path) for direction, path in zip(DIRECTIONS, accepted, strict=True)}
    names, edges = coded(scanned)
    splits = {
        "sources": by_source(names, edges, seed, shares),
        "grouped": by_component(names, edges, seed, shares),
    }
    gold = {"zh-en": settings.gold_zh_en, "en-zh": settings.gold_en_zh}
    tested = tested_recipes(silver, gold, eligible, simplified=settings.simplified)
    if len(tested):
        held = held_out(tested, scanned, names, edges)
        for name, split in splits.items():
            for direction, of_tests in held[name].items():
                split[direction][of_tests] = SPLITS.index("test")
        count = sum(int(of_tests.sum()) for of_tests in held[kind].values())
        job.progress.say(
            f"{tested['recipe_id'].n_unique()} recipes in test sets; {count} pairs of the same dishes are in test"
        )
    for direction, read, written in zip(DIRECTIONS, accepted, pairs, strict=True):
        _write(read, splits[kind][direction], written, job.metadata)
    leaked = {
        name: {direction: leak(edges[direction], of) for direction, of in split.items()}
        for name, split in splits.items()
    }
    # Not an output of the rule: earlier results lack it, and Snakemake compares no keys of a job that lacks an
    # output.
    tables.write_text(Path(pairs[0]).parents[1] / "README.md", CARD)
    tables.write_text(leaks, json.dumps({"kind": kind, "leaks": leaked}, indent=1) + "\n")


def _write(accepted: str, split: NDArray[np.uint8], pairs: str, metadata: Mapping[str, str]) -> None:
    """Write the accepted pairs with their split, BATCH at a time."""
    names = pl.Series(SPLITS)
    done = 0
    with tables.PartWriter(pairs, schemas.PAIRS, metadata) as part, tables.opened(accepted) as file:
        for batch in file.iter_batches(BATCH):
            rows = pl.DataFrame(pl.from_arrow(batch))
            own = split[done : done + rows.height]
            part.write(rows.with_columns(split=names.gather(own.astype(np.uint32))))
            done += rows.height
        if not done:
            part.write(tables.frame(schemas.PAIRS))


def by_source(
    names: Sequence[str], edges: Mapping[str, Edges], seed: int, shares: Shares
) -> dict[str, NDArray[np.uint8]]:
    """Draw source recipes one by one. Returns the number of each pair's split."""
    result = {}
    for direction, pairs in edges.items():
        sources, inverse = np.unique(pairs.source, return_inverse=True)
        split = cut(order([names[node] for node in sources], seed), np.ones(len(sources), np.int64), shares)
        result[direction] = split.astype(np.uint8)[inverse]
    return result


def by_component(
    names: Sequence[str], edges: Mapping[str, Edges], seed: int, shares: Shares
) -> dict[str, NDArray[np.uint8]]:
    """Draw connected recipes together; a component is named by its first recipe in sorted order."""
    count = len(names)
    component, sizes = grouped(count, edges)
    first = np.full(len(sizes), count)
    np.minimum.at(first, component, np.arange(count))
    split = cut(order([names[node] for node in first], seed), sizes, shares).astype(np.uint8)
    return {direction: split[component[pairs.source]] for direction, pairs in edges.items()}


def order(names: Sequence[str], seed: int) -> NDArray[np.int64]:
    """A shuffle that depends on names and seed alone: a name added or taken away leaves the others in their order."""
    keys = [hashlib.blake2b(f"{seed}:{name}".encode(), digest_size=8).digest() for name in names]
    return np.array(sorted(range(len(names)), key=lambda index: (keys[index], names[index])), np.int64)


def cut(drawn: NDArray[np.int64], sizes: NDArray[np.int64], shares: Shares) -> NDArray[np.int64]:
    """Number of the split of each item, given the order in which items are drawn, and their sizes.

    The last items are test, those before them valid, by their `shares` of the total size. Items larger than a tenth
    of the total are drawn first and go to train until it is full; if they fill more than its share, valid and test
    divide the rest.
    """
    valid, test = shares
    total, first = int(sizes.sum()), large(sizes)[drawn]
    drawn = np.concatenate([drawn[first], drawn[~first]])
    ends = np.cumsum(sizes[drawn])
    filled = ends[: first.sum()]
    least = (1 - valid - test) * total
    train = max([least, *filled[filled >= least][:1]])
    bounds = [train, train + (total - train) * valid / (valid + test)]
    split = np.empty(len(sizes), np.int64)
    split[drawn] = np.searchsorted(bounds, ends - sizes[drawn] / 2, side="right")
    return split


def leak(pairs: Edges, split: NDArray[np.uint8]) -> dict[str, float]:
    """Shares of the sources in valid and test with a target, or a title, that is also in train."""
    train = split == SPLITS.index("train")
    result = {}
    for number, name in enumerate(SPLITS[1:], start=1):
        held = split == number
        sources = len(np.unique(pairs.source[held]))
        for what, of in (("target", pairs.target), ("title", pairs.title)):
            seen = np.isin(of[held], np.unique(of[train]))
            leaked = len(np.unique(pairs.source[held][seen]))
            result[f"{name}_{what}"] = round(leaked / sources, 4) if sources else 0.0
    return result
