"""Actions by the letter of the paper: fine words, children of every kind, shared objects."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.parse.extract import Action, Parse
from wokflow.parse.glossary import Glossary
from wokflow.parse.paper import extract_paper

VERBS = (
    "切=切,切片 去皮=去,去皮 加入=放,放入,加入 洗净=洗净 翻=翻 炒=炒 烧=烧 烧开=水开 开=开 包=包 发酵=发,发酵"
)
FOODS = "片=片,大火 皮=皮 籽=籽 黄瓜=苦瓜 姜=姜 葱=葱 油=油 盐=盐 水=水 钱=包 酵母=酵"
TOOLS = "锅=锅 保鲜膜=保鲜膜"


def classes(lists: str) -> dict[str, str]:
    """Surfaces and their classes, from `class=surface,surface` between blanks."""
    named = (one.split("=") for one in lists.split())
    return {surface: name for name, surfaces in named for surface in surfaces.split(",")}


GLOSSARY = Glossary(verbs=classes(VERBS), ingredients=classes(FOODS), tools=classes(TOOLS), english={})


def written(action: Action) -> str:
    """verb/ingredients/tools by classes."""
    foods = "".join(sorted({food.cls for food in action.ingredients}))
    tools = "".join(sorted({f"/{tool.cls}" for tool in action.tools}))
    return f"{action.verb_class}/{foods}{tools}"


def read(*steps: str, parses: dict[str, Parse] | None = None) -> list[str]:
    return [written(action) for step in extract_paper(steps, GLOSSARY, parses) for action in step]


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("放盐", ["加入/盐"]),
        ("锅里放葱、姜和盐", ["加入/姜盐葱/锅"]),  # all beside the verb
        ("苦瓜切片", ["切/片黄瓜"]),  # 切片 is a verb and a noun
        ("水开放姜", ["开/水", "加入/姜"]),  # 水开 is a noun and a verb
        ("苦瓜洗净去籽", ["洗净/黄瓜", "去皮/籽"]),
        ("苦瓜洗净去", ["洗净/黄瓜", "去皮/黄瓜"]),  # a verb without noun has the clause's topic
        ("苦瓜放盐翻", ["加入/盐黄瓜", "翻/盐"]),  # 盐 stands beside 翻
        ("放姜翻炒", ["加入/姜", "翻/姜", "炒/姜"]),  # verbs in a row share their object
        ("放姜，放入锅", ["加入/姜", "加入/姜/锅"]),  # also where one has a tool
        ("葱切片，入锅，翻，加入盐", ["切/片葱", "翻/片", "加入/盐"]),
        ("包好", ["包/钱"]),
        ("用保鲜膜包", ["包/钱/保鲜膜"]),  # 包 is a verb and an ingredient
        ("大火发酵", ["发酵/片"]),  # one word, though 发 and 酵 are words too
        ("翻炒。加入锅里", []),  # no ingredient, no action
        ("", []),
        ("12.5 %✅～～", []),
    ],
)
def test_actions_of_a_text(text: str, actions: list[str]) -> None:
    assert read(text) == actions


def test_a_recipe_is_read_the_same_in_steps_and_as_one_text() -> None:
    assert read("放姜", "炒", "放入锅里。翻") == read("放姜。炒。放入锅里。翻")
    assert read("炒", "放姜") == ["加入/姜"], "nothing to share yet"


def test_steps_keep_their_offsets() -> None:
    found = extract_paper(["洗 净 姜 片", "再 放盐"], GLOSSARY, None)
    assert [len(actions) for actions in found] == [0, 1]
    (action,) = found[1]
    assert (action.verb, action.start, action.ingredients[0].start) == ("放", 2, 3)


def tree(*words: tuple[str, int]) -> Parse:
    """A parse of words with their heads; other roles than that of a root do not matter."""
    surfaces, heads = zip(*words, strict=True)
    return Parse(words=surfaces, heads=heads, roles=tuple("root" if head < 0 else "other" for head in heads))


def test_a_tree_says_which_verb_a_noun_hangs_on() -> None:
    clause = "锅里烧油 放姜"
    parse = tree(("锅", 2), ("里", 0), ("烧", -1), ("油", 2), ("放", 2), ("姜", 4))
    assert read(clause, parses={clause: parse}) == ["烧/油/锅", "加入/姜"]
    assert "加入/姜油" in read(clause)  # without a tree 油 is beside both


def test_verbs_of_one_word_share_its_children() -> None:
    parse = tree(("姜", 1), ("翻炒", -1))
    assert read("姜翻炒", parses={"姜翻炒": parse}) == ["翻/姜", "炒/姜"]


def test_what_is_no_tree_ends() -> None:
    parse = tree(("姜", 1), ("葱", 0), ("炒", -1))
    assert read("姜葱炒", parses={"姜葱炒": parse}) == []


WORDS = st.sampled_from(
    [*GLOSSARY.verbs, *GLOSSARY.ingredients, *GLOSSARY.tools, *"，。、 \n\t　1.5a✅\x1c", ""]
)


@given(st.lists(st.one_of(st.lists(WORDS, max_size=12).map("".join), st.text(max_size=20)), max_size=4))
def test_on_any_text(steps: list[str]) -> None:
    found = extract_paper(steps, GLOSSARY, None)
    assert len(found) == len(steps)
    for text, actions in zip(steps, found, strict=True):
        assert all(before.start <= after.start for before, after in pairwise(actions))
        assert len({(action.start, written(action)) for action in actions}) == len(actions)
        for action in actions:
            assert text[action.start : action.end] == action.verb
            assert action.ingredients and not action.inherited
            assert action.verb_class in GLOSSARY.verbs.values()
            for tool in action.tools:
                assert text[tool.start : tool.end] == tool.surface
            for food in action.ingredients:  # it may be shared with a verb of an earlier step
                assert any(step[food.start : food.end] == food.surface for step in steps)
