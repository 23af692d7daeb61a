"""docs/papers.md: no table or figure of a paper is missing, and what it names is there."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.utils import update_config
from wokflow.annotate.arguments import read_studies
from wokflow.evaluate.summary import read_published
from wokflow.frame.arguments import lookup, merged
from wokflow.frame.config import prepare
from wokflow.frame.job import UserError
from wokflow.frame.paper_settings import PAPERS
from wokflow.frame.runs import STEPS
from wokflow.frame.schemas import declared_tables
from wokflow.frame.text_files import read_table
from wokflow.judge.arguments import read_models
from wokflow.report import papers
from wokflow.report.paper_exhibits import PAGE, listed, numbers, section
from wokflow.report.paper_plan import leaves
from wokflow.report.papers import HEADINGS, STATES, read, values

from tests.conftest import ROOT
from tests.test_docs import RULES, SCHEMA, defaults

COUNTS = {  # tables and figures of each paper, appendices included
    "recipes": (7, 4),
    "ash": (5, 5),
    "counterfactual": (9, 6),
    "camt": (12, 10),
    "intralingual": (14, 7),
}
SHORTS = [paper["short"] for paper in read("papers")]
EXHIBITS, SETTINGS = read("exhibits"), read("settings")


def test_the_page_is_that_of_its_tables() -> None:
    found = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    assert found == papers.markdown(), "run: make docs"


def test_every_table_and_figure_of_the_papers_is_there_once() -> None:
    assert list(COUNTS) == SHORTS and {row["paper"] for row in (*EXHIBITS, *SETTINGS)} == set(SHORTS)
    for paper, (tables, figures) in COUNTS.items():
        items = [row["item"] for row in EXHIBITS if row["paper"] == paper]
        expected = {
            f"{kind} {n}"
            for kind, most in (("Table", tables), ("Figure", figures))
            for n in range(1, most + 1)
        }
        assert {item for item in items if not item.startswith("Section ")} == expected
        assert len(set(items)) == len(items)


def test_what_is_said_to_come_out_is_a_table_a_file_or_a_section_of_the_page() -> None:
    """Of tables: a stage declares its columns; of other results: a rule makes a folder of that name."""
    made, unknown = {*declared_tables()}, []
    for row in EXHIBITS:
        for name in listed(row["outputs"]):
            if name.startswith(PAGE):
                known = name.removeprefix(PAGE) in HEADINGS
            elif name.startswith(("resources/", "docs/")):
                known = (ROOT / name).is_file()
            else:
                known = name in made or f"{{RESULTS}}/{name}" in RULES
            unknown += [] if known else [(row["paper"], row["item"], name)]
    assert unknown == []


@pytest.mark.parametrize("row", EXHIBITS, ids=lambda row: f"{row['paper']} {row['item']}")
def test_a_state_has_what_it_promises(row: Mapping[str, str]) -> None:
    assert row["state"] in STATES
    if row["state"] in ("built", "differs"):
        assert row["outputs"]
    if row["state"] in ("differs", "cannot"):
        assert row["difference"].endswith(".")


def test_published_values_that_are_named_are_there_and_all_of_them_are_named() -> None:
    rows = read_published(str(papers.PUBLISHED))
    assert set(rows["paper"]) == {paper["published"] for paper in read("papers")}
    for paper in read("papers"):
        known = set(rows.filter(paper=paper["published"])["table"])
        cells = [row["published"] for row in EXHIBITS if row["paper"] == paper["short"]]
        assert all(cells)
        looks = [cell for cell in cells if re.match(r"\d|Figure|Table|Section", cell)]
        assert {cell for cell in looks if not numbers(cell, known)} == set()
        assert {name for cell in looks for name in listed(cell)} == known


def test_published_values_have_as_many_decimals_as_their_column() -> None:
    """45.0 among 53.1 is no 45; where a value is missing, its column stays one of numbers."""
    shown = section(str(papers.FOLDER), "camt", str(papers.PUBLISHED), {})
    published = {one["item"]: one["published"] for one in shown["items"]}
    (direction, table, _), *_ = published["Table 4"]
    assert direction == "en-zh" and [cell.text for cell in table.rows[3]] == ["LLaMA2", "45.0", "12.1"]
    [(direction, table, _)] = published["Table 5"]
    assert direction == "" and table.rows[1][3].value is None and table.rows[1][3].numeric
    [(_, table, _)] = published["Table 2"]
    assert [row[0].text for row in table.rows[:2]] == ["en-zh", "en-fr"], (
        "one system: a row for each pair of languages"
    )
    shown = section(str(papers.FOLDER), "intralingual", str(papers.PUBLISHED), {})
    [[(_, table, _)]] = [one["published"] for one in shown["items"] if one["item"] == "Table 6"]
    assert [cell.text for cell in table.rows[0][1:]] == ["0.63", "0.60", "0.39", "0.47", "1.00"]


def of_schema(rule: Mapping[str, Any], key: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield key, rule
    for name, below in rule.get("properties", {}).items():
        yield from of_schema(below, f"{key}.{name}".strip("."))


def config_of(short: str) -> dict[str, Any]:
    """The config of a paper, over the default."""
    given = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    update_config(given, yaml.safe_load((ROOT / PAPERS[short].config).read_text(encoding="utf-8")))
    return merged(defaults(), given)


def cells_of(config: Mapping[str, Any]) -> set[str]:
    """The settings of all rows of the tables of runs, models and studies that a config names: prompt.seed=1."""
    tables = [config["runs"], config["judge"]["models"], config["annotate"]["studies"]]
    rows = [row for path in tables if path for _, row in read_table(ROOT / path, ["settings"], comments=True)]
    return {one.strip() for row in rows for one in row["settings"].split(";")}


def test_keys_of_settings_exist_and_every_value_that_is_called_a_papers_is_explained() -> None:
    named = {key for row in SETTINGS for key, _ in values(row["keys"])}
    assert named - {"sources.xiachufang.path"} <= {key for key, _ in of_schema(SCHEMA)}
    assert {key for key, rule in of_schema(SCHEMA) if "paper" in rule.get("enum", [])} <= named


@pytest.mark.parametrize("short", SHORTS)
def test_settings_have_the_values_that_the_papers_config_or_a_row_of_its_tables_gives_them(
    short: str,
) -> None:
    config = config_of(short)
    rows, steps = cells_of(config), {block: step for step, block in STEPS.items()}
    own = dict(leaves(yaml.safe_load((ROOT / PAPERS[short].config).read_text(encoding="utf-8"))))
    for row in [row for row in SETTINGS if row["paper"] == short]:
        for key, value in [
            (key, value) for key, value in values(row["keys"]) if not key.startswith("sources.")
        ]:
            block, _, name = key.rpartition(".")
            in_rows = f"{steps.get(block)}.{name}={value}" in rows
            if value is None and key + "=" not in row["keys"]:  # a user's own
                assert lookup(config, key) in (None, []), row["setting"]
            else:  # not by the default alone: what else a config has is told as a change
                assert in_rows or (key in own and own[key] == value), (row["setting"], key)


def test_each_model_of_the_hub_is_pinned_in_all_its_rows_or_said_not_to_be() -> None:
    pins = defaultdict(set)
    for short in SHORTS:
        config = config_of(short)
        for path in (config["runs"], config["judge"]["models"]):
            for _, row in read_table(ROOT / path, ["model", "settings"], comments=True) if path else ():
                if "/" in row["model"] and "prompt.endpoint=" not in row["settings"]:
                    commit = re.search(
                        r"\b(?:model|decode|server)\.revision=([0-9a-f]{40})\b", row["settings"]
                    )
                    pins[row["model"]].add(commit and commit[1])
    assert {model for model, commits in pins.items() if len(commits) > 1} == set()
    said = re.findall(r"`(\S+)` is not pinned", (ROOT / "docs" / "runs.md").read_text(encoding="utf-8"))
    assert {model for model, commits in pins.items() if None in commits} == {*said}


@pytest.mark.parametrize("short", SHORTS)
def test_a_papers_models_train_on_one_gpu(short: str) -> None:
    """More is no setting of a paper, and a job that finds fewer GPUs than processes ends."""
    assert not [cell for cell in cells_of(config_of(short)) if cell.startswith("model.processes")]


@pytest.mark.parametrize("short", SHORTS)
def test_without_a_papers_corpora_its_config_is_good_and_what_needs_them_is_left_out(
    short: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The demo's recipes are there; sentences, dialogues and raters are not."""
    monkeypatch.chdir(tmp_path)
    config = config_of(short)
    assert config["paper"] == short
    config, runs = prepare(config, SCHEMA, ROOT, packages=False)
    asked, studies = read_models(config, SCHEMA, runs), read_studies(config, SCHEMA, {}, [])
    assert studies == {} and bool(runs) == (short in ("recipes", "counterfactual"))
    assert bool(asked) == (short == "ash")
    for block in ({"enrich": {"entities": {"path": None}}}, {"ingest": {"dialogues": {"path": None}}}):
        with pytest.raises(UserError):  # without the name of a paper
            other = ROOT / "config" / ("items_runs.tsv" if "enrich" in block else "dialogue_runs.tsv")
            prepare(
                merged(config, {**block, "paper": "none", "runs": str(other)}), SCHEMA, ROOT, packages=False
            )
