"""Candidates by half-precision products in blocks, on CPU (bfloat16) or GPU (float16).

Scores are kept only as maxima over groups of target rows. A group is looked at again where its maximum, plus
what rounding may have taken from it, reaches the k-th score; there single rows are scored in float32, and
those that still may be among the k nearest get their canonical score.

The bound. With x^ the rounded x and s~ the product as computed: |s~ - x.y| <= |x| |y - y^| + |x - x^| |y^|
(Cauchy and Schwarz on x.y - x^.y^) + gamma |x^| |y^| (additions in float32) + what rounding the outcome, at
most m = (1 + gamma) |x^| |y^|, to half precision may move it. |x - x^|, |y - y^| and |y^| are measured, not
estimated. With p the power of two below m, numbers up to p lie at most u p / 2 from the next of half
precision, and those between p and m at most u p, nor farther than from p. 2**-24 more is for the rounding of
the canonical score, and of numbers below the normal ones.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wokflow.job import UserError
from wokflow.match.search import Candidates, MakeFinder, rescore
from wokflow.match.vectors import Matrix

GROUP = 16  # target rows that share a maximum
SUPER = 16  # groups that share one
ROWS = 2048  # target rows of one product: its outcome stays in the cache
GPU_ROWS = 65_536
PAIRS = 256  # groups whose rows are scored in float32 at a time: few enough for the cache


def make(device: str, threads: int) -> MakeFinder:
    try:
        import torch
    except ImportError as error:
        raise UserError("match.search.backend torch needs torch: install it, or take faiss") from error
    if device == "cuda" and not torch.cuda.is_available():
        raise UserError("match.search.device is cuda, but torch sees no GPU: take cpu, or run on a GPU node")
    on_gpu = torch.cuda.is_available() and device != "cpu"
    if on_gpu:  # partial sums stay in float32, as the bound has it
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_tf32 = False
    else:
        torch.set_num_threads(threads)
    return lambda targets, k: Targets(targets, k, "cuda" if on_gpu else "cpu")


class Targets:
    """A run of target rows, in float32 and in half precision, padded to whole super-groups."""

    def __init__(self, targets: Matrix, k: int, device: str) -> None:
        import torch

        self._torch = torch
        self._host = targets
        self._k = k
        self._device = device
        self._half = torch.float16 if device == "cuda" else torch.bfloat16
        # unit roundoffs: of half precision, and of float32 sums (tensor cores truncate: two bits fewer)
        self._u = 2.0**-11 if device == "cuda" else 2.0**-8
        self._u_sum = 2.0**-22 if device == "cuda" else 2.0**-23
        padding = -len(targets) % (GROUP * SUPER)
        if padding:
            targets = np.concatenate([targets, np.zeros((padding, targets.shape[1]), np.float32)])
        self._valid = len(targets) - padding
        self._full = torch.from_numpy(targets).to(device)
        self._rounded = torch.empty_like(self._full, dtype=self._half)
        self._longest = self._longest_rounded = self._residual = 0.0
        for start in range(0, len(targets), ROWS):
            rows = self._full[start : start + ROWS]
            self._rounded[start : start + ROWS] = rows
            rounded = self._rounded[start : start + ROWS].float()
            self._longest = max(self._longest, self._norms(rows).max().item())
            self._longest_rounded = max(self._longest_rounded, self._norms(rounded).max().item())
            self._residual = max(self._residual, self._norms(rows - rounded).max().item())

    def _norms(self, vectors: Any) -> Any:
        """Lengths of rows, rounded up: float32 sums may be off by d + 2 roundings."""
        slack = 1 + (vectors.shape[1] + 2) * 2.0**-23
        return self._torch.linalg.vector_norm(vectors, dim=1).double() * slack + 2.0**-60

    def __call__(self, queries: Matrix, floor: NDArray[np.float32]) -> Candidates:
        torch = self._torch
        with torch.inference_mode():
            full = torch.from_numpy(queries).to(self._device)
            rounded = full.to(self._half)
            maxima = self.group_maxima(rounded)
            query, target = self._candidates(full, rounded, maxima, torch.from_numpy(floor).to(self._device))
        return rescore(queries, self._host, query, target)

    def group_maxima(self, rounded: Any) -> Any:
        """Largest product of each group with each query; shape (groups, queries), in half precision."""
        torch = self._torch
        queries = rounded.T.contiguous()
        step = GPU_ROWS if self._device == "cuda" else ROWS
        count = queries.shape[1]
        maxima = torch.empty((len(self._rounded) // GROUP, count), dtype=self._half, device=self._device)
        out = torch.empty((step, count), dtype=self._half, device=self._device)
        for start in range(0, len(self._rounded), step):
            rows = self._rounded[start : start + step]
            scores = torch.mm(rows, queries, out=out[: len(rows)])
            groups = maxima[start // GROUP : (start + len(rows)) // GROUP]
            torch.amax(scores.view(-1, GROUP, count), dim=1, out=groups)
        return maxima

    def _candidates(
        self, full: Any, rounded: Any, maxima: Any, floor: Any
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(query row, target row) of all that may be among the k nearest."""
        torch = self._torch
        half_bound, single_bound = self.bounds(full, rounded)
        supers = maxima.view(-1, SUPER, maxima.shape[1]).amax(1)
        kth = self._kth(maxima, supers) - half_bound
        floor = torch.maximum(floor.double(), kth.clamp(max=1.0))  # canonical scores end at 1
        need = floor - half_bound
        groups, query = self._groups_above(maxima, supers, need)
        return self._rows_above(full, groups, query, floor - single_bound)

    def _kth(self, maxima: Any, supers: Any) -> Any:
        """At most the k-th largest computed score: the k-th largest maximum of groups without padding."""
        torch = self._torch
        whole = supers[: self._valid // (GROUP * SUPER)]
        if len(whole) < self._k:
            whole = maxima[: self._valid // GROUP]
        if len(whole) < self._k:
            return torch.full((supers.shape[1],), -2.0, dtype=torch.float64, device=self._device)
        return whole.T.float().topk(self._k, dim=1).values[:, -1].double()

    def bounds(self, full: Any, rounded: Any) -> tuple[Any, Any]:
        """How far a half-precision and a float32 product may be from the score, for each query."""
        d = full.shape[1]
        norms = self._norms(full)
        lengths = self._norms(rounded.float()) * self._longest_rounded
        gamma = d * self._u_sum / (1 - d * self._u_sum)
        residual = self._norms(full - rounded.float())
        half = norms * self._residual + residual * self._longest_rounded
        half = half + gamma * lengths + self._rounding((1 + gamma) * lengths) + 2.0**-24
        single = gamma * norms * self._longest + 2.0**-24
        return half, single

    def _rounding(self, most: Any) -> Any:
        """How far rounding to half precision may move a number of at most `most`."""
        torch = self._torch
        power = torch.exp2(torch.floor(torch.log2(most)))
        return torch.maximum(self._u / 2 * power, torch.minimum(self._u * power, most - power))

    def _groups_above(self, maxima: Any, supers: Any, need: Any) -> tuple[Any, Any]:
        torch = self._torch
        above, query = torch.nonzero(supers.double() >= need, as_tuple=True)
        inner = torch.arange(SUPER, device=maxima.device)
        groups = (above[:, None] * SUPER + inner).reshape(-1)
        query = query[:, None].expand(-1, SUPER).reshape(-1)
        kept = maxima[groups, query].double() >= need[query]
        return groups[kept], query[kept]

    def _rows_above(
        self, full: Any, groups: Any, query: Any, need: Any
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        torch = self._torch
        found = []
        for start in range(0, len(groups), PAIRS):
            group, row = groups[start : start + PAIRS], query[start : start + PAIRS]
            near = self._products(full, group, row).double() >= need[row][:, None]
            pair, member = torch.nonzero(near, as_tuple=True)
            found.append((row[pair].cpu().numpy(), (group[pair] * GROUP + member).cpu().numpy()))
        if not found:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        rows, targets = (np.concatenate(column) for column in zip(*found, strict=True))
        real = targets < self._valid
        return rows[real], targets[real]

    def _products(self, full: Any, group: Any, row: Any) -> Any:
        """Float32 products of the rows of groups with a query each; shape (groups, GROUP)."""
        by_group = self._full.view(-1, GROUP, self._full.shape[1])
        if self._device == "cuda":
            return self._torch.bmm(by_group[group], full[row][:, :, None])[:, :, 0]
        rows = by_group.numpy()[group.numpy()]  # numpy is several times faster at many small products
        return self._torch.from_numpy(np.matmul(rows, full.numpy()[row.numpy()][:, :, None])[:, :, 0])
