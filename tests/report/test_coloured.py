"""Marks in a recipe's text."""

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from wokflow.report import coloured
from wokflow.report.coloured import Mark

from tests.report.parts import WORDS, action, texts

STEP = "葱切段，鸡切丁。锅里放油，鸡蛋炒散，下鸡。"


def test_words_are_marked_where_the_verb_is_nearest() -> None:
    cut = action("r", 0, "切", 5, text="鸡切丁", ingredients=["鸡"])
    fry = action("r", 1, "炒", 15, text="鸡蛋炒散", ingredients=["鸡蛋"], tools=["锅"])
    found = [
        (STEP[mark.start : mark.end], mark.start, mark.kind) for mark in coloured.marks(STEP, [cut, fry])
    ]
    assert found == [
        ("鸡", 4, "food"),
        ("切", 5, "verb"),
        ("锅", 8, "tool"),
        ("鸡蛋", 13, "food"),
        ("炒", 15, "verb"),
    ]


def test_what_is_inherited_is_not_marked_again() -> None:
    row = action("r", 0, "炒", 15, text="鸡蛋炒散", ingredients=["鸡蛋"], inherited=True)
    assert coloured.marks(STEP, [row]) == [Mark(15, 16, "verb", 1)]


def test_clause_is_the_one_around_the_verb() -> None:
    assert coloured.clause("炒一炒，炒一炒", action("r", 0, "炒", 6, text="炒一炒")) == (4, 7)
    assert coloured.clause("炒一炒", action("r", 0, "炒", 0, text="煎一煎")) == (0, 1)


def test_pieces_are_the_text() -> None:
    found = coloured.pieces("<切>&", [Mark(1, 2, "verb", 7)])
    assert found == [("", "<", 0), ("verb", "切", 7), ("", ">&", 0)]


@given(st.text("鸡蛋切", max_size=12), st.lists(st.text("鸡蛋", min_size=1, max_size=3), max_size=3))
def test_no_mark_lies_over_another(step: str, foods: list[str]) -> None:
    verbs = [number for number, character in enumerate(step) if character == "切"]
    rows: list[dict[str, Any]] = [
        action("r", place, "切", start, ingredients=foods) for place, start in enumerate(verbs)
    ]
    found = coloured.marks(step, rows)
    assert all(left.end <= right.start for left, right in pairwise(found))
    assert [mark.start for mark in found if mark.kind == "verb"] == verbs
    assert "".join(text for _, text, _ in coloured.pieces(step, found)) == step


def test_table_names_actions_in_both_languages() -> None:
    cut = action(
        "r", 0, "切", 5, text="鸡切丁", ingredients=["鸡"], ingredient_classes=["鸡肉"], optional=True
    )
    fry = cut | action("r", 1, "炒", 15, ingredients=["鸡"], ingredient_classes=["鸡肉"], inherited=True)
    rows = texts(coloured.recipe([STEP], [cut, fry], WORDS)["actions"])
    assert rows == [
        ["1", "切 cut · optional", "鸡 chicken", ""],
        ["2", "炒 stir-fry", "（鸡） chicken · inherited", ""],
    ]


def test_what_an_inheriting_action_names_is_not_in_brackets() -> None:
    salt = action("r", 0, "腌", 3, text="用盐腌", ingredients=["鸡", "盐"], inherited=True)
    stir = action("r", 1, "炒", 3, text="下蛋炒", ingredients=["鸡", "蛋"], inherited=True)
    into = action("r", 2, "下", 1, text="下蛋炒", ingredients=["蛋"])
    shown = [
        row[2] for row in texts(coloured.recipe(["用盐腌，下蛋炒"], [salt, into, stir], WORDS)["actions"])
    ]
    assert [cell.split(" ")[0] for cell in shown] == ["（鸡）盐", "蛋", "（鸡、蛋）"]
