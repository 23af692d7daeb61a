"""What a run gives the training of its model: what counts by value, by content, and not at all."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from wokflow.frame.arguments import Arguments, block_arguments
from wokflow.frame.config import fill
from wokflow.frame.runs import COLUMNS, Run, read_runs
from wokflow.train.arguments import model_given, model_gpus, model_memory, model_nodes, model_overrides
from wokflow.train.stage import run_problems

from tests.conftest import ROOT

SCHEMA: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.schema.yaml").read_text(encoding="utf-8"))
SPEED = {"device", "device_batch", "save_minutes", "shard", "gradient_checkpointing", "compile", "trackers"}


@pytest.fixture
def config() -> dict[str, Any]:
    values: dict[str, Any] = {}
    fill(values, SCHEMA)
    return values


def run(model: str = "small", data: str = "zh-en", **settings: Any) -> Run:
    return Run("a", "train", "seq2seq", model, data, "", {"model": settings}, 7)


def train_arguments(config: dict[str, Any], run: Run) -> Arguments:
    over, given = model_overrides(run), model_given(config, run)
    return block_arguments(config, SCHEMA, "train.model", over=over, given=given)


def test_a_training_depends_on_its_run_and_on_its_keys_of_the_config(config: dict[str, Any]) -> None:
    found = train_arguments(config, run(epochs=3, device="cpu", nodes=2, lora={"rank": 4}))
    assert {*found.options} == SPEED | {"processes", "nodes"}
    assert (found.options["device"], found.options["nodes"]) == ("cpu", 2)
    assert found.resources == {"prompt": None}
    block = config["train"]["model"]
    inner = {f"{name}.{key}": value for name in ("lora", "small") for key, value in block[name].items()}
    plain = {key: value for key, value in block.items() if key not in (*found.options, "lora", "small")}
    of_run = {"family": "seq2seq", "base": None, "languages": ("zh", "en"), "chat": "never", "seed": 7}
    assert found.settings == plain | inner | of_run | {"epochs": 3, "lora.rank": 4}


def test_a_base_model_counts_by_content_if_it_lies_here(
    config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "small"):
        (tmp_path / name).mkdir()
    assert train_arguments(config, run("mine")).resources == {"prompt": None, "base": "mine"}
    assert "base" not in train_arguments(config, run("mine")).settings
    for name, base in {"opus/mt": "opus/mt", "small": None}.items():
        found = train_arguments(config, run(name))
        assert (found.settings["base"], found.resources) == (base, {"prompt": None})


def test_without_references_the_loss_decides(config: dict[str, Any]) -> None:
    assert train_arguments(config, run()).settings["metric"] == "auto"
    found = train_arguments(config, run(data="counterfactual")).settings
    assert (found["metric"], found["languages"]) == ("loss", None)
    assert config["train"]["model"]["metric"] == "auto"


def test_a_causal_model_learns_the_prompt_that_it_will_be_asked(config: dict[str, Any]) -> None:
    asked = Run("a", "train", "causal", "qwen", "zh-en", "adapt-zh-en", {"decode": {"chat": "never"}}, 7)
    found = train_arguments(config, asked)
    assert found.settings["chat"] == "never"
    assert str(found.resources["prompt"]).endswith("resources/prompts/adapt-zh-en.txt")
    bare = train_arguments(config, replace(asked, prompt="", settings={}))
    assert (bare.settings["chat"], bare.resources) == ("never", {"prompt": None})
    assert train_arguments(config, replace(asked, settings={})).settings["chat"] == "auto"


def test_the_row_in_the_docs_is_one_and_asks_for_what_they_say(
    config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the model in the hub's cache, as the first line there has it: 15.23 GB of weights."""
    cached = tmp_path / "hub" / "models--Qwen--Qwen2.5-7B-Instruct" / "snapshots" / "a"
    cached.mkdir(parents=True)
    with (cached / "model.safetensors").open("wb") as weights:
        weights.truncate(15_231_271_856)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    section = (ROOT / "docs" / "runs.md").read_text(encoding="utf-8").partition("### A 7B model")[2]
    row, settings = re.findall(r"`((?:qwen  |model\.)[^`]+)`", section)[:2]
    cells = row.replace("SETTINGS", " ".join(settings.split())).split("  ")
    table = tmp_path / "my_runs.tsv"
    table.write_text("\t".join([*COLUMNS][:8]) + "\n" + "\t".join(cells) + "\n")
    runs = read_runs(str(table), SCHEMA)
    assert not [*run_problems(config, runs)]
    qwen = runs["qwen"]
    asked = (model_nodes(config, qwen), model_gpus(config, qwen), round(model_memory(config, qwen) / 1000))
    said = re.search(r"ask for (\w+) nodes with (\w+) GPUs and (\d+) GB each", section)
    assert said and said.groups() == ("two", "four", str(asked[2])) and asked[:2] == (2, 4)


@pytest.mark.parametrize(
    ("family", "settings", "said"),
    [
        ("causal", {"device_batch": "auto", "nodes": 2}, "device_batch: auto is for one process only"),
        ("causal", {"shard": True}, "there is only one: set processes or nodes"),
        ("seq2seq", {"shard": True, "processes": 2}, "shard is for causal models"),
        ("causal", {"shard": True, "processes": 2, "lora": {"rank": 4}}, "neither with lora.rank nor"),
        ("seq2seq", {"packing": True}, "model.packing is for causal models"),
        ("causal", {"lora": {"base": "nf4"}}, "set model.lora.rank too"),
        ("causal", {"lora": {"base": "nf4", "rank": 4}, "device_batch": "auto", "packing": True}, None),
    ],
)
def test_settings_that_no_training_can_have_are_refused_before_a_job_waits_for_a_gpu(
    family: str, settings: dict[str, Any], said: str | None, config: dict[str, Any]
) -> None:
    runs = {"a": replace(run("opus", **settings), family=family)}
    assert [said in one for one in run_problems(config, runs) if said] == [True] * bool(said)
    assert said or not [*run_problems(config, runs)]
    untrained = {"a": replace(runs["a"], stage="none")}
    assert not [*run_problems(config, untrained)]


def test_gpus_and_nodes(config: dict[str, Any]) -> None:
    two_by_two = {"processes": 2, "nodes": 2}
    cases = {
        0: [run(), run("opus", device="cpu"), run(**two_by_two)],
        1: [run("opus"), run("opus", processes=1, nodes=2)],
        2: [run("opus", **two_by_two)],
    }
    assert {count: [model_gpus(config, one) for one in runs] for count, runs in cases.items()} == {
        count: [count] * len(runs) for count, runs in cases.items()
    }
    assert model_nodes(config, run(**two_by_two)) == 2


def test_memory_follows_processes_the_size_of_the_model_and_what_of_it_learns(
    config: dict[str, Any], tmp_path: Path
) -> None:
    with (tmp_path / "model.safetensors").open("wb") as weights:
        weights.truncate(14_000_000_000)
    folder, adapters = str(tmp_path), {"rank": 16}
    asked = {
        4_000: run(),
        8_000: run(processes=2),
        16_000: run("opus"),
        64_000: run("opus", processes=4),
        112_000: run(folder, processes=2),
        56_000: run(folder, processes=2, lora=adapters),
        28_000: run("Qwen/Qwen2.5-7B-Instruct", lora=adapters),
        88_000: run(folder, processes=2, shard=True),
    }
    assert {mb: model_memory(config, one) for mb, one in asked.items()} == {mb: mb for mb in asked}
