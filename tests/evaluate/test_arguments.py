"""What each measuring step is given of the config: as much as its run needs, and nothing else."""

from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from wokflow.evaluate import arguments
from wokflow.frame.config import fill, read_schema
from wokflow.frame.runs import Run

from tests.conftest import ROOT


@pytest.fixture
def config() -> dict[str, Any]:
    given: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    fill(given, read_schema(ROOT))
    return given


def run(data: str) -> Run:
    return Run("mine", "none", "retrieval", "", data, "")


def test_without_models_and_programs_only_overlap_is_measured(config: dict[str, Any]) -> None:
    assert arguments.measures(config, run("zh-en")) == ["metrics"]
    config["evaluate"]["bertscore"]["en"]["model"] = "bert"
    config["evaluate"]["smatch"]["parsers"]["zh"] = ["parse"]
    config["evaluate"]["comet"]["command"] = ["comet"]
    assert arguments.measures(config, run("zh-en")) == ["metrics", "bertscore", "smatch", "comet"]
    config["evaluate"]["bleurt"]["command"] = ["bleurt"]
    hindi = replace(run("camt"), pair="en-hi")
    assert arguments.measures(config, hindi) == ["metrics", "comet", "bleurt"]
    settings = arguments.evaluate_program(config, hindi, "bleurt").settings
    assert settings == {"data": "en-hi", "command": ["bleurt"]}


def test_overlap_needs_the_data_alone_and_perhaps_the_model_of_its_pieces(config: dict[str, Any]) -> None:
    found = arguments.evaluate_metrics(config, run("zh-en"))
    assert found.settings == {"data": "zh-en"} and found.resources == {"spbleu": None} and not found.options
    config["evaluate"]["metrics"]["spbleu"] = "pieces.model"
    assert arguments.evaluate_metrics(config, run("zh-en")).resources == {"spbleu": "pieces.model"}


def test_bertscore_has_the_model_of_the_language_that_is_written(config: dict[str, Any]) -> None:
    block = config["evaluate"]["bertscore"]
    block["zh"] = {"model": "chinese", "revision": "1", "layers": 8}
    block["en"] = dict.fromkeys(block["zh"])
    found = arguments.evaluate_bertscore(config, run("en-zh"))
    assert found.settings == {"data": "en-zh", "model": "chinese", "revision": "1", "layers": 8}
    assert found.options == {"batch": 32, "device": None}
    assert arguments.evaluate_bertscore(config, run("zh-en")).settings["model"] is None


def test_bertscore_by_a_local_folder_counts_by_content(config: dict[str, Any], tmp_path: Path) -> None:
    config["evaluate"]["bertscore"]["en"]["model"] = str(tmp_path)
    config["evaluate"]["counterfactual"]["bertscore"]["model"] = str(tmp_path)
    found = arguments.evaluate_bertscore(config, run("zh-en"))
    assert found.resources == {"model": str(tmp_path)} and "model" not in found.settings
    found = arguments.evaluate_counterfactual(config)
    assert found.resources["bertscore_model"] == str(tmp_path) and "bertscore_model" not in found.settings


def test_programs_count_but_for_their_time(config: dict[str, Any]) -> None:
    config["evaluate"]["smatch"] |= {"parsers": {"zh": ["a"], "en": ["b"]}, "seconds": 9}
    config["evaluate"]["comet"] |= {"command": ["c"], "seconds": 9}
    found = arguments.evaluate_smatch(config, run("zh-en"))
    assert found.settings == {"data": "zh-en", "command": ["b"], "solver": "ilp"}
    assert found.options == {"seconds": 9}
    found = arguments.evaluate_program(config, run("zh-en"), "comet")
    assert found.settings == {"data": "zh-en", "command": ["c"]} and found.options == {"seconds": 9}


def test_texts_are_read_by_rules_without_any_parser(config: dict[str, Any]) -> None:
    before = deepcopy(config)
    found = arguments.evaluate_counterfactual(config)
    assert found.settings["actions"] == {"method": "rules", "style": "house"}
    assert found.settings["dependencies"] == {} and found.settings["parser"] is None
    assert found.settings["bertscore"] == {"revision": None, "layers": None, "batch": 32, "device": None}
    assert found.resources["vectors"] is None and found.resources["glossary"] == "resources/glossary"
    assert config == before


@pytest.mark.parametrize(
    ("backend", "device", "parser"), [("trained", "cpu", None), ("spacy", "cuda", "zh_core_web_sm")]
)
def test_texts_are_read_by_the_parser_of_the_recipes(
    config: dict[str, Any], backend: str, device: str, parser: str | None
) -> None:
    config["parse"]["actions"]["method"] = "parser"
    config["parse"]["dependencies"] |= {"backend": backend, "model": "zh_core_web_sm", "device": "cuda"}
    found = arguments.evaluate_counterfactual(config).settings
    assert found["dependencies"] == {"backend": backend, "batch": 256, "device": device}
    assert found["parser"] == parser
