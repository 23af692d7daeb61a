from collections import Counter

import pytest
from wokflow.parse.types import Action, Mention

from tests.bench.test_labels import FLAWS, Label, agree, classes, compare
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


def found(
    start: int, verb: str, cls: str, food: str = "", tool: str = "", *, optional: bool = False
) -> Action:
    foods, tools = (
        tuple(Mention(word, name, 0, len(word)) for word in words.split() for name in classes(word, kind))
        for words, kind in ((food, False), (tool, True))
    )
    return Action(start, start + len(verb), verb, cls, foods, tools, (), optional)


def test_what_is_not_judged_of_a_labelled_action_is_in_no_share() -> None:
    labels = {
        0: Label("加", "加入", "盐"),
        4: Label("水开", "烧开", flags="heat"),  # names nothing, so it is not judged
        8: Label("盖上", "盖上", tools="锅盖", flags="heat"),
        12: Label("加", "加入", "糖", flags="optional"),
        16: Label("加", "加入", "糖", flags="optional"),
    }
    actions = [
        found(0, "加", "加入", "盐"),
        found(4, "水开", "烧开"),
        found(8, "盖上", "盖上"),
        found(12, "加", "加入", "糖"),
        found(16, "加", "加入", "糖", optional=True),
    ]
    counts = Counter[str]()
    compare(labels, actions, counts)
    assert (counts["found"], counts["judged"], counts["right"]) == (5, 4, 2)
    assert (counts["inheriting"], counts["inheriting_right"]) == (1, 0)
    assert {flaw: counts[flaw] for flaw in FLAWS if counts[flaw]} == {"tool missing": 1, "optional": 1}


def test_annotators_are_compared_by_what_is_judged() -> None:
    one = {
        0: Label("加", "加入", "盐"),
        4: Label("水开", "烧开", flags="heat"),
        8: Label("盖", "盖上", tools="锅盖"),
    }
    other = {
        0: one[0]._replace(flags="optional"),
        4: one[4]._replace(held="水"),
        8: one[8]._replace(flags="heat"),
    }
    counts = Counter[str]()
    agree(one, other, counts)
    assert (counts["second"], counts["agreed"]) == (2, 1)
