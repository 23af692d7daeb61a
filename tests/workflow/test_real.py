"""The workflow on real recipes, with no change but the sources' paths; and on sources that hold nothing."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from tests.conftest import ROOT, copy_house, snakemake
from tests.workflow.changes import setting
from tests.workflow.conftest import new_house


def rows(folder: Path) -> int:
    return sum(pq.read_metadata(part).num_rows for part in folder.glob("*.parquet"))


def accounted(results: Path, corpus: str) -> int:
    recipes, eligible = rows(results / "ingest/recipes" / corpus), rows(results / "match/eligible" / corpus)
    assert recipes == eligible + rows(results / "match/rejects" / corpus)
    return recipes + rows(results / "ingest/rejects" / corpus)


def test_real_recipes_end_in_pairs_and_every_row_is_accounted_for(shared: Path, tmp_path: Path) -> None:
    house = copy_house(tmp_path / "house")
    paths = {"recipenlg": "full_dataset.csv", "xiachufang": "recipe_corpus_full.json"}
    options = [f"{{{corpus}: {{path: {shared / 'real/recipes' / name}}}}}" for corpus, name in paths.items()]
    merged = "sources={" + ", ".join(option[1:-1] for option in options) + "}"
    snakemake(house, "--config", merged, cores=2)
    assert accounted(house / "results", "recipenlg") == 302
    assert accounted(house / "results", "xiachufang") == 263
    pairs = pl.read_parquet(house / "results/match/pairs/zh-en/part-00000.parquet")
    assert "提拉米苏" in set(pairs["source_title"])
    assert pairs["score"].min() >= 0.85


def test_empty_and_wrong_sources_end_a_run_unless_they_are_to_be_kept(tmp_path: Path) -> None:
    """In folders whose names a shell would take for patterns, one of them in two spellings."""
    house = new_house(tmp_path / "a [b]*? c" / "house")
    setting("results", "r[1]*? x//./")(house)
    runs = (house / "data/runs.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [row for row in runs if "train" not in row.split("\t")]  # there is nothing to learn from
    (house / "data/runs.tsv").write_text("".join(kept), encoding="utf-8")
    (house / "data/en.csv").write_bytes(b"")
    (house / "data/zh.json").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    refused = snakemake(house, "--keep-going", "--", "ingest", check=False)
    assert refused.returncode != 0
    assert "data/en.csv is empty" in refused.stdout
    assert "data/zh.json: only 0 of its" in refused.stdout
    setting("ingest.recipes.mostly_rejected", "keep")(house)
    refused = snakemake(house, "--keep-going", "--", "ingest", check=False)
    assert "it ends within a record" in refused.stdout
    setting("ingest.recipes.truncated", "keep")(house)
    snakemake(house, cores=2)
    setting("results", "./r[1]*? x")(house)
    assert "Nothing to be done" in snakemake(house, "-n").stdout
    results = house / "r[1]*? x"
    assert rows(results / "ingest/recipes/recipenlg") == rows(results / "ingest/recipes/xiachufang") == 0
    assert rows(results / "ingest/rejects/xiachufang") > 0
    assert rows(results / "match/pairs/zh-en") == 0


def test_the_testbed_s_recipes_end_in_actions_with_the_paper_s_glossary(shared: Path, tmp_path: Path) -> None:
    house = copy_house(tmp_path / "house")
    folder = shared / "real/counterfactual"
    (house / "my.yaml").write_text(
        f"sources: {{counterfactual: {{path: {folder}/base_recipes.tsv}}}}\n"
        f"parse: {{glossary: {{path: {folder}/glossary.json}}}}\n"
        "ingest: {recipes: {parts: 2}}\n",
        encoding="utf-8",
    )
    results = house / "results"
    wanted = [f"results/parse/proto/counterfactual/part-0000{part}.parquet" for part in range(2)]
    snakemake(house, "--configfile", "my.yaml", "--", *wanted, cores=2)
    recipes, rejects = (rows(results / f"ingest/{table}/counterfactual") for table in ("recipes", "rejects"))
    assert recipes + rejects == 2500
    actions = pl.read_parquet(results / "parse/actions/counterfactual")
    assert actions["recipe_id"].n_unique() + rows(results / "parse/rejects/counterfactual") == recipes
    steps = dict(
        pl.read_parquet(results / "ingest/recipes/counterfactual").select("recipe_id", "steps").iter_rows()
    )
    for recipe, step, start, end, verb in actions.select("recipe_id", "step", "start", "end", "verb").rows():
        assert steps[recipe][step][start:end] == verb
    assert 10 < rows(results / "parse/proto/counterfactual") / recipes < 25


def write_testbed(printed: dict[str, list[str]], path: Path = ROOT / "docs" / "pivot.md") -> None:
    """Write the table of the testbed's scores between its marks in docs/pivot.md."""
    named = [(name if name == "metric" else f"`{name}`", *numbers) for name, numbers in printed.items()]
    header, *scores = [f"| {' | '.join(cells)} |" for cells in named]
    before, _, rest = path.read_text(encoding="utf-8").partition("<!-- testbed -->\n")
    _, mark, after = rest.partition("<!-- /testbed -->")
    table = "\n".join([header, "|---" * len(named[0]) + "|", *scores])
    path.write_text(f"{before}<!-- testbed -->\n{table}\n{mark}{after}", encoding="utf-8")


def test_the_testbed_as_published_ends_in_the_table_of_action_scores(shared: Path, tmp_path: Path) -> None:
    """The commands in docs/pivot.md, and the table there."""
    section = (
        (ROOT / "docs/pivot.md")
        .read_text(encoding="utf-8")
        .split("## The paper's testbed")[1]
        .split("\n## ")[0]
    )
    blocks = "\n".join(line[4:] for line in section.splitlines() if line.startswith("    "))
    before, begin, after = blocks.partition("ln -s /path/to/the/files testbed\n.venv/bin/snakemake ")
    assert begin and "wokflow papers testbed" in before
    commands = begin + after
    commands = commands.replace("/path/to/the/files", str(shared / "real/counterfactual"))
    commands = commands.replace(".venv/bin/", f"{Path(sys.executable).parent}/")
    house = copy_house(tmp_path / "house")
    done = subprocess.run(["bash", "-ec", commands], cwd=house, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = filter(None, csv.reader(done.stdout.splitlines(), delimiter="|"))
    printed = {name: numbers for name, *numbers in rows}
    if "WOKFLOW_WRITE_DOCS" in os.environ:
        write_testbed(printed)
        return
    documented = {
        name: numbers for name, *numbers in re.findall(r"^\| `?(\w+)`?" + r" \| (\S+)" * 3, section, re.M)
    }
    assert printed.keys() == documented.keys() and printed.pop("metric") == documented.pop("metric")
    for name, numbers in printed.items():
        near = (
            1.0 if name.startswith(("hard", "soft")) else 0.15
        )  # trees of a parser trained on another processor
        assert list(map(float, numbers)) == pytest.approx(list(map(float, documented[name])), abs=near), name
    per_pair = pl.read_parquet(house / "results/pivot/instances").group_by("base_dish", "target_dish").len()
    assert per_pair["len"].to_list() == [50] * 50
