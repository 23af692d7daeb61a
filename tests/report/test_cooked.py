"""Pairs by what is cooked, on the page: the curve, the figures, and two pairs in words."""

import json
from pathlib import Path
from typing import Any

from wokflow.match.schemas import FEATURES
from wokflow.report import cooked
from wokflow.report.charts import Charts

from tests.report.parts import shown, texts

NOTHING = dict.fromkeys(FEATURES, 0.5) | {f"by_{name}": 0.0 for name in FEATURES}
PAIR = NOTHING | {
    "source_title": "养胃粥",
    "source_title_translated": "Stomach Porridge",
    "target_title": "Millet Porridge",
    "probability": 0.875,
    "title": 0.47,
    "by_title": -0.7,
    "by_foods": 2.1,
    "by_form": 0.7,
}


def point(least: float, precision: float, recall: float) -> dict[str, Any]:
    return {"least": least, "precision": precision, "precision_interval": [0.5, 1.0], "recall": recall}


def model(**own: Any) -> dict[str, Any]:
    figures = {"pairs": 40, "same": 12, "accepted": 9.4, "precision": 0.8, "precision_interval": [0.5, 1.0]}
    figures |= {"recall": 0.5, "recall_interval": [0.25, 0.75], "more": None, "more_interval": None}
    lines = {"all": [point(0.9, 1.0, 0.5), point(0.6, 0.8, 1.0)], "titles alone": [point(0.8, 1.0, 0.5)]}
    return {
        "least": 0.6,
        "least_by": "labels",
        "precision": 0.8,
        "threshold": 0.85,
        "curves": {"cookbooks": lines},
        "measured": {"all": {"cookbooks": figures}, "without foods": {"cookbooks": figures}},
        "calibration": {
            "cookbooks": {
                "brier": 0.1286,
                "brier_of_share": 0.1563,
                "bins": [
                    {"low": 0.4, "high": 0.6, "pairs": 40, "said": 0.48, "right": 0.325}
                    | {"right_interval": [0.2, 0.5]}
                ],
            }
        },
        "examples": {"missed": PAIR, "wrong": None},
    } | own


def section(folder: Path, **own: Any) -> dict[str, Any]:
    path = folder / "model.json"
    path.write_text(json.dumps(model(**own)), encoding="utf-8")
    found = cooked.section([str(path)], Charts())
    assert found is not None
    return found


def match(values: dict[str, Any] | None) -> str:
    around = {"histograms": {}, "examples": {}, "paper": {}, "audited": 0, "cooked": values}
    tables = dict.fromkeys(("ends", "lowest", "leaks"), cooked.Table([], []))
    return shown("match", around | tables)


def test_where_titles_alone_make_pairs_nothing_is_said_of_what_is_cooked() -> None:
    assert cooked.section([], Charts()) is None
    assert "By what is cooked" not in match(None) and "nearest to the threshold first" in match(None)


def test_parts_say_in_words_how_much_more_likely_they_make_a_pair(tmp_path: Path) -> None:
    page = match(section(tmp_path))
    assert "Titles alone miss it: their similarity is below 0.85." in page
    assert "For it speak: the foods (0.50; odds × 8.2), the kind of dish (0.50; odds × 2.0)." in page
    assert "Against it: the titles (0.47; odds ÷ 2.0)." in page
    assert "Titles alone make it a pair" not in page, "no pair is there for it"
    assert "Around the threshold" not in page and "match/rerank/unsure.tsv" in page


def test_figures_stand_above_their_intervals(tmp_path: Path) -> None:
    row = texts(section(tmp_path)["measured"])[0]
    assert row == [
        "all parts cookbooks",
        "40 12 of one dish",
        "9.4",
        "0.80 0.50 to 1.00",
        "0.50 0.25 to 0.75",
        "–",
    ]


def test_probabilities_stand_beside_the_share_that_is_right(tmp_path: Path) -> None:
    values = section(tmp_path)
    assert texts(values["calibration"]) == [["0.4 to 0.6 cookbooks", "40", "0.48", "0.33 0.20 to 0.50"]]
    assert "cookbooks 0.129, of the share that is right for all pairs 0.156." in match(values)


def test_the_curve_names_its_lines_and_the_least_probability(tmp_path: Path) -> None:
    page = match(section(tmp_path))
    assert "from 0.60 on" in page and ">titles alone" in page and "of 0.60 on" in page
    none = match(section(tmp_path, least=None))
    assert "no probability on: none keeps" in none and "from 0.60 on" not in none
    mean = match(section(tmp_path, least_by="probabilities"))
    assert "of 0.60 on: the mean of all candidates from there on is 0.8" in mean
