"""Spaces that differ by a rotation are laid over one another; few words and small dictionaries break nothing."""

import numpy as np
import pytest
from wokflow.frame.job import Progress
from wokflow.lexicon.mapping import mapped, neighbourhoods, normalised, rotation, unit, weighted
from wokflow.lexicon.neighbours import nearest
from wokflow.lexicon.settings import AlignSettings

SETTINGS = AlignSettings(patience=5)


def spaces(words: int, dimensions: int, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A space, the same turned, shuffled and with noise, and the row of each word there."""
    random = np.random.default_rng(1)
    one = random.normal(size=(words, dimensions)) * np.linspace(2, 0.3, dimensions)
    turn, _ = np.linalg.qr(random.normal(size=(dimensions, dimensions)))
    order = random.permutation(words)
    other = (one + noise * random.normal(size=one.shape))[order] @ turn
    return one.astype(np.float32), other.astype(np.float32), np.argsort(order)


def test_fifteen_pairs_align_a_turned_space() -> None:
    one, other, place = spaces(300, 20, 0.2)
    seeds = np.column_stack([np.arange(15), place[:15]])
    found = mapped(one, other, seeds, SETTINGS, 2, Progress())
    assert (found.source @ found.target.T).argmax(axis=1).tolist() == place.tolist()
    assert np.allclose(np.linalg.norm(found.source, axis=1), 1, atol=1e-5)
    assert {*map(tuple, found.pairs.tolist())} == {*enumerate(place.tolist())}


def test_the_search_is_the_published_one_in_whole_matrices() -> None:
    """With all similarities kept; there is so much noise that other measures give another dictionary."""
    one, other, place = spaces(200, 10, 1.0)
    seeds = np.column_stack([np.arange(15), place[:15]])
    found = mapped(one, other, seeds, AlignSettings(keep=1, patience=3), 2, Progress())
    x, z = (normalised(vectors).astype(np.float64) for vectors in (one, other))
    left, right = seeds.T
    for _ in range(found.iterations):
        u, _, vt = np.linalg.svd(x[left].T @ z[right])
        similar = x @ u @ vt @ z.T
        csls = 2 * similar - np.sort(similar, axis=0)[-10:].mean(axis=0)
        csls -= np.sort(similar, axis=1)[:, -10:].mean(axis=1)[:, None]
        left = np.concatenate([np.arange(200), csls.argmax(axis=0)])
        right = np.concatenate([csls.argmax(axis=1), np.arange(200)])
    assert found.pairs.tolist() == np.column_stack([left, right]).tolist()
    assert found.objective == pytest.approx(
        (similar.max(axis=0).mean() + similar.max(axis=1).mean()) / 2, abs=1e-5
    )


def test_with_all_pairs_the_steps_are_those_of_the_definition() -> None:
    """Whitened by the inverse square root of the covariance, turned by singular vectors, weighted, coloured again."""
    one, other, place = spaces(200, 6, 0.3)
    x, z = normalised(one), normalised(other)
    pairs = np.column_stack([np.arange(200), place])
    first, second = weighted(x, z, pairs, 0.5)

    def root(vectors: np.ndarray, power: float) -> np.ndarray:
        values, axes = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
        return (axes * values**power) @ axes.T

    matched = z[place]
    u, s, vt = np.linalg.svd(root(x, -0.5) @ (x.T.astype(np.float64) @ matched) @ root(matched, -0.5))
    assert s.max() <= 1 + 1e-6  # correlations of whitened dimensions
    turned = [root(x, -0.5) @ u, root(matched, -0.5) @ vt.T]
    assert np.allclose(first, turned[0] * s**0.5 @ u.T @ root(x, 0.5) @ u, atol=1e-4)
    assert np.allclose(second, turned[1] * s**0.5 @ vt @ root(matched, 0.5) @ vt.T, atol=1e-4)


def test_a_rotation_keeps_lengths_and_brings_pairs_together() -> None:
    one, other, place = spaces(100, 8, 0)
    turn = rotation(one, other, np.column_stack([np.arange(100), place]))
    assert np.allclose(turn @ turn.T, np.eye(8), atol=1e-5)
    assert np.allclose(one @ turn, other[place], atol=1e-3)


@pytest.mark.parametrize(("words", "dimensions"), [(1, 4), (3, 20), (8, 300)])
def test_fewer_words_than_dimensions_give_finite_vectors(words: int, dimensions: int) -> None:
    one, other, place = spaces(words, dimensions, 0.1)
    found = mapped(one, other, np.array([[0, place[0]]]), SETTINGS, 1, Progress())
    assert np.isfinite(found.source).all() and np.isfinite(found.target).all()


def test_csls_passes_over_a_hub() -> None:
    """The hub is nearest to all three; two of them have no other, the first has its own."""
    source = unit(np.array([[1, 0, 0], [0.8, 0.6, 0], [0.8, 0, 0.6]], np.float32))
    target = unit(np.array([[0.95, 0.2, 0.2], [0.9, -0.4, -0.2]], np.float32))
    found = nearest(source, target, [0], 2, 3)[0]
    assert [row for row, _ in found.cosine] == [0, 1]
    assert [row for row, _ in found.csls] == [1, 0]
    cosine = source @ target.T
    expected = 2 * cosine[0] - cosine[0].mean() - cosine.mean(axis=0)
    assert dict(found.csls) == pytest.approx(dict(enumerate(expected.tolist())), abs=1e-6)
    assert neighbourhoods(target, source, 3) == pytest.approx(cosine.mean(axis=0), abs=1e-6)
