"""Products of shorter vectors bound scores from above, and search with them finds what naive search finds."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from wokflow.match import search_torch
from wokflow.match.search import finder
from wokflow.match.sketch import WIDTHS, Sketch, sketch
from wokflow.match.vectors import Matrix

from tests.match.test_search import crowded, naive, unit

UNIT_ROUNDOFF = 2.0**-24


def near_axes(rows: int, axes: int, beside: float, seed: int) -> Matrix:
    """Unit vectors of 384 dimensions in clusters near some axes, with noise of length `beside` in all of them."""
    random = np.random.default_rng(seed)
    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(384, axes)))[0].T
    centres = np.random.default_rng(1).normal(size=(40, axes))
    points = centres[random.integers(40, size=rows)] + random.normal(size=(rows, axes)) / 2
    noise = random.normal(size=(rows, 384)) * beside / np.sqrt(384)
    vectors = unit(unit(points @ basis) + noise)
    vectors[rows // 2 : rows // 2 + 9] = vectors[0]  # ties
    return vectors


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 20, 127]), st.floats(0.1, 3))
def test_a_product_is_no_less_than_the_score(seed: int, count: int, length: float) -> None:
    vectors = crowded(40, 384, seed) * np.float32(length)
    axes = np.linalg.qr(np.random.default_rng(seed).normal(size=(384, count)))[0].astype(np.float32)
    short = Sketch(torch.from_numpy(axes), UNIT_ROUNDOFF)
    made = short(torch.from_numpy(vectors)).double().numpy()
    wide = vectors.astype(np.float64)
    norms = np.linalg.norm(wide, axis=1)
    lacking = wide @ wide.T - made @ made.T
    assert made.shape == (40, count + 1)
    assert (lacking <= short.excess * np.outer(norms, norms)).all()


def test_skewed_axes_only_cost_sharpness() -> None:
    axes = torch.eye(384)[:, :3] * 1.01
    vectors = torch.from_numpy(crowded(30, 384, 7))
    short = Sketch(axes, UNIT_ROUNDOFF)
    made, wide = short(vectors).double(), vectors.double()
    assert (wide @ wide.T - made @ made.T).max() <= short.excess


def test_by_hand_what_lies_along_the_axes_is_kept_and_the_rest_is_one_number() -> None:
    vectors = torch.tensor([[0.6, 0.8, 0.0, 0.0], [0.0, 0.6, 0.0, 0.8]])
    made = Sketch(torch.eye(4)[:, :2], UNIT_ROUNDOFF)(vectors)
    np.testing.assert_allclose(made, [[0.6, 0.8, 0.0], [0.0, 0.6, 0.8]], atol=2e-3)


@pytest.mark.parametrize(("axes", "width"), [(127, 128), (150, 192), (230, 256), (384, None)])
def test_the_shortest_that_holds_most_of_the_targets(axes: int, width: int | None) -> None:
    targets = unit(np.random.default_rng(0).normal(size=(2_000, axes)) @ np.eye(axes, 384))
    found = sketch(torch.from_numpy(targets), UNIT_ROUNDOFF, WIDTHS)
    assert (found.width if found else None) == width


@pytest.mark.parametrize("rows", [5, 700, 3_001])
def test_neighbours_are_those_of_naive_search(rows: int) -> None:
    targets, queries = near_axes(rows, 60, 0.1, 1), near_axes(50, 60, 0.1, 2)
    widths = [*WIDTHS]
    held = search_torch.Targets(targets, 10, "cpu", widths)
    assert held._sketch is not None and held._sketch.width == 128
    assert_same(held(queries, floor(50)), queries, targets)
    if rows > 1_000:
        assert widths == [*WIDTHS], "shorter vectors paid"


def test_where_bounds_are_too_loose_longer_vectors_are_tried_and_then_whole_ones() -> None:
    common = np.zeros(384)
    common[0] = 1
    random = np.random.default_rng(4)
    targets, queries = (
        unit(common + random.normal(size=(rows, 384)) * 0.2 / np.sqrt(384)).astype(np.float32)
        for rows in (9_000, 40)
    )
    widths = [*WIDTHS]
    held = search_torch.Targets(targets, 10, "cpu", widths)
    assert held._sketch is not None
    assert_same(held(queries, floor(40)), queries, targets)
    assert widths == [] and held._sketch is None
    assert finder("torch", "cpu", 1)(targets, 10)(queries, floor(40)).query.size >= 400


def floor(queries: int) -> NDArray[np.float32]:
    return np.full(queries, -2.0, np.float32)


def assert_same(found: search_torch.Candidates, queries: Matrix, targets: Matrix) -> None:
    """All k nearest are among what was found, with their scores."""
    from wokflow.match.search import top

    for ours, theirs in zip(top(found, 10), naive(queries, targets, 10), strict=True):
        np.testing.assert_array_equal(ours, theirs)
