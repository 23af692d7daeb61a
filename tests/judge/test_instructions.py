"""The instructions of ASH, and the dimensions."""

from collections import Counter
from pathlib import Path

import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.judge.instructions import judge_instructions
from wokflow.judge.settings import InstructionsSettings
from wokflow.judge.tasks import read_dimensions

from tests.judge.models import ASH


def test_there_are_800_of_20_dishes_and_40_cuisines(tmp_path: Path) -> None:
    path = str(tmp_path / "instructions.parquet")
    settings = InstructionsSettings(dishes=str(ASH / "dishes.tsv"), cuisines=str(ASH / "cuisines.tsv"))
    judge_instructions(instructions=path, settings=settings, job=Job())
    rows = tables.read(path)
    assert rows.height == rows["task_id"].n_unique() == 800
    shown = [{one["name"]: one["text"] for one in each} for each in rows["shown"].to_list()]
    assert len({one["dish"] for one in shown}) == 20
    assert Counter(group for _, group in {(one["cuisine"], one["group"]) for one in shown}) == {
        "regional": 30,
        "religious": 6,
        "historical": 4,
    }
    assert rows["task_id"][0] == "ash:barbecued-meat:algerian"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("authenticity\tordinal\t1 2\t?", "the name 'authenticity' is empty or there twice"),
        ("taste\tlinear\t1 2\t?", "scale 'linear' is not one of nominal, ordinal, interval"),
        ("taste\tordinal\t1 1\t?", "values must be two or more, each once"),
        (
            "taste\u200b \tordinal\t0.0 0.5 1.0\t?",
            "write 0 for the value 0.0, as answers are read; write 1 for",
        ),
        ("authenticity\u200b\tordinal\t1 2\t?", "the name 'authenticity' is empty or there twice"),
        ("taste\tnominal\t是（好） 否\t?", r"write 是\(好\) for the value 是（好）"),
        ("taste\tinterval\tlow high\t?", "values of an interval scale are whole numbers"),
    ],
)
def test_a_dimension_that_cannot_be_rated_is_refused(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "dimensions.tsv"
    path.write_text((ASH / "dimensions.tsv").read_text(encoding="utf-8") + row + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=f"line 5: {message}"):
        read_dimensions(str(path))
