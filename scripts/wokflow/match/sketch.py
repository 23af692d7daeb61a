"""Shorter vectors whose products bound the scores from above, for vectors that lie near few axes.

With the principal axes Q of the targets, x = Q h + t where h = Q'x, and x.y <= h_x.h_y + |t_x| |t_y|: the product
of (h_x, |t_x|) and (h_y, |t_y|) is no less than the score (Cauchy and Schwarz on the rest; Li, Chan, Yiu and
Mamoulis, FEXIPRO, SIGMOD 2017, prune by the same). Encodings of titles have nearly all of their length along half of
their dimensions.

What rounding takes. Let g = d u / (1 - d u) bound the relative error of a float32 sum of d products, D = |Q'Q - I|,
m the number of axes. Heads as computed are off by at most c |x|, c = g sqrt(m (1 + D)), and no longer than b |x|,
b = sqrt(1 + D) + c. Then, of x = Q h + t with h as computed, the terms left out of x.y above are at most
(2 b c + 3 D b b) |x| |y| together, and |t|^2 is at most |x|^2 - |h|^2 + (2 b c + D b b) |x|^2.
"""

from collections.abc import Sequence
from typing import Any

WIDTHS = (128, 192, 256)  # of the shorter vectors: multiples of what processors multiply at once
REST = 0.06  # most of the square length of targets that may lie beside the axes
SAMPLE = 8_192  # rows of which axes are found


class Sketch:
    """How vectors are shortened: `axes` has shape (d, width - 1)."""

    def __init__(self, axes: Any, unit_roundoff: float) -> None:
        import torch

        self._torch = torch
        self._axes = axes
        d, count = axes.shape
        self.width = count + 1
        wide = axes.double()
        skew = torch.linalg.matrix_norm(wide.T @ wide - torch.eye(count, device=axes.device)).item()
        skew += 1e-9  # more than float64 takes from it
        error = d * unit_roundoff / (1 - d * unit_roundoff) * (count * (1 + skew)) ** 0.5
        most = (1 + skew) ** 0.5 + error
        self.excess = (2 * most * error + 3 * skew * most**2) * (1 + 1e-9)

    def __call__(self, vectors: Any) -> Any:
        """Shape (n, d) -> (n, width)."""
        torch = self._torch
        heads = vectors @ self._axes
        square, head = (
            torch.linalg.vector_norm(rows, dim=1, dtype=torch.float64) ** 2 for rows in (vectors, heads)
        )
        rest = ((square - head).clamp(min=0) + self.excess * square).sqrt() * (1 + 2.0**-22)  # float() rounds
        return torch.cat([heads, rest.float()[:, None]], dim=1)


def sketch(targets: Any, unit_roundoff: float, widths: Sequence[int]) -> Sketch | None:
    """The first of `widths` that leaves at most REST of the targets beside the axes; None where none does."""
    import torch

    if not widths:
        return None
    sample = targets[:: max(1, len(targets) // SAMPLE)].double()
    lengths, axes = torch.linalg.eigh(sample.T @ sample)  # ascending
    within = lengths.flip(0).cumsum(0)
    for width in widths:
        if width < targets.shape[1] and within[width - 2] >= (1 - REST) * within[-1] > 0:
            return Sketch(axes.flip(1)[:, : width - 1].float().contiguous(), unit_roundoff)
    return None
