"""What rules make of a base recipe: clauses go, names change, and insertions have their places."""

from collections.abc import Sequence

import pytest
from wokflow.generate.mined import complete
from wokflow.generate.plans import Draft, Insertion, Plan
from wokflow.parse.glossary import Glossary
from wokflow.parse.other_texts import extractor
from wokflow.pivot.occurrences import Proto

GLOSSARY = Glossary(
    {
        "打散": "打",
        "切": "切",
        "炒": "炒",
        "去皮": "去皮",
        "放入": "放",
        "焯水": "焯",
        "打": "打",
        "洗净": "洗",
    },
    {
        "鸡蛋": "蛋",
        "蛋": "蛋",
        "蛋糕": "糕",
        "土豆丝": "丝",
        "土豆": "土豆",
        "番茄": "番茄",
        "盐": "盐",
        "葱": "葱",
        "面": "面",
    },
    {"锅": "锅", "碗": "碗", "烤箱": "烤箱"},
)
EXTRACT = extractor(GLOSSARY, "rules", "house", None)
PEEL = Insertion(
    Proto("去皮", ("土豆丝",), ()),
    ("土豆去皮", "土豆和面去皮", "土豆入烤箱去皮"),
    frozenset(),
    frozenset({Proto("炒", ("土豆丝",), ())}),
)
BLANCH = Insertion(
    Proto("焯", ("土豆丝",), ()),
    ("土豆丝焯水",),
    frozenset({PEEL.action}),
    frozenset({Proto("放", ("盐",), ())}),
)
PLAN = Plan("蛋", "土豆丝", frozenset({Proto("打", ("土豆丝",), ())}), (PEEL, BLANCH))


class Likes:
    """A ranker that likes texts with a string, and else short ones."""

    def __init__(self, liked: str) -> None:
        self._liked = liked

    def __call__(self, texts: Sequence[tuple[list[int], str]]) -> list[float]:
        return [100.0 * (self._liked in text) - len(text) for _, text in texts]


def draft(text: str, plan: Plan = PLAN) -> Draft:
    return Draft(text, plan, GLOSSARY, EXTRACT)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("鸡蛋打散，番茄切块。炒鸡蛋，放入番茄。", "番茄切块。炒土豆丝，放入番茄。"),
        ("番茄切块，蛋打散。炒蛋！", "番茄切块。炒土豆丝！"),
        ("1、番茄切块。2、蛋打散。3、炒蛋", "1、番茄切块。3、炒土豆丝"),
        ("蛋打散后放入番茄，蛋糕切块", "土豆丝打散后放入番茄，蛋糕切块"),
        ("蛋打散。", "土豆丝打散。"),
        ("炒蛋清，炒蛋。", "炒蛋清，炒土豆丝。"),
        ("好吃！", "好吃！"),
        ("", ""),
    ],
)
def test_clauses_that_only_say_what_is_removed_go_and_names_change(text: str, after: str) -> None:
    """A clause that says more stays, and so does the last one with an action, and longer words."""
    assert draft(text).text == after


def test_insertions_stand_where_the_orders_allow_it() -> None:
    one = draft("番茄切块，炒蛋，放入盐，炒蛋。")
    peel, blanch = one.wanted()
    assert peel.phrases == ("土豆去皮",), "no food and no tool that the recipe lacks"
    assert one.options(peel) == [(0, "土豆去皮"), (1, "土豆去皮")]
    one.insert(peel, 1, "土豆去皮")
    assert one.text == "番茄切块，土豆去皮，炒土豆丝，放入盐，炒土豆丝。"
    assert [place for place, _ in one.options(blanch)] == [2, 3]


def test_where_orders_are_silent_food_is_prepared_before_it_is_used() -> None:
    plan = Plan(
        None,
        "土豆丝",
        insert=tuple(
            Insertion(Proto(verb, ("土豆丝",), ()), (text,), frozenset(), frozenset())
            for verb, text in (("放", "放入土豆丝"), ("切", "切土豆丝"), ("切", "土豆切丝"))
        ),
    )
    one = draft("切番茄，炒番茄，放入盐。", plan)
    add, cut = one.wanted()
    one.insert(add, 2, "放入土豆丝")
    assert [place for place, _ in one.options(cut)] == [0, 1, 2]
    one.insert(cut, 1, "切土豆丝")
    assert [place for place, _ in one.options(add)] == [2, 3, 4, 5]
    assert not one.wanted()


def test_an_insertion_behind_the_last_clause_ends_the_sentence() -> None:
    one = draft("1、炒番茄。2、放入番茄。")
    assert 1 not in [place for place, _ in one.options(PEEL)], "not between a step and its number"
    one.insert(PEEL, len(one.clauses), "土豆去皮")
    assert one.text == "1、炒番茄。2、放入番茄，土豆去皮。"


def test_the_ranker_chooses_and_the_added_ingredient_is_named_at_last() -> None:
    drafts = [draft("番茄切块，炒蛋。"), draft("放入番茄。", Plan(None, "土豆丝")), draft("")]
    complete(drafts, [[], [], []], Likes("切块，土豆去皮"), 1)
    assert [one.text for one in drafts] == ["番茄切块，土豆去皮，炒土豆丝。", "放入番茄，加入土豆丝。", ""]
