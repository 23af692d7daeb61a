"""Stage train: its cutoffs, targets and packages, and what it asks of the table of runs."""

from collections.abc import Iterator, Mapping
from typing import Any

from wokflow.frame.arguments import merged
from wokflow.frame.cutoffs import CutoffGroup, part_cutoff
from wokflow.frame.runs import Run
from wokflow.frame.scope import Scope
from wokflow.frame.stages import TOKENIZERS
from wokflow.train.arguments import model_overrides
from wokflow.train.contradictions import setting_problems

ABOUT = (
    "trains a model a run: sequence to sequence or causal, from the hub or from scratch, on one GPU or many"
)
ARROWS = ("match_split --> train_pairs --> train_model; pivot_instances --> train_recipes --> train_model",)
SECTIONS = {"train": ("Training", "train/")}
NEEDED_BY_NAME = {
    "bitsandbytes": "holds base models in 4 bits, where a setting asks for it",
    "tensorboardx": "transformers writes curves with it",
    **TOKENIZERS,
}

WITHOUT_GPU = {"train_model": "train.model.device: cpu"}


def run_problems(config: Mapping[str, Any], runs: Mapping[str, Run]) -> Iterator[str]:
    """Trained runs whose rows have settings that contradict one another or have no effect: no job waits in vain.

    What the config itself has for all rows is refused by the trainings that it does not fit.
    """
    for run in runs.values():
        if run.trained and run.settings.get("model"):
            block = merged(config["train"]["model"], model_overrides(run))
            problems = setting_problems(run.family, block, int(block["processes"]) * int(block["nodes"]))
            yield from (f"run {run.name}: {one}" for one in (*problems, *_unread(run, block)))


def _unread(run: Run, block: Mapping[str, Any]) -> Iterator[str]:
    """About settings of the run's own row that a training of its kind does not read."""
    own = run.settings.get("model", {})
    if given := sorted({"packing", "loss_on"} & own.keys()) if run.family != "causal" else []:
        yield f"model.{given[0]} is for causal models: take it out of the row."
    if {*own.get("lora", {})} - {"rank"} and not block["lora"]["rank"]:
        yield "model.lora has no effect without adapters: set model.lora.rank too."


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    needed = {}
    for run in runs.values():
        reason = f"run {run.name} in {config['runs']}"
        if run.trained and run.family in ("seq2seq", "causal"):
            needed["accelerate"] = reason
        lora = run.over("model", config["train"]["model"])["lora"]
        if run.trained and lora["rank"]:
            needed["peft"] = reason
            if lora["base"] == "nf4":
                needed["bitsandbytes"] = f"{reason}: model.lora.base is nf4"
    return needed


def cutoffs(scope: Scope, known: Mapping[str, CutoffGroup]) -> dict[str, CutoffGroup]:
    """The training examples: pairs of a direction, or recipes by their dish."""
    results, members = scope.results.folder, {}
    for name in sorted(scope.trained):
        adapting = name in scope.directions
        members[name] = part_cutoff(
            results,
            "train_pairs" if adapting else "train_recipes",
            f"train/examples/{name}",
            {"direction": name} if adapting else {},
            known["vectors"].members.values() if adapting else known["source"].only(scope.dish_corpus),
        )
    return {"examples": CutoffGroup("data", members)}


def targets(scope: Scope) -> list[str]:
    models = f"{scope.results.folder}/train/model"
    return [f"{models}/{name}" for name, run in scope.runs.items() if run.trained]
