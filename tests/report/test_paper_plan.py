"""Targets of papers: what they make, and what is said before."""

import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from snakemake.utils import update_config
from wokflow.annotate.arguments import read_studies
from wokflow.frame import stages
from wokflow.frame.arguments import merged
from wokflow.frame.config import prepare
from wokflow.frame.config_files import read_yaml
from wokflow.frame.paper_settings import PAPERS, Rows
from wokflow.frame.scope import Scope
from wokflow.judge.arguments import read_models
from wokflow.match.directions import DIRECTIONS
from wokflow.report.arguments import page_given
from wokflow.report.paper_files import ON_THE_WAY, exhibits, files_of
from wokflow.report.paper_plan import Tables, announced, demo_pairs, opening, stand_ins

from tests.conftest import ROOT
from tests.test_docs import SCHEMA, defaults

PAGE = "results/report/page/index.html"
MADE = {  # on the demo: the beginnings of what each makes, but the page
    "recipes": {"match", "lexicon", "evaluate"},
    "ash": {"judge", "evaluate"},
    "counterfactual": {"ingest", "parse", "pivot", "evaluate"},
    "camt": {"enrich", "generate", "evaluate"},
    "intralingual": {"ingest", "generate", "judge", "evaluate"},
}


def planned(
    short: str, *files: str, **changes: Any
) -> tuple[dict[str, Any], Tables, Mapping[str, list[str]]]:
    """The config of a paper below others, its tables, and what its target makes."""
    config = read_yaml(ROOT / "config" / "config.yaml")
    for file in (PAPERS[short].config, *files):
        update_config(config, read_yaml(ROOT / file))
    update_config(config, changes)
    config, runs = prepare(merged(defaults(), config), SCHEMA, ROOT, packages=False)
    asked = read_models(config, SCHEMA, runs)
    by_data = {"pta": [name for name, run in runs.items() if run.pair]} | {
        run.data: [name for name, each in runs.items() if each.data == run.data] for run in runs.values()
    }
    writers = [name for name, model in asked.items() if model.role == "generator"]
    tables = Tables(runs, asked, read_studies(config, SCHEMA, by_data, writers))
    sentences = {name: source["pair"] for name, source in config["sources"].items() if "kind" in source}
    scope = Scope(
        config=config,
        runs=runs,
        corpora={"recipenlg": "en", "xiachufang": "zh"},
        matched=("recipenlg", "xiachufang"),
        sentences=sentences,
        dumps=(),
        directions=DIRECTIONS,
        roles={name: model.role for name, model in asked.items()},
        studies={name: (study.kind, bool(study.answers)) for name, study in tables.studies.items()},
        choosing=[name for name, study in tables.studies.items() if study.data == "pta" and study.answers],
    )
    return config, tables, stages.targets(scope)


def full(short: str, folder: Path) -> tuple[dict[str, Any], Tables, Mapping[str, list[str]]]:
    """The same with corpora, people and their answers: files with the content of the demo's, elsewhere."""
    (folder / "raters.tsv").write_text("rater\tconsent\tstate\treplaces\nr1\tyes\t\t\n", encoding="utf-8")
    (folder / "answers").mkdir()
    lines = (
        (ROOT / "config/studies.tsv")
        .read_text(encoding="utf-8")
        .replace("raters.tsv\t", "raters.tsv\tanswers")
    )
    (folder / "studies.tsv").write_text(lines, encoding="utf-8")
    for name in ("items/sentences.tsv", "items/entities.jsonl", "silver/accepted.tsv", "silver/titles.tsv"):
        shutil.copy(ROOT / "resources/demo" / name, folder)
    for name in ("dialogues/dialogues.jsonl", "dialogues/annotations.jsonl"):
        shutil.copy(ROOT / "resources/demo" / name, folder)
    for name in ("zh-en.tsv", "en-zh.tsv"):
        shutil.copy(ROOT / "resources/gold" / name, folder)
    changes: dict[str, Any] = {
        "annotate": {"studies": "studies.tsv"},
        "match": {"candidates": {"titles": "titles.tsv"}, "silver": {"accepted": "accepted.tsv"}},
        "train": {"gold": {"zh-en": "zh-en.tsv", "en-zh": "en-zh.tsv"}},
        "evaluate": {"correlations": {"ratings": ["ratings.tsv"]}},
    }
    (folder / "ratings.tsv").touch()
    if short == "camt":
        changes["sources"] = {"camt": {"kind": "tsv", "pair": "en-zh", "path": "sentences.tsv"}}
        changes["enrich"] = {"entities": {"path": "entities.jsonl"}}
    if short == "intralingual":
        steps = ("dialogues", "annotations")
        changes["ingest"] = {name: {"path": f"{name}.jsonl"} for name in steps}
    return planned(short, **changes)


@pytest.mark.parametrize("short", PAPERS)
def test_on_the_demo_a_target_makes_what_its_paper_shows_and_the_page_tells_stand_ins(
    short: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    config, tables, targets = planned(short, "config/demo.yaml")
    files = files_of(short, "results", targets)
    assert PAGE in files and {path.split("/")[1] for path in files} - {"report"} == MADE[short]
    assert stand_ins(config, tables)
    said = announced(short, config, tables, targets)
    stand_in = {"recipes": "small-zh-en", "ash": "bold-rates", "counterfactual": "small-dish"}
    stand_in["intralingual"] = "names-strategies"  # the demo's tables have rows of all papers
    assert [of for of, row in stand_in.items() if row in said] == [short] * (short in stand_in)
    given = page_given(config, {}, tables)["other_settings"]
    assert "Settings that are not the paper's" in said and all(f"  - {one}\n" in f"{said}\n" for one in given)


@pytest.mark.parametrize("short", PAPERS)
def test_without_corpora_models_and_people_each_gap_is_said_with_the_tables_that_it_concerns(
    short: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for variable in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    config, tables, targets = planned(short)
    said, files = announced(short, config, tables, targets), files_of(short, "results", targets)
    gaps = {
        "recipes": ("key in $OPENAI_API_KEY",),
        "ash": ("key in $GEMINI_API_KEY", "config/studies.tsv, as there is no table of raters"),
        "counterfactual": (
            "XiaChuFang (for Section 4.1, Figure 4",
            "answers about pivot actions",
            "the authors' glossary (for",
            "recipes by experts (for Section 6.1.2",
        ),
        "camt": (
            "sentences of both languages (for Table 2",
            "nllb-append",
            "COMET",
            "translations by Google (for Figure 3",
        ),
        "intralingual": ("dialogues (for Table 1", "llama2-70b", "mixtral-finds"),
    }[short]
    assert not [gap for gap in gaps if gap not in said], said
    assert "Settings that are not" not in said and PAGE in files


@pytest.mark.parametrize("short", PAPERS)
def test_with_all_that_a_paper_needs_each_of_its_tables_is_made(
    short: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    config, tables, targets = full(short, tmp_path)
    files = files_of(short, "results", targets)
    assert not [*tables.left_out(config)]
    assert {f"results/annotate/sheets/{name}" for name in tables.studies} <= {*files}
    for row in exhibits(short):
        for name in filter(None, row["outputs"].split("; ")):
            made = next((made for begin, made in ON_THE_WAY.items() if name.startswith(begin)), name)
            begin = "results/" + made.partition("/{")[0]
            own = name.startswith(("resources/", "docs/", "page: "))
            assert own or any(path.startswith(f"{begin}/") for path in files), (row["item"], name)


def test_what_of_the_demo_stands_in_is_told_by_where_a_file_lies_and_by_what_is_about_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "resources" / "gold" / "zh-en.tsv"
    own.parent.mkdir(parents=True)
    shutil.copy(ROOT / "resources/gold/zh-en.tsv", own)
    gold = {"gold": {"zh-en": str(own), "en-zh": str(ROOT / "resources/gold/en-zh.tsv")}}
    config, tables, _ = planned("recipes", train=gold)
    found = stand_ins(config, tables)
    assert "gold set en-zh" in found and "gold set zh-en" not in found and demo_pairs(config) == []
    (tmp_path / "base.tsv").touch()
    testbed = {
        "sources": {"counterfactual": {"path": "base.tsv"}},
        "pivot": {"dishes": {"corpus": "counterfactual"}},
    }
    config, tables, _ = planned("counterfactual", **testbed)
    assert stand_ins(config, tables) == [] and demo_pairs(config) == ["RecipeNLG", "XiaChuFang"]
    config, tables, _ = planned("counterfactual")
    assert stand_ins(config, tables) == ["XiaChuFang"] and demo_pairs(config) == ["RecipeNLG"]
    config, tables, _ = full("intralingual", tmp_path)
    assert stand_ins(config, tables) == [] and demo_pairs(config) == ["RecipeNLG", "XiaChuFang"]
    assert demo_pairs(config | {"paper": "none"}) == []


def test_rows_that_are_left_out_are_said_before_any_target_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    config, tables, targets = planned("camt")
    runs = "Left out of config/items_runs.tsv, as there are no sentences of it (sources.camt): nllb, nllb-append, "
    judges = "Left out of config/items_models.tsv, as no run translates sentences: gpt4o."
    said = opening({"all"}, config, tables, targets)
    assert said.startswith(runs) and judges in said and "Missing" not in said
    assert opening({"all", PAPERS["camt"].target}, config, tables, targets).count(judges) == 1
    default = config | {"paper": ""}
    assert opening({"all"}, default, Tables(Rows(), Rows(), Rows()), targets) == ""


def test_a_published_silver_set_is_of_its_own_direction_and_must_be_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    config, tables, targets = full("recipes", tmp_path)
    config["match"]["silver"]["accepted"] = None
    config["train"]["published"] = {"zh-en": str(tmp_path), "en-zh": None}
    for others in ("zh-en and en-zh", "en-zh"):
        said = announced("recipes", config, tables, targets)
        assert f"The test split stands in for {others}: match.silver.accepted." in said
        (tmp_path / "test.jsonl").touch()
    config["train"]["published"]["en-zh"] = str(tmp_path)
    assert "silver sheet" not in announced("recipes", config, tables, targets)


def test_nobody_needs_to_mark_items_where_they_are_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    config, tables, targets = full("intralingual", tmp_path)
    silent = Rows({name: replace(study, answers=None) for name, study in tables.studies.items()})
    assert {"dialogues", "items"} <= {*silent}
    said = announced("intralingual", config, replace(tables, studies=silent), targets)
    assert "Sheets are made, no answers: dialogues." in said


@pytest.mark.parametrize("short", ["ash", "intralingual"])
def test_without_the_papers_tables_it_is_said_which_are_not_named_and_what_gets_no_file(
    short: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    plain = {
        "paper": "none",
        "runs": "config/runs.tsv",
        "judge": {"models": None},
        "annotate": {"studies": None},
    }
    config, tables, targets = planned(short, **plain)
    said = announced(short, config, tables, targets)
    own = {"ash": "config/ash_models.tsv", "intralingual": "config/dialogue_models.tsv"}[short]
    assert f"table {own} of the paper. judge.models: none." in said and "Nothing is missing" not in said
    assert "table config/studies.tsv of the paper. annotate.studies: none." in said
    assert ("table config/dialogue_runs.tsv of the paper. runs: " in said) == (short == "intralingual")
    [lost] = [line for line in said.splitlines() if line.startswith("No table is made for ")]
    assert {"ash": "Figure 1, Table 2, Figure 2", "intralingual": "Figure 5, Table 3"}[short] in lost


CONCERNED = {  # what is missing under the papers' own settings, and the items of the paper for each
    "recipes": {
        "RecipeNLG": (
            "Figure 1, Table 1, Table 2, Section 4.2, Table 3, Table 4, Table 5, Table 6, Figure 4, Table 7"
        ),
        "accepted silver sheet": "Table 1, Table 3, Figure 4",
        "gold set zh-en": "Table 1, Table 4, Table 5, Table 6, Table 7",
        "AMR parser of zh and en": "Table 3, Table 4",
        "marks of words": "Section 4.2",
        "ratings": "Table 6",
    },
    "ash": {},
    "counterfactual": {
        "XiaChuFang": (
            "Section 4.1, Figure 4, Section 4.2, Table 3, Section 6.1.2, Section 6.2.2, Table 4, Table 5, "
            "Section A.2, Table 6, Table 8, Table 9"
        ),
        "the authors' glossary": "Figure 4, Section 4.2, Table 3, Section 6.2.2, Table 5, Section A.2",
        "answers about pivot actions": "Figure 4, Section 4.2",
        "recipes by experts": "Section 6.1.2, Table 4",
    },
    "camt": {
        "sentences of both languages": (
            "Table 2, Figure 3, Figure 4, Table 4, Table 5, Table 6, Table 7, Table 8, Figure 5, Figure 6, Figure 7, "
            "Table 10, Table 11, Table 12, Figure 8"
        ),
        "COMET": "Table 10",
        "BLEURT": "Table 10",
        "file of spBLEU": "Table 10",
        "translations by Google": "Figure 3, Figure 4, Figure 7, Table 10, Figure 8",
        "ratings": "Table 7",
    },
    "intralingual": {
        "dialogues": (
            "Table 1, Figure 4, Figure 5, Table 3, Figure 6, Table 4, Table 5, Figure 7, Table 6, Table 12, "
            "Table 13, Table 14"
        ),
    },
}
SAME = {  # gaps with the same items as another one
    "recipes": {"XiaChuFang": "RecipeNLG", "gold set en-zh": "gold set zh-en"},
    "camt": {"entities of Wikidata": "sentences of both languages"},
    "intralingual": {"items marked in dialogues": "dialogues"},
}


@pytest.mark.parametrize("short", PAPERS)
def test_each_gap_names_all_items_that_it_concerns(
    short: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    config, tables, targets = planned(short)
    said = announced(short, config, tables, targets)
    found = dict(re.findall(r"^  - ([^(\n]+) \(for ([^)]+)\)\.", said, re.MULTILINE))
    expected = CONCERNED[short]
    assert found == expected | {gap: expected[other] for gap, other in SAME.get(short, {}).items()}


def test_sentences_under_another_name_are_no_stand_ins_but_the_demos(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "resources/demo/items/sentences.tsv", tmp_path)
    source = {"kind": "tsv", "pair": "en-zh", "path": "sentences.tsv"}
    config, tables, targets = planned("camt", sources={"mine": source})
    said = announced("camt", config, tables, targets)
    assert "sources.camt, sentences of both languages (for Table 2" in said and "yours are mine." in said
    config, tables, targets = planned("camt", sources={"camt": source})
    assert "sentences of both languages" not in announced("camt", config, tables, targets)
