"""Benchmarks print figures beside their targets, and their sections say at which commit they were measured."""

import re
from pathlib import Path

import pytest

from tests.bench import measure
from tests.bench.measure import DOCUMENT, at_least, at_most


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


def test_every_section_of_the_page_says_at_which_commit_it_was_measured() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    sections = re.findall(r"<!-- bench:(\S+) -->\n## .+\n\n(.*)", text)
    assert len(sections) == len(re.findall(r"<!-- /bench:", text))
    assert [name for name, line in sections if not line.startswith("Measured at commit ")] == []
