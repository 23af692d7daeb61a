import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.models.recipe_texts import recipe_text, without_headings


def test_a_recipe_has_a_line_for_each_heading() -> None:
    text = recipe_text("Tea", ["water", "tea"], ["Boil the water", "Pour."], "en")
    assert text == "Title: Tea\nIngredients: water, tea\nSteps: Boil the water. Pour.\n"
    text = recipe_text("茶", ["水", "茶叶"], ["烧水", "冲泡"], "zh", headings=False)
    assert text == "茶\n水，茶叶\n烧水。冲泡。\n"


@pytest.mark.parametrize(
    "text",
    [
        "Title: Tea\nIngredients: water\nSteps: Pour.\n",
        "Title: Tea Ingredients: water Steps: Pour.",
        "title:Tea\n\nINGREDIENTS: water\n Steps:  Pour. ",
        "**Title:** Tea\n**Ingredients**: water\n__Steps:__ Pour.",
        "# Title: Tea\n## Ingredients: water\n### Steps：Pour.",
    ],
)
def test_headings_become_line_breaks(text: str) -> None:
    assert without_headings(text) == "Tea\nwater\nPour."


def test_what_only_ends_like_a_heading_stays() -> None:
    assert without_headings("Title: 豆腐Ingredients: tofu\nSubtitle: mapo") == "豆腐\ntofu\nSubtitle: mapo"


@given(st.lists(st.from_regex(r"[a-zé一-龥]{1,9}", fullmatch=True), min_size=1, max_size=4))
def test_headings_alone_are_taken_out(words: list[str]) -> None:
    parts = (words[0], words, words, "en")
    assert without_headings(recipe_text(*parts)) == recipe_text(*parts, headings=False).strip()
