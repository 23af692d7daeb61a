"""The demo from raw corpora gives what is recorded and what the README promises; then there is nothing to do."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from wokflow.export.verify import verified

from tests.conftest import copy_house, rules_run, snakemake
from tests.gate.demo import DEMO, lines_of, recorded


def test_the_demo_gives_what_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = copy_house(tmp_path / "house")
    results = house / "results"
    monkeypatch.delenv("WOKFLOW_SCREEN")
    shown = snakemake(house, *DEMO).stdout

    now, before = set(lines_of(results)), set(recorded())
    told = [f"recorded: {line}" for line in before - now] + [f"now:      {line}" for line in now - before]
    assert now == before, "\n".join(
        [
            "Tables of the demo have changed. If they should have: make demo-record",
            *sorted(told, key=by_table),
        ]
    )

    jobs = sum(1 for path in (results / "logs").rglob("*.log"))
    assert len(shown.splitlines()) < jobs + 40, "a line for each job, and what came out"
    assert "Report    results/report/page/index.html (open it in a browser)" in shown
    assert (results / "enrich/camt/items.json").is_file()
    assert any((results / "train/model").iterdir())
    for direction in ("zh-en", "en-zh"):
        assert largest_dish(results, direction) < 1 / 12
    assert verified(results / "export/release/wokflow-demo-0.1.0")["mode"] == "full"
    page = (results / "report/page/index.html").read_text(encoding="utf-8")
    assert "<html" in page and "Culture-specific items" in page
    assert rules_run(snakemake(house, *DEMO, "--dry-run").stdout) == set()


def largest_dish(results: Path, direction: str) -> float:
    """The share of pairs that the most frequent title, of either side, has."""
    pairs = pl.read_parquet(results / f"match/pairs/{direction}")
    titles = [Counter(pairs[f"{side}_title"]) for side in ("source", "target")]
    return max(count for counted in titles for count in counted.values()) / pairs.height


def by_table(line: str) -> str:
    """The table that a line of the message is about, so that both lines of one stand together."""
    return line.split(maxsplit=1)[1]
