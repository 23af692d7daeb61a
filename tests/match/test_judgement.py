"""The model of graded pairs, and how well it judges."""

import numpy as np
import polars as pl
import pytest
from wokflow.frame.intervals import wilson
from wokflow.match import judgement


def graded(*rows: tuple[float, float | None, int]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "zh_title": f"菜{place}",
                "en_title": f"Dish {place}",
                "title": title,
                "foods": foods,
                "grade": grade,
            }
            for place, (title, foods, grade) in enumerate(rows)
        ],
        schema={
            "zh_title": pl.String,
            "en_title": pl.String,
            "title": pl.Float32,
            "foods": pl.Float32,
            "grade": pl.Int64,
        },
    )


ROWS = graded((0.9, 0.8, 2), (0.8, 0.6, 2), (0.8, 0.7, 1), (0.5, 0.1, 0), (0.4, 0.2, 0), (0.6, None, 0))
NAMES = ("title", "foods")
MANY = pl.concat(
    ROWS.with_columns(pl.col("zh_title", "en_title") + f" {copy}", corpus=pl.lit("own"), sampled=True)
    for copy in range(6)
)


def test_parts_add_up_to_the_log_odds_and_what_is_unknown_adds_nothing() -> None:
    model = judgement.fit(ROWS, NAMES)
    parts = model.parts(ROWS)
    assert parts["by_foods"][5] == 0
    odds = parts["by_title"] + parts["by_foods"] + model.intercept
    assert model.probability(ROWS) == pytest.approx(1 / (1 + np.exp(-odds.to_numpy())))
    assert min(model.probability(ROWS)[:3]) > max(model.probability(ROWS)[3:])


def test_pairs_of_one_kind_alone_make_no_model() -> None:
    with pytest.raises(ValueError, match="all graded pairs are right"):
        judgement.fit(ROWS.filter(pl.col("grade") > 0), NAMES)


def test_a_dish_is_judged_by_a_model_that_has_seen_neither_of_its_recipes() -> None:
    met = MANY[:1].with_columns(zh_title=pl.lit("别的"))  # with the English recipe of the first
    rows = pl.concat([MANY, met])
    wrong = pl.concat([MANY, met.with_columns(grade=pl.lit(0, pl.Int64))])
    before, after = (judgement.crossed(each, NAMES) for each in (rows, wrong))
    assert before[0] == after[0] and (before != after).any()


def test_no_weight_is_negative() -> None:
    rows = graded(*((float(grade > 0), 1 - grade / 2, grade) for grade in (0, 0, 1, 2)))
    weight = judgement.fit(rows, NAMES).weight
    assert weight["title"] > 0 and weight["foods"] == 0


def test_a_pair_is_accepted_where_pairs_of_other_recipes_keep_the_precision() -> None:
    accepted = judgement.chosen(MANY, NAMES, 0.8)
    assert accepted[0] == 1 and accepted[3] == 0
    assert not judgement.chosen(MANY.with_columns(grade=2 - pl.col("grade")), ("title",), 0.9).any()


def test_the_curve_counts_equal_scores_at_once() -> None:
    curve = judgement.curve(np.array([0.9, 0.5, 0.5, 0.2, 0.1]), np.array([2, 0, 1, 2, 0]))
    assert curve.rows() == [
        (0.9, 1, 1.0, 0.5),
        (0.5, 3, pytest.approx(2 / 3), 0.5),
        (0.2, 4, 0.75, 1.0),
        (0.1, 5, 0.6, 1.0),
    ]


def test_the_least_score_keeps_the_precision_in_each_corpus() -> None:
    rows = ROWS.with_columns(corpus=pl.Series(["easy", "easy", "hard", "hard", "hard", "easy"]), sampled=True)
    score = np.array([0.9, 0.3, 0.8, 0.6, 0.5, 0.1])
    assert judgement.least(score, rows, 0.75) == 0.8
    assert judgement.least(score[::-1], rows, 0.75) is None


def test_figures_have_intervals_of_dishes() -> None:
    accepted, beside = np.array([1.0, 1, 0, 1, 0, 0]), np.array([1.0, 0, 0, 0, 0, 0])
    found = judgement.measured(accepted, ROWS, beside)
    assert (found["precision"], found["recall"]) == (0.6667, 1.0)  # 菜3 is accepted, and wrong
    low, high = found["precision_interval"]
    assert 0 <= low < 0.6667 < high <= 1
    assert found["more"] == 0.5 and found["more_interval"][0] == 0
    halves = judgement.measured(accepted / 2, ROWS)
    assert (halves["precision"], halves["recall"], halves["accepted"]) == (0.6667, 0.5, 1.5)


def test_dishes_that_do_not_differ_leave_an_interval() -> None:
    """All draws are the same then: Wilson's, of as many trials as dishes."""
    right = ROWS.filter(pl.col("grade") == 2)
    found = judgement.measured(np.ones(right.height), right)
    low = wilson(1.0, right["zh_title"].n_unique())[0]
    assert found["precision"] == 1 and found["precision_interval"] == [round(low, 4), 1.0]


def test_probabilities_are_held_against_the_share_that_is_right() -> None:
    found = judgement.calibration(np.array([1.0, 0.9, 0.5, 0.5, 0.1, 0.0]), ROWS)
    bins = [(each["low"], each["pairs"], each["said"], each["right"]) for each in found["bins"]]
    assert bins == [(0.0, 2, 0.05, 0.0), (0.4, 2, 0.5, 0.5), (0.8, 2, 0.95, 1.0)]
    assert found["bins"][1]["right_interval"] == [0.0, 1.0]
    assert (found["brier"], found["brier_of_share"]) == (0.0867, 0.25)
