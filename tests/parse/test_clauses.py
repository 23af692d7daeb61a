from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.parse.clauses import LIMIT, clauses


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in clauses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("锅中放油，烧热。", ["锅中放油", "烧热"]),
        ("加盐、糖和醋翻炒", ["加盐、糖和醋翻炒"]),
        ("1、洗净；2.切片", ["1", "洗净", "2", "切片"]),
        ("加1.5克盐，5:30关火", ["加1.5克盐", "5:30关火"]),
        ("放油（橄榄油）烧热", ["放油", "橄榄油", "烧热"]),
        ("好了😍出锅～开吃", ["好了", "出锅", "开吃"]),
        ("", []),
        ("。。 ，", []),
    ],
)
def test_clauses(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_long_stretches_are_cut() -> None:
    assert [len(clause) for clause in cut("盐" * (2 * LIMIT + 1))] == [LIMIT, LIMIT, 1]


@given(st.text())
def test_clauses_are_in_order_and_lose_no_letter(text: str) -> None:
    spans = clauses(text)
    assert all(start < end <= len(text) and end - start <= LIMIT for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    inside = {at for start, end in spans for at in range(start, end)}
    assert all(at in inside for at, sign in enumerate(text) if sign.isalnum())
