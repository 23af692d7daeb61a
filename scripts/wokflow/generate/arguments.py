"""What the table of runs gives to the steps of stage generate, and what their jobs ask for."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from wokflow.frame.arguments import merged
from wokflow.frame.digests import command_digest
from wokflow.frame.runs import OF_RUN, ROOT, Run, located
from wokflow.frame.secrets import variable_for


class Asked(Protocol):
    """The columns that say how a model is asked, of the table of runs or of another one."""

    @property
    def family(self) -> str: ...

    @property
    def pair(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, Mapping[str, Any]]: ...

    @property
    def answers(self) -> str | None: ...


Row = TypeVar("Row", bound=Asked)


def decode_overrides(run: Run) -> dict[str, Any]:
    """What a run overrides of generate.decode.

    Exemplars are only shown to models that get an instruction with sentences.
    """
    own = dict(run.settings.get("decode", {}))
    return own if run.pair and run.family == "causal" else own | {"shots": 0}


def decode_given(run: Run) -> dict[str, Any]:
    """What generate.decode is given of its run. A model that another rule trains goes by the name of its run."""
    return {
        "run": run.name,
        "family": run.family,
        "model": OF_RUN + run.model_run if run.model_run else run.model,
        "languages": run.languages,
        "prompt": run.prompt_file,
        "seed": run.seed,
    }


def rewriting_given(config: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """The settings of a run that rewrites by a causal model.

    Its prompt has the form that the model was trained on.
    """
    chat = (run.lender or run).over("decode", config["generate"]["decode"])["chat"]
    names = ("run", "model", "prompt", "seed")
    return {**{name: value for name, value in decode_given(run).items() if name in names}, "chat": chat}


def decode_gpus(config: Mapping[str, Any], run: Run) -> int:
    """GPUs of a job that runs a model itself: generate_decode, or the rule of a rewriting family."""
    block = run.over(run.step, config["generate"][run.step])
    if run.small or block["device"] == "cpu":
        return 0
    return int(block["gpus"]) if block.get("backend") == "vllm" else 1


def prompt_overrides(config: Mapping[str, Any], run: Asked) -> dict[str, Any]:
    """What a run overrides of generate.prompt.

    The key variable of the config's endpoint is dropped for an endpoint on another host.
    """
    own = dict(run.settings.get("prompt", {}))
    endpoint = config["generate"]["prompt"]["endpoint"]
    if "key_variable" not in own and _host(own.get("endpoint", endpoint)) != _host(endpoint):
        own["key_variable"] = None
    return own if run.pair else own | {"shots": 0}


def prompt_given(config: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """What generate.prompt is given of its run, and where it keeps answers and costs."""
    folder = f"{config['results']}/generate"
    return {
        "run": run.name,
        "model": run.model,
        "lang": run.target_language,
        "languages": run.languages,
        "prompt": run.prompt_file,
        "draw": run.seed,
        "cache": f"{folder}/cache",
        "ledger": f"{folder}/ledger/{run.name}.jsonl",
        "released": run.answers,
    }


def key_variables(config: Mapping[str, Any], runs: Mapping[str, Asked]) -> list[str]:
    """Names of the environment variables that hold the keys of endpoints that prompt runs ask."""
    asking = [run for run in runs.values() if run.family == "prompt" and not run.answers]
    blocks = [_prompt(config, run) for run in asking]
    asked = [block for block in blocks if block["endpoint"]]
    return sorted(filter(None, {variable_for(block["endpoint"], block["key_variable"]) for block in asked}))


def uses_server(config: Mapping[str, Any], run: Asked) -> bool:
    """Whether a prompt run asks the workflow's own server, as it is given neither an endpoint nor answers."""
    return run.family == "prompt" and not run.answers and not _prompt(config, run)["endpoint"]


def servers(config: Mapping[str, Any], runs: Mapping[str, Asked]) -> dict[str, str]:
    """The server of each run that asks one of the workflow's own; runs of one model share it.

    Its name can stand in a path: the end of the model's name, and a digest of all of it.
    """
    asking = {name: run.model for name, run in runs.items() if uses_server(config, run)}
    return {
        name: re.sub(r"\W+", "-", model, flags=re.ASCII)[-40:]
        + f"-{hashlib.sha256(model.encode()).hexdigest()[:8]}"
        for name, model in asking.items()
    }


def with_server(config: Mapping[str, Any], run: Asked) -> dict[str, Any]:
    """The config with the settings that a run has of its own for the server that it asks."""
    generate = config["generate"]
    return {
        **config,
        "generate": {**generate, "server": merged(generate["server"], run.settings.get("server", {}))},
    }


def server_problems(
    config: Mapping[str, Any], runs: Mapping[str, Asked], servers: Mapping[str, str], table: str
) -> Iterator[str]:
    """Settings of a server that the runs which share it do not agree on, and those that no server reads.

    Rows of a `table` of the papers may keep theirs under generate.prompt.endpoint, so that this key alone has the
    papers' models asked elsewhere.
    """
    first: dict[str, str] = {}
    for name, server in servers.items():
        other = first.setdefault(server, name)
        own, others = (with_server(config, runs[one])["generate"]["server"] for one in (name, other))
        for key in [key for key in own if own[key] != others[key]]:
            yield (
                f"{name}: server.{key} is {own[key]}, but {others[key]} for {other}, and one server of "
                f"{runs[name].model} answers both: give all its rows the same server.* settings."
            )
    for name, run in runs.items():
        if "server" not in run.settings or uses_server(config, run):
            continue
        if run.answers:
            yield f"{name}: it has answers, so nothing reads its settings server.*: take them out."
        elif run.settings.get("prompt", {}).get("endpoint"):
            yield f"{name}: it names an endpoint, so nothing reads its settings server.*: take them out."
        elif not _of_papers(table):
            yield (
                f"{name}: it asks generate.prompt.endpoint, so nothing reads its settings server.*: take them out "
                "or, for the workflow's own server, add prompt.endpoint=null."
            )


def served(runs: Mapping[str, Row], servers: Mapping[str, str], server: str) -> list[Row]:
    """The runs that share a server; `servers` has that of each run."""
    return [runs[run] for run, name in servers.items() if name == server]


def beside(runs: Mapping[str, Run], servers: Mapping[str, str], run: str) -> list[Run]:
    """A prompt run and the other runs of its server."""
    return served(runs, servers, servers[run]) if run in servers else [runs[run]]


def _prompt(config: Mapping[str, Any], run: Asked) -> dict[str, Any]:
    """The settings of generate.prompt for a run."""
    return merged(config["generate"]["prompt"], prompt_overrides(config, run))


def budgets(config: Mapping[str, Any], asking: Iterable[Asked]) -> str:
    """What runs and models that ask may cost together; empty if one alone asks, or none has a budget."""
    blocks = [_prompt(config, one) for one in asking if one.family == "prompt" and not one.answers]
    limits = {
        what: [block[key] for block in blocks if block[key] is not None]
        for key, what in {"budget": "", "budget_tokens": " tokens"}.items()
    }
    sums = [f"{sum(of):g}{what}" for what, of in limits.items() if of]
    if len(blocks) < 2 or not sums:
        return ""
    without = sum(block["budget"] is None and block["budget_tokens"] is None for block in blocks)
    return (
        f"{len(blocks)} runs and models are asked, each within a budget of its own (generate.prompt.budget), for all "
        f"its starts; together they may cost {' and '.join(sums)}"
        + (f", and {without} have no limit." if without else ".")
    )


def _of_papers(table: str) -> bool:
    """Whether a table of runs or models came with the workflow; config/runs.tsv is the user's."""
    path = Path(located(table)).resolve()
    return path.parent == ROOT / "config" and path.name != "runs.tsv"


def _host(endpoint: str | None) -> str:
    return urlsplit(endpoint or "").netloc


def server_files(block: Mapping[str, Any]) -> str:
    """The digest of the files that a command of `generate.server` names, as weights; empty for other backends."""
    return command_digest(block["command"] or ()) if block["backend"] == "command" else ""
