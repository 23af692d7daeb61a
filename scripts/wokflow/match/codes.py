"""Vectors as short rows of small integers whose exact products bound the scores from above.

With the principal axes Q of the vectors, x = Q h + t where h = Q'x, and x.y <= h_x.h_y + |t_x| |t_y|: the product of
z_x = (h_x, |t_x|) and z_y is no less than the score (Cauchy and Schwarz on the rest; FEXIPRO by Li, Chan, Yiu and
Mamoulis, SIGMOD 2017, prunes by the same bound). The axes are turned at random, so that no entry of z is much larger
than the others. z is then rounded to c s, with integers c of at most 127 and one step s for all vectors, and

    z_x.z_y <= s^2 c_x.c_y + |z_x| |z_y - c_y s| + |z_x - c_x s| |c_y s|.

c_x.c_y is an integer below 2^24: exact in int8 products that are added in int32, and in float32 as well.

Rounding errors. Let g = d u / (1 - d u) bound the relative error of a float32 sum of d products, D = |Q'Q - I|,
m the number of axes. Heads as computed are off by at most a |x|, a = g sqrt(m (1 + D)), and no longer than b |x|,
b = sqrt(1 + D) + a. Then, of x = Q h + t with h as computed, the terms left out of x.y above are at most
(2 b a + 3 D b b) |x| |y| together, and |t|^2 is at most |x|^2 - |h|^2 + (2 b a + D b b) |x|^2.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wokflow.match.vectors import Matrix

Kind = Literal["vectors", "whole", "narrow"]
MANY = 1 << 34  # pairs of rows; among more, codes that are shorter pay, although they let more pairs through
MOST = 127  # largest integer of a code
LEAST = 2.0**-11  # smallest step: with it, products of codes of unit vectors stay below 2^24
ROOM = 1.05  # the step is chosen for entries this many times as large as the sample's largest
PADDED = 16  # the number of entries of a code is a multiple of this
UNIT = 2.0**-24  # unit roundoff of float32
WIDTHS = (128, 192, 256)  # of codes: multiples of the width of processors' instructions
REST = 0.06  # largest share of the vectors' squared length that the axes may leave out
UPWARDS = 1 + 2.0**-20  # factor that exceeds the rounding error of a length


def gamma(terms: int) -> float:
    """The relative error of a float32 sum of so many products, at most, whatever the order of additions.

    Higham, Accuracy and Stability of Numerical Algorithms, section 3.1.
    """
    return terms * UNIT / (1 - terms * UNIT)


class Task(NamedTuple):
    """How many pairs of rows there are, and whether scores have a floor: what is multiplied depends on both."""

    pairs: int = 0
    floored: bool = False

    def kind(self, integers: bool) -> Kind:
        """What is multiplied: vectors, their codes, or codes with fewer entries.

        `integers`: whether the processor multiplies integers of 8 bits faster than float32. Without a floor, codes
        let so many pairs through that nothing but these makes up for it, and only among many pairs.
        """
        if self.floored:
            return "whole" if integers and self.pairs <= MANY else "narrow"
        return "whole" if integers and self.pairs > MANY else "vectors"


@dataclass(frozen=True)
class Codes:
    """Integers of shape (n, entries), as int8 (or the vectors: see Plain), and bounds that hold for all rows.

    `norm` bounds the lengths of the vectors, `length` those of their z, `error` those of z - c s.
    """

    integers: NDArray[np.int8] | Matrix
    norm: float
    length: float
    error: float


class Coding:
    """Makes codes of vectors, with at most `width` entries; `sample` are vectors like those to come."""

    def __init__(self, sample: Matrix, width: int) -> None:
        wide = sample.astype(np.float64)
        dimensions = wide.shape[1]
        self.whole = width >= dimensions
        count = dimensions if self.whole else width - 1
        axes = np.linalg.eigh(wide.T @ wide)[1][:, ::-1][:, :count]
        turn = np.linalg.qr(np.random.default_rng(0).standard_normal((count, count)))[0]
        self._axes = (axes @ turn).astype(np.float32)
        kept = self._axes.astype(np.float64)
        skew = float(np.linalg.norm(kept.T @ kept - np.eye(count))) + 1e-9  # more than float64's own rounding
        error = gamma(dimensions) * (count * (1 + skew)) ** 0.5
        most = (1 + skew) ** 0.5 + error
        self.excess = (2 * most * error + 3 * skew * most**2) * UPWARDS
        if self.whole:
            self.excess *= 2  # |t_x| |t_y|, which no entry stands for
        largest = float(np.abs(self._shortened(sample)).max(initial=0.0))
        self.step = max(largest * ROOM / MOST, LEAST)

    def __call__(self, vectors: Matrix) -> Codes:
        z = self._shortened(vectors)
        integers = np.rint(z * np.float32(1 / self.step)).clip(-MOST, MOST).astype(np.int8)
        left = z - integers * self.step
        return Codes(
            np.pad(integers, ((0, 0), (0, -z.shape[1] % PADDED))),
            _longest(vectors),
            _longest(z),
            _longest(left),
        )

    def slack(self, left: Codes, right: Codes) -> float:
        """The most by which a score can exceed the product of two codes times the square of the step.

        Codes of whole vectors (`whole`) bound it from below as well: it falls short by no more.
        """
        rounded = left.length * right.error + left.error * (right.length + right.error)
        # The canonical score is rounded to float32 as well.
        return float((rounded + self.excess * left.norm * right.norm) * UPWARDS + 2 * UNIT)

    def need(self, floor: NDArray[np.floating[Any]], slack: float) -> NDArray[np.int32]:
        """The least product of codes with which a score can reach the floor; shapes (n,) -> (n,)."""
        least = (floor.astype(np.float64) - slack) / self.step**2
        return np.floor(least).clip(-(2**24), 2**24).astype(np.int32)

    def _shortened(self, vectors: Matrix) -> NDArray[np.float64]:
        """z of each vector; shape (n, d) -> (n, width)."""
        heads: Matrix = vectors @ self._axes
        if self.whole:
            return heads.astype(np.float64)
        square, head = (np.square(rows, dtype=np.float64).sum(axis=1) for rows in (vectors, heads))
        rest = np.sqrt((square - head).clip(min=0) + self.excess * square) * UPWARDS
        return np.column_stack([heads, rest])


class Plain:
    """In place of codes the vectors themselves, whose float32 products are scores but for their rounding."""

    whole, step = True, 1.0

    def __call__(self, vectors: Matrix) -> Codes:
        longest = _longest(vectors)
        return Codes(vectors, longest, longest, 0.0)

    def slack(self, left: Codes, right: Codes) -> float:
        """The most by which a product and a score can differ."""
        return rounding(left.integers.shape[1], left, right)

    def need(self, floor: NDArray[np.floating[Any]], slack: float) -> Matrix:
        """The least product with which a score can reach the floor; shapes (n,) -> (n,)."""
        return np.nextafter((floor.astype(np.float64) - slack).astype(np.float32), np.float32(-np.inf))


def narrow_width(sample: Matrix) -> int:
    """The first of WIDTHS whose axes leave out at most REST of the vectors; else all dimensions."""
    wide = sample.astype(np.float64)
    within = np.linalg.eigvalsh(wide.T @ wide)[::-1].cumsum()
    for width in WIDTHS:
        if width < len(within) and within[width - 2] >= (1 - REST) * within[-1] > 0:
            return width
    return len(within)


def rounding(dimensions: int, left: Codes, right: Codes) -> float:
    """The most by which a float32 score and the canonical one can differ.

    With room for the rounding of the canonical score, and for that of sums of a score and this bound.
    """
    return gamma(dimensions + 2) * left.norm * right.norm + 2 * UNIT


def _longest(rows: NDArray[np.floating[Any]]) -> float:
    """The largest length of a row."""
    return float(np.sqrt(np.square(rows, dtype=np.float64).sum(axis=1).max(initial=0.0))) * UPWARDS
