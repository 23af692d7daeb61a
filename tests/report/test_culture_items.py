"""The section on items: published counts and scores stand below this run's."""

from pathlib import Path
from typing import Any

from wokflow.enrich import schemas as enrich
from wokflow.evaluate import schemas as evaluate
from wokflow.report import culture_items

from tests.conftest import ROOT
from tests.report.parts import shown, table, texts

PUBLISHED = str(ROOT / "resources" / "published.tsv")
COUNTS = {"sentences": 5, "counts": 9, "types": 3, "translations": 4, "translated_types": 2}


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
        "enrich_shares": table(folder, "enrich/shares", enrich.SHARES, []),
        "enrich_sentences": table(folder, "enrich/sentences", enrich.SENTENCES, []),
        "enrich_items": table(folder, "enrich/items", enrich.ITEMS, []),
        "evaluate_csi_match": table(folder, "evaluate/csi_match", evaluate.SCORES, scores),
    }
    found = culture_items.section(parts, {corpus: "en-zh"}, 3, PUBLISHED)
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
