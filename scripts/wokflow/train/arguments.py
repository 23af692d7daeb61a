"""What the table of runs gives to the training of a model, and what its job asks for."""

from collections.abc import Mapping
from typing import Any

from wokflow.frame.runs import FROM_SCRATCH, LARGE_MB, Run


def model_overrides(run: Run) -> dict[str, Any]:
    """What a run lays over train.model: its own values, and the loss where BLEU has no references."""
    own = dict(run.settings.get("model", {}))
    return own if run.languages else own | {"metric": "loss"}


def model_given(config: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """What train.model is given of its run.

    A causal model learns to answer the prompt that it will be asked, in the form that generate.decode.chat says.
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
    """Nodes of the job of train_model."""
    return int(_block(config, run)["nodes"])


def model_gpus(config: Mapping[str, Any], run: Run) -> int:
    """GPUs of the job of train_model on each of its nodes: one for each process there."""
    block = _block(config, run)
    if run.small or block["device"] == "cpu":
        return 0
    return int(block["processes"])


def model_memory(config: Mapping[str, Any], run: Run) -> int:
    """MB of memory of the job of train_model on each of its nodes.

    Weights are counted as numbers of 16 bits. Each process reads the model into memory: four times the weights where
    all of them learn (32 bits, and a checkpoint or the optimizer beside), twice where adapters do. A model that is
    shared out is read by one process for all, which gathers it again at the end.
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
