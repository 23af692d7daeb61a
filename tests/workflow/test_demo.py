"""The demo: `make demo` ends in pairs, models, scores, a release and a report, and has nothing to do afterwards."""

from pathlib import Path

import polars as pl
import pytest

from tests.conftest import copy_house, rules_run, snakemake

DEMO = ("--configfile", "config/demo.yaml")


def test_the_demo_makes_all_that_the_readme_promises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = copy_house(tmp_path / "house")
    monkeypatch.delenv("WOKFLOW_SCREEN")
    shown = snakemake(house, *DEMO, cores=2).stdout
    jobs = sum(1 for path in (house / "results/logs").rglob("*.log"))
    assert len(shown.splitlines()) < jobs + 40, "a line for each job, and what came out"
    assert "Report    results/report/page/index.html (open it in a browser)" in shown
    results = house / "results"
    for direction in ("zh-en", "en-zh"):
        pairs = pl.read_parquet(results / f"match/pairs/{direction}/part-00000.parquet")
        assert pairs.height > 0
        assert set(pairs["split"]) <= {"train", "valid", "test"}
        assert (results / f"export/pairs/{direction}").is_dir()
    for table in ("pivot/orders/part-00000.parquet", "evaluate/scores/part-00000.parquet"):
        assert pl.read_parquet(results / table).height > 0
    assert any((results / "train/model").iterdir())
    assert "<html" in (results / "report/page/index.html").read_text(encoding="utf-8")
    assert rules_run(snakemake(house, *DEMO, "--dry-run").stdout) == set()
