"""Pairs as edges between numbered recipes, and the groups that they connect."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray


@dataclass(frozen=True)
class Edges:
    """The accepted pairs of a direction: numbers of source, target and source title, each an array (pairs,)."""

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    title: NDArray[np.int32]


def coded(directions: Mapping[str, pl.LazyFrame]) -> tuple[list[str], dict[str, Edges]]:
    """The sorted ids of all recipes in pairs, and the pairs of each direction as indices into that list."""
    columns = ("source_id", "target_id")
    ids = [
        scanned.select(id=pl.col(column)).unique().collect()
        for scanned in directions.values()
        for column in columns
    ]
    node = pl.concat(ids).unique().sort("id").with_row_index("node")

    def numbers(scanned: pl.LazyFrame, column: str) -> NDArray[np.int32]:
        joined = scanned.select(id=pl.col(column)).join(
            node.lazy(), on="id", how="left", maintain_order="left"
        )
        return joined.select(pl.col("node").cast(pl.Int32)).collect()["node"].to_numpy()

    def titles(scanned: pl.LazyFrame) -> NDArray[np.int32]:
        title = scanned.select("source_title").unique().with_row_index("number")
        joined = scanned.select("source_title").join(
            title, on="source_title", how="left", maintain_order="left"
        )
        return joined.select(pl.col("number").cast(pl.Int32)).collect()["number"].to_numpy()

    edges = {
        direction: Edges(numbers(scanned, "source_id"), numbers(scanned, "target_id"), titles(scanned))
        for direction, scanned in directions.items()
    }
    return node["id"].to_list(), edges


def components(nodes: int, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.int64]:
    """The number of each node's connected component; components are numbered in the order of their first nodes."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(left), np.int8), (left, right)), shape=(nodes, nodes))
    _, label = connected_components(graph, directed=False)
    return np.asarray(label, np.int64)


def grouped(nodes: int, edges: Mapping[str, Edges]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The component of each recipe, by the pairs of all directions, and the number of sources in each component."""
    source = np.concatenate([pairs.source for pairs in edges.values()])
    component = components(nodes, source, np.concatenate([pairs.target for pairs in edges.values()]))
    sizes = np.bincount(component[np.unique(source)], minlength=int(component.max(initial=-1)) + 1)
    return component, sizes


def large(sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of these sizes are more than a tenth of their sum."""
    total = int(sizes.sum())
    return (sizes * 10 > total) & (total > 10)
