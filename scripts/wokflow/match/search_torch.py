"""Candidates by half-precision products in blocks, on CPU (bfloat16) or GPU (float16).

Where targets lie near few axes, products are those of shorter vectors, which bound the scores from above (sketch).
They are kept only as maxima over groups of target rows. The k groups with the highest maxima are scored row by row
in float32, so that the k-th score is known up to rounding. Then each group is looked at whose maximum, plus what
rounding may have taken from it, reaches that score. Rows that still may be among the k nearest get their canonical
score.

The bound. With x^ the rounded x and s~ the product as computed: |s~ - x.y| <= |x| |y - y^| + |x - x^| |y^|
(Cauchy and Schwarz on x.y - x^.y^) + gamma |x^| |y^| (additions in float32) + what rounding the outcome, at
most m = (1 + gamma) |x^| |y^|, to half precision may move it. |x - x^| and |y - y^| are measured, not
estimated; |y^| <= |y| + |y - y^|. With p the power of two below m, numbers up to p lie at most u p / 2 from the
next of half precision, and those between p and m at most u p, nor farther than from p. 2**-24 more is for the
rounding of the canonical score, and of numbers below the normal ones. What products of shorter vectors may lack
comes to it.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wokflow.job import UserError
from wokflow.match.search import Candidates, MakeFinder, rescore
from wokflow.match.sketch import WIDTHS, sketch
from wokflow.match.vectors import Matrix

GROUP = 16  # target rows that share a maximum
SUPER = 16  # groups that share one
ROWS = 2048  # target rows of one product: its outcome stays in the cache
GPU_ROWS = 65_536
WORTH = 4096  # target rows whose products, were they whole, would cost about as much more as the scores of a group
PAIRS = 256  # groups whose rows are scored in float32 at a time: few enough for the cache
GPU_PAIRS = 8192
KEPT = 65_536  # groups whose scores are kept at a time


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
    widths = list(WIDTHS)  # those that did not pay for some targets are not tried for the next
    return lambda targets, k: Targets(targets, k, "cuda" if on_gpu else "cpu", widths)


class Targets:
    """A run of target rows: in float32; shortened, in half precision and padded to whole super-groups."""

    def __init__(self, targets: Matrix, k: int, device: str, widths: list[int]) -> None:
        import torch

        self._torch = torch
        self._host = targets
        self._k = k
        self._device = device
        self._half = torch.float16 if device == "cuda" else torch.bfloat16
        # unit roundoffs: of half precision, and of float32 sums (tensor cores truncate: two bits fewer)
        self._u = 2.0**-11 if device == "cuda" else 2.0**-8
        self._u_sum = 2.0**-22 if device == "cuda" else 2.0**-23
        self._full = torch.from_numpy(targets).to(device)
        self._widths = widths
        self._prepare()

    def _prepare(self) -> None:
        """Make what products are made of: the rows, shortened if that may pay, in half precision."""
        torch = self._torch
        self._sketch = sketch(self._full, self._u_sum, self._widths)
        if not self._sketch:
            self._widths.clear()  # nor will it be for the next run of targets
        width = self._sketch.width if self._sketch else self._full.shape[1]
        padded = len(self._full) + -len(self._full) % (GROUP * SUPER)
        self._rounded = torch.zeros((padded, width), dtype=self._half, device=self._device)
        self._longest = self._longest_short = self._residual = 0.0
        for start in range(0, len(self._full), ROWS):
            rows = self._full[start : start + ROWS]
            short = self.shortened(rows)
            rounded = self._rounded[start : start + len(rows)]
            rounded.copy_(short)
            residual = self._norms(short - rounded.float())
            self._longest = max(self._longest, self._norms(rows).max().item())
            self._longest_short = max(self._longest_short, self._norms(short).max().item())
            self._residual = max(self._residual, residual.max().item())

    def shortened(self, vectors: Any) -> Any:
        return self._sketch(vectors) if self._sketch else vectors

    def _norms(self, vectors: Any) -> Any:
        """Lengths of rows, rounded up: float32 sums may be off by d + 2 roundings."""
        slack = 1 + (vectors.shape[1] + 2) * 2.0**-23
        return self._torch.linalg.vector_norm(vectors, dim=1).double() * slack + 2.0**-60

    def __call__(self, queries: Matrix, floor: NDArray[np.float32]) -> Candidates:
        torch = self._torch
        with torch.inference_mode():
            full = torch.from_numpy(queries).to(self._device)
            query, target = self._candidates(full, torch.from_numpy(floor).double().to(self._device))
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

    def _candidates(self, full: Any, floor: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(query row, target row) of all that may be among the k nearest."""
        torch = self._torch
        short = self.shortened(full)
        maxima = self.group_maxima(short.to(self._half))
        supers = maxima.view(-1, SUPER, maxima.shape[1]).amax(1)
        half_bound, single_bound = self.bounds(full, short)
        first = self._highest(maxima, supers)
        query = torch.arange(len(full), device=self._device).repeat_interleave(first.shape[1])
        scores = self._scores(full, first.reshape(-1), query)
        floor = torch.maximum(floor, (self._kth(scores, len(full)) - single_bound).clamp(max=1.0))
        found = [self._near(scores, first.reshape(-1), query, floor - single_bound)]
        maxima.scatter_(0, first.T, -torch.inf)  # they are done
        groups, query = self._groups_above(maxima, supers, floor - half_bound)
        if self._sketch and len(groups) > len(full) * (self._k + len(self._full) / WORTH):
            self._widths[:] = [width for width in self._widths if width > self._sketch.width]
            self._prepare()
            return self._candidates(full, floor)
        for start in range(0, len(groups), KEPT):
            group, row = groups[start : start + KEPT], query[start : start + KEPT]
            found.append(self._near(self._scores(full, group, row), group, row, floor - single_bound))
        rows, targets = (np.concatenate(column) for column in zip(*found, strict=True))
        return rows, targets

    def _highest(self, maxima: Any, supers: Any) -> Any:
        """The k groups of the highest maxima; shape (queries, k), or fewer where there are fewer."""
        best = supers.T.float().topk(min(self._k, len(supers)), dim=1).indices
        groups = best[:, :, None] * SUPER + self._torch.arange(SUPER, device=best.device)
        groups = groups.reshape(len(best), -1)
        inner = maxima.T.gather(1, groups).float().topk(min(self._k, groups.shape[1]), dim=1).indices
        return groups.gather(1, inner)

    def _kth(self, scores: Any, queries: int) -> Any:
        """The k-th highest score of each query; less than all scores where there are fewer."""
        scores = scores.view(queries, -1)
        if scores.shape[1] < self._k:
            return self._torch.full((queries,), -2.0, dtype=self._torch.float64, device=self._device)
        return scores.topk(self._k, dim=1).values[:, -1].double()

    def bounds(self, full: Any, short: Any) -> tuple[Any, Any]:
        """For each query: how far below a score a half-precision product may be; how far from it, one in float32."""
        d, width = full.shape[1], short.shape[1]
        norms, lengths = self._norms(full), self._norms(short)
        residual = self._norms(short - short.to(self._half).float())
        gamma, gamma_short = (n * self._u_sum / (1 - n * self._u_sum) for n in (d, width))
        products = (lengths + residual) * (self._longest_short + self._residual)  # of rounded ones
        half = lengths * self._residual + residual * (self._longest_short + self._residual)
        half = half + gamma_short * products + self._rounding((1 + gamma_short) * products) + 2.0**-24
        if self._sketch:
            half = half + self._sketch.excess * norms * self._longest
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

    def _near(
        self, scores: Any, groups: Any, query: Any, need: Any
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(query row, target row) of the rows of groups that have the score they need."""
        pair, member = self._torch.nonzero(scores.double() >= need[query][:, None], as_tuple=True)
        return query[pair].cpu().numpy(), (groups[pair] * GROUP + member).cpu().numpy()

    def _scores(self, full: Any, groups: Any, query: Any) -> Any:
        """Scores in float32 of the rows of groups with a query each, -inf for padding; shape (pairs, GROUP)."""
        torch = self._torch
        rows = groups[:, None] * GROUP + torch.arange(GROUP, device=self._device)
        real = rows.clamp(max=len(self._full) - 1)
        scores = torch.empty(rows.shape, device=self._device)
        on_gpu = self._device == "cuda"
        step = GPU_PAIRS if on_gpu else PAIRS
        parts = [slice(start, start + step) for start in range(0, len(groups), step)]
        with ThreadPoolExecutor(1 if on_gpu else torch.get_num_threads()) as pool:
            made = pool.map(lambda part: self._products(full[query[part]], real[part]), parts)
            for part, products in zip(parts, made, strict=True):
                scores[part] = products
        return scores.masked_fill_(rows != real, -torch.inf)

    def _products(self, vectors: Any, rows: Any) -> Any:
        """Float32 products of each vector with its rows of targets; shapes (n, d), (n, GROUP) -> (n, GROUP)."""
        if self._device == "cuda":
            return self._torch.bmm(self._full[rows], vectors[:, :, None])[:, :, 0]
        targets = self._full.numpy().take(rows.numpy(), axis=0)  # numpy is faster at many small products
        return self._torch.from_numpy(np.matmul(targets, vectors.numpy()[:, :, None])[:, :, 0])
