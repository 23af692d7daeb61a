"""Which steps measure a run, and what the step of counterfactual recipes is given of the parser's settings."""

from dataclasses import replace
from typing import Any

import pytest
import yaml
from wokflow.evaluate.stage import measures
from wokflow.frame.arguments import block_arguments
from wokflow.frame.config import fill, read_schema
from wokflow.frame.runs import Run

from tests.conftest import ROOT

SCHEMA = read_schema(ROOT)
OF_PARSER = {"backend", "model", "device", "batch"}


@pytest.fixture
def config() -> dict[str, Any]:
    given: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    fill(given, SCHEMA)
    return given


def test_without_models_and_programs_only_overlap_is_measured(config: dict[str, Any]) -> None:
    run = Run("mine", "none", "retrieval", "", "zh-en", "")
    assert measures(config, run) == ["metrics"]
    config["evaluate"]["bertscore"]["en"]["model"] = "bert"
    config["evaluate"]["smatch"]["parsers"]["zh"] = ["parse"]
    config["evaluate"]["comet"]["command"] = ["comet"]
    assert measures(config, run) == ["metrics", "bertscore", "smatch", "comet"]
    config["evaluate"]["bleurt"]["command"] = ["bleurt"]
    hindi = replace(run, data="camt", pair="en-hi")
    assert measures(config, hindi) == ["metrics", "comet", "bleurt"]


@pytest.mark.parametrize(
    ("method", "backend", "given"),
    [
        ("rules", "spacy", set[str]()),
        ("parser", "trained", {"backend", "batch"}),
        ("parser", "spacy", OF_PARSER),
    ],
)
def test_texts_are_read_as_recipes_are(
    method: str, backend: str, given: set[str], config: dict[str, Any]
) -> None:
    config["parse"]["actions"]["method"] = method
    config["parse"]["dependencies"] |= {"backend": backend, "model": "zh_core_web_sm"}
    found = block_arguments(config, SCHEMA, "evaluate.counterfactual")
    assert OF_PARSER & found.settings.keys() == given
    assert (found.settings["method"], found.settings["style"]) == (method, "house")
    assert found.resources["glossary"] == "resources/glossary"
