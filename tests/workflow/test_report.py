"""Snakemake's own report holds the main tables and the page, each with its caption and category."""

from pathlib import Path

from tests.conftest import ROOT, snakemake
from tests.workflow.conftest import copy_of

CAPTIONS = sorted((ROOT / "rules" / "captions").glob("*.rst"))


def test_the_report_of_snakemake_has_every_caption(built: Path, tmp_path: Path) -> None:
    house = copy_of(built, tmp_path / "house")
    output = snakemake(house, "--report", "report.html").stdout
    assert "Could not detect mimetype" not in output, "a browser shows the tables"
    text = (house / "report.html").read_text(encoding="utf-8")
    for name in ("table1.tsv", "leaks.json", "summary.tsv", "index.html"):
        assert name in text
    for category in ("Matching", "Scores", "Page"):
        assert category in text


def test_every_caption_belongs_to_an_output() -> None:
    rules = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "rules").glob("*.smk"))
    assert CAPTIONS
    assert [path.name for path in CAPTIONS if f"captions/{path.name}" not in rules] == []
