"""Pairs as edges between numbered recipes, and the groups that they connect."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray


@dataclass(frozen=True)
class Edges:
    """The accepted pairs of a direction: numbers of source, target and the source's title, each an array (pairs,)."""

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    title: NDArray[np.int32]


def coded(directions: Mapping[str, pl.LazyFrame]) -> tuple[list[str], dict[str, Edges]]:
    """The ids of all recipes that stand in pairs, sorted, and the pairs of each direction as numbers in that list."""
    columns = ("source_id", "target_id")
    some = [
        scanned.select(id=pl.col(column)).unique().collect()
        for scanned in directions.values()
        for column in columns
    ]
    node = pl.concat(some).unique().sort("id").with_row_index("node")

    def numbers(scanned: pl.LazyFrame, column: str) -> NDArray[np.int32]:
        found = scanned.select(id=pl.col(column)).join(
            node.lazy(), on="id", how="left", maintain_order="left"
        )
        return found.select(pl.col("node").cast(pl.Int32)).collect()["node"].to_numpy()

    def titles(scanned: pl.LazyFrame) -> NDArray[np.int32]:
        title = scanned.select("source_title").unique().with_row_index("number")
        found = scanned.select("source_title").join(
            title, on="source_title", how="left", maintain_order="left"
        )
        return found.select(pl.col("number").cast(pl.Int32)).collect()["number"].to_numpy()

    edges = {
        direction: Edges(numbers(scanned, "source_id"), numbers(scanned, "target_id"), titles(scanned))
        for direction, scanned in directions.items()
    }
    return node["id"].to_list(), edges


def components(nodes: int, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.int64]:
    """The connected component of each node; components are numbered by their first nodes."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(left), np.int8), (left, right)), shape=(nodes, nodes))
    _, label = connected_components(graph, directed=False)
    return np.asarray(label, np.int64)


def grouped(nodes: int, edges: Mapping[str, Edges]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The component of each recipe by pairs of any direction, and the number of sources in each component."""
    source = np.concatenate([pairs.source for pairs in edges.values()])
    component = components(nodes, source, np.concatenate([pairs.target for pairs in edges.values()]))
    sizes = np.bincount(component[np.unique(source)], minlength=int(component.max(initial=-1)) + 1)
    return component, sizes


def large(sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of these sizes are more than a tenth of all."""
    total = int(sizes.sum())
    return (sizes * 10 > total) & (total > 10)
