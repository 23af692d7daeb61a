"""Train, valid and test, with or without leaks between them."""

import hashlib
import json
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.frame import tables
from wokflow.match import schemas

SHARES = (0.8, 0.1, 0.1)  # Cultural Adaptation of Recipes: 80/10/10
SPLITS = ("train", "valid", "test")


def match_split(
    *,
    accepted_zh_en: str,
    accepted_en_zh: str,
    pairs_zh_en: str,
    pairs_en_zh: str,
    leaks: str,
    kind: Literal["paper", "grouped"],
    seed: int,
    metadata: dict[str, str],
) -> None:
    """Write the accepted pairs of each direction with their split, and the leaks of both kinds of split.

    `paper` draws source recipes in each direction by itself. `grouped` draws components: recipes that are connected
    by pairs of any direction. So no recipe is in two splits.
    """
    accepted = {"zh-en": tables.read(accepted_zh_en), "en-zh": tables.read(accepted_en_zh)}
    splits = {"paper": by_source(accepted, seed), "grouped": by_component(accepted, seed)}
    for direction, path in {"zh-en": pairs_zh_en, "en-zh": pairs_en_zh}.items():
        tables.write(path, schemas.PAIRS, splits[kind][direction], metadata)
    leaked = {
        name: {direction: leak(table) for direction, table in split.items()} for name, split in splits.items()
    }
    tables.write_text(leaks, json.dumps({"kind": kind, "leaks": leaked}, indent=1) + "\n")


def by_source(directions: dict[str, pl.DataFrame], seed: int) -> dict[str, pl.DataFrame]:
    """The paper's split: source recipes are drawn one by one."""
    result = {}
    for direction, table in directions.items():
        sources = table["source_id"].unique(maintain_order=True)
        split = cut(order(sources.to_list(), seed), np.ones(sources.len(), np.int64))
        names = pl.Series([SPLITS[number] for number in split], dtype=pl.String)
        drawn = pl.DataFrame({"source_id": sources, "split": names})
        result[direction] = table.join(drawn, on="source_id", how="left", maintain_order="left")
    return result


def by_component(directions: dict[str, pl.DataFrame], seed: int) -> dict[str, pl.DataFrame]:
    """Draw connected recipes together; a component goes by the name of its first recipe in sorted order."""
    columns = [table[column] for table in directions.values() for column in ("source_id", "target_id")]
    ids = pl.concat(columns).unique().sort()
    node = pl.DataFrame({"id": ids}).with_row_index("node")
    edges = [
        (_nodes(table, "source_id", node), _nodes(table, "target_id", node)) for table in directions.values()
    ]
    component = components(
        ids.len(), np.concatenate([left for left, _ in edges]), np.concatenate([right for _, right in edges])
    )
    count = int(component.max(initial=-1)) + 1
    sources = np.unique(np.concatenate([left for left, _ in edges]))
    sizes = np.bincount(component[sources], minlength=count)
    first = np.full(count, ids.len())
    np.minimum.at(first, component, np.arange(ids.len()))
    split = cut(order(ids.gather(first).to_list(), seed), sizes)
    names = np.array(SPLITS)[split] if count else np.empty(0, str)
    return {
        direction: table.with_columns(split=pl.Series(names[component[left]].tolist(), dtype=pl.String))
        for (direction, table), (left, _) in zip(directions.items(), edges, strict=True)
    }


def components(nodes: int, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """The connected component of each node; components are numbered by their first nodes."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(left), np.int8), (left, right)), shape=(nodes, nodes))
    _, label = connected_components(graph, directed=False)
    return np.asarray(label, np.int64)


def order(names: list[str], seed: int) -> NDArray[np.int64]:
    """A shuffle that depends on names and seed alone: a name added or taken away leaves the others in their order."""
    keys = [hashlib.blake2b(f"{seed}:{name}".encode(), digest_size=8).digest() for name in names]
    return np.array(sorted(range(len(names)), key=lambda index: (keys[index], names[index])), np.int64)


def cut(drawn: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of the split of each item, given the order in which items are drawn, and their sizes.

    The last tenth of the total size is test, the tenth before it valid. Items larger than a tenth of the total are
    drawn first and go to train until it is full; if they fill more than its share, valid and test halve the rest.
    """
    total = int(sizes.sum())
    large = (sizes[drawn] * 10 > total) & (total > 10)
    drawn = np.concatenate([drawn[large], drawn[~large]])
    ends = np.cumsum(sizes[drawn])
    filled = ends[: large.sum()]
    train = max([SHARES[0] * total, *filled[filled >= SHARES[0] * total][:1]])
    bounds = [train, train + (total - train) * SHARES[1] / (SHARES[1] + SHARES[2])]
    split = np.empty(len(sizes), np.int64)
    split[drawn] = np.searchsorted(bounds, ends - sizes[drawn] / 2, side="right")
    return split


def leak(table: pl.DataFrame) -> dict[str, float]:
    """Shares of the sources in valid and test that have a target, or a title, that is also in train."""
    train = table.filter(pl.col("split") == "train")
    result = {}
    for split in SPLITS[1:]:
        held = table.filter(pl.col("split") == split)
        sources = held["source_id"].n_unique()
        for name, column in (("target", "target_id"), ("title", "source_title")):
            seen = held.filter(pl.col(column).is_in(train[column].unique().implode()))["source_id"].n_unique()
            result[f"{split}_{name}"] = round(seen / sources, 4) if sources else 0.0
    return result


def _nodes(table: pl.DataFrame, column: str, node: pl.DataFrame) -> NDArray[np.int64]:
    found = table.select(id=pl.col(column)).join(node, on="id", how="left", maintain_order="left")
    return found["node"].cast(pl.Int64).to_numpy()
