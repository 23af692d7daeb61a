"""Agreement among annotators, on the worked example of its author; and the table of a pilot study."""

import itertools
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.pivot.agreement import agreement, alpha, coincidences, nominal, ordinal
from wokflow.pivot.people_answers import SCALE

# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, part D: four observers, twelve units, five values.
OBSERVERS = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""
UNITS = list(zip(*(line.split() for line in OBSERVERS.strip().splitlines()), strict=True))
EXAMPLE = np.array([[unit.count(value) for value in "12345"] for unit in UNITS])


def test_the_published_example() -> None:
    matrix = coincidences(EXAMPLE)
    assert matrix.sum(axis=1).tolist() == pytest.approx([9, 13, 10, 5, 3])
    assert alpha(matrix, nominal) == pytest.approx(0.743, abs=5e-4)
    assert alpha(matrix, ordinal) == pytest.approx(0.815, abs=5e-4)


def plain_alpha(units: list[list[int]]) -> float:
    """Disagreement of pairs within units, over that of pairs of all values: nominal, by loops."""
    units = [unit for unit in units if len(unit) > 1]
    values = list(itertools.chain(*units))
    within = sum(
        sum(a != b for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in units
    ) / len(values)
    every = list(itertools.permutations(values, 2))
    return 1 - within / (sum(a != b for a, b in every) / len(every))


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), min_size=1, max_size=8))
def test_alpha_is_observed_against_expected_disagreement(units: list[list[int]]) -> None:
    counts = np.array([[unit.count(value) for value in range(4)] for unit in units])
    found = alpha(coincidences(counts), nominal)
    if len({value for unit in units if len(unit) > 1 for value in unit}) < 2:
        assert found is None
    else:
        assert found is not None and math.isclose(found, plain_alpha(units), abs_tol=1e-8)


def test_the_pilot_table() -> None:
    answers = {
        "a": ("remove", ["never", "never", "rarely"]),
        "b": ("remove", ["never", "never", "never"]),
        "c": ("insert", ["always", "always", "sometimes"]),
        "d": ("insert", ["always"]),
        "e": ("ask", ["rarely", "sometimes", "always"]),
    }
    rows = [
        (question, kind, str(number), answer)
        for question, (kind, given_answers) in answers.items()
        for number, answer in enumerate(given_answers)
    ]
    votes = pl.DataFrame(rows, ["question_id", "kind", "annotator", "answer"], orient="row")
    most = {"a": "never", "b": "never", "c": "always", "e": "none"}
    found = agreement(votes, pl.DataFrame({"question_id": list(most), "vote": list(most.values())}))
    columns = ["kind", "questions", "answers", "decided", *SCALE, "none"]
    assert found.select(columns).rows() == [
        ("remove", 2, 6, 2, 2, 0, 0, 0, 0),
        ("insert", 2, 4, 1, 0, 0, 0, 1, 0),
        ("ask", 1, 3, 1, 0, 0, 0, 0, 1),
        ("all", 5, 13, 4, 2, 0, 0, 1, 1),
    ]
    by_hand = 1 - (4 / 2 / 6) / ((2 * 5) / (6 * 5))  # one of six answers about removals differs
    assert found["alpha_nominal"][0] == pytest.approx(by_hand)
    ordinal_alpha, nominal_alpha = found["alpha_ordinal"][3], found["alpha_nominal"][3]
    assert ordinal_alpha > nominal_alpha > 0, "answers that differ are near each other on the scale"


def test_without_votes_there_are_no_rows() -> None:
    votes = pl.DataFrame(schema=dict.fromkeys(["question_id", "kind", "annotator", "answer"], pl.String))
    assert agreement(votes, pl.DataFrame(schema={"question_id": pl.String, "vote": pl.String})).is_empty()
