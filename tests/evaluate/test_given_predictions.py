"""Users' files of predictions: read, or refused with file, row and reason."""

from pathlib import Path

import polars as pl
import pytest
from wokflow.evaluate.given_predictions import read_predictions
from wokflow.frame.job import Progress, UserError

HEADER = "instance_id\trun\tprediction\n"


def tsv(folder: Path, text: str, name: str = "p.tsv") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_files_and_runs_are_gathered_by_run(tmp_path: Path) -> None:
    one = tsv(tmp_path, "\ufeff" + HEADER + 'b\tr\t"洗,\n切 ""x"""\na\tr\u200b \t煮\n')
    two = str(tmp_path / "p.parquet")
    pl.DataFrame({"run": ["q", "q"], "prediction": ["炒", None], "instance_id": ["a", "b"]}).write_parquet(
        two
    )
    assert read_predictions([one, two], ["b", "a"], Progress()) == {
        "q": {"a": "炒", "b": ""},
        "r": {"a": "煮", "b": '洗,\n切 "x"'},
    }


def test_missing_predictions_are_empty_and_said(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+") as log:
        found = read_predictions(
            [tsv(tmp_path, HEADER + "a\tr\t煮\nb\tr\t\n")], ["a", "b", "c"], Progress(log)
        )
        log.seek(0)
        assert "r: 2 of 3 instances have no prediction" in log.read()
    assert found == {"r": {"a": "煮", "b": "", "c": ""}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("instance_id\tprediction\n", "missing column run"),
        ("", "missing column instance_id, prediction, run"),
        (HEADER, "no predictions"),
        (HEADER + "a\tr\tx\nz\tr\tx\n", "row 3: there is no instance 'z'"),
        (HEADER + "a\tr\tx\n\na\tr\ty\n", "row 4: run r has instance a twice"),
        (HEADER + "a\t\u200b\tx\n", "row 2: the column run is empty"),
        (HEADER + "a\tr\tx\na\tR\ty\n", "the runs R and r differ in letter case"),
        (HEADER + "a\tr\n", "line 2: 2 cells"),
        (HEADER + 'a\tr\t"洗" "切"\n', "line 2: .*quotation mark"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tsv(tmp_path, text)
    with pytest.raises(UserError, match=said) as error:
        read_predictions([path], ["a"], Progress())
    assert path in str(error.value) or "differ" in said


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "gbk.tsv").write_bytes((HEADER + "a\tr\t煮\n").encode("gbk"))
    (tmp_path / "text.parquet").write_text(HEADER)
    for name in ("none.tsv", "none.parquet", "gbk.tsv", "text.parquet"):
        with pytest.raises(UserError, match=name):
            read_predictions([str(tmp_path / name)], ["a"], Progress())
