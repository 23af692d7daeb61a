"""What generate's steps are given: what counts by value, by content, and not at all."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from wokflow.frame.arguments import Arguments, block_arguments
from wokflow.frame.config import fill
from wokflow.frame.runs import Run
from wokflow.generate.arguments import (
    budgets,
    decode_given,
    decode_gpus,
    decode_overrides,
    key_variables,
    prompt_given,
    prompt_overrides,
    server_problems,
    servers,
    uses_server,
    with_server,
)
from wokflow.generate.served import COMMANDS, server_command
from wokflow.generate.server import placement
from wokflow.generate.settings import PromptSettings, ServerSettings
from wokflow.generate.stage import run_problems

from tests.conftest import ROOT

SCHEMA: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.schema.yaml").read_text(encoding="utf-8"))
DISH = "resources/prompts/dish.txt"
FLAGS = ["--dtype", "bfloat16", "--max-model-len", "4096", "--revision", "abc", "--trust-remote-code"]
VLLM = {"precision": "bfloat16", "max_length": 4096, "revision": "abc", "remote_code": True}


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


def decoded(config: dict[str, Any], one: Run) -> Arguments:
    return block_arguments(
        config, SCHEMA, "generate.decode", over=decode_overrides(one), given=decode_given(one)
    )


def prompted(config: dict[str, Any], one: Run) -> Arguments:
    over, given = prompt_overrides(config, one), prompt_given(config, one)
    return block_arguments(with_server(config, one), SCHEMA, "generate.prompt", over=over, given=given)


def served(config: dict[str, Any], one: Run) -> Arguments:
    return block_arguments(with_server(config, one), SCHEMA, "generate.server", given={"model": one.model})


def all_of(found: Arguments) -> dict[str, Any]:
    return {**found.settings, **found.resources, **found.options}


def test_decoding_depends_on_its_run_and_on_its_keys_of_the_config(config: dict[str, Any]) -> None:
    found = decoded(config, run(prompt="dish", decode={"beams": 1, "shots": 2, "device": "cpu", "shards": 3}))
    block = config["generate"]["decode"]
    placement = {"device": "cpu", "gpus": 1, "gpu_memory": 0.9, "python": None}
    counted = {name: block[name] for name in block.keys() - {*placement, "shards"}}
    of_run = {"run": "a", "family": "causal", "seed": 7, "languages": ("zh", "en"), "model": "opus"}
    assert found.settings == counted | {"beams": 1, "shots": 0} | of_run
    assert found.resources == {"prompt": DISH}
    assert found.options == placement


def test_exemplars_are_for_runs_on_sentences(config: dict[str, Any]) -> None:
    for pair, shots in (("", 0), ("en-zh", 3)):
        config["generate"]["decode"]["shots"] = config["generate"]["prompt"]["shots"] = 3
        one = replace(run(), pair=pair)
        assert decoded(config, one).settings["shots"] == prompted(config, one).settings["shots"] == shots
    assert decoded(config, replace(one, family="seq2seq")).settings["shots"] == 0


def test_a_model_that_another_rule_trains_goes_by_its_run(config: dict[str, Any]) -> None:
    trained = Run("a", "train", "causal", "small", "zh-en", "")
    lent = Run("b", "none", "causal", "run:a", "zh-en", "", lender=trained)
    for one in (trained, lent):
        found = decoded(config, one)
        assert (found.settings["model"], found.resources) == ("run:a", {"prompt": None})


@pytest.mark.parametrize("arguments", [decoded, prompted, served])
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
    asked = {"endpoint": url, "tries": 2, "temperature": 1}
    found = prompted(config, Run("a", "none", "prompt", "gpt", "zh-en", "dish", {"prompt": asked}))
    paths = {"cache": "out/generate/cache", "ledger": "out/generate/ledger/a.jsonl"}
    of_client = ("key_variable", "concurrency", "timeout_s", "failures", "budget", "budget_tokens")
    block = config["generate"]["prompt"]
    assert found.options == {name: block[name] for name in of_client} | paths | {"tries": 2}
    counted = {name: block[name] for name in block.keys() - found.options.keys()}
    of_run = {"run": "a", "model": "gpt", "lang": "en", "languages": ("zh", "en"), "draw": 13}
    assert found.settings == counted | of_run | {"endpoint": url, "temperature": 1}
    assert found.resources == {"prompt": DISH, "released": None}
    settings = PromptSettings.of_job(all_of(found))
    assert repr(settings.temperature) == "1"  # as kept requests have it


@pytest.mark.parametrize(
    ("own", "command"),
    [
        ({"backend": "command", "command": ["mine", "{port}"]}, ["mine", "{port}"]),
        ({"backend": "ollama", **VLLM}, COMMANDS["ollama"]),
        ({"backend": "vllm"}, COMMANDS["vllm"]),
        (
            {"backend": "vllm", "command": ["mine"], **VLLM},
            [*COMMANDS["vllm"], *FLAGS],
        ),
    ],
)
def test_without_an_endpoint_the_own_server_is_asked_whose_command_both_know(
    config: dict[str, Any], own: dict[str, Any], command: Any
) -> None:
    """Settings of other backends are given to neither."""
    config["generate"]["server"] |= own
    one = run("prompt", "counterfactual", "dish", model="gpt")
    assert uses_server(config, one)
    found, server = prompted(config, one), served(config, one)
    assert found.settings["lang"] == "zh"
    assert server_command(PromptSettings.of_job(all_of(found))) == list(command)
    assert server_command(ServerSettings.of_job(all_of(server))) == list(command)
    others = {"command"} if own["backend"] != "command" else set()
    others |= set(VLLM) if own["backend"] != "vllm" else set()
    assert not others & (found.settings.keys() | server.settings.keys())
    config["generate"]["prompt"]["endpoint"] = "https://here/v1"
    assert not uses_server(config, one)
    assert not {"backend", "command", *VLLM} & prompted(config, one).settings.keys()


def test_how_vllm_lies_on_its_gpus_is_said_behind_its_command_and_does_not_count(
    config: dict[str, Any],
) -> None:
    block, one = config["generate"]["server"], run("prompt", "counterfactual", "dish", model="gpt")
    before = served(config, one)
    block |= {"gpus": 4, "gpu_memory": 0.5}
    after = served(config, one)
    assert after.settings == before.settings
    flags = ["--tensor-parallel-size", "4", "--gpu-memory-utilization", "0.5"]
    assert placement(ServerSettings.of_job(all_of(after))) == flags
    block["gpus"] = 0
    assert placement(ServerSettings.of_job(all_of(served(config, one)))) == []
    block |= {"gpus": 4, "backend": "ollama"}
    assert placement(ServerSettings.of_job(all_of(served(config, one)))) == []


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


def test_rows_give_their_server_settings_of_its_own(config: dict[str, Any]) -> None:
    """GPUs change no answer, and so no key; a revision counts for the runs of its model alone."""
    plain = run("prompt", "counterfactual", "dish", model="small")
    large = run("prompt", "counterfactual", "dish", model="large")
    before = prompted(config, plain), prompted(config, large)
    placed = replace(large, settings={"server": {"gpus": 4, "memory_mb": 9}})
    assert prompted(config, placed) == before[1]
    assert served(config, placed).options["gpus"] == 4 and served(config, plain).options["gpus"] == 1
    pinned = replace(large, settings={"server": {"revision": "abc"}})
    assert prompted(config, pinned).settings == before[1].settings | {"revision": "abc"}
    for found in (prompted(config, pinned), served(config, pinned)):
        assert server_command(
            (PromptSettings if "prompt" in found.resources else ServerSettings).of_job(all_of(found))
        )[-2:] == ["--revision", "abc"]
    assert prompted(config, plain) == before[0]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({"server": {"gpus": 4}}, {"server": {"gpus": 4}}, []),
        ({"server": {"gpus": 1}}, {}, []),  # as the config
        ({"server": {"gpus": 4}}, {}, ["b: server.gpus is 1, but 4 for a"]),
        ({}, {"server": {"gpus": 4}}, ["b: server.gpus is 4, but 1 for a"]),
        (
            {"server": {"gpus": 4}},
            {"server": {"gpus": 2}, "prompt": {"endpoint": "https://here/v1"}},
            ["b: it names an endpoint"],
        ),
    ],
)
def test_rows_of_one_server_agree(
    config: dict[str, Any], first: dict[str, Any], second: dict[str, Any], said: list[str]
) -> None:
    runs = {
        name: Run(name, "none", "prompt", "m", "zh-en", "x", settings)
        for name, settings in (("a", first), ("b", second))
    }
    found = [*server_problems(config, runs, servers(config, runs), "mine.tsv")]
    assert len(found) == len(said) and all(map(str.startswith, found, said))


@pytest.mark.parametrize(
    ("table", "answers", "own", "said"),
    [
        ("mine.tsv", None, {}, ["a: it asks generate.prompt.endpoint"]),
        ("config/runs.tsv", None, {}, ["a: it asks generate.prompt.endpoint"]),
        ("config/dialogue_runs.tsv", None, {}, []),
        ("mine.tsv", None, {"prompt": {"endpoint": None}}, []),
        ("config/dialogue_runs.tsv", "a.parquet", {}, ["a: it has answers"]),
    ],
)
def test_settings_of_a_server_that_nobody_asks_are_refused_but_in_the_papers_tables(
    table: str, answers: str | None, own: dict[str, Any], said: list[str], config: dict[str, Any]
) -> None:
    config["generate"]["prompt"]["endpoint"] = "https://here/v1"
    settings = {"server": {"gpus": 4}} | own
    runs = {"a": Run("a", "none", "prompt", "m", "zh-en", "x", settings, answers=answers)}
    found = [*server_problems(config, runs, servers(config, runs), table)]
    assert len(found) == len(said) and all(map(str.startswith, found, said))


def test_a_chain_that_is_over_before_its_texts_count_is_refused(config: dict[str, Any]) -> None:
    own = {"short": {"steps": 60}, "both": {"steps": 60, "burn_in": 58}, "as the config": {}}
    runs = {
        name: Run(name, "none", "educat", "m", "counterfactual", "dish", {"educat": values})
        for name, values in own.items()
    }
    [said] = run_problems(config, runs)
    assert said.startswith("run short: educat.burn_in is 60 and educat.steps 60")


def test_what_vllm_cannot_do_is_refused_before_a_model_is_trained_for_it(config: dict[str, Any]) -> None:
    greedy = {"beams": 1, "repetition_penalty": 1, "no_repeat_ngram": 0}
    own = {"beams": {"backend": "vllm"}, "greedy": greedy | {"backend": "vllm"}, "here": {}}
    runs = {
        name: Run(name, "train", "causal", "m", "zh-en", "", {"decode": values})
        for name, values in own.items()
    }
    [said] = run_problems(config, runs)
    assert said.startswith("run beams: generate.decode.backend: vllm does not support beams=3, ")


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
    found = prompted(config, Run("a", "none", "prompt", "gpt", "zh-en", "adapt-zh-en", {"prompt": of_run}))
    assert found.options["key_variable"] == variable


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


def test_what_all_that_ask_may_spend_together_is_said_before_a_run(config: dict[str, Any]) -> None:
    one = run("prompt")
    dear, replayed = (
        replace(one, settings={"prompt": {"budget": 2.5}}),
        replace(one, answers="released.parquet"),
    )
    assert budgets(config, [one, one]) == ""
    assert "together they may cost 2.5, and 1 have no limit." in budgets(config, [one, dear, replayed])
    config["generate"]["prompt"] |= {"budget": 10.0, "budget_tokens": 1000}
    assert budgets(config, [one, replayed, run("causal")]) == ""
    said = budgets(config, [one, dear, one])
    assert said.startswith("3 runs and models are asked, each within a budget of its own")
    assert said.endswith("together they may cost 22.5 and 3000 tokens.")
