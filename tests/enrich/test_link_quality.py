"""Recall and precision of links, against the annotations of a published file."""

import json
from pathlib import Path

import pytest
from wokflow.enrich.link_quality import measured
from wokflow.enrich.schemas import MENTIONS
from wokflow.frame import tables
from wokflow.ingest.schemas import SENTENCES

from tests.enrich.facts import dumped, entity

TEXTS = ["Polenta with ragù.", "The ragù and the Ragu family.", "Nothing."]
NAMED = {"metadata": {"labels": {"en": {"value": "Polenta"}}}, "country_of_origin": "Italy"}
ANNOTATED = [  # the first by its English name, the others by their ids, the last one wrong, or not in the text
    [{"value": "polenta", **NAMED}, {"value": "ragù", "qid": "Q2"}],
    [{"value": "ragù", "qid": "Q2"}, {"value": "Ragu", "qid": "Q9"}, {"value": "pasta", "qid": "Q8"}],
    [],
]
LINKS = [  # sentence, words, item
    (0, "Polenta", "Q1"),
    (0, "ragù", "Q2"),
    (1, "Ragu", "Q3"),  # another item
    (1, "Ragu family", "Q4"),  # longer
    (2, "Nothing", "Q5"),
]


@pytest.fixture
def paths(tmp_path: Path) -> dict[str, str]:
    rows = [
        {"source": text, "target": "", "labels": labels}
        for text, labels in zip(TEXTS, ANNOTATED, strict=True)
    ]
    (tmp_path / "camt.json").write_text(json.dumps(rows), encoding="utf-8")
    read = [
        {"sentence_id": f"camt:{row}", "corpus": "camt", "source_row": row, "lang_pair": "en-zh", "source": text,
         "target": "一"}
        for row, text in enumerate(TEXTS)
    ]  # fmt: skip
    tables.write(tmp_path / "read.parquet", SENTENCES, tables.frame(SENTENCES, read), {})
    links = [
        (f"camt:{row}", at := TEXTS[row].index(words), at + len(words), words, qid, 1.0, 1)
        for row, words, qid in LINKS
    ]
    tables.write(tmp_path / "mentions.parquet", MENTIONS, tables.frame(MENTIONS, links), {})
    known = [
        entity(f"Q{number}", {"en": name})
        for number, name in enumerate(("polenta", "ragù", "Ragu", "family", "zero"), 1)
    ]
    return {"entities": dumped(known, tmp_path / "dump", ["en"])} | {
        name: str(tmp_path / f"{name}.parquet") for name in ("read", "mentions")
    }


def test_links_are_counted_by_their_words_and_by_their_items(paths: dict[str, str], tmp_path: Path) -> None:
    file, kept = str(tmp_path / "camt.json"), {"Q1", "Q2", "Q3"}
    rows = [*measured("camt", file, [paths["read"]], [paths["mentions"]], paths["entities"], kept)]
    counts = {
        (row["links"], row["same"]): [row[name] for name in ("annotations", "unplaced", "linked", "found")]
        for row in rows
    }
    assert counts == {
        ("all", "words"): [4, 1, 5, 3],
        ("all", "item"): [4, 1, 5, 2],
        ("kept", "words"): [4, 1, 3, 3],
        ("kept", "item"): [4, 1, 3, 2],
    }
    assert (rows[1]["recall"], rows[1]["precision"]) == (0.5, 0.4)
    assert rows[1]["recall_low"] < 0.5 < rows[1]["recall_high"]


def test_without_annotations_or_links_nothing_is_claimed(tmp_path: Path, paths: dict[str, str]) -> None:
    tables.write(tmp_path / "none.parquet", MENTIONS, tables.frame(MENTIONS, []), {})
    (tmp_path / "camt.json").write_text(json.dumps([{"source": "", "target": "", "labels": []}] * 3))
    none = str(tmp_path / "none.parquet")
    for row in measured("camt", str(tmp_path / "camt.json"), [paths["read"]], [none], paths["entities"], ()):
        assert row["recall"] is row["precision"] is row["recall_low"] is None
