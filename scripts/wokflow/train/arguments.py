"""Settings of the training of a model that depend on its run, and the resources of its job."""

from collections.abc import Mapping
from typing import Any

from wokflow.frame.runs import FROM_SCRATCH, LARGE_MB, Run


def model_overrides(run: Run) -> dict[str, Any]:
    """A run's overrides of train.model: its own values, and metric loss for runs without references for BLEU."""
    own = dict(run.settings.get("model", {}))
    return own if run.languages else own | {"metric": "loss"}


def model_given(config: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """Settings of train.model that depend on the run.

    A causal model learns to answer the prompt with which it will be asked, in the form set by generate.decode.chat.
    """
    prompt = run.prompt_file if run.family == "causal" else None
    decode = run.over("decode", config["generate"]["decode"])
    return {
        "family": run.family,
        "base": None if run.model == FROM_SCRATCH else run.model,
        "languages": run.languages,
        "prompt": prompt,
        "chat": decode["chat"] if prompt else "never",
        "seed": run.seed,
    }


def model_nodes(config: Mapping[str, Any], run: Run) -> int:
    """Number of nodes of the job of train_model."""
    return int(_block(config, run)["nodes"])


def model_gpus(config: Mapping[str, Any], run: Run) -> int:
    """Number of GPUs on each node of the job of train_model: one for each process."""
    block = _block(config, run)
    if run.small or block["device"] == "cpu":
        return 0
    return int(block["processes"])


def model_memory(config: Mapping[str, Any], run: Run) -> int:
    """MB of memory of the job of train_model on each of its nodes.

    Weights are counted with 16 bits each. Each process loads the model: this takes four times the weights if all of
    them are trained (32 bits, and a checkpoint or the optimizer as well), twice if only adapters are. A sharded model
    is loaded by one process for all, which also gathers it at the end.
    """
    block, weights = _block(config, run), run.weights_mb or 0
    processes = int(block["processes"])
    if run.small:
        return run.memory_mb * processes
    if block["shard"]:
        return 4 * weights + processes * LARGE_MB
    times = 2 if block["lora"]["rank"] else 4
    return processes * max(LARGE_MB, times * weights)


def _block(config: Mapping[str, Any], run: Run) -> dict[str, Any]:
    return run.over("model", config["train"]["model"])
