"""Slow tests near a change: of the rooms that it can reach."""

import pytest

from tests.near import changed_rooms, main


@pytest.mark.parametrize(
    ("files", "rooms"),
    [
        (["README.md", "docs/runs.md"], []),
        (["scripts/wokflow/match/search.py"], ["match"]),
        (["rules/match.smk"], ["match"]),
        (["tests/train/test_model.py"], ["train"]),
        (["scripts/wokflow/enrich/link.py"], ["enrich"]),
        (["Snakefile"], ["frame", "workflow"]),
        (["scripts/wokflow/match/settings.py"], ["match"]),
        (["scripts/wokflow/report/templates/match.html"], ["report"]),
        (["slurm/config.yaml"], ["cluster"]),
        (["tests/conftest.py", "tests/bench/measure.py", "tests/test_near.py"], ["frame", "workflow"]),
    ],
)
def test_a_change_asks_for_the_tests_of_the_rooms_that_it_can_reach(
    files: list[str], rooms: list[str]
) -> None:
    assert changed_rooms(files) == rooms


def test_a_change_is_followed_through_imports_and_word_lists() -> None:
    assert {"evaluate", "parse", "pivot"} <= set(changed_rooms(["scripts/wokflow/parse/glossary.py"]))
    assert "train" not in changed_rooms(["scripts/wokflow/parse/glossary.py"])
    assert "parse" in changed_rooms(["resources/grammar/noise.tsv"])


def test_nothing_near_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.near.changed_files", lambda since: ["README.md"])
    assert main(["abc"]) == 0
    assert capsys.readouterr().out == "Changed since abc: no room that has slow tests\n"
