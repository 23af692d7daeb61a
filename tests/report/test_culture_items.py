"""The section on items: published counts and scores stand below this run's."""

import re
from pathlib import Path
from typing import Any

from wokflow.enrich import schemas as enrich
from wokflow.evaluate import schemas as evaluate
from wokflow.report import culture_items
from wokflow.report.charts import Charts

from tests.conftest import ROOT
from tests.report.parts import shown, table, texts

PUBLISHED = str(ROOT / "resources" / "published.tsv")
COUNTS = {"sentences": 5, "counts": 9, "types": 3, "translations": 4, "translated_types": 2}
LINKED = {"links": "kept", "same": "words", "annotations": 8, "unplaced": 0, "linked": 6, "found": 4} | {
    f"{name}{end}": value
    for name, values in (("recall", (0.5, 0.4, 0.6)), ("precision", (0.75, 0.7, 0.8)))
    for end, value in zip(("", "_low", "_high"), values, strict=True)
}
FOOD = "Culture.Food and drink"
SHARES = [
    {"corpus": "camt", "kind": kind, "name": name, "count": count}
    for kind, name, count in (
        ("category", "Material culture", 7),
        ("category", "Ecology", 2),
        ("topic", FOOD, 6),
        ("topic", "Geography.Parks", 2),
        ("topic", "Other.Food and drink", 1),
        *(("country", f"Country {number}", 9) for number in range(20)),
    )
]


def item(topic: str, category: str) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(enrich.ITEMS.names)
    empty = {"aliases": [], "translations": [], "country_of_origin": "", "country_qid": ""}
    return row | empty | {"qid": "Q1", "lang": "zh", "topics": [topic, "Culture.Media"], "category": category}


def section(folder: Path, corpus: str) -> dict[str, Any]:
    score = {"run": "mine", "dataset": corpus, "value": 50.0, "low": 40.0, "high": 60.0, "instances": 9}
    scores = [
        score | {"metric": metric, "signature": "", "note": None} for metric in ("csi_match", "csi_exact")
    ]
    parts = {
        "enrich_statistics": table(
            folder,
            "enrich/statistics",
            enrich.STATISTICS,
            [COUNTS | {"corpus": corpus, "lang_pair": "en-zh"}],
        ),
        "enrich_shares": table(folder, "enrich/shares", enrich.SHARES, SHARES),
        "enrich_link_quality": table(
            folder, "enrich/link_quality", enrich.LINK_QUALITY, [LINKED | {"corpus": corpus}]
        ),
        "enrich_sentences": table(folder, "enrich/sentences", enrich.SENTENCES, []),
        "enrich_items": table(
            folder,
            "enrich/items",
            enrich.ITEMS,
            [
                item(FOOD, "Material culture"),
                item("Geography.Parks", "Ecology"),
                item("Other.Food and drink", "Material culture"),
            ],
        ),
        "evaluate_csi_match": table(folder, "evaluate/csi_match", evaluate.SCORES, scores),
    }
    found = culture_items.section(parts, {corpus: "en-zh"}, 3, PUBLISHED, Charts())
    assert found and "Rows in grey are published" in shown("enrich", found)
    return found


def test_published_counts_are_those_of_the_languages_and_scores_those_of_the_source(tmp_path: Path) -> None:
    """Only a source called camt is taken for the paper's."""
    own, other = section(tmp_path / "own", "camt"), section(tmp_path / "other", "wiki")
    assert texts(own["counts"]) == [
        ["camt en-zh", "5", "9", "3", "4", "2"],
        ["CAMT en-zh, published", "778", "794", "601", "730", "–"],
    ]
    assert texts(other["counts"])[1:] == texts(own["counts"])[1:]
    assert [row[:2] for row in texts(own["corpora"][0]["scores"])][1:3] == [
        ["NLLB published", "53.1"],
        ["NLLB Append published", "58.3"],
    ]
    assert len(texts(other["corpora"][0]["scores"])) == 1


def test_charts_have_categories_with_their_topics_and_the_15_commonest_countries(tmp_path: Path) -> None:
    """Topics stand under their category, by their last part where that is of one alone; as in Figures 5 and 6."""
    found = section(tmp_path, "camt")
    (_, categories), (_, countries) = found["corpora"][0]["charts"]
    labels = re.findall(r">([^<>]+)</(?:text|tspan)>", categories)
    named = [label.strip() for label in labels if not label[0].isdigit() and label != "mentions"]
    lines = ["Culture.Food and", "drink"]
    assert named == ["Material culture", *lines, "Other.Food and drink", "Ecology", "Parks"]
    assert "7 (3.9 %)" in labels  # of all mentions
    assert re.findall(r">(Country \d+)<", countries) == [f"Country {n}" for n in range(15)]
    assert section(tmp_path / "other", "wiki")["corpora"][0]["charts"] == []


def test_links_are_measured_where_the_source_is_annotated(tmp_path: Path) -> None:
    assert texts(section(tmp_path, "camt")["quality"]) == [
        [
            "camt items with category and country",
            "words",
            "8",
            "6",
            "4",
            "50.0 40.0 to 60.0",
            "75.0 70.0 to 80.0",
        ]
    ]
