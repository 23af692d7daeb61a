"""Search on a GPU finds exactly what a naive search finds, both ways."""

import numpy as np
import pytest
import torch
from wokflow.match import search, search_gpu, search_torch
from wokflow.match.codes import Task
from wokflow.match.scores import Candidates, exact_scores, join
from wokflow.match.vectors import Vectors

from tests.match.test_search import assert_equal, crowded, naive, unit


def found(
    vectors: np.ndarray, targets: int, k: int, floor: float | None = None, span: int = 4_096
) -> tuple[Candidates, Candidates]:
    back: list[Candidates] = []
    make = search_torch.make(vectors, "cuda", 1, Task())
    left, right = Vectors([vectors[targets:]]), Vectors([vectors[:targets]])
    there = search.search(left, right, k, make, search.Extent(span=span), floor=floor, on_right=back.append)
    return there, join(back)


@pytest.mark.parametrize("floor", [None, 0.7])
@pytest.mark.parametrize(
    ("queries", "targets", "k"), [(40, 330, 10), (1, 1, 3), (700, 5000, 50), (1500, 900, 1000)]
)
def test_it_finds_what_the_naive_search_finds(
    queries: int, targets: int, k: int, floor: float | None
) -> None:
    vectors = crowded(targets + queries, 40, seed=queries)
    there, back = found(vectors, targets, k, floor)
    assert_equal(there, naive(vectors[targets:], vectors[:targets], k, floor))
    assert_equal(back, naive(vectors[:targets], vectors[targets:], k, floor))


def test_sums_are_those_of_a_cpu_to_the_last_bit() -> None:
    random = np.random.default_rng(4)
    rows = [unit(random.normal(size=(5_000, 383))) for _ in range(2)]
    pairs = [random.integers(5_000, size=300_000) for _ in range(2)]
    there = search_gpu.exact_sums(*(torch.from_numpy(part).cuda() for part in (*rows, *pairs)))
    scores = there.clamp(max=1.0).float().cpu().numpy()
    np.testing.assert_array_equal(scores, exact_scores(rows[0][pairs[0]], rows[1][pairs[1]]))


def test_rows_beyond_one_product_are_found() -> None:
    """More rows on both sides than a product has, and nearest ones in the last of them."""
    random = np.random.default_rng(3)
    vectors = unit(random.normal(size=(40_000, 64)))
    targets = 21_000
    vectors[targets + 5], vectors[-1] = vectors[targets - 1], vectors[7]
    there, back = found(vectors, targets, 5, span=1 << 18)
    some = np.array([0, 5, 9_000, 18_999])
    expected = naive(vectors[targets:][some], vectors[:targets], 5)
    rows = np.isin(there.query, some)
    np.testing.assert_array_equal(there.target[rows], expected.target)
    np.testing.assert_array_equal(there.score[rows], expected.score)
    assert there.target[there.query == 5][0] == targets - 1
    assert back.target[back.query == 7][0] == len(vectors) - targets - 1
