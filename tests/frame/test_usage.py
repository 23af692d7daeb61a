"""Commands that are called wrongly end with 2; tests/export tells that from what is found in a release."""

from pathlib import Path

import pytest
from wokflow.cli import main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["papers", "cultural-recipes", "--results", "none", "--to", "out"], "no match/pairs/zh-en"),
        (["papers", "ash", "--results", "none", "--to", "out"], "none: judge/answers has no recipe"),
        (["papers", "testbed", "--results", "none", "--glossary", "x", "--to", "out"], "no pivot/instances"),
        (["papers", "testbed", "--glossary", "none.pkl", "--to", "out"], "There is no file none.pkl."),
        (["papers", "testbed-orders", "none.json"], "There is no file none.json."),
        (["papers", "camt-entities", "none.json", "--to", "out"], "There is no file none.json."),
        (["studio", "files", "none", "--to", "out"], "results/annotate/sheets/none is not there"),
    ],
)
def test_results_and_files_that_are_not_there_are_wrong_usage(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for table in ("instances", "pivots", "orders", "effects"):
        part = Path("results", "pivot", table, "part-00000.parquet")
        part.parent.mkdir(parents=True)
        part.touch()
    assert main(arguments) == 2
    assert said in capsys.readouterr().err
    assert not Path("out").exists()
