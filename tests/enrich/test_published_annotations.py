"""CAMT's published JSON goes in, and comes out as it was: sentences, places of items, and what is known of them."""

import gzip
import json
import tempfile
from io import StringIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow import cli
from wokflow.enrich.published_annotations import (
    FIRST,
    OTHERWISE,
    entities,
    item_id,
    read,
    released_mentions,
)
from wokflow.frame import tables
from wokflow.frame.job import UserError

from tests.enrich.published import ROWS, known, label, through


def test_a_file_goes_in_and_comes_out_and_that_once_more(tmp_path: Path) -> None:
    file = tmp_path / "en-zh.json"
    file.write_text(json.dumps(ROWS), encoding="utf-8")
    log = StringIO()
    first = through(file, "en-zh", tmp_path / "first", log)
    assert [row["target"] for row in first] == [ROWS[0]["target"], ROWS[2]["target"]]
    assert [span[1:] for span in first[0]["spans"]] == [(0, 7), (12, 19), (26, 30)]
    assert known(first[0]["labels"][0]) == known(ROWS[0]["labels"][0])
    assert known(first[1]["labels"][0]) == known(ROWS[2]["labels"][0])
    second = through(tmp_path / "first" / "json", "en-zh", tmp_path / "second")
    assert second == first
    rejects = tables.read(str(tmp_path / "first" / "mr")).select("source_row", "reason").rows()
    assert sorted(rejects) == [(0, "no_words"), (0, "not_in_sentence")]
    assert "4 mentions in 3 sentences, 2 rejected (1 not_in_sentence, 1 no_words)" in log.getvalue()
    assert (tmp_path / "first" / "json").read_bytes() == (tmp_path / "second" / "json").read_bytes()


def placed(text: str, *annotated: str) -> tuple[list[str], list[tuple[str, str]]]:
    """The annotated words of a sentence with where they begin; and those that have no place, with the reason."""
    row = {"source": text, "target": "", "labels": [label(words, words) for words in annotated]}
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump([row], file)
        file.flush()
        sentences = pl.DataFrame({"sentence_id": ["camt:0"], "source": [text], "source_row": [0]})
        kept, rejected = released_mentions(sentences, file.name, lambda qid: True)
    assert len(kept) + len(rejected) == len(annotated)
    lost = [(json.loads(answer.line)["value"], reason) for answer, reason, _ in rejected]
    return [f"{one.start} {text[one.start : one.end]}" for one in kept], lost


@pytest.mark.parametrize(
    ("text", "annotated", "found", "lost"),
    [
        (
            "At Purple Mountain Observatory.",
            ("Purple Mountain", "Purple Mountain Observatory"),
            ["3 Purple Mountain Observatory"],
            [("Purple Mountain", "overlap")],
        ),
        (
            "The New York World Building of the New York World.",
            ("New York World", "New York World Building"),
            ["4 New York World Building", "35 New York World"],
            [],
        ),
        ("Polkagrisar, a polkagris.", ("polkagris",), ["15 polkagris"], []),
        ("A fried doughnut is no fried dough", ("fried dough",), ["23 fried dough"], []),
        (
            "Birmingham has ham, HAM, and ham.",
            ("ham",) * 4,
            ["15 ham", "20 HAM", "29 ham"],
            [("ham", "overlap")],
        ),
        ("Birmingham has HAM.", ("ham",), ["15 HAM"], []),
        ("राजा का राज", ("राज",), ["8 राज"], []),
        ("राजा", ("राज",), ["0 राज"], []),  # inside a word, where it is nowhere else
        ("吃波伦塔配肉酱", ("波伦塔",), ["1 波伦塔"], []),
        ("İ, ham and İzmir", ("ham", "İZMIR"), ["3 ham", "11 İzmir"], []),
        ("AT&T and Old Bay", ("AT&amp;T", "Old  Bay"), ["0 AT&T", "9 Old Bay"], []),
        ("AT&amp;T  Park", ("AT&amp;T  Park",), ["0 AT&amp;T  Park"], []),  # read without cleaning
        ("Soup.", ("", " ", "stew"), [], [("", "no_words"), ("", "no_words"), ("stew", "not_in_sentence")]),
    ],
)
def test_annotations_have_places_of_their_own_at_ends_of_words_where_they_can(
    text: str, annotated: tuple[str, ...], found: list[str], lost: list[tuple[str, str]]
) -> None:
    kept, left = placed(text, *annotated)
    assert kept == found
    assert sorted(left) == sorted(lost)


def test_what_is_no_such_file_is_refused_and_a_compressed_one_is_read(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    for text in ("{", '[{"source": "a", "target": 1, "labels": []}]', "[[]]", '{"a": 1}', '["\\ud800"]'):
        bad.write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match=r"bad\.json is not in the form of CAMT's files"):
            read(str(bad))
    (tmp_path / "good.json").write_text(json.dumps(ROWS), encoding="utf-8")
    (tmp_path / "good.json.gz").write_bytes(gzip.compress(json.dumps(ROWS).encode()))
    assert read(str(tmp_path / "good.json.gz")) == read(str(tmp_path / "good.json")) == ROWS
    (tmp_path / "cut.json.gz").write_bytes((tmp_path / "good.json.gz").read_bytes()[:-20])
    with pytest.raises(UserError, match=r"cut\.json\.gz is not in the form"):
        read(str(tmp_path / "cut.json.gz"))
    assert len({item["id"] for item in entities([str(tmp_path / "good.json")])}) == 5 + 2


def test_a_decompression_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wokflow.ingest.parallel.BOMB", 2 << 20)
    bomb = tmp_path / "bomb.json.gz"
    bomb.write_bytes(gzip.compress(b" " * (8 << 20) + json.dumps(ROWS).encode(), 9))
    with pytest.raises(UserError, match=r"bomb\.json\.gz holds more than \d MiB"):
        read(str(bomb))


@pytest.mark.parametrize("to", ["good.json", "link.json", "other.json", "nowhere.json", "folder"])
def test_a_table_replaces_nothing(to: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not what it is made of, another file, a link, even one to nothing, nor a folder."""
    good, other = tmp_path / "good.json", tmp_path / "other.json"
    good.write_text(json.dumps(ROWS), encoding="utf-8")
    other.write_text("mine")
    (tmp_path / "link.json").symlink_to("good.json")
    (tmp_path / "nowhere.json").symlink_to("none.json")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*")), good.read_bytes(), other.read_bytes()
    assert cli.main(["papers", "camt-entities", str(good), "--to", str(tmp_path / to)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert (sorted(tmp_path.rglob("*")), good.read_bytes(), other.read_bytes()) == before


@pytest.mark.parametrize(
    ("member", "value", "place"),
    [
        ("aliases", {"en": ["ham"]}, r"metadata\.aliases\.en"),
        ("aliases", {"en": 5}, r"metadata\.aliases\.en"),
        ("labels", {"en": "ham"}, r"metadata\.labels\.en"),
        ("labels", ["ham"], r"metadata\.labels"),
        ("descriptions", {"en": {"language": "en"}}, r"metadata\.descriptions\.en"),
        ("qid", 5, "qid"),
        ("qid", "Q1; DROP", "qid"),
        ("category", 5, "category"),
    ],
)
def test_a_label_in_another_form_is_refused_by_its_place(
    member: str, value: Any, place: str, tmp_path: Path
) -> None:
    rows: list[dict[str, Any]] = json.loads(json.dumps(ROWS))
    label = rows[0]["labels"][1]
    (label if member in ("qid", "category") else label["metadata"])[member] = value
    (tmp_path / "bad.json").write_text(json.dumps(rows))
    with pytest.raises(UserError, match=rf"bad\.json .*record 0, labels\.1\.{place}"):
        read(str(tmp_path / "bad.json"))


def test_what_a_label_leaves_empty_in_any_form_is_unknown(tmp_path: Path) -> None:
    empty: list[Any] = [None, [], {}]
    rows: list[dict[str, Any]] = [
        {"source": "Ham.", "target": "火腿", "labels": [label("ham", "ham") | {"qid": None}]} for _ in empty
    ]
    for row, value in zip(rows, empty, strict=True):
        row["labels"][0]["metadata"] = dict.fromkeys(("labels", "aliases", "sitelinks", "summarys"), value)
    (tmp_path / "a.json").write_text(json.dumps(rows))
    item, country = entities([str(tmp_path / "a.json")])
    assert item["labels"] == {"en": {"language": "en", "value": "ham"}} and not item["aliases"]
    assert country["labels"]["en"]["value"] == "Italy"


def test_countries_have_their_ids_and_their_names_in_the_table_of_regions(tmp_path: Path) -> None:
    names = {
        "United States of America": "Q30",
        "America": "Q30",
        "United States": "Q30",
        "People's Republic of China": "Q148",
        "China": "Q29520",
        "Republic of China": "Q13426199",
        "Taiwan": "Q865",
        "Republic of Ireland": "Q27",
        "Korea": "Q18097",
        "India": "Q668",  # which is in the table under several languages
        "Souriya Sunshine": None,
    }
    file = tmp_path / "a.json"
    rows = [{"source": "", "target": "", "labels": [label(name, name, country=name) for name in names]}]
    file.write_text(json.dumps(rows), encoding="utf-8")
    made = {one["id"]: one for one in entities([str(file)])}
    for row in rows[0]["labels"]:
        (origin,) = made[item_id(row)]["claims"]["P495"]
        qid, name = origin["mainsnak"]["datavalue"]["value"]["id"], row["country_of_origin"]
        assert qid == names[name] or (names[name] is None and int(qid[1:]) >= FIRST)
        assert made[qid]["labels"]["en"]["value"] == OTHERWISE.get(name, name)


def test_a_country_that_is_an_item_too_is_there_once(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    labels = [
        label("Qing dynasty", "Qing dynasty", "清朝", qid="Q8733"),
        label("Manju", "Manju", country="Qing dynasty"),
    ]
    file.write_text(json.dumps([{"source": "", "target": "", "labels": labels}]), encoding="utf-8")
    (made,) = (one for one in entities([str(file)]) if one["id"] == "Q8733")
    assert made["labels"]["zh"]["value"] == "清朝"
