"""The checks that the workflow brings along: whoever answers them rightly counts, and nobody who fails one."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from wokflow.annotate.fields import LETTERS
from wokflow.frame.text_files import read_table

from tests.annotate.studies import OWN, Study

BEST_WORST, ASPECTS = str(OWN / "best_worst.checks.tsv"), ("grammar", "correctness", "preservation")
SYSTEMS = "abcdef"


def shipped(path: str) -> dict[str, Mapping[str, str]]:
    """The rows of a table of checks by their names."""
    header = ("name", "kind")
    return {row["name"]: row for _, row in read_table(path, header, comments=True)}


def letter(row: Mapping[str, str], text: str) -> str:
    return next(one for one in LETTERS if row.get(one) == text)


def best_and_worst(study: Study, swapped: Sequence[str]) -> list[dict[str, str]]:
    """The sheet of r1 with the right answers to checks; `swapped` ones have the best and the worst the wrong way."""
    checks = {row["source"]: row for row in shipped(BEST_WORST).values()}
    filled = []
    for row in study.sheet("r1"):
        check = checks.get(row["source"])
        ends = [letter(row, check["good"]), letter(row, check["bad"])] if check else ["A", "B"]
        if check and check["name"] in swapped:
            ends.reverse()
        given = zip(("best", "worst"), ends, strict=True)
        filled.append(row | {f"{aspect}: {end}": one for end, one in [*given] for aspect in ASPECTS})
    return filled


@pytest.mark.parametrize("compared", [3, 4, 6])
@pytest.mark.parametrize(
    ("swapped", "reason"),
    [((), None), (("fish",), "failed_comprehension"), (("choose-this",), "failed_attention")],
)
def test_comparisons_count_of_raters_alone_who_know_the_best_and_the_worst(
    tmp_path: Path, compared: int, swapped: tuple[str, ...], reason: str | None
) -> None:
    study = Study(
        tmp_path, SYSTEMS[:compared], items=2, kind="best_worst", data="counterfactual", size=compared
    )
    study.hand_out("r1", checks=BEST_WORST)
    rows = best_and_worst(study, swapped)
    assert len(rows) == 2 + 3 and all(LETTERS[compared - 1] in row for row in rows)
    study.send(rows)
    found = study.collect()
    assert found["raters"]["left_out"].to_list() == [reason]
    assert found["ratings"].height == (0 if reason else 2 * 2 * len(ASPECTS))
    assert {*found["rejects"]["reason"]} == ({reason} if reason else set())
