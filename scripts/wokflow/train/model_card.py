"""The model card: describes a training to people who find the model. No code reads it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wokflow.train.checkpoints import Evaluation, best_of
from wokflow.train.settings import ModelSettings
from wokflow.train.task import Task

FAMILIES = {"seq2seq": "sequence-to-sequence model", "causal": "causal language model"}


def write_card(folder: Path, task: Task, run: Mapping[str, Any], evaluations: Sequence[Evaluation]) -> None:
    """Write README.md beside the model in `folder`; `run` is the content of run.json."""
    (folder / "README.md").write_text(card(run, evaluations, task), encoding="utf-8")


def card(run: Mapping[str, Any], evaluations: Sequence[Evaluation], task: Task) -> str:
    """The text of the model card, with a header for the Hugging Face hub."""
    best = best_of(evaluations, run["metric"])
    assert best is not None
    base, examples = run["base"], run["examples"]
    kept = "the last" if best.valid_loss is None else _best(best, run["metric"])
    made = "made on the spot, with random weights, and a tokenizer trained on the training texts"
    origin = {
        "folder": f"the model in the folder {base['model']}",
        "hub": f"{base['model']} on the Hugging Face hub, commit {base.get('commit')}",
    }.get(base["kind"], made)
    settings = "\n".join(f"| {name} | {_plain(value)} |" for name, value in run["settings"].items())
    return f"""{_header(base, task.settings)}
# {task.run}

A {FAMILIES[task.settings.family]} for recipes, trained by Wokflow.

- Began as: {origin}.
- Learnt from {examples["train"]} examples, validated on {examples["valid"]}. SHA-256 of their texts:
  `{examples["sha256"]}`.
- Kept: the model after epoch {best.epoch} of {len(evaluations)} (step {best.step}), {kept}.
  The whole curve is in curve.tsv.
{_asked(run)}
- What it reads and writes are recipes as texts: a title, ingredients and steps, under the headings `Title:`,
  `Ingredients:` and `Steps:` where the examples have them.

## Licence

A model may hold what it learnt from. The licences of the corpora and of the base model bound what may be done with
this one; several recipe corpora allow research only. Look at them before you pass it on.

## Limits

It writes what looks like recipes and knows nothing of safety: amounts, times and temperatures may be wrong, and
allergens may be missing. Read a recipe before you cook it.

## Settings

Seed {task.settings.seed}. All of it, with the versions of the packages, is in run.json.

| setting | value |
|---|---|
{settings}
"""


def _asked(run: Mapping[str, Any]) -> str:
    """A line on the prompt with which the model is asked."""
    if not run["prompt"]:
        return "- It reads texts as they are, without a prompt."
    template = ", through its chat template if its tokenizer has one" if run["chat"] == "auto" else ""
    return f"- Asked with this prompt{template}: `{' '.join(run['prompt'].split())}`"


def _best(best: Evaluation, metric: str) -> str:
    bleu = "" if best.valid_bleu is None else f", BLEU {best.valid_bleu:.2f}"
    return f"the best on the validation examples by {metric}: loss {best.valid_loss:.4f}{bleu}"


def _header(base: Mapping[str, Any], settings: ModelSettings) -> str:
    languages = sorted({*(settings.languages or ("zh",))})  # recipes by their dish are Chinese
    lines = [
        "library_name: transformers",
        "license: other",
        "license_name: see-the-section-licence",
        "language:",
    ]
    lines += [f"- {language}" for language in languages]
    lines += ["tags:", "- recipes", "- wokflow"]
    if settings.family == "causal":
        lines.append("pipeline_tag: text-generation")
    if base.get("kind") == "hub":
        lines.append(f"base_model: {base['model']}")
    return "\n".join(["---", *lines, "---"])


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(each)}" for name, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(map(str, value))
    return "none" if value is None else str(value)
