import pytest

from tests.parse.scoring import Labelled, score

CUT = Labelled(2, "切", frozenset({"姜", "葱"}), frozenset())
FRY = Labelled(5, "炒", frozenset(), frozenset({"锅"}))


def test_perfect() -> None:
    scores = score([[CUT, FRY]], [[CUT, FRY]])
    assert scores.verbs.f1 == scores.actions.f1 == scores.links.f1 == 1


def test_counts_by_hand() -> None:
    found = [
        Labelled(2, "切", frozenset({"姜"}), frozenset()),
        Labelled(5, "煮", frozenset(), frozenset({"锅"})),
    ]
    scores = score([[CUT, FRY]], [found])
    assert scores.verbs[3:] == (1, 2, 2) and scores.verbs.f1 == pytest.approx(0.5)
    assert scores.actions[3:] == (0, 2, 2) and scores.actions.f1 == 0
    assert scores.links[3:] == (1, 1, 2) and scores.links.f1 == pytest.approx(2 / 3)


def test_nothing_to_find() -> None:
    assert score([[]], [[]]).verbs.f1 == 1
    assert score([[CUT]], [[]]).verbs.f1 == 0


def test_texts_must_match() -> None:
    with pytest.raises(ValueError, match=r"shorter|longer"):
        score([[CUT]], [])
