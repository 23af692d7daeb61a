"""Benchmarks fail when a target is missed by far, and their sections say at which commit they were measured."""

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


def test_a_target_says_what_was_promised_and_how_far_off_the_figure_is() -> None:
    assert str(at_most(3000, 2048)) == "target: at most 2,048"
    assert at_most(5, 2.5).missed_by == 2
    assert at_least(6, 3).missed_by == 0.5
    assert at_least(0, 3).missed_by > measure.TOLERANCE


def test_a_section_carries_its_commit_and_takes_the_place_of_the_old_one(page: Path) -> None:
    measure.publish("a", "A", "Old.")
    measure.publish("b", "B", "Other.")
    measure.publish("a", "A", "New.", targets=[at_most(1.9, 1)])
    text = page.read_text(encoding="utf-8")
    assert text.index("New.") < text.index("Other.")
    assert "Old." not in text
    assert text.count("Measured at commit 1234567.") == 2


@pytest.mark.parametrize("target", [at_most(2.1, 1), at_least(1, 2.1)])
def test_a_target_missed_by_a_factor_of_two_fails_and_nothing_is_written(
    target: measure.Target, page: Path
) -> None:
    with pytest.raises(AssertionError, match="target: at"):
        measure.publish("a", "A", targets=[at_most(1, 1), target])
    assert not page.exists()


def test_tiny_figures_are_written_nowhere(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOKFLOW_BENCH", "tiny")
    measure.publish("a", "A")
    assert not page.exists()


def test_every_section_of_the_page_says_at_which_commit_it_was_measured() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    sections = re.findall(r"<!-- bench:(\S+) -->\n## .+\n\n(.*)", text)
    assert len(sections) == len(re.findall(r"<!-- /bench:", text))
    assert [name for name, line in sections if not line.startswith("Measured at commit ")] == []
