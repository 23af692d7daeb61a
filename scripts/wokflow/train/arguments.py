"""What the table of runs and the config give to the steps of stage train, and what their jobs ask for."""

from collections.abc import Mapping
from typing import Any

from wokflow.frame.arguments import Arguments, Paths, model_arguments
from wokflow.frame.runs import FROM_SCRATCH, Run

# Keys of config block train.model. Those of SPEED and PROCESSES do not change what is learnt: in the schema they are
# `counts: never`.
SPEED = ("device", "device_batch", "save_minutes", "gradient_checkpointing")
PROCESSES = ("processes", "nodes")
OTHERS = ("revision", "valid_beams")  # of the base model, and of validation


def gold_arguments(config: Mapping[str, Any], direction: str) -> Arguments:
    """Arguments of train_pairs and generate_instances: the direction's gold set, which counts by content."""
    simplified = config["ingest"]["recipes"]["simplified"]
    return Arguments({"simplified": simplified}, {"gold": config["train"]["gold"][direction]})


def train_arguments(config: Mapping[str, Any], run: Run) -> Arguments:
    """Arguments of train_model. Rewriting has no references for BLEU, so the loss decides which epoch is best."""
    block = _block(config, run)
    fit = {name: value for name, value in block.items() if name not in (*SPEED, *PROCESSES, *OTHERS)}
    if run.languages is None:
        fit["metric"] = "loss"
    settings = {"family": run.family, "seed": run.seed, "languages": run.languages, "fit": fit}
    settings |= {name: block[name] for name in OTHERS}
    resources: dict[str, Paths] = {}
    if run.model == FROM_SCRATCH:
        settings["base"] = run.model
    else:
        named, resources = model_arguments(base=run.model)
        settings |= named
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
    """MB of memory of the job of train_model on each of its nodes: each process there holds a model of its own."""
    return run.memory_mb * int(_block(config, run)["processes"])


def _block(config: Mapping[str, Any], run: Run) -> dict[str, Any]:
    return run.over("model", config["train"]["model"])
