"""Section of rated recipes: heatmaps, agreement, biases, and the word that no model was asked."""

from pathlib import Path

from wokflow.evaluate import rating_schemas
from wokflow.report.inputs import Tables
from wokflow.report.judged_recipes import section

from tests.conftest import ROOT
from tests.report.parts import by_name, shown, table, texts

PUBLISHED = str(ROOT / "resources" / "published.tsv")


def mean(by: str, value: float, ratings: int = 2, **of: str) -> dict[str, object]:
    row: dict[str, object] = {
        "by": by,
        "dimension": "harmony",
        "cuisine": None,
        "system": None,
        "rater": None,
    }
    return (
        row
        | {"tasks": 1, "ratings": ratings, "mean": value, "low": None, "high": None, "deviation": None}
        | of
    )


def written(folder: Path) -> Tables:
    spread = {"low": 0.2, "high": 0.6}
    cells = "cuisine and system and rater"
    means = [
        mean("all", 3.0),
        mean("cuisine", 2.0, cuisine="Thai"),
        mean("cuisine", 4.0, cuisine="Aztec"),
        mean("system", 3.5, system="w"),
        mean("system and rater", 3.0, system="w", rater="r"),
        mean("system and rater", 4.0, system="w", rater="s"),
        mean(cells, 1.0, 1, cuisine="Thai", system="w", rater="r"),
        mean(cells, 4.0, 2, cuisine="Thai", system="w", rater="s"),
        mean(cells, 4.0, cuisine="Aztec", system="w", rater="r"),
    ]
    alpha = {"dimension": "harmony", "scale": "ordinal", "units": 3, "ratings": 6, "alpha": 0.5} | spread
    pair = dict.fromkeys(rating_schemas.RATING_DIFFERENCES.names) | {"dimension": "harmony", "tasks": 2}
    pair |= {
        "rater": "r",
        "other": "s",
        "kinds": "model-model",
        "difference": 0.0,
        "absolute": 0.5,
        "closeness": 0.9,
    }
    held = (
        dict.fromkeys(rating_schemas.RATING_CALIBRATION.names, 0.0)
        | {"dimension": "harmony", "rater": "r"}
        | spread
    )
    held |= {"against": "people", "value": None, "tasks": 2, "ratings": 2, "difference": 0.4}
    held |= {
        "absolute": 0.61,
        "absolute_each": 0.83,
    }  # of the people's mean, and of each of them, as in Table 3
    bias = {"dimension": "harmony", "rater": "r", "bias": "self", "tasks": 2, "estimate": 0.4} | spread
    word = {"cuisine": "Thai", "system": "w", "place": 1, "word": "basil", "count": 3, "recipes": 2}
    rows = {
        "evaluate/ratings/means": (rating_schemas.RATING_MEANS, means),
        "evaluate/ratings/agreement": (
            rating_schemas.RATING_AGREEMENT,
            [alpha | {"rater": None}, alpha | {"rater": "r", "low": None, "high": None}],
        ),
        "evaluate/ratings/differences": (rating_schemas.RATING_DIFFERENCES, [pair]),
        "evaluate/ratings/calibration": (rating_schemas.RATING_CALIBRATION, [held]),
        "evaluate/ratings/biases": (
            rating_schemas.RATING_BIASES,
            [bias, bias | {"bias": "length", "low": -0.1}],
        ),
        "evaluate/words": (rating_schemas.RECIPE_WORDS, [word]),
    }
    return by_name(folder, [table(folder, name, *of) for name, of in rows.items()])


def test_the_section_shows_means_agreement_and_biases(tmp_path: Path) -> None:
    found = section(written(tmp_path), ["w"], PUBLISHED)
    assert found is not None and found["ruled"] == ["w"]
    [harmony] = found["dimensions"]
    assert texts(harmony["pairs"]) == [["w", "3.00", "4.00", "3.50"]]
    assert harmony["cuisines"].head[1:] == [(name, True) for name in ("all", "w", "r", "s", "published")]
    # The best first. Of Thai, w got 1 once and 4 twice.
    assert texts(harmony["cuisines"]) == [
        ["Aztec", "4.00", "4.00", "4.00", "–", "3.25"],
        ["Thai", "2.00", "3.00", "1.00", "4.00", "3.40"],
    ]
    assert [cell.heat for cell in harmony["cuisines"].rows[1][1:]] == [1 / 3, 2 / 3, 0.0, 1.0, None]
    assert texts(found["raters"])[:3] == [
        ["with one another", "0.50 0.20 to 0.60", "–", "–"],
        ["r with itself", "0.50", "0.40 0.20 to 0.60", "0.83"],
        ["gemma2:2b from people, published", "", "", "1.46"],
    ]
    assert texts(found["biases"]) == [
        ["r for a text of twice the length", "0.40 -0.10 to 0.60"],
        ["r for its own model’s text", "▲ 0.40 0.20 to 0.60"],
    ]
    assert texts(found["apart"]) == [["r", "", "0.50"], ["s", "0.50", ""]]
    assert texts(found["words"]) == [["Thai", "basil 3"]]
    html = shown("judge", found)
    assert "w: rules in place of models." in html and 'style="--heat:45%"' in html


def test_without_ratings_there_is_no_section(tmp_path: Path) -> None:
    assert section({}, [], PUBLISHED) is None
