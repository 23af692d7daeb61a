"""What models write of two translations is read, where it leaves no doubt."""

import re

import pytest
from wokflow.frame.text_files import read_table
from wokflow.generate.answers import cleaned
from wokflow.judge.choices import read_choice

from tests.conftest import ROOT
from tests.judge.test_reading import ESCAPES

VALUES = ("A", "B", "C")
COLUMNS = ("what", "answer", "preferred")
ROWS = [row for _, row in read_table(ROOT / "tests" / "judge" / "choices.tsv", COLUMNS)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["what"])
def test_each_answer_gives_the_letter_that_it_has(row: dict[str, str]) -> None:
    answer = re.sub(r"\\(.)", lambda escape: ESCAPES[escape[1]], row["answer"])
    found = read_choice(cleaned(answer), VALUES)
    assert (found.value or found.reason) == row["preferred"]


def test_the_comparison_is_the_reason_and_the_form_that_was_asked_for_is_told_from_others() -> None:
    for answer, exact in (
        ('Comparison: B is *plain*.\n\nPreferred: "B"', True),
        ("**Comparison:** B is *plain*.\n**Preferred:** B", False),
        ("Preferred: B\nComparison: B is *plain*.", False),
        ("B is *plain*.\n\nB", False),
    ):
        found = read_choice(answer, VALUES)
        assert (found.value, found.rationale, found.exact) == ("B", "B is *plain*.", exact)


def test_a_letter_at_the_end_of_a_cut_answer_may_have_gone_on() -> None:
    for answer in ("Comparison: x\nPreferred: A", "Comparison: x\nPref", "Comparison: x\nPreferred:"):
        assert read_choice(answer, VALUES, cut=True).reason == "cut"
    assert read_choice("Preferred: A\nComparison: It is", VALUES, cut=True).value == "A"
