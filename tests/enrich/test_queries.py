"""Queries hold nothing but ids and languages, and answers nothing but texts and ids."""

import json
import re
from typing import Any

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.enrich import sparql
from wokflow.enrich.sparql import query, read_answer
from wokflow.frame.job import UserError

from tests.enrich.endpoints import QUERY
from tests.enrich.facts import HOSTILE, WD


@given(
    qids=st.lists(st.text(max_size=12) | st.from_regex(r"Q[0-9]+\W.*") | st.from_regex(sparql.QID, fullmatch=True)),
    languages=st.lists(
        st.text(max_size=8) | st.from_regex(r"[a-z]{2}\W") | st.from_regex(sparql.LANGUAGE, fullmatch=True),
        min_size=1,
    ),
)  # fmt: skip
def test_a_query_has_ids_and_languages_and_nothing_else(qids: list[str], languages: list[str]) -> None:
    valid = all(re.fullmatch("Q[1-9][0-9]{0,14}", qid) for qid in qids) and all(
        re.fullmatch("[a-z]{2,3}(-[a-z0-9]{1,8}){0,3}", lang) for lang in languages
    )
    try:
        made = query(qids, languages)
    except UserError:
        assert not valid
        return
    assert valid
    assert QUERY.fullmatch(made.strip())
    assert set(re.findall(r"wd:(Q[0-9]+)", made)) == set(qids)
    ox.Store().query(made)  # is SPARQL


@given(value=st.sampled_from(HOSTILE) | st.text(max_size=20))
def test_what_an_answer_says_is_text_or_the_id_of_an_item(value: str) -> None:
    def row(kind: str, **cell: str) -> dict[str, Any]:
        item = {"type": "uri", "value": WD + "Q1"}
        return {"item": item, "kind": {"type": "literal", "value": kind}, "value": {"value": value, **cell}}

    rows = [row("label", **{"xml:lang": "en"}), row("origin"), row("country", value=WD + value)]
    content = json.dumps({"head": {}, "results": {"bindings": rows}}).encode()
    for kind, lang, said in read_answer(content, ["Q1"])["Q1"]:
        assert (kind, lang, said) == ("label", "en", value) or sparql.QID.fullmatch(said)


def test_an_answer_about_other_items_is_none() -> None:
    row = {
        "item": {"value": WD + "Q2"},
        "kind": {"value": "label"},
        "value": {"value": "x", "xml:lang": "en"},
    }
    content = json.dumps({"results": {"bindings": [row]}}).encode()
    assert read_answer(content, ["Q2"]) == {"Q2": [("label", "en", "x")]}
    with pytest.raises(ValueError, match="no whole answer"):
        read_answer(content, ["Q1"])


@pytest.mark.parametrize(
    "value", ["Q5", "http://www.wikidata.org/.well-known/genid/1", WD + "P5", WD + "Q5/"]
)
def test_a_country_that_is_no_item_is_left_out(value: str) -> None:
    row = {"item": {"value": WD + "Q2"}, "kind": {"value": "origin"}, "value": {"value": value}}
    content = json.dumps({"results": {"bindings": [row]}}).encode()
    assert read_answer(content, ["Q2"]) == {"Q2": []}


def test_a_text_that_no_file_can_hold_is_read_with_a_question_mark() -> None:
    row = {
        "item": {"value": WD + "Q2"},
        "kind": {"value": "label"},
        "value": {"value": "a\ud800", "xml:lang": "EN\udc00"},
    }
    content = json.dumps({"results": {"bindings": [row]}}).encode()
    assert read_answer(content, ["Q2"]) == {"Q2": [("label", "en?", "a?")]}  # fmt: skip
