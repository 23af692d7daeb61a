"""XiaChuFang's lines are read to the letter, and what is no recipe is rejected with its reason."""

import json
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.ingest.raw_records import RECORDS, lines
from wokflow.ingest.xiachufang import decode, is_header, read

CHARACTERS = st.characters(exclude_categories=["Cs"])
TEXTS = st.text(CHARACTERS, max_size=12) | st.text(
    st.sampled_from('",\\ []{}:name\r\n餸\U0001f35c'), max_size=12
)
LISTS = st.lists(TEXTS, max_size=4)
SEPARATORS = st.sampled_from([(", ", ": "), (",", ":"), ("\t, ", " :  ")])
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | LISTS
GOOD = '{"name": "饭", "dish": "饭", "recipeIngredient": ["米"], "recipeInstructions": ["煮"]}'


def rows(data: bytes) -> list[dict[str, Any]]:
    return read(lines(data)).rows(named=True)


def filled(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row.get(name) for name in RECORDS}


@given(TEXTS, LISTS, LISTS, TEXTS | st.just("Unknown"), VALUES, st.booleans(), SEPARATORS)
@settings(deadline=None)
def test_a_rendered_row_is_read_back_on_both_roads(
    title: str,
    ingredients: list[str],
    steps: list[str],
    dish: str,
    other: object,
    ascii_: bool,
    separators: tuple[str, str],
) -> None:
    record = {"name": title, "dish": dish, "other": other}
    record |= {"recipeIngredient": ingredients, "recipeInstructions": steps}
    line = json.dumps(record, ensure_ascii=ascii_, separators=separators)
    dish_or_none = None if dish in ("", "Unknown") else dish
    expected = {"raw": line, "title": title, "ingredients": ingredients, "steps": steps, "dish": dish_or_none}
    assert decode(line) == expected
    assert rows(f"{GOOD}\n{line}\n{GOOD}".encode())[1] == filled(expected)


TOKENS = [
    *('"name"', '"dish"', '"recipeIngredient"', '"recipeInstructions"', '"n\\u0061me"', '"x"', '"\\uD83D"'),
    *(":", ":", ",", "[", "]", "{", "}", "null", '["a"]', "5", "1e999", "007", "-0.0", "1" * 400),
    *("\u3000", "\r", "\t"),
]


@given(st.lists(st.sampled_from(TOKENS), max_size=12))
@settings(deadline=None)
def test_both_roads_agree_on_any_line(tokens: list[str]) -> None:
    junk = "".join(tokens)
    inside = [f"{GOOD[:-1]}, {junk}}}", f'{GOOD[:-1]}, "x": {junk}}}', GOOD.replace('"饭"', junk)]
    for line in (junk.rstrip("\r"), (GOOD + junk).rstrip("\r"), *inside):
        if line.strip():
            assert rows(line.encode()) == [filled(decode(line))]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": None}, "wrong_type"),
        ({"name": 5}, "wrong_type"),
        ({"name": ["饭"]}, "wrong_type"),
        ({"name": "\ud83d"}, "invalid_utf8"),
        ({"dish": 5}, "wrong_type"),
        ({"dish": "\udc00"}, "invalid_utf8"),
        ({"recipeIngredient": "盐"}, "bad_list"),
        ({"recipeIngredient": None}, "bad_list"),
        ({"recipeIngredient": [1, 2.5]}, "bad_list"),
        ({"recipeIngredient": [float("inf")]}, "bad_list"),
        ({"recipeIngredient": ["盐", {"name": "糖"}]}, "bad_list"),
        ({"recipeInstructions": {"1": "煮"}}, "bad_list"),
        ({"recipeInstructions": [["煮"]]}, "bad_list"),
        ({"recipeInstructions": ["\ud83d"]}, "invalid_utf8"),
    ],
)
def test_a_field_of_another_type_is_rejected(change: dict[str, object], reason: str) -> None:
    line = json.dumps(json.loads(GOOD) | change)
    found = rows(f"{GOOD}\n{line}\n{GOOD}".encode())
    assert [row["reason"] for row in found] == [None, reason, None]
    assert found[1]["raw"] == line and next(iter(change)) in found[1]["detail"]


@pytest.mark.parametrize("name", ["name", "recipeIngredient", "recipeInstructions"])
def test_a_missing_field_is_named(name: str) -> None:
    record = json.loads(GOOD)
    del record[name]
    found = rows(json.dumps(record).encode())
    assert [(row["reason"], row["detail"]) for row in found] == [("missing_field", name)]


def test_the_dish_may_be_missing() -> None:
    records = [json.loads(GOOD) | {"dish": dish} for dish in ("饭", "Unknown", "", None)]
    without = json.loads(GOOD)
    del without["dish"]
    data = "\n".join(json.dumps(record) for record in [*records, without]).encode()
    assert [(row["dish"], row["reason"]) for row in rows(data)] == [("饭", None)] + [(None, None)] * 4


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (GOOD[:-1], "broken_record"),
        (GOOD[:40], "broken_record"),
        (GOOD[1:], "broken_record"),
        (GOOD + GOOD, "broken_record"),
        (GOOD.replace(",", ""), "broken_record"),
        (GOOD.replace("煮", "\t"), "broken_record"),
        (GOOD.replace("煮", "\\x"), "broken_record"),
        (GOOD.replace("煮", "\\uZZZZ"), "broken_record"),
        (GOOD.replace('"煮"', "007"), "broken_record"),
        ("\ufeff" + GOOD, "broken_record"),
        ("\u3000" + GOOD, "broken_record"),
        (GOOD[:-1] + ', "deep": ' + "[" * 100_000, "broken_record"),
        ("[" * 100_000 + "]" * 100_000, "broken_record"),
        (GOOD[:-1] + f', "number": {"1" * 5000}}}', "broken_record"),
        (",title,ingredients,directions,link,source,NER", "broken_record"),
        (f"[{GOOD}]", "wrong_type"),
        ('"饭"', "wrong_type"),
        ("null", "wrong_type"),
        ("5", "wrong_type"),
        ("{}", "missing_field"),
    ],
)
def test_a_broken_record_costs_no_other(bad: str, reason: str) -> None:
    found = rows(f"{GOOD}\n{bad}\n{GOOD}".encode())
    assert [row["reason"] for row in found] == [None, reason, None]
    assert [row["raw"] for row in found] == [GOOD, bad, GOOD]


@pytest.mark.parametrize(
    "other", ["1e999", "-1e999", "NaN", "1" * 400, "0.1e-400", '{"a": [{}]}', "[1, [2]]", "\ttrue"]
)
def test_what_other_keys_hold_does_not_matter(other: str) -> None:
    line = f'{GOOD[:-1]}, "author": {other}}}'
    assert rows(line.encode()) == [filled(decode(line))] == [filled(decode(GOOD)) | {"raw": line}]


@pytest.mark.parametrize(
    ("again", "detail"),
    [
        ('"name": "粥"', "name"),
        ('"n\\u0061me": 5', "name"),
        ('"recipeInstructions": [], "dish": null', "dish, recipeInstructions"),
        ('"x": "\\"name\\": \\"粥\\""', None),
        ('"x": ["name", "粥"], "x": 5', None),
    ],
)
def test_a_field_that_comes_twice_is_a_reject_and_another_key_is_not(again: str, detail: str | None) -> None:
    [row] = rows(f"{GOOD[:-1]}, {again}}}".encode())
    assert (row["reason"], row["detail"]) == (detail and "repeated_field", detail)


def test_blank_lines_are_no_rows() -> None:
    assert [row["title"] for row in rows(f"\n\n{GOOD}\n  \n\t\n\r\n{GOOD}\n\n".encode())] == ["饭", "饭"]


def test_there_is_no_header() -> None:
    assert not is_header(GOOD)


def test_the_records_have_their_schema() -> None:
    for data in (GOOD, "x", f"{GOOD}\nx", "\n"):
        assert read(lines(data.encode())).schema == pl.Schema(RECORDS)
