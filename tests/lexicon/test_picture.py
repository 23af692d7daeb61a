"""The picture of both languages: words lie along the two directions in which they differ most."""

import numpy as np
import pytest
from wokflow.lexicon.neighbours import _picture, principal
from wokflow.lexicon.vectors import Space


def space(words: dict[str, tuple[float, float, float]]) -> Space:
    return Space([*words], np.arange(len(words), 0, -1), np.array([*words.values()], np.float32))


def test_places_are_along_the_widest_directions_and_do_not_flip() -> None:
    """Along z from -6 to 6, along x from -2 to 2, along y nothing; a mirrored space keeps the axes' directions."""
    vectors = np.array([[2, 0, 6], [-2, 0, 6], [2, 0, -6], [-2, 0, -6]], np.float64)
    assert principal(vectors + 1) == pytest.approx(vectors[:, [2, 0]])
    assert principal(-vectors) == pytest.approx(-vectors[:, [2, 0]])


def test_frequent_words_and_seed_pairs_are_shown_in_one_space() -> None:
    source = space({"锅": (9, 0, 1), "盐": (0, 0, 1), "糖": (0, 4, 1)})
    target = space({"pan": (8, 0, 1), "salt": (1, 0, 1), "sugar": (0, 4, 1)})
    rows = _picture(source, target, [("糖", "sugar")], 1)
    assert [(row["lang"], row["word"], row["named"], row["meaning"]) for row in rows] == [
        ("zh", "锅", False, None),
        ("zh", "糖", True, "sugar"),
        ("en", "pan", False, None),
        ("en", "sugar", True, None),
    ]
    place = {row["word"]: (row["x"], row["y"]) for row in rows}
    assert place["糖"] == pytest.approx(place["sugar"])
    assert place["锅"][0] > place["pan"][0] > place["糖"][0]
