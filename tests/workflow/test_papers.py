"""The five papers' targets, on the demo, to their ends."""

import re
from pathlib import Path

import pytest
from wokflow.frame.paper_settings import PAPERS

from tests.conftest import copy_house, snakemake

RUNS = Path("config/demo_runs.tsv")


def brief(house: Path) -> None:
    """Have a house learn for one epoch and write a few tokens: what the models are worth is of no matter here."""
    text = (house / RUNS).read_text(encoding="utf-8")
    for setting, few in (("model.epochs", 1), ("decode.max_tokens", 16)):
        text, found = re.subn(rf"\b{setting}=\d+", f"{setting}={few}", text)
        assert found, f"{RUNS} has no {setting}"
    (house / RUNS).write_text(text, encoding="utf-8")


def test_each_papers_target_runs_on_the_demo_and_its_page_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one folder, so that what papers share is made once. Nothing is fetched: models come with packages."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    house = copy_house(tmp_path / "house")
    brief(house)
    for paper in PAPERS.values():
        said = snakemake(
            house, paper.target, "--configfile", paper.config, "config/demo.yaml", cores=2
        ).stdout
        assert f"Paper {paper.name}: tables and figures" in said and "Missing:" in said
        page = (house / "results/report/page/index.html").read_text(encoding="utf-8")
        assert f"config/papers/{paper.name}.yaml" in page and "A demonstration: no number of this run" in page
