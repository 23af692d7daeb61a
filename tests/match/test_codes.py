"""Products of codes bound scores from above, and from below where codes hold whole vectors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from wokflow.frame.job import UserError
from wokflow.match import products, search_torch
from wokflow.match.codes import LEAST, MANY, MOST, PADDED, Coding, Plain, Task
from wokflow.match.vectors import Matrix

from tests.match.test_search import crowded, exact, scored, unit

LEVEL = np.zeros((1, 384), np.float32)
LEVEL[0, :19] = 1 / np.sqrt(19)


def bounds(coding: Coding, left: Matrix, right: Matrix) -> tuple[np.ndarray, float]:
    """Products of codes as scores, and how much a score can exceed them."""
    one, other = coding(left), coding(right)
    products = one.integers.astype(np.int64) @ other.integers.astype(np.int64).T
    assert np.abs(products).max(initial=0) < 2**24
    return products * coding.step**2, coding.slack(one, other)


@pytest.mark.parametrize("width", [2, 16, 128, 1000])
@given(scored(), st.integers(1, 24))
@example((LEVEL, LEVEL), 1)
@example((LEVEL * np.float32(0.51), LEVEL * np.float32(0.51)), 1)
def test_no_score_is_above_its_bound(width: int, vectors: tuple[Matrix, Matrix], sampled: int) -> None:
    """Whatever the sample: the first rows alone may be quite unlike the others."""
    queries, targets = vectors
    coding = Coding(targets[:sampled], width)
    rough, slack = bounds(coding, queries, targets)
    score = exact(queries, targets)
    assert (score <= rough + slack).all()
    if coding.whole:
        assert (score >= rough - slack).all()


@pytest.mark.parametrize("count", range(1, 385, 3))
def test_the_bound_holds_for_each_count_of_equal_entries(count: int) -> None:
    test_the_bound_holds_where_all_roundings_go_one_way(count)


@pytest.mark.parametrize("count", [1, 43, 130, 257, 384])
def test_the_bound_holds_where_all_roundings_go_one_way(count: int) -> None:
    row = np.zeros((1, 384), np.float32)
    row[0, :count] = 1 / np.sqrt(count)
    coding = Coding(row, 384)
    rough, slack = bounds(coding, row, row)
    assert abs(rough[0, 0] - exact(row, row)[0, 0]) <= slack


def test_the_bound_of_whole_vectors_is_tight() -> None:
    vectors = unit(np.random.default_rng(0).normal(size=(2000, 384)))
    coding = Coding(vectors, 384)
    rough, slack = bounds(coding, vectors, vectors)
    assert slack < 0.04
    assert np.abs(rough - exact(vectors, vectors)).max() < slack / 4


def test_by_hand_the_rest_beside_the_axes_is_one_entry() -> None:
    vectors = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0.6, 0, 0.8, 0]], np.float32)
    coding = Coding(vectors[:2], 3)  # two axes, and the rest
    codes = coding(vectors)
    assert codes.integers.shape == (3, PADDED) and codes.integers.dtype == np.int8
    np.testing.assert_allclose(np.abs(codes.integers[:, 2] * coding.step), [0, 0, 0.8], atol=0.01)
    assert (codes.integers[:, 3:] == 0).all()


def test_entries_beyond_the_largest_integer_are_cut_and_counted_as_error() -> None:
    sample = unit(np.random.default_rng(1).normal(size=(50, 200)))
    coding = Coding(sample, 200)
    odd = (coding._axes[:, :1] * 1.0).T.astype(np.float32)  # lies along one turned axis
    codes = coding(odd)
    assert codes.integers.max() == MOST
    assert codes.error > 0.3 > coding(sample).error


@pytest.mark.parametrize("floor", [-2.0, -1.0, 0.0, 0.7, 1.0])
def test_what_reaches_a_floor_has_the_product_that_is_needed(floor: float) -> None:
    vectors = crowded(200, 48, seed=6)
    coding = Coding(vectors, 48)
    one = coding(vectors)
    products = one.integers.astype(np.int64) @ one.integers.astype(np.int64).T
    need = coding.need(np.full(200, floor), coding.slack(one, one))
    reach = exact(vectors, vectors) >= floor
    assert (products >= need[:, None])[reach].all()


def test_a_step_is_never_so_small_that_products_leave_the_integers_of_float32() -> None:
    assert Coding(np.full((3, 8), 1e-6, np.float32), 8).step == LEAST
    assert (1.25 / LEAST) ** 2 < 2**24


def spoilt(monkeypatch: pytest.MonkeyPatch, dtype: Any, spoil: Callable[[Any], Any]) -> None:
    """Products of that type come out spoilt."""
    right = products.multiply

    def multiply(left: Any, right_codes: Any, out: Any) -> None:
        right(left, right_codes, out)
        if left.dtype == dtype:
            out.copy_(spoil(out))

    monkeypatch.setattr(products, "multiply", multiply)


def test_int8_is_taken_only_where_its_products_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(np.cumsum([2.0] * 2 * products.TRIALS + [1.0] * 2 * products.TRIALS).tolist() * 2)
    monkeypatch.setattr(products, "perf_counter", lambda: next(clock))  # int8 takes half the time
    assert products.fastest_type.__wrapped__() == torch.int8
    spoilt(monkeypatch, torch.int8, lambda out: out.clamp(-32_768, 32_767))
    assert products.fastest_type.__wrapped__() == torch.float32


def test_float32_in_fewer_bits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = crowded(50, 40, seed=1)
    search_torch.refuse_shorter(sample)
    spoilt(monkeypatch, torch.float32, lambda out: out.bfloat16().float())
    with pytest.raises(UserError, match=r"shorter than float32: unset DNNL_DEFAULT_FPMATH_MODE"):
        search_torch.refuse_shorter(sample)


@given(scored())
@example((LEVEL, LEVEL))
@example((LEVEL * np.float32(0.51), LEVEL * np.float32(0.51)))
@example((LEVEL * np.float32(1e-20), LEVEL * np.float32(1e-20)))
def test_no_product_of_vectors_is_off_by_more_than_its_bound(vectors: tuple[Matrix, Matrix]) -> None:
    plain, (queries, targets) = Plain(), vectors
    slack = plain.slack(plain(queries), plain(targets))
    product = (torch.from_numpy(queries) @ torch.from_numpy(targets).T).numpy()
    score = exact(queries, targets)
    assert (np.abs(np.minimum(product.astype(np.float64), 1) - score) <= slack).all()
    assert (product >= plain.need(score, slack)).all()


def test_what_is_multiplied_depends_on_pairs_floor_and_integers() -> None:
    """By whether integers are multiplied fast, and the number of pairs; without a floor, and with one."""
    cases = [(integers, pairs) for integers in (False, True) for pairs in (MANY, MANY + 1)]
    chosen = [[Task(pairs, floored).kind(integers) for integers, pairs in cases] for floored in (False, True)]
    assert chosen == [["vectors", "vectors", "vectors", "whole"], ["narrow", "narrow", "whole", "narrow"]]
