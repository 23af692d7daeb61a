"""Candidates by faiss IndexFlatIP, on CPU or GPU."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wokflow.frame.job import UserError
from wokflow.match.codes import UNIT, gamma
from wokflow.match.scores import Candidates, Finder, MakeFinder, Scores, rescore
from wokflow.match.vectors import Matrix

SPARE = 6  # neighbours requested beyond k: they show that nothing after them can be among the k nearest
GPU_MOST = 2048  # most neighbours that faiss returns on a GPU


def make(device: str, threads: int) -> MakeFinder:
    import faiss

    faiss.omp_set_num_threads(threads)
    gpus = faiss.get_num_gpus() if hasattr(faiss, "get_num_gpus") else 0
    if device == "cuda" and not gpus:
        raise UserError("match.search.device is cuda, but faiss sees no GPU: install faiss-gpu, or take cpu")
    resources = faiss.StandardGpuResources() if gpus and device != "cpu" else None

    def indexed(rows: Matrix) -> Any:
        index: Any = faiss.IndexFlatIP(rows.shape[1])
        if resources is not None:
            index = faiss.index_cpu_to_gpu(resources, 0, index)
        index.add(rows)
        return index

    def finder(targets: Matrix, k: int) -> Finder:
        index, on_gpu = indexed(targets), resources is not None

        def find(queries: Matrix, query_floor: Scores, target_floor: Scores) -> tuple[Candidates, Candidates]:
            forward = _find(index, queries, targets, query_floor, k, on_gpu)
            return forward, _find(indexed(queries), targets, queries, target_floor, k, on_gpu)

        return find

    return finder


def error_bound(queries: Matrix, targets: Matrix) -> NDArray[np.float64]:
    """For each query, a bound on the error of a float32 inner product of d terms, whatever the order of additions.

    gamma |x| |y|, and half a unit in the last place for the rounding of the canonical score.
    """
    longest = float(np.sqrt(np.einsum("ij,ij->i", targets, targets, dtype=np.float64).max(initial=0.0)))
    norms = np.sqrt(np.einsum("ij,ij->i", queries, queries, dtype=np.float64))
    return np.asarray(gamma(queries.shape[1]) * norms * longest + UNIT)


def _find(index: Any, queries: Matrix, targets: Matrix, floor: Scores, k: int, on_gpu: bool) -> Candidates:
    """Request more and more neighbours of a query until the last one is certainly not among its k nearest."""
    bound = error_bound(queries, targets)
    pairs: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    open_rows = np.arange(len(queries))
    wanted = k + SPARE
    while len(open_rows):
        wanted = min(wanted, len(targets))
        if on_gpu and wanted > GPU_MOST:
            import faiss

            index, on_gpu = faiss.index_gpu_to_cpu(index), False
        scores, ids = index.search(queries[open_rows], wanted)
        # canonical scores are at most 1: above 1 + bound, all are equally near
        kth = np.minimum(scores[:, min(k, wanted) - 1], 1 + bound[open_rows])
        kth = np.maximum(kth, floor[open_rows])
        margin = 2 * bound[open_rows]
        near = scores >= (kth - margin)[:, None]
        done = (scores[:, -1] < kth - margin) | (wanted == len(targets))
        keep = near & done[:, None]
        row, column = np.nonzero(keep)
        pairs.append((open_rows[row].astype(np.int64), ids[row, column].astype(np.int64)))
        open_rows = open_rows[~done]
        wanted *= 4
    query, target = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return rescore(queries, targets, query, target)
