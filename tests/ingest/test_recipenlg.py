"""RecipeNLG's rows are read to the letter, and what is no row stays by itself."""

import json
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from wokflow.ingest.clean import clean
from wokflow.ingest.raw_records import RECORDS, lines
from wokflow.ingest.recipenlg import decode, is_header, read

from tests.ingest.defaults import CLEAN

CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0\n")
TEXTS = st.text(CHARACTERS, max_size=12) | st.text(
    st.sampled_from('",\\ []nu0041\r餸\U0001f35c'), max_size=12
)
LISTS = st.lists(TEXTS, max_size=4)
SEPARATORS = st.sampled_from([(", ", ": "), (",", ":"), (" ,  ", " : ")])


def field(value: str, always: bool) -> str:
    return '"' + value.replace('"', '""') + '"' if always or set(value) & set(',"\n') else value


def rows(data: bytes) -> list[dict[str, Any]]:
    return read(lines(data)).drop("plain").rows(named=True)


def filled(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row.get(name) for name in RECORDS if name != "plain"}


@given(TEXTS, LISTS, LISTS, TEXTS, st.booleans(), st.booleans(), SEPARATORS)
@settings(deadline=None)
def test_a_rendered_row_is_read_back_on_both_roads(
    title: str,
    ingredients: list[str],
    steps: list[str],
    link: str,
    ascii_: bool,
    always: bool,
    separators: tuple[str, str],
) -> None:
    lists = [json.dumps(value, ensure_ascii=ascii_, separators=separators) for value in (ingredients, steps)]
    row = "17," + ",".join(field(value, always) for value in [title, *lists, link, "Gathered", "[]"])
    expected = {
        "raw": row, "title": title, "ingredients": ingredients, "steps": steps, "url": link or None
    }  # fmt: skip
    assert decode(row) == expected
    assert rows(f"1,a,[],[],,,[]\n{row}\n1,b,[],[],,,[]\n".encode())[1] == filled(expected)


LATIN_WORDS, OTHERS = " aZ~°½é,.'/", '\t"\\¾¡×ÿ\u0100🍲'
WORDS = st.sampled_from(["&amp;", "a &frac12; b", "AT&T;", "&c."]) | st.text(
    st.sampled_from(LATIN_WORDS) | st.sampled_from(OTHERS), max_size=9
)


@given(WORDS, st.lists(WORDS, max_size=3), st.lists(WORDS, max_size=3), st.booleans())
@example("Pie, baked", ["1½ c. crème", "salt"], ["Bake at 350°."], True)
@settings(deadline=None)
def test_plain_is_what_no_cleaning_changes(
    title: str, ingredients: list[str], steps: list[str], ascii_: bool
) -> None:
    lists = [json.dumps(value, ensure_ascii=ascii_) for value in (ingredients, steps)]
    row = "17," + ",".join(field(value, False) for value in [title, *lists, "", "Gathered", "[]"])
    record = read(lines(row.encode()))
    cleaned = clean(record.with_columns(plain=False), CLEAN, "en")
    unchanged = cleaned.drop("plain").equals(record.drop("plain"))
    words = all(set(text) <= set(LATIN_WORDS) for text in (title, *ingredients, *steps))
    assert unchanged or not record["plain"].item()
    assert record["plain"].item() or not (unchanged and words)


def test_quotation_marks_need_no_cleaning() -> None:
    lists = [field(json.dumps([text]), False) for text in ('a 9" crust', 'Bake in "the" pan.')]
    assert read(lines(f"17,Pie,{lists[0]},{lists[1]},,Gathered,[]".encode()))["plain"].item()


@given(st.text(st.sampled_from('",[]\\ 1une\r\u0660é'), max_size=30).map(lambda line: line.rstrip("\r")))
@settings(deadline=None)
def test_both_roads_agree_on_any_line(rest: str) -> None:
    for line in (f"1,a,[],{rest},,,", f'1,a,"[""{rest}""]",[],,,', f"1,{rest}", rest):
        if line.strip():
            assert rows(line.encode()) == [filled(decode(line))]


@given(
    st.lists(
        st.sampled_from(["1,a,[],[],,,[]", '2,"b', 'c",[],[],,,[]', "3,4", "", '"', "x", "1,a,x,[],,,"]),
        max_size=9,
    )
)
@settings(deadline=None)
def test_no_line_is_lost(found: list[str]) -> None:
    out = rows("\n".join(found).encode()) if found else []
    assert "\n".join(row["raw"] for row in out).split() == "\n".join(found).split()


def test_newlines_in_quotes_belong_to_the_record(recipenlg_corpus: Any) -> None:
    titles = ["over\ntwo", "2,5 dl milk\n3,5 dl cream\n", "\n\n", 'a "quote"\n, a comma', "x\n" * 40, "\r\n"]
    data = recipenlg_corpus.file([recipenlg_corpus.row(number, title) for number, title in enumerate(titles)])
    found = rows(data.split(b"\n", 1)[1])
    assert [row["reason"] for row in found] == [None] * len(titles)
    assert [row["title"] for row in found] == [*titles[:-1], "\n"]  # lines lose their carriage returns


@pytest.mark.parametrize(
    "bad",
    [
        '1,"open,[],[],,,[]',
        '1,"open,"[""a""]","[""b""]",,,[]',
        '1,a,"[""a"",[],,,[]',
        '1,"a"b,[],[],,,[]',
        "1,too,few",
        "1,[],[],,,[],one,many",
        "no,number,[],[],,,[]",
        "\u0661,strange number,[],[],,,[]",
        '1,"open\nand more\nand more',
        ',"title"',
        '"',
        '1,"',
        "1,",
    ],
)
def test_a_broken_record_costs_no_other(bad: str, recipenlg_corpus: Any) -> None:
    good = recipenlg_corpus.row(5, "good\nrow").decode(), recipenlg_corpus.row(6, "good").decode()
    found = rows("\n".join([*good, bad, *good, bad]).encode())
    assert [row["title"] for row in found] == ["good\nrow", "good", None, "good\nrow", "good", None]
    assert [row["raw"] for row in found if row["title"] is None] == [bad, bad]
    assert {row["reason"] for row in found} == {None, "broken_record"}


def test_lines_of_another_format_are_rows_each() -> None:
    found = rows(b'{"name": 1}\n\n\n{"name": 2}\ntext\n')
    assert [row["raw"] for row in found] == ['{"name": 1}', '{"name": 2}', "text"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("salt and pepper", "bad_list"),
        ("", "bad_list"),
        ("null", "bad_list"),
        ("5", "bad_list"),
        ('{"a": "b"}', "bad_list"),
        ("['a' 'b']", "bad_list"),
        ("['\\x41']", "bad_list"),
        ("[1, 2.5]", "bad_list"),
        ("[1e999]", "bad_list"),
        ('["a", ["b"]]', "bad_list"),
        ('["a", {"b": "c"}]', "bad_list"),
        ('["\\uZZZZ"]', "bad_list"),
        ('["\\u00"]', "bad_list"),
        ('["\\x41"]', "bad_list"),
        ('["tab\there"]', "bad_list"),
        ('["a",]', "bad_list"),
        ('["a"] ["b"]', "bad_list"),
        ("[" + "1" * 5000 + "]", "bad_list"),
        ("[" * 100_000, "bad_list"),
        ('["\\ud83d"]', "invalid_utf8"),
        ('["\\ude00\\ud83d"]', "invalid_utf8"),
    ],
)
def test_a_field_that_is_no_list_of_texts_is_rejected(value: str, reason: str, recipenlg_corpus: Any) -> None:
    good = recipenlg_corpus.row(1)
    for bad in (recipenlg_corpus.row(2, ingredients=value), recipenlg_corpus.row(3, steps=value)):
        found = rows(b"\n".join([good, bad, good]))
        assert [row["reason"] for row in found] == [None, reason, None]
        assert found[1]["raw"] == bad.decode()


@pytest.mark.parametrize(
    ("value", "items"),
    [
        ("[]", []),
        ("[ ]", []),
        ('["a", null, "b"]', ["a", "b"]),
        ('["9\\", ", "\\"", "\\\\", "\\\\\\", "]', ['9", ', '"', "\\", '\\", ']),
        ('["\\\\n", "\\n\\t\\/\\b\\f\\r"]', ["\\n", "\n\t/\b\f\r"]),
        ('["\\ud83c\\udf5c", "\\u00e9\\u00E9", "\\\\u00e9"]', ["\U0001f35c", "éé", "\\u00e9"]),
        ('["\\u0000"]', ["\0"]),
        ('["[", "]", ", ", ""]', ["[", "]", ", ", ""]),
        ('["a","b" , "c"]', ["a", "b", "c"]),
    ],
)
def test_lists_are_read_as_json(value: str, items: list[str], recipenlg_corpus: Any) -> None:
    assert rows(recipenlg_corpus.row(1, ingredients=value, steps='["s"]'))[0]["ingredients"] == items
    assert rows(recipenlg_corpus.row(1, ingredients='["i"]', steps=value))[0]["steps"] == items


@pytest.mark.parametrize(
    ("line", "yes"),
    [
        (",title,ingredients,directions,link,source,NER", True),
        ('"","title","ingredients","directions","link","source","NER"', True),
        ("0,title,ingredients,directions,link,source,NER", False),
        ("a lone \r return", False),
        ("x" * 200_000, False),
        ("", False),
    ],
)
def test_the_header_is_known(line: str, yes: bool) -> None:
    assert is_header(line) == yes


def test_a_long_field_is_read_on_both_roads(recipenlg_corpus: Any) -> None:
    step = "Stir. " * 100_000
    quick = recipenlg_corpus.row(1, steps=[step])
    slow = recipenlg_corpus.row(1, steps=json.dumps([step, None]))
    assert [row["steps"] for row in rows(quick + b"\n" + slow)] == [[step], [step]]


def test_the_records_have_their_schema() -> None:
    for data in (b"1,a,[],[],,,[]", b"x", b"1,a,[],[],,,[]\nx", b"\n"):
        assert read(lines(data)).schema == pl.Schema(RECORDS)
