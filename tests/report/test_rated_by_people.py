"""Section of studies: people's means and scores of best and worst, published ones behind those of the same data."""

from pathlib import Path

from wokflow.evaluate import rating_schemas
from wokflow.report.rated_by_people import section

from tests.conftest import ROOT
from tests.report.parts import shown, table, texts

PUBLISHED = str(ROOT / "resources" / "published.tsv")
STUDIES = {"likert": "zh-en", "cooks": "ash", "four": "counterfactual"}


def test_ratings_and_best_worst_stand_beside_what_was_published_for_the_same_data(tmp_path: Path) -> None:
    mean = dict.fromkeys(rating_schemas.RATING_MEANS.names)
    mean |= {"by": "system", "dimension": "culture", "system": "mt", "tasks": 3, "ratings": 3}
    mean |= {"mean": 4.25, "low": 3.0, "high": 5.5, "deviation": 1.5}
    of_all = mean | {"by": "all", "system": None, "mean": 1.0}
    score = {"dimension": "grammar", "system": "mt", "score": -12.5, "low": None, "high": None}
    score |= {"best": 1, "worst": 2, "compared": 8, "items": 8}
    written = [
        table(tmp_path, "evaluate/people/means/likert", rating_schemas.RATING_MEANS, [of_all, mean]),
        table(tmp_path, "evaluate/people/means/cooks", rating_schemas.RATING_MEANS, [mean]),
        table(tmp_path, "evaluate/best_worst/four", rating_schemas.BEST_WORST, [score]),
    ]
    parts = {"evaluate_people_means": written[:2], "evaluate_best_worst": written[2:]}
    found = section(parts, STUDIES, PUBLISHED)
    assert found is not None
    cooks, likert, four = found["studies"]
    assert (cooks["name"], texts(cooks["table"])) == ("cooks", [["mt", "4.25 ± 1.50, 3.00 to 5.50"]])
    assert [label for label, _ in likert["table"].head] == [
        *("System", "Culture", "Grammar", "Consistency", "Preservation")
    ]
    ours, first, *_ = texts(likert["table"])
    assert ours == ["mt", "4.25 ± 1.50, 3.00 to 5.50", "–", "–", "–"]
    assert first == ["MT-zs published", "2.70 ± 1.6", "2.60 ± 1.5", "2.40 ± 1.7", "2.30 ± 1.4"]
    assert texts(four["table"])[0][:2] == ["mt", "-12.5"] and len(texts(four["table"])) == 1 + 4
    assert "Ratings: likert" in shown("people", found)


def test_agreement_on_marks_stands_in_a_row_for_all_and_for_each_two(tmp_path: Path) -> None:
    row = {"label": "category", "rater": None, "other": None, "dialogues": 2, "words": 40, "marks": 7}
    row |= {"exact": 2, "exact_f1": 0.5, "exact_low": 0.25, "exact_high": 1.0}
    row |= {"partial": 3, "partial_f1": 0.75, "partial_low": None, "partial_high": None}
    row |= {"alpha": None, "low": None, "high": None}
    two = row | {"label": "words", "rater": "r1", "other": "r2", "alpha": -0.125}
    found = section(
        {"evaluate_marks": [table(tmp_path, "evaluate/marks/items", rating_schemas.MARKS, [row, two])]},
        STUDIES,
        PUBLISHED,
    )
    assert found is not None
    assert texts(found["marked"][0]["table"]) == [
        ["all", "words and category", "2", "7", "0.50 2 pairs, 0.25 to 1.00", "0.75 3 pairs", "–"],
        ["r1 and r2", "words", "2", "7", "0.50 2 pairs, 0.25 to 1.00", "0.75 3 pairs", "-0.12"],
    ]
    assert "Marked items: items" in shown("people", found)


def test_without_answers_there_is_no_section() -> None:
    assert section({}, STUDIES, PUBLISHED) is None
