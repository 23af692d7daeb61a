"""Words of the glossary stay whole, and segmenting touches nothing outside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.parse.glossary import Glossary
from wokflow.parse.segment import Segmenter

GLOSSARY = Glossary(
    verbs={"洗净": "洗", "焯水": "焯", "放": "加", "下": "加", "切": "切"},
    ingredients={"藤椒鸡爪": "鸡爪", "油": "油", "菜": "菜", "切菜": "菜"},
    tools={"平底锅": "锅", "A 锅": "锅", "锅": "锅"},
)
EMPTY = Glossary(verbs={}, ingredients={}, tools={})


@pytest.fixture(scope="module")
def segment() -> Segmenter:
    return Segmenter(GLOSSARY)


@given(
    st.text(st.characters(codec="utf-8"), max_size=40)
    | st.text("盐油下葱锅内放洗净 \t1.5克%abOK👍🏽，", max_size=200)
)
def test_words_joined_are_the_text_without_white_space(segment: Segmenter, text: str) -> None:
    words = segment(text)
    assert "".join(words) == "".join(text.split())
    assert all(words)


def test_words_of_the_glossary_are_whole(segment: Segmenter) -> None:
    assert segment("藤椒鸡爪洗净焯水") == ["藤椒鸡爪", "洗净", "焯水"]
    assert "藤椒鸡爪" not in Segmenter(EMPTY)("藤椒鸡爪洗净焯水")


def test_words_in_no_dictionary_are_not_guessed(segment: Segmenter) -> None:
    assert segment("下葱和姜") == ["下", "葱", "和", "姜"]


def test_a_verb_with_its_ingredient_is_two_words_unless_the_glossary_has_it(segment: Segmenter) -> None:
    assert Segmenter(EMPTY)("锅内放油") == ["锅", "内", "放油"]
    assert segment("锅内放油") == ["锅", "内", "放", "油"]
    assert segment("下锅切菜") == ["下锅", "切菜"]


def test_a_number_with_its_measure_is_two_words(segment: Segmenter) -> None:
    assert segment("炒两分钟加一勺盐") == ["炒", "两", "分钟", "加", "一", "勺", "盐"]
    assert segment("十分钟后一起放") == ["十分钟", "后", "一起", "放"]


def test_numbers_stay_whole(segment: Segmenter) -> None:
    assert segment("加1.5克olive oil") == ["加", "1.5", "克", "olive", "oil"]


def test_the_order_of_the_glossary_does_not_matter() -> None:
    surfaces = ["油菜花", "菜花", "花生油", "油菜", "生油"]
    text = "油菜花生油菜花"
    one, other = (
        Segmenter(Glossary(verbs={}, ingredients=dict.fromkeys(order, "菜"), tools={}))(text)
        for order in (surfaces, surfaces[::-1])
    )
    assert one == other
