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
ROWS = [row for _, row in read_table(ROOT / "tests" / "judge" / "answers.tsv", NAMES, quotes=False)]


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
