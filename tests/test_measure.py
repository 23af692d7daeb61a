"""Benchmarks print figures beside their targets, and their sections say at which commit they were measured."""

import re
from pathlib import Path

import pytest

from tests.bench import ages, measure
from tests.bench.ages import OLDER
from tests.bench.measure import DOCUMENT, at_least, at_most
from tests.conftest import ROOT


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(measure, "DOCUMENT", tmp_path / "performance.md")
    monkeypatch.setattr(measure, "commit", lambda: "commit 1234567")
    monkeypatch.setenv("WOKFLOW_BENCH", "small")
    return tmp_path / "performance.md"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (at_most(3000, 2048), "3,000.00 (target: at most 2,048): MISSED"),
        (at_most(2.5, 2.5), "2.50 (target: at most 2.5): met"),
        (at_least(2.5, 2.5), "2.50 (target: at least 2.5): met"),
        (at_least(0, 3), "0.00 (target: at least 3): MISSED"),
    ],
)
def test_a_target_is_printed_beside_its_figure_and_judged_by_people(
    target: measure.Target, said: str, page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measure.publish("a", "A", targets=[target])
    assert said in capsys.readouterr().out
    assert page.exists()


def test_a_section_carries_its_commit_and_takes_the_place_of_the_old_one(page: Path) -> None:
    measure.publish("a", "A", "Old.")
    measure.publish("b", "B", "Other.")
    measure.publish("a", "A", "New.", targets=[at_most(1.9, 1)])
    text = page.read_text(encoding="utf-8")
    assert text.index("New.") < text.index("Other.")
    assert "Old." not in text
    assert text.count("Measured at commit 1234567.") == 2


def test_tiny_figures_are_written_nowhere(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOKFLOW_BENCH", "tiny")
    measure.publish("a", "A")
    assert not page.exists()


def test_figures_of_a_section_are_read_from_the_page(page: Path) -> None:
    with pytest.raises(AssertionError, match="no section a"):
        page.touch()
        measure.rows_of("a")
    measure.publish(
        "a", "A", "words", measure.table(["what", "rows"], [["ours", "1,200"], ["theirs", "0.5"]])
    )
    measure.publish("b", "B", measure.table(["what", "rows"], [["ours", "7"]]))
    rows = measure.rows_of("a")
    assert [measure.figure(rows[name][0]) for name in ("ours", "theirs")] == [1200, 0.5]


def test_every_section_says_at_which_commit_it_was_measured_and_whether_its_code_has_changed_since() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    sections = [found[4] for found in ages.SECTION.finditer(text)]
    assert len(sections) == text.count("<!-- /bench:")
    assert all(re.match(r"## .+\n\nMeasured at commit ", section) for section in sections)
    assert ages.renewed(text, ages.code_digest) == text, "run: make docs"


def test_a_section_says_that_its_code_has_changed_until_it_is_measured_anew(page: Path) -> None:
    measure.publish("a", "A", "Takes 1.5 s. Measured at leisure.")
    new = page.read_text(encoding="utf-8")
    assert ages.renewed(new, ages.code_digest) == new
    older = ages.renewed(new, lambda file: "other")
    assert older == new.replace("1234567.", f"1234567{OLDER}.")
    assert ages.renewed(older, lambda file: "other") == older
    assert ages.renewed(older, ages.code_digest) == new


def test_what_a_benchmark_measures_is_what_it_imports_and_what_is_behind_that() -> None:
    def measured(file: str) -> set[str]:
        return {
            path.relative_to(ROOT).as_posix() for path in ages.measured_files(ROOT / "tests/bench" / file)
        }

    search = measured("test_search.py")
    assert {"scripts/wokflow/match/search.py", "scripts/wokflow/frame/tables.py"} <= search
    assert not any("/train/" in path for path in search)
    assert search <= measured("test_beyond.py"), "which borrows from it"
    assert {"Snakefile", "rules/train.smk", "scripts/wokflow/train/model.py"} <= measured("test_workflow.py")
