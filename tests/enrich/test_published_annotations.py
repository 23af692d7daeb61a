"""CAMT's published JSON goes in, and comes out as it was: sentences, places of items, and what is known of them."""

import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import regex
from wokflow import cli
from wokflow.enrich.assemble import enrich_assemble
from wokflow.enrich.categorise import category, enrich_categorise, read_topics
from wokflow.enrich.entities import enrich_entities
from wokflow.enrich.items import enrich_items
from wokflow.enrich.link import enrich_link
from wokflow.enrich.lookup import enrich_lookup
from wokflow.enrich.names import enrich_names
from wokflow.enrich.published_annotations import (
    FIRST,
    OTHERWISE,
    REGIONS,
    entities,
    item_id,
    read,
    released_mentions,
)
from wokflow.enrich.settings import AssembleSettings, ItemsSettings
from wokflow.evaluate.csi_match import read_mentions, read_regions
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.ingest.sentences import ingest_sentences
from wokflow.ingest.source import ingest_source

from tests.conftest import ROOT
from tests.enrich.defaults import categorise_settings, entities_settings, link_settings, lookup_settings
from tests.ingest.defaults import sentences_settings

UNCHECKED = {"identical": False, "language": False, "duplicates": False, "ratio": None, "longest": None}


def label(words: str, english: str, chinese: str = "", country: str = "Italy", **more: Any) -> dict[str, Any]:
    """An annotation, as the files of one half of the pairs have them."""
    names = {"en": english} | ({"zh": chinese} if chinese else {})
    texts = {lang: {"value": name, "language": lang} for lang, name in names.items()}
    aliases = {"en": {"value": ["maize mush"], "language": "en"}} if english == "polenta" else {}
    about = {"descriptions": {}, "aliases": aliases, "labels": texts, "summarys": texts}
    topic = "Culture.Food and drink"
    return {"value": words, "metadata": about, "country_of_origin": country, "category": topic} | more


ROWS: list[dict[str, Any]] = [
    {
        "source": "Polenta and polenta, with  ragù, in Bologna.",
        "target": "波伦塔和波伦塔，配肉酱。",
        "labels": [
            label("polenta", "polenta", "波伦塔"),
            label("polenta", "polenta", "波伦塔"),
            label("ragù", "ragù"),
            label("tagliatelle", "tagliatelle"),  # not in the sentence
            label("", "Bologna"),  # without words
        ],
    },
    {"source": "Nothing of note.", "target": "没什么。", "labels": []},
    {
        "source": "A film: Polenta.",
        "target": "电影。",
        "labels": [label("Polenta", "polenta", "玉米", "France")],
    },
]


def through(file: Path, pair: str, folder: Path, log: StringIO | None = None) -> list[dict[str, Any]]:
    """What enrich.assemble writes of a file, its annotations as links; with the places of items as `spans`."""
    folder.mkdir()
    job, languages = Job({"key": "{}"}, Progress(log)), ["en", pair.split("-")[1]]
    path = {
        name: str(folder / name) for name in ("source", "entities", "rejects", "names", "m", "s", "r", "json")
    }
    path |= {
        name: str(folder / name)
        for name in ("categories", "lookups", "items", "assembled", "sha", "mr", "ar")
    }
    dump = folder / "entities.jsonl"
    assert cli.main(["papers", "camt-entities", str(file), "--to", str(dump)]) == 0
    ingest_source(raw=str(dump), data=path["source"], job=job)
    enrich_entities(
        source=path["source"], entities=path["entities"], rejects=path["rejects"],
        settings=entities_settings(str(dump), languages), job=job,
    )  # fmt: skip
    enrich_names(entities=path["entities"], names=path["names"], digest=path["sha"], lang="en", job=job)
    ingest_source(raw=[str(file)], data=path["source"], job=job)
    ingest_sentences(
        source=path["source"], sentences=[path["s"]], rejects=[path["r"]], corpus="camt",
        settings=sentences_settings("camt", [str(file)], pair, **UNCHECKED), job=job,
    )  # fmt: skip
    enrich_link(
        sentences=path["s"], corpus_sentences=[path["s"]], names=path["names"], mentions=path["m"],
        rejects=path["mr"], corpus="camt", job=job,
        settings=link_settings(pair, backend="released", annotated=str(file)),
    )  # fmt: skip
    enrich_categorise(
        mentions=[path["m"]], entities=path["entities"], categories=path["categories"],
        settings=categorise_settings(), job=job,
    )  # fmt: skip
    enrich_lookup(
        categories=path["categories"], entities=path["entities"], lookups=path["lookups"],
        settings=lookup_settings(languages), job=job,
    )  # fmt: skip
    enrich_items(
        categories=path["categories"], lookups=path["lookups"], pages=[], dictionary=path["items"],
        settings=ItemsSettings(languages=tuple(languages)), job=job,
    )  # fmt: skip
    enrich_assemble(
        sentences=[path["s"]], mentions=[path["m"]], about=[path["categories"], path["items"]],
        assembled=path["assembled"], rejects=path["ar"], camt=path["json"],
        settings=AssembleSettings(pair=pair), job=job,
    )  # fmt: skip
    written: list[dict[str, Any]] = json.loads(Path(path["json"]).read_bytes())
    rows = tables.read(path["assembled"]).to_dicts()
    for one, row in zip(written, rows, strict=True):
        one["spans"] = [(item["qid"], item["start"], item["end"]) for item in row["items"]]
    return written


def known(label: dict[str, Any]) -> dict[str, Any]:
    """What a record says of an item, in one of the two forms of the files; not what it says in languages in which the
    item has no name, as that is not kept.
    """
    about = label["metadata"]
    country = label["country_of_origin"]
    found: dict[str, Any] = {"country": OTHERWISE.get(country, country), "topic": label["category"]}
    for member in ("labels", "descriptions", "summarys"):
        for lang, one in about.get(member, {}).items():
            if one and one["value"]:
                found[f"{member} {lang}"] = one["value"]
    for lang, given in about.get("aliases", {}).items():
        names = given["value"] if isinstance(given, dict) else [one["value"] for one in given]
        if own := frozenset(filter(None, names)):
            found[f"aliases {lang}"] = own
    named = {key.split()[1] for key in found if key.startswith(("labels ", "aliases "))}
    named |= {lang.removesuffix("wiki") for lang, link in about.get("sitelinks", {}).items() if link}
    return {key: text for key, text in found.items() if " " not in key or key.split()[1] in named}


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


def regions(file: Path, pair: str) -> tuple[Counter[str], Counter[str]]:
    """How many annotations are from countries of either language or others; names of those not in the table."""
    made = {one["id"]: one for one in entities([str(file)])}
    of = read_regions(str(REGIONS))
    found: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    for _, label in _labels(read(str(file))):
        (origin,) = made[item_id(label)]["claims"]["P495"]
        qid = origin["mainsnak"]["datavalue"]["value"]["id"]
        source, target = (qid in of[lang] for lang in pair.split("-"))
        found["source" if source else "target" if target else "other"] += 1
        if int(qid[1:]) >= FIRST:
            unknown[made[qid]["labels"]["en"]["value"]] += 1
    return found, unknown


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


@pytest.mark.parametrize(
    ("pair", "counts", "unknown", "names"),
    [
        ("en-zh", (384, 183, 227), 1, {"British Hong Kong"}),
        ("en-es", (779, 383, 489), 50, {"Ancient Rome", "South Africa", "Nigeria"}),
        ("en-hi", (685, 92, 350), 47, {"Ancient Rome", "South Africa", "Nigeria"}),
    ],
)
def test_where_items_of_the_papers_own_files_are_from(
    pair: str, counts: tuple[int, int, int], unknown: int, names: set[str], shared: Path
) -> None:
    found, missing = regions(shared / "real" / "camt" / f"{pair}.json", pair)
    assert tuple(found[region] for region in ("source", "target", "other")) == counts
    assert missing.total() == unknown and names <= missing.keys()
    more = f" and {len(missing) - len(names)} more names" if missing.keys() - names else ""
    document = (ROOT / "docs" / "items.md").read_text(encoding="utf-8")
    row = f"| {pair} | {' | '.join(map(str, counts))} | {unknown}: "
    assert any(line.startswith(row) and line.endswith(f"{more} |") for line in document.splitlines())


@pytest.mark.parametrize(
    ("pair", "found", "no_words", "not_in_sentence", "overlap"),
    [("en-zh", 708, 69, 12, 5), ("en-es", 1541, 0, 109, 1), ("en-hi", 1019, 0, 99, 9)],
)
def test_annotations_of_the_papers_own_files_are_placed_or_counted(
    pair: str, found: int, no_words: int, not_in_sentence: int, overlap: int, shared: Path
) -> None:
    """None is inside of another word where its word stands elsewhere, by a pattern that knows the bounds of words."""
    file = str(shared / "real" / "camt" / f"{pair}.json")
    texts = [" ".join(row["source"].split()) for row in read(file)]
    rows = {"sentence_id": [f"c:{row}" for row in range(len(texts))], "source": texts}
    asked = pl.DataFrame(rows | {"source_row": range(len(texts))})
    kept, rejected = released_mentions(asked, file, lambda qid: True)
    assert len(kept) == found
    assert Counter(reason for _, reason, _ in rejected) == Counter(
        no_words=no_words, not_in_sentence=not_in_sentence, overlap=overlap
    )
    for answer in kept:
        text = texts[int(answer.sentence[2:])]
        words = text[answer.start : answer.end]
        assert words.lower() == " ".join(json.loads(answer.line)["value"].split()).lower()
        whole = regex.compile(rf"(?<![\w\p{{M}}]){regex.escape(words)}(?![\w\p{{M}}])", regex.IGNORECASE)
        spans = [match.span() for match in whole.finditer(text)]
        assert not spans or (answer.start, answer.end) in spans


@pytest.mark.parametrize(
    ("pair", "by_region"), [("en-zh", (369, 83, 219)), ("en-es", (739, 349, 453)), ("en-hi", (622, 88, 309))]
)
def test_the_papers_own_files_come_out_as_they_were(
    pair: str, by_region: tuple[int, int, int], shared: Path, tmp_path: Path
) -> None:
    """All annotations whose words the sentence has and whose topic has a category, but for overlapping ones.

    They fall into the regions by which CSI-Match scores them.
    """
    file = shared / "real" / "camt" / f"{pair}.json"
    rows, written = read(str(file)), through(file, pair, tmp_path / "out")
    topics = read_topics(categorise_settings().topics)
    texts = [" ".join(row["source"].split()) for row in rows]
    found = {(text, label["value"], label["qid"]) for text, label in _labels(written)}
    expected = {
        (text, label["value"], item_id(label)): label
        for text, row in zip(texts, rows, strict=True)
        for label in row["labels"]
        if label["value"].strip() and category([label["category"]], topics)
    }
    there = {(text, words.lower(), qid) for text, words, qid in expected if words.lower() in text.lower()}
    lost = there - {(text, words.lower(), qid) for text, words, qid in found}
    assert {(text, words.lower(), qid) for text, words, qid in found} <= there
    assert len(lost) < 0.01 * len(there)
    about: dict[str, dict[str, list[Any]]] = {}  # annotations of an item may say different things
    for (_, _, qid), label in expected.items():
        for key, text in known(label).items():
            about.setdefault(qid, {}).setdefault(key, []).append(text)
    for row in written:
        for label, (qid, start, end) in zip(row["labels"], row["spans"], strict=True):
            assert (row["source"][start:end], qid) == (label["value"], label["qid"])
            said = known(label)
            assert said.keys() == about[qid].keys()
            assert all(text in about[qid][key] for key, text in said.items())
    tables_of = [str(tmp_path / "out" / name) for name in ("assembled", "items")]
    mentions = read_mentions([tables_of[0]], tables_of[1], read_regions(str(REGIONS)), *pair.split("-"))
    counted = Counter(mentions["region"])
    assert tuple(counted[region] for region in ("source", "target", "other")) == by_region


def _labels(rows: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((row["source"], label) for row in rows for label in row["labels"])
