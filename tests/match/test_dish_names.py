"""What counts of titles, and how alike they are."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.match.dish_names import normal, similarity


def forms(lang: str, *titles: str) -> list[str]:
    return normal(pl.Series(titles, dtype=pl.String), lang).to_list()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rice with caramelized leeks", "Caramelized Leek Rice"),  # the paper's own example
        ("Mom's Brownies!", "MOMS BROWNIE"),
        ("Cherry Pies", "cherries & pie"),
        ("Crème Brûlée", "creme brulee"),
        ("Stuffed Tomatoes", "Tomato, Stuffed"),
        ("Radishes on Dishes", "radish dish"),
        ("Ｋｕｎｇ Pao (Sichuan-Style)", "Sichuan Kung Pao"),
    ],
)
def test_english_titles_count_without_case_marks_order_number_and_fillers(one: str, other: str) -> None:
    first, second = forms("en", one, other)
    assert first == second != ""


def test_words_that_only_look_like_plurals_stay() -> None:
    assert forms("en", "Couscous", "Asparagus", "Swiss Cress", "Peas") == [
        "couscous",
        "asparagus",
        "cress swiss",
        "pea",
    ]


def test_chinese_titles_count_by_their_simplified_characters() -> None:
    assert forms("zh", "【宮保雞丁】★", "宫保 鸡丁", "ＫＦＣ炸鸡") == ["宫保鸡丁", "宫保鸡丁", "kfc炸鸡"]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_titles_of_which_nothing_counts_are_empty(lang: str) -> None:
    assert forms(lang, "", "❤️!") == ["", ""] and forms("en", "with the") == [""]
    assert forms(lang) == []


@given(
    st.sampled_from(["zh", "en"]), st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
)
def test_each_title_has_its_own_form_whatever_stands_beside_it(lang: str, titles: list[str]) -> None:
    assert forms(lang, *titles) == [form for title in titles for form in forms(lang, title)]


def test_alike_is_a_share_of_characters_that_stay() -> None:
    assert similarity()("abcd", "abed") == 75 and similarity()("", "abc") == 0
