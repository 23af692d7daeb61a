"""What generate's steps are given: what counts by value, by content, and not at all."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from wokflow.frame.config import fill
from wokflow.frame.runs import Run
from wokflow.generate.arguments import (
    CLIENT,
    SEARCH,
    SERVERS,
    decode_arguments,
    decode_gpus,
    key_variables,
    prompt_arguments,
    server_arguments,
    server_command,
    servers,
    uses_server,
)
from wokflow.generate.request import Settings
from wokflow.models.decoding import Decoding

from tests.conftest import ROOT

SCHEMA: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.schema.yaml").read_text(encoding="utf-8"))
BLOCKS: dict[str, Any] = SCHEMA["properties"]["generate"]["properties"]
PLACEMENT = {"device", "gpus", "gpu_memory", "python"}
DISH = "resources/prompts/dish.txt"


@pytest.fixture
def config() -> dict[str, Any]:
    values: dict[str, Any] = {"results": "out"}
    fill(values, SCHEMA)
    return values


def run(
    family: str = "causal", data: str = "zh-en", prompt: str = "", *, model: str = "opus", **steps: Any
) -> Run:
    """A run; `steps` are its settings by step."""
    return Run("a", "none", family, model, data, prompt, steps, 7)


def never(block: str) -> set[str]:
    return {name for name, rule in BLOCKS[block]["properties"].items() if rule.get("counts") == "never"}


def test_the_schema_agrees_on_what_does_not_count() -> None:
    assert set(CLIENT) == never("prompt")
    assert never("decode") == PLACEMENT
    assert never("server") == {"minutes", "gpu_memory"}


def test_settings_of_the_search_are_the_fields_of_its_class() -> None:
    assert set(SEARCH) == {field.name for field in fields(Decoding)}
    others = {"backend", "chat", "precision", "remote_code", "revision", "shards", "shots", *PLACEMENT}
    assert BLOCKS["decode"]["properties"].keys() == {*SEARCH, *others}


def test_decoding_depends_on_its_run_and_on_its_keys_of_the_config(config: dict[str, Any]) -> None:
    found = decode_arguments(config, run(prompt="dish", decode={"beams": 1, "device": "cpu", "shards": 3}))
    decoding = {name: config["generate"]["decode"][name] for name in SEARCH} | {"beams": 1}
    assert found.settings == {
        "family": "causal",
        "seed": 7,
        "languages": ("zh", "en"),
        "shots": 0,
        "decoding": decoding,
        "backend": "transformers",
        "revision": None,
        "precision": "auto",
        "remote_code": False,
        "chat": "auto",
        "model": "opus",
    }
    assert found.resources == {"prompt": DISH}
    assert found.options == {"placement": {"device": "cpu", "gpus": 1, "gpu_memory": 0.9, "python": None}}


def test_a_model_that_another_rule_trains_goes_by_its_run(config: dict[str, Any]) -> None:
    trained = Run("a", "train", "causal", "small", "zh-en", "")
    lent = Run("b", "none", "causal", "run:a", "zh-en", "", lender=trained)
    for one in (trained, lent):
        found = decode_arguments(config, one)
        assert (found.settings["model"], found.resources) == ("run:a", {"prompt": None})


@pytest.mark.parametrize("arguments", [decode_arguments, prompt_arguments, server_arguments])
def test_a_model_counts_by_content_if_it_lies_here(
    config: dict[str, Any], tmp_path: Path, arguments: Any
) -> None:
    found = arguments(config, run(model=str(tmp_path)))
    assert found.resources["model"] == str(tmp_path) and "model" not in found.settings
    assert arguments(config, run()).settings["model"] == "opus"


def test_gpus(config: dict[str, Any]) -> None:
    small = Run("a", "train", "causal", "small", "zh-en", "")
    assert [decode_gpus(config, one) for one in (run(), run(decode={"device": "cpu"}), small)] == [1, 0, 0]
    assert decode_gpus(config, run(decode={"backend": "vllm", "gpus": 4})) == 4
    assert decode_gpus(config, run(decode={"gpus": 4})) == 1


def test_a_prompt_run_depends_on_what_is_asked_and_of_whom(config: dict[str, Any]) -> None:
    url = "https://here/v1"
    found = prompt_arguments(
        config, Run("a", "none", "prompt", "gpt", "zh-en", "dish", {"prompt": {"endpoint": url, "tries": 2}})
    )
    block = config["generate"]["prompt"]
    asked = {name: value for name, value in block.items() if name not in (*CLIENT, "shots")}
    assert found.settings == {
        "lang": "en",
        "languages": ("zh", "en"),
        "shots": 0,
        "seed": 13,
        "request_settings": asked | {"endpoint": url},
        "command": None,
        "model": "gpt",
    }
    assert found.resources == {"prompt": DISH}
    client = {name: block[name] for name in CLIENT} | {"tries": 2}
    paths = {"cache": "out/generate/cache", "ledger": "out/generate/ledger/a.jsonl"}
    assert found.options == {"client_settings": client, **paths}
    assert Settings(**found.settings["request_settings"], **found.options["client_settings"]).endpoint == url


def test_without_an_endpoint_the_own_server_is_asked(config: dict[str, Any]) -> None:
    one = run("prompt", "counterfactual", "dish", model="gpt")
    assert uses_server(config, one)
    found, server = prompt_arguments(config, one), server_arguments(config, one)
    assert found.settings["command"] == server.settings["command"] == server_command(config)
    assert (found.settings["command"][0], found.settings["lang"]) == ("vllm", "zh")
    assert server.settings["model"] == "gpt"
    assert server.options == {
        "start_minutes": 30,
        "lists_model": True,
        "more": ["--tensor-parallel-size", "1", "--gpu-memory-utilization", "0.9"],
    }
    config["generate"]["server"] |= {"backend": "command", "command": ["mine", "{port}"]}
    assert server_command(config) == ["mine", "{port}"]
    config["generate"]["prompt"]["endpoint"] = "https://here/v1"
    assert not uses_server(config, one)
    assert prompt_arguments(config, one).settings["command"] is None


def test_vllm_is_told_what_changes_answers_in_the_key_and_how_it_lies_on_gpus_beside_it(
    config: dict[str, Any],
) -> None:
    block = config["generate"]["server"]
    block |= {"precision": "bfloat16", "max_length": 4096, "revision": "abc", "remote_code": True}
    one = run("prompt", "counterfactual", "dish", model="gpt")
    flags = ["--dtype", "bfloat16", "--max-model-len", "4096", "--revision", "abc", "--trust-remote-code"]
    before = server_arguments(config, one)
    assert before.settings["command"] == [*SERVERS["vllm"], *flags]
    block |= {"gpus": 4, "gpu_memory": 0.5}
    after = server_arguments(config, one)
    assert after.settings == before.settings
    assert after.options["more"] == ["--tensor-parallel-size", "4", "--gpu-memory-utilization", "0.5"]
    block["backend"] = "ollama"
    other = server_arguments(config, one)
    assert (other.settings["command"], other.options["more"]) == (list(SERVERS["ollama"]), [])


def test_runs_of_one_model_share_a_server(config: dict[str, Any]) -> None:
    there = {"prompt": {"endpoint": "https://here/v1"}}
    models = {"a": "lab/m-7b", "b": "lab/m-7b", "c": "lab/m_7b", "d": "lab/m-7b"}
    runs = {
        name: Run(name, "none", "prompt", model, "zh-en", "x", there if name == "d" else {})
        for name, model in models.items()
    }
    runs["e"] = run(model="lab/m-7b")  # which asks nobody
    found = servers(config, runs)
    assert found.keys() == {"a", "b", "c"} and found["a"] == found["b"] != found["c"]
    assert all(re.fullmatch(r"lab-m[-_]7b-[0-9a-f]{8}", name) for name in found.values())


@pytest.mark.parametrize(
    ("of_config", "of_run", "variable"),
    [
        ({}, {"endpoint": "https://a.example/v1"}, None),
        ({"endpoint": "https://a.example/v1", "key_variable": "A"}, {"temperature": 1}, "A"),
        (
            {"endpoint": "https://a.example/v1", "key_variable": "A"},
            {"endpoint": "https://a.example/v2"},
            "A",
        ),
        (
            {"endpoint": "https://a.example/v1", "key_variable": "A"},
            {"endpoint": "https://b.example/v1"},
            None,
        ),
        (
            {"endpoint": "https://a.example/v1", "key_variable": "A"},
            {"endpoint": "https://a.example:8/v1"},
            None,
        ),
        ({"key_variable": "A"}, {"endpoint": "https://b.example/v1"}, None),
        (
            {"endpoint": "https://a.example/v1", "key_variable": "A"},
            {"endpoint": "https://b.example/v1", "key_variable": "B"},
            "B",
        ),
    ],
)
def test_a_key_goes_to_the_host_that_it_was_named_for(
    config: dict[str, Any], of_config: dict[str, Any], of_run: dict[str, Any], variable: str | None
) -> None:
    config["generate"]["prompt"] |= of_config
    found = prompt_arguments(
        config, Run("a", "none", "prompt", "gpt", "zh-en", "adapt-zh-en", {"prompt": of_run})
    )
    assert found.options["client_settings"]["key_variable"] == variable


@pytest.mark.parametrize(
    ("settings", "variables"),
    [
        ({"endpoint": "https://api.openai.com/v1"}, ["OPENAI_API_KEY"]),
        ({"endpoint": "https://api.openai.com/v1", "key_variable": "LAB_KEY"}, ["LAB_KEY"]),
        ({"endpoint": "https://api.example/v1"}, []),
        ({"endpoint": "https://api.example/v1", "key_variable": "LAB_KEY"}, ["LAB_KEY"]),
        ({}, []),
    ],
)
def test_jobs_are_handed_the_keys_of_the_endpoints_that_runs_ask(
    settings: dict[str, str], variables: list[str], config: dict[str, Any]
) -> None:
    """OpenAI's, too, whose variable nobody has to name."""
    assert (
        key_variables(
            config, {"a": Run("a", "none", "prompt", "gpt", "zh-en", DISH, {"prompt": settings}, 7)}
        )
        == variables
    )
