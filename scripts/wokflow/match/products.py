"""Products of vectors and of codes by torch, on one thread: the fastest type, and the error of float32."""

from functools import cache
from time import perf_counter
from typing import Any

from wokflow.match.vectors import Matrix

TILE = 1024  # rows and columns of a product: it stays in the cache
TRIALS = 5


@cache
def fastest_type() -> Any:
    """int8 where the processor multiplies it right and fast, else float32, which holds the same integers."""
    import torch

    left, right = torch.randint(
        -127, 128, (2, TILE, 128), generator=torch.Generator().manual_seed(0)
    ).double()
    expected = left @ right.T
    seconds: dict[Any, float] = {}
    for dtype in (torch.float32, torch.int8):
        first, second = left.to(dtype), right.to(dtype)
        try:
            out = empty(TILE, TILE, dtype)
            for _ in range(TRIALS):
                start = perf_counter()
                multiply(first, second, out)
                correct = torch.equal(out.double(), expected)
                took = perf_counter() - start
                if correct:
                    seconds[dtype] = min(took, seconds.get(dtype, took))
        except (RuntimeError, AttributeError):  # no such product here, or in this version of torch
            continue
    return min(seconds, key=seconds.__getitem__)


def multiply(left: Any, right: Any, out: Any) -> None:
    """Products of all rows of two matrices of vectors or of codes; shapes (n, w), (m, w) -> (n, m)."""
    import torch

    if left.dtype == torch.int8:
        torch._int_mm(left, right.T, out=out)
    else:
        torch.mm(left, right.T, out=out)


def empty(rows: int, columns: int, dtype: Any) -> Any:
    """An empty matrix for products of vectors or codes of that type."""
    import torch

    kind = torch.int32 if dtype == torch.int8 else torch.float32
    return torch.empty((rows, columns), dtype=kind)


def off_by(rows: Matrix) -> float:
    """The largest error of products in float32, of up to TILE rows with each other."""
    import torch

    some = torch.from_numpy(rows[:TILE])
    out = empty(len(some), len(some), torch.float32)
    multiply(some, some, out)
    return float((out.double() - some.double() @ some.double().T).abs().amax()) if len(some) else 0.0
