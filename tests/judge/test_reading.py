"""What models write is read, where it leaves no doubt."""

import re

import pytest
from wokflow.frame.text_files import read_table
from wokflow.generate.answers import cleaned
from wokflow.judge.reading import Reader

from tests.conftest import ROOT

NAMES = ("authenticity", "sensitivity", "harmony")
READER = Reader.of(*((name, tuple("12345")) for name in NAMES))
ESCAPES = {"n": "\n", "\\": "\\"}
ROWS = [row for _, row in read_table(ROOT / "tests" / "judge" / "answers.tsv", NAMES)]


def answer(row: dict[str, str]) -> str:
    """The answer of a row, whose line breaks are written as in Python."""
    return re.sub(r"\\(.)", lambda escape: ESCAPES[escape[1]], row["answer"])


def test_there_are_sixty_answers() -> None:
    assert len({row["answer"] for row in ROWS}) == len(ROWS) >= 60


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["what"])
def test_each_answer_gives_the_ratings_that_it_has(row: dict[str, str]) -> None:
    found = READER.read(cleaned(answer(row)))
    assert {name: one.value or one.reason for name, one in found.items()} == {
        name: row[name] for name in NAMES
    }


def test_reasons_are_kept_without_their_labels_and_marks() -> None:
    text = (
        "**AUTHENTICITY:** 4\n**Reason:** Keeps the *crust*.\n\n"
        "2. Sensitivity (3/5): Little of it.\n- Harmony\nReason: Dry.\nRating: 2"
    )
    found = READER.read(text)
    assert [one.rationale for one in found.values()] == ["Keeps the *crust*.", "Little of it.", "Dry."]
    text = '{"authenticity": {"rating": 4, "reason": "Rice."}}\n敏感性：3\n理由：太辣。\nHARMONY: 2\nReason: <None.>'
    assert [one.rationale for one in READER.read(text).values()] == ["Rice.", "太辣。", "None."]


def test_the_form_that_was_asked_for_is_told_from_others() -> None:
    found = READER.read("AUTHENTICITY: 4\nReason: a\nSENSITIVITY: 4/5\nReason: b\nHarmony: 3\nReason: c")
    assert [one.exact for one in found.values()] == [True, False, False]


def test_what_a_cut_answer_does_not_say_was_cut_and_a_last_digit_may_be() -> None:
    found = READER.read("AUTHENTICITY: 4\nReason: a\nSENSITIVITY: 3", cut=True)
    assert [one.value or one.reason for one in found.values()] == ["4", "cut", "cut"]
    found = READER.read("AUTHENTICITY: 4\nReason: a\nSENSITIVITY: ", cut=True)
    assert [one.value or one.reason for one in found.values()] == ["4", "cut", "cut"]


def test_values_are_those_of_the_dimension() -> None:
    seven = Reader.of(("grammar", tuple("1234567")))
    assert [seven.read(f"GRAMMAR: {said}")["grammar"].value for said in ("7", "6/7", "4/5", "8")] == [
        "7",
        "6",
        None,
        None,
    ]


def test_a_long_answer_is_read_in_no_time() -> None:
    """Blanks, marks and digits in tens of thousands must not make patterns try all ways to divide them."""
    for filling in (" ", "*", "\n", "- ", "4 ", "authenticity ", "a the of ", "★ "):
        answer = f"AUTHENTICITY: {filling * 20_000}\nSENSITIVITY: 4\nHARMONY: 3"
        assert READER.read(answer)["harmony"].value == "3"
