"""The five papers' targets, on the demo, to their ends."""

from pathlib import Path

import pytest
from wokflow.frame.paper_settings import PAPERS

from tests.conftest import copy_house, snakemake


def test_each_papers_target_runs_on_the_demo_and_its_page_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one folder, so that what papers share is made once. Nothing is fetched: models come with packages."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    house = copy_house(tmp_path / "house")
    for paper in PAPERS.values():
        said = snakemake(
            house, paper.target, "--configfile", paper.config, "config/demo.yaml", cores=2
        ).stdout
        assert f"Paper {paper.name}: tables and figures" in said and "Missing:" in said
        page = (house / "results/report/page/index.html").read_text(encoding="utf-8")
        assert f"config/papers/{paper.name}.yaml" in page and "A demonstration: no number of this run" in page
