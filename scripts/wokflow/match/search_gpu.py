"""Candidates for both sides at once on a GPU: products of vectors in float32, the rounding of which has a bound.

A part of the queries times a run of targets stays on the device, and so does all that is done with it: pairs whose
score may reach the floor of their query or of their target get their canonical scores, and the k best of each row go
back. Additions and products of float64 are the same on every device, so the scores are those of wokflow.match.scores
to the last bit.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from wokflow.frame.shards import blocks
from wokflow.match.codes import UNIT
from wokflow.match.nearest import UNKNOWN
from wokflow.match.scores import Candidates, Scores
from wokflow.match.vectors import Matrix

if TYPE_CHECKING:
    from torch import Tensor

PRODUCTS = 1 << 27  # entries of a product: half a GiB
PAIRS = 1 << 18  # pairs that get canonical scores at a time
PROBE = 1 << 14  # columns of a product that show a first floor of its rows


class Pairs(NamedTuple):
    """Pairs of rows with their canonical scores; shapes (n,)."""

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
        torch = self._torch
        with torch.inference_mode():
            rows = torch.from_numpy(queries).to(self.device)
            error = self._rounding(rows)
            floors, floor = (
                torch.from_numpy(given.astype(np.float64)).to(self.device)
                for given in (query_floor, target_floor)
            )
            none = torch.empty(0, dtype=torch.int64, device=self.device)
            there, back = [], Pairs(none, none, torch.empty(0, device=self.device))
            for part in blocks(range(len(queries)), max(self.k, PRODUCTS // max(1, len(self.targets)))):
                some = rows[part.start : part.stop]
                products = some @ self.targets.T
                row, other = self._near(products, floors[part.start : part.stop], error)
                best = self._best(Pairs(row, other, exact_scores(some, self.targets, row, other)))
                there.append(best._replace(row=best.row + part.start))
                row, other = self._near(products.T, floor, error)
                new = Pairs(row, other + part.start, exact_scores(self.targets, some, row, other))
                back = self._best(Pairs(*map(torch.cat, zip(back, new, strict=True))))
                floor = self._raised(floor, back)
            forward = Pairs(*map(torch.cat, zip(*there, strict=True))) if there else back
            return _candidates(forward), _candidates(back)

    def _rounding(self, rows: "Tensor") -> float:
        """The most by which a float32 product and a canonical score can differ.

        gamma |x| |y| with gamma = d u / (1 - d u), whatever the order of additions (Higham, Accuracy and Stability of
        Numerical Algorithms, section 3.1), for two terms more, which stand for the rounding of scores and lengths.
        """
        terms = rows.shape[1] + 2
        longest = 1.0
        for side in (rows, self.targets):
            if len(side):
                longest *= max(1.0, float(self._torch.linalg.vector_norm(side, dim=1).max()))
        return terms * UNIT / (1 - terms * UNIT) * longest + 2 * UNIT

    def _near(self, products: "Tensor", floor: "Tensor", error: float) -> tuple["Tensor", "Tensor"]:
        """Rows and columns of the products that may be among the k largest of their row and reach its floor."""
        torch = self._torch
        if products.shape[1] >= self.k and float(floor.min()) == UNKNOWN:
            reached = products[:, : max(PROBE, self.k)].topk(self.k, dim=1).values[:, -1].double() - error
            floor = torch.maximum(floor, reached.clamp(max=1.0))
        lowest = torch.full((), -torch.inf, device=self.device)
        need = torch.nextafter((floor - error).float(), lowest)
        row, other = torch.nonzero(products >= need[:, None], as_tuple=True)
        return row, other

    def _best(self, pairs: Pairs) -> Pairs:
        """The k best pairs of each row, by (row, score descending, other row)."""
        order = pairs.other.argsort(stable=True)
        order = order[pairs.score[order].argsort(descending=True, stable=True)]
        order = order[pairs.row[order].argsort(stable=True)]
        row = pairs.row[order].contiguous()
        order = order[self._rank(row) < self.k]
        return Pairs(*(column[order] for column in pairs))

    def _rank(self, row: "Tensor") -> "Tensor":
        """The place of each pair within its row, in ordered rows."""
        torch = self._torch
        place: Tensor = torch.arange(len(row), device=self.device) - torch.searchsorted(row, row)
        return place

    def _raised(self, floor: "Tensor", best: Pairs) -> "Tensor":
        """Floors raised to the k-th best scores where there are so many."""
        last = self._rank(best.row) == self.k - 1
        raised = floor.clone()
        raised[best.row[last]] = self._torch.maximum(floor[best.row[last]], best.score[last].double())
        return raised


def exact_scores(left: "Tensor", right: "Tensor", row: "Tensor", other: "Tensor") -> "Tensor":
    """Canonical scores of pairs of rows, to the last bit; shapes (n, d), (m, d), (p,), (p,) -> (p,)."""
    import torch

    out = torch.empty(len(row), dtype=torch.float32, device=left.device)
    for start in range(0, len(row), PAIRS):
        part = slice(start, start + PAIRS)
        products = left[row[part]].double()
        products *= right[other[part]]
        width = products.shape[1]
        while width > 1:
            half = (width + 1) // 2
            products[:, : width - half] += products[:, half:width]
            width = half
        out[part] = products[:, 0].clamp(max=1.0).float() + 0.0  # no negative zero
    return out


def _candidates(pairs: Pairs) -> Candidates:
    return Candidates(*(column.cpu().numpy() for column in pairs))
