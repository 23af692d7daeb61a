"""Search on a GPU finds exactly what a naive search finds, both ways."""

import numpy as np
import pytest
import torch
from wokflow.match import search, search_torch
from wokflow.match.scores import Candidates, join
from wokflow.match.vectors import Vectors

from tests.match.test_search import assert_equal, crowded, naive, unit


def found(
    vectors: np.ndarray, targets: int, k: int, *, narrow: bool, floor: float | None
) -> tuple[Candidates, Candidates]:
    back: list[Candidates] = []
    make = search_torch.make(vectors, "cuda", 1, narrow=narrow)
    left, right = Vectors([vectors[targets:]]), Vectors([vectors[:targets]])
    there = search.search(left, right, k, make, search.Extent(span=4096), floor=floor, on_right=back.append)
    return there, join(back)


@pytest.mark.parametrize(
    "dtype", [torch.int8, torch.float32, None], ids=["int8", "float32", "its own choice"]
)
@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("floor", [None, 0.7])
@pytest.mark.parametrize(("queries", "targets", "k"), [(40, 330, 10), (1, 1, 3), (700, 5000, 50)])
def test_it_finds_what_the_naive_search_finds(
    dtype: torch.dtype | None,
    narrow: bool,
    floor: float | None,
    queries: int,
    targets: int,
    k: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if dtype:
        monkeypatch.setattr(search_torch, "fastest_type", lambda place: dtype)
    if narrow:
        monkeypatch.setattr(search_torch, "WIDTHS", (16,))
        monkeypatch.setattr(search_torch, "REST", 0.97)
    vectors = crowded(targets + queries, 40, seed=queries)
    there, back = found(vectors, targets, k, narrow=narrow, floor=floor)
    assert_equal(there, naive(vectors[targets:], vectors[:targets], k, floor))
    assert_equal(back, naive(vectors[:targets], vectors[targets:], k, floor))


def test_rows_beyond_one_product_are_found() -> None:
    """More rows on both sides than a product on a GPU has, and nearest ones in the last of them."""
    random = np.random.default_rng(3)
    vectors = unit(random.normal(size=(40_000, 64)))
    targets = 21_000
    vectors[targets + 5], vectors[-1] = vectors[targets - 1], vectors[7]
    there, back = found(vectors, targets, 5, narrow=False, floor=None)
    some = np.array([0, 5, 9_000, 18_999])
    expected = naive(vectors[targets:][some], vectors[:targets], 5)
    rows = np.isin(there.query, some)
    np.testing.assert_array_equal(there.target[rows], expected.target)
    np.testing.assert_array_equal(there.score[rows], expected.score)
    assert there.target[there.query == 5][0] == targets - 1
    assert back.target[back.query == 7][0] == len(vectors) - targets - 1
