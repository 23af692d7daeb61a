"""Candidates for both sides at once on a GPU: products of vectors in float32, the rounding of which has a bound.

A part of the queries times a run of targets stays on the device, and so does all that is done with it: pairs whose
score may reach the floor of their query or of their target get their canonical scores, and the k best of each row go
back. Additions and products of float64 are the same on every device, so the scores are those of wokflow.match.scores
to the last bit.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from wokflow.frame.job import UserError
from wokflow.frame.shards import blocks
from wokflow.match.codes import UNIT, gamma
from wokflow.match.nearest import UNKNOWN
from wokflow.match.scores import Candidates, Scores, add_up
from wokflow.match.vectors import Matrix

if TYPE_CHECKING:
    from torch import Tensor

PRODUCTS = 1 << 27  # entries of a product: half a GiB
SCORED = 1 << 29  # bytes of the products that are added to canonical scores at a time
PROBE = 1 << 14  # entries of a row of products, evenly spaced, that show a first floor of the row


class Pairs(NamedTuple):
    """Pairs of rows with their canonical scores; shapes (n,). Among equal scores of a row, by the other row."""

    row: "Tensor"
    other: "Tensor"
    score: "Tensor"


class Run:
    """A run of target rows on a device."""

    def __init__(self, targets: Matrix, k: int, device: str) -> None:
        import torch

        self._torch = torch
        torch.set_float32_matmul_precision("highest")  # no shorter numbers, to which the bound does not apply
        self.k, self.device = k, device
        self.targets = torch.from_numpy(targets).to(device)

    def __call__(
        self, queries: Matrix, query_floor: Scores, target_floor: Scores
    ) -> tuple[Candidates, Candidates]:
        with self._torch.inference_mode():
            try:
                there, back = self._search(queries, query_floor, target_floor)
            except self._torch.OutOfMemoryError as error:
                raise UserError(
                    f"The GPU's memory does not suffice for {self.k} neighbours in runs of {len(self.targets)} rows. "
                    "Set match.search.memory_mb lower, which makes runs shorter, or match.search.device: cpu."
                ) from error
        return there, back

    def _search(
        self, queries: Matrix, query_floor: Scores, target_floor: Scores
    ) -> tuple[Candidates, Candidates]:
        torch = self._torch
        rows = torch.from_numpy(queries).to(self.device)
        error = self._rounding(rows)
        floors, floor = (
            torch.from_numpy(given.astype(np.float64)).to(self.device)
            for given in (query_floor, target_floor)
        )
        none = torch.empty(0, dtype=torch.int64, device=self.device)
        there, back = [], Pairs(none, none, torch.empty(0, device=self.device))
        for part in blocks(range(len(queries)), max(self.k, PRODUCTS // max(1, len(self.targets)))):
            some, own = rows[part.start : part.stop], floors[part.start : part.stop]
            products = some @ self.targets.T
            need = self._need(torch.maximum(own, self._probed(products, 1, error)), error)
            query, target = torch.nonzero(products >= need[:, None], as_tuple=True)
            found = Pairs(query, target, self._scores(some, query, target, products, error))
            best = self._best(found)
            there.append(best._replace(row=best.row + part.start))

            if not part.start:
                floor = torch.maximum(floor, self._probed(products, 0, error))
            query, target = torch.nonzero(products >= self._need(floor, error), as_tuple=True)
            new = Pairs(target, query + part.start, self._scores(some, query, target, products, error))
            back = self._best(Pairs(*map(torch.cat, zip(back, new, strict=True))))
            floor = self._raised(floor, back)
        forward = Pairs(*map(torch.cat, zip(*there, strict=True))) if there else back
        return _candidates(forward), _candidates(back)

    def _rounding(self, rows: "Tensor") -> float:
        """The most by which a float32 product and a canonical score can differ.

        gamma |x| |y| for two terms more, which stand for the rounding of scores and lengths.
        """
        longest = 1.0
        for side in (rows, self.targets):
            if len(side):
                longest *= max(1.0, float(self._torch.linalg.vector_norm(side, dim=1).max()))
        return gamma(rows.shape[1] + 2) * longest + 2 * UNIT

    def _probed(self, products: "Tensor", dim: int, error: float) -> "Tensor":
        """For each row (dim 1) or column (dim 0) of products a score that k others reach, or UNKNOWN."""
        torch, length = self._torch, products.shape[dim]
        if length < self.k:
            unknown: Tensor = torch.full((products.shape[1 - dim],), float(UNKNOWN), device=self.device)
            return unknown.double()
        step = max(1, length // max(PROBE, self.k))
        some = products[:, ::step] if dim else products[::step]
        reached: Tensor = some.topk(self.k, dim=dim).values.select(dim, -1)
        return (reached.double() - error).clamp(max=1.0)

    def _need(self, floor: "Tensor", error: float) -> "Tensor":
        """The least float32 products with which scores can reach their floors."""
        lowest = self._torch.full((), -self._torch.inf, device=self.device)
        return self._torch.nextafter((floor - error).float(), lowest)

    def _scores(
        self, queries: "Tensor", query: "Tensor", target: "Tensor", products: "Tensor", error: float
    ) -> "Tensor":
        """Canonical scores of pairs; raises UserError where products are off by more than float32 explains."""
        sums = exact_sums(queries, self.targets, query, target)
        if len(sums) and float((products[query, target] - sums).abs().max()) > error:
            raise UserError(
                "The GPU multiplies numbers shorter than float32: unset NVIDIA_TF32_OVERRIDE and "
                "CUBLAS_EMULATE_SINGLE_PRECISION, or set match.search.device: cpu."
            )
        return sums.clamp(max=1.0).float() + 0.0  # no negative zero

    def _best(self, pairs: Pairs) -> Pairs:
        """The k best pairs of each row, by (row, score descending), equal ones as they stand."""
        torch = self._torch
        bits = pairs.score.view(torch.int32).long()
        falling = torch.where(bits >= 0, 2**31 - 1 - bits, 2**32 + bits)
        order = (pairs.row * 2**32 + falling).argsort(stable=True)
        order = order[self._rank(pairs.row[order]) < self.k]
        return Pairs(*(column[order] for column in pairs))

    def _rank(self, row: "Tensor") -> "Tensor":
        """The place of each pair within its row, in ordered rows."""
        place: Tensor = self._torch.arange(len(row), device=self.device) - self._torch.searchsorted(row, row)
        return place

    def _raised(self, floor: "Tensor", best: Pairs) -> "Tensor":
        """Floors raised to the k-th best scores where there are so many."""
        last = self._rank(best.row) == self.k - 1
        row, raised = best.row[last], floor.clone()
        raised[row] = self._torch.maximum(floor[row], best.score[last].double())
        return raised


def exact_sums(left: "Tensor", right: "Tensor", row: "Tensor", other: "Tensor") -> "Tensor":
    """Inner products of pairs of rows, exact products in the canonical order of additions.

    Shapes (n, d), (m, d), (p,), (p,) -> (p,), in float64.
    """
    import torch

    out = torch.empty(len(row), dtype=torch.float64, device=left.device)
    most = max(1, SCORED // (8 * left.shape[1]))
    for start in range(0, len(row), most):
        part = slice(start, start + most)
        products = left[row[part]].double()
        products *= right[other[part]]
        out[part] = add_up(products)
    return out


def _candidates(pairs: Pairs) -> Candidates:
    return Candidates(*(column.cpu().numpy() for column in pairs))
