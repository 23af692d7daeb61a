"""Nearest keeps what sorting all candidates would put first."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.match import nearest
from wokflow.match.nearest import UNKNOWN, Nearest

SCORES = [
    np.float32(score)
    for score in (-1, -0.5, -1e-38, 0, 1e-38, 0.25, 0.5, np.nextafter(np.float32(0.5), 1), 1)
]
pairs = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 2**32 - 1), st.sampled_from(SCORES)),
    unique_by=lambda pair: pair[:2],
    max_size=40,
)


@settings(deadline=None)
@given(st.lists(pairs, max_size=4), st.integers(1, 6), st.sampled_from([None, 0.0, 0.5]), st.integers(1, 3))
def test_what_is_kept_is_what_sorting_all_would_put_first(
    added: list[list[tuple[int, int, np.float32]]], k: int, least: float | None, width: int
) -> None:
    given_once = {pair[:2]: pair for batch in added for pair in batch}
    kept = Nearest(5, k, least)
    seen: set[tuple[int, int]] = set()
    original, nearest.SLICE = nearest.SLICE, width
    try:
        for batch in added:
            batch = [given_once[pair[:2]] for pair in batch if pair[:2] not in seen]
            seen |= {pair[:2] for pair in batch}
            rows, others, scores = (np.array([pair[i] for pair in batch]) for i in range(3))
            kept.add(rows.astype(np.int64), others.astype(np.int64), scores.astype(np.float32))
    finally:
        nearest.SLICE = original
    expected = []
    for row in range(5):
        near = sorted(
            (-score, other)
            for at, other, score in given_once.values()
            if at == row and (least is None or score >= least)
        )
        expected += [(row, other, -score) for score, other in near[:k]]
        floor = -near[k - 1][0] if len(near) >= k else UNKNOWN if least is None else np.float32(least)
        assert kept.floor()[row] == floor
    found = kept.all()
    assert list(zip(found.query, found.target, found.score, strict=True)) == expected
