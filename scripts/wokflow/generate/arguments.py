"""What the table of runs and the config give to the steps of stage generate, and what their jobs ask for."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from wokflow.frame.arguments import Arguments, model_arguments
from wokflow.frame.runs import OF_RUN, Run
from wokflow.frame.secrets import variable_for

# Keys of generate.prompt that change neither requests nor prices. The schema declares them as `counts: never`.
CLIENT = (
    "key_variable",
    "concurrency",
    "timeout_s",
    "tries",
    "failures",
    "budget",
    "budget_tokens",
)
SEARCH = (  # keys of generate.decode that are fields of Decoding
    "beams",
    "repetition_penalty",
    "no_repeat_ngram",
    "max_source_tokens",
    "max_tokens",
    "temperature",
    "batch",
)
SERVERS: dict[str, tuple[str, ...]] = {  # the command of each backend of generate.server
    "vllm": ("vllm", "serve", "{model}", "--uds", "{socket}"),
    "ollama": ("env", "OLLAMA_HOST={host}:{port}", "ollama", "serve"),
    "transformers": ("transformers", "serve", "{model}", "--host", "{host}", "--port", "{port}"),
}


def decode_arguments(config: Mapping[str, Any], run: Run) -> Arguments:
    """Arguments of generate_decode. A model that another rule trains goes by the name of its run."""
    block = run.over("decode", config["generate"]["decode"])
    if run.model_run:
        settings, resources = model_arguments(model=OF_RUN + run.model_run)
    else:
        settings, resources = model_arguments(model=run.model)
    settings |= {
        "family": run.family,
        "seed": run.seed,
        "languages": run.languages,
        "shots": block["shots"] if run.pair and run.family == "causal" else 0,
        "decoding": {name: block[name] for name in SEARCH},
        **{name: block[name] for name in ("backend", "revision", "precision", "remote_code", "chat")},
    }
    placement = {name: block[name] for name in ("device", "gpus", "gpu_memory", "python")}
    return Arguments(settings, resources | {"prompt": run.prompt_file}, {"placement": placement})


def decode_gpus(config: Mapping[str, Any], run: Run) -> int:
    """GPUs of a job of generate_decode."""
    block = run.over("decode", config["generate"]["decode"])
    if run.small or block["device"] == "cpu":
        return 0
    return int(block["gpus"]) if block["backend"] == "vllm" else 1


def prompt_arguments(config: Mapping[str, Any], run: Run) -> Arguments:
    """Arguments of generate_prompt. `command` is that of the workflow's own server, if the run asks it."""
    block = _prompt(config, run)
    settings, resources = model_arguments(model=run.model)
    settings |= {
        "lang": run.target_language,
        "languages": run.languages,
        "shots": block["shots"] if run.pair else 0,
        "seed": run.seed,
        "request_settings": {name: value for name, value in block.items() if name not in (*CLIENT, "shots")},
        "command": server_command(config) if uses_server(config, run) else None,
    }
    options = {
        "client_settings": {name: block[name] for name in CLIENT},
        "cache": f"{config['results']}/generate/cache",
        "ledger": f"{config['results']}/generate/ledger/{run.name}.jsonl",
    }
    return Arguments(settings, resources | {"prompt": run.prompt_file}, options)


def key_variables(config: Mapping[str, Any], runs: Mapping[str, Run]) -> list[str]:
    """Names of the environment variables that hold the keys of endpoints that prompt runs ask."""
    blocks = [_prompt(config, run) for run in runs.values() if run.family == "prompt"]
    asked = [block for block in blocks if block["endpoint"]]
    return sorted(filter(None, {variable_for(block["endpoint"], block["key_variable"]) for block in asked}))


def server_arguments(config: Mapping[str, Any], run: Run) -> Arguments:
    """Arguments of generate_server, for the model of a run. How vLLM lies on its GPUs is not in the key."""
    settings, resources = model_arguments(model=run.model)
    settings["command"] = server_command(config)
    server = config["generate"]["server"]
    # transformers serve lists what lies in the cache of the hub, whatever model it serves
    options = {"start_minutes": server["minutes"], "lists_model": server["backend"] != "transformers"}
    placed = {"--tensor-parallel-size": server["gpus"], "--gpu-memory-utilization": server["gpu_memory"]}
    options["more"] = _flags(placed) if server["backend"] == "vllm" and server["gpus"] else []
    return Arguments(settings, resources, options)


def server_command(config: Mapping[str, Any]) -> list[str]:
    """The command of the workflow's own server, with places for the model and for where it listens."""
    server = config["generate"]["server"]
    if server["backend"] != "vllm":
        return list(server["command"] if server["backend"] == "command" else SERVERS[server["backend"]])
    chosen = {
        "--dtype": None if server["precision"] == "auto" else server["precision"],
        "--max-model-len": server["max_length"],
        "--revision": server["revision"],
    }
    return [*SERVERS["vllm"], *_flags(chosen), *(["--trust-remote-code"] if server["remote_code"] else [])]


def _flags(values: Mapping[str, Any]) -> list[str]:
    return [word for flag, value in values.items() if value for word in (flag, str(value))]


def uses_server(config: Mapping[str, Any], run: Run) -> bool:
    """Whether a prompt run asks the workflow's own server, as it is given no endpoint."""
    return run.family == "prompt" and not _prompt(config, run)["endpoint"]


def servers(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    """The server of each run that asks one of the workflow's own; runs of one model share it.

    Its name can stand in a path: the end of the model's name, and a digest of all of it.
    """
    asking = {name: run.model for name, run in runs.items() if uses_server(config, run)}
    return {
        name: re.sub(r"\W+", "-", model, flags=re.ASCII)[-40:]
        + f"-{hashlib.sha256(model.encode()).hexdigest()[:8]}"
        for name, model in asking.items()
    }


def _prompt(config: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """The run's settings of generate.prompt. A key that the config names for its endpoint goes to no other host."""
    block = config["generate"]["prompt"]
    merged = run.over("prompt", block)
    if "key_variable" not in run.settings.get("prompt", {}) and _host(merged) != _host(block):
        merged["key_variable"] = None
    return merged


def _host(block: Mapping[str, Any]) -> str | None:
    return urlsplit(block["endpoint"] or "").netloc
