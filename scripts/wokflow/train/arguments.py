"""What the table of runs and the config give to the steps of stage train, and what their jobs ask for."""

from collections.abc import Mapping
from typing import Any

from wokflow.frame.arguments import Arguments, Paths, model_arguments
from wokflow.frame.runs import FROM_SCRATCH, LARGE_MB, Run

# Keys of config block train.model. Those of SPEED and PROCESSES do not change what is learnt: in the schema they are
# `counts: never`.
SPEED = (
    "device",
    "device_batch",
    "save_minutes",
    "shard",
    "gradient_checkpointing",
    "compile",
    "trackers",
)
PROCESSES = ("processes", "nodes")
OTHERS = ("revision", "valid_beams")  # of the base model, and of validation


def train_arguments(config: Mapping[str, Any], run: Run) -> Arguments:
    """Arguments of train_model. Rewriting has no references for BLEU, so the loss decides which epoch is best.

    A causal model learns to answer the prompt that it will be asked, in the form that generate.decode.chat says.
    """
    block = _block(config, run)
    fit = {name: value for name, value in block.items() if name not in (*SPEED, *PROCESSES, *OTHERS)}
    if run.languages is None:
        fit["metric"] = "loss"
    settings = {"family": run.family, "seed": run.seed, "languages": run.languages, "fit": fit}
    settings |= {name: block[name] for name in OTHERS}
    prompt = run.prompt_file if run.family == "causal" else None
    settings["chat"] = run.over("decode", config["generate"]["decode"])["chat"] if prompt else "never"
    resources: dict[str, Paths] = {"prompt": prompt}
    if run.model == FROM_SCRATCH:
        settings["base"] = run.model
    else:
        named, local = model_arguments(base=run.model)
        settings, resources = settings | named, resources | local
    options = {"speed": {name: block[name] for name in SPEED}} | {name: block[name] for name in PROCESSES}
    return Arguments(settings, resources, options)


def train_nodes(config: Mapping[str, Any], run: Run) -> int:
    """Nodes of the job of train_model."""
    return int(_block(config, run)["nodes"])


def train_gpus(config: Mapping[str, Any], run: Run) -> int:
    """GPUs of the job of train_model on each of its nodes: one for each process there."""
    block = _block(config, run)
    if run.small or block["device"] == "cpu":
        return 0
    return int(block["processes"])


def train_memory(config: Mapping[str, Any], run: Run) -> int:
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
