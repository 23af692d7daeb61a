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


# Cosines of the first words of both sides, by a transcription in float64 of the steps of artetxem/vecmap
# (map_embeddings.py, commit b560c94; --semi_supervised, --stochastic_initial 1, --stochastic_interval 3).
TRANSCRIBED = [
    [-0.18102, 0.11035, 0.15283, -0.31663],
    [-0.06981, -0.80632, 0.00208, 0.45118],
    [0.06299, -0.01612, -0.67816, 0.53189],
]


def test_without_chance_the_spaces_are_those_of_the_published_steps() -> None:
    """There is so much noise that it finds 49 of 200 words: other steps, or measures, end elsewhere."""
    one, other, place = spaces(200, 10, 1.0)
    seeds = np.column_stack([np.arange(15), place[:15]])
    found = mapped(one, other, seeds, AlignSettings(keep=1, patience=3), 2, Progress())
    similar = found.source @ found.target.T
    assert similar[:3, :4] == pytest.approx(np.array(TRANSCRIBED), abs=2e-5)
    assert (similar.argmax(axis=1) == place).sum() == 49
    assert found.iterations == 23
    assert found.objective == pytest.approx(0.833616, abs=2e-6)


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
