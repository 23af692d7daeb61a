"""What stage train asks of a config."""

from collections.abc import Mapping
from typing import Any

from wokflow.frame.runs import Run

WITHOUT_GPU = {"train_model": "train.model.device: cpu"}


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    needed = {}
    for run in runs.values():
        reason = f"run {run.name} in {config['runs']}"
        if run.trained and run.family in ("seq2seq", "causal"):
            needed["accelerate"] = reason
        if run.trained and run.over("model", config["train"]["model"])["lora"]["rank"]:
            needed["peft"] = reason
    return needed
