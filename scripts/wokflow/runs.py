"""The table of runs: one row, one model, prompt or look-up, and one line of scores."""

import csv
import json
import re
from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from wokflow.job import UserError

COLUMNS = {
    "name": "Letters, digits, _ and -; predictions and scores go by it.",
    "stage": "`train`: trained first. `none`: taken as it is.",
    "family": "`seq2seq`: encoder and decoder. `causal`: goes on with a text. `retrieval`: the pairs themselves. "
    "`prompt`: asked through an endpoint.",
    "model": "A name on the Hugging Face hub, a folder with safetensors, or a model's name at an endpoint. `small`: "
    "made from scratch, of the size train.model.small. `run:NAME`: the model that another run trained. Empty for "
    "retrieval.",
    "data": "`zh-en`, `en-zh`: adapt recipes. `counterfactual`: learn recipes by their dish, and rewrite those of "
    "pivot/instances.",
    "prompt": "For families prompt and causal: a name in resources/prompts, or the path of a file.",
    "settings": "What differs from the config for this run: `model.epochs=5; decode.beams=1; "
    "prompt.temperature=0.7`, where model stands for train.model, decode for generate.decode and prompt for "
    "generate.prompt. Values are as in JSON, but that texts need no quotation marks.",
    "seed": "Of the training, or of what is drawn in decoding; empty: 13.",
}
TEXTS = ("name", "stage", "family", "model", "data", "prompt")
DATA = ("zh-en", "en-zh", "counterfactual")
CHOICES = {
    "stage": ("train", "none"),
    "family": ("seq2seq", "causal", "retrieval", "prompt"),
    "data": DATA,
}
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
STEPS = {"model": "train.model", "decode": "generate.decode", "prompt": "generate.prompt"}
FROM_SCRATCH = "small"
OF_RUN = "run:"  # before the name of a run whose model is taken


@dataclass(frozen=True)
class Run:
    """A row. `settings` holds what it overrides, by step and key: {"model": {"epochs": 5}}."""

    name: str
    stage: str
    family: str
    model: str
    data: str
    prompt: str
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seed: int = 13

    @property
    def trained(self) -> bool:
        return self.stage == "train"

    @property
    def model_run(self) -> str | None:
        """The run whose trained model makes this run's predictions."""
        return self.name if self.trained else self.model.removeprefix(OF_RUN) if self.borrows else None

    @property
    def borrows(self) -> bool:
        return self.model.startswith(OF_RUN)

    def over(self, step: str, block: Mapping[str, Any]) -> dict[str, Any]:
        """A step's config block (`step` as in STEPS) with this run's own settings laid over it."""
        return _merged(block, self.settings.get(step, {}))


def read_runs(path: str, schema: Mapping[str, Any], reserved: Collection[str] = ()) -> dict[str, Run]:
    """The runs of a table with tabs, by name, in its order. Lines that begin with # are passed over.

    `schema` is the config's, against which settings are checked; `reserved` are names that no run may have. Raises
    UserError with all problems, each with its line.
    """
    numbered = [
        (number, line)
        for number, line in enumerate(Path(path).read_text(encoding="utf-8-sig").splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    ]
    rows = csv.DictReader((line for _, line in numbered), delimiter="\t", quoting=csv.QUOTE_NONE)
    if tuple(rows.fieldnames or ()) != tuple(COLUMNS):
        raise UserError(f"{path}: the header must be, with tabs between: {' '.join(COLUMNS)}")
    runs: dict[str, Run] = {}
    problems = []
    for (number, _), row in zip(numbered[1:], rows, strict=False):
        settings = _settings(row["settings"] or "", schema)
        found = [*_row_problems(row, runs, reserved), *(text for text in settings if isinstance(text, str))]
        problems += [f"  - line {number}: {text}" for text in found]
        if not found:
            overrides = _nested(pair for pair in settings if not isinstance(pair, str))
            texts = {name: row[name] for name in TEXTS}
            runs[row["name"]] = Run(**texts, settings=overrides, seed=int(row["seed"] or 13))
    if not problems:
        problems = [f"  - {run.name}: {text}" for run in runs.values() for text in _run_problems(run, runs)]
    if problems:
        raise UserError(f"The runs in {path} cannot be used:\n" + "\n".join(problems))
    return runs


def _row_problems(row: Mapping[Any, Any], runs: Collection[str], reserved: Collection[str]) -> Iterator[str]:
    if None in row or None in row.values():
        yield f"it has not {len(COLUMNS)} cells with tabs between; empty cells count."
        return
    if not NAME.fullmatch(row["name"]):
        yield f"{row['name']!r} is no name: letters, digits, _ and -, the first a letter or digit."
    if row["name"] in runs or row["name"] in reserved:
        yield f"the name {row['name']} is taken."
    for column, choices in CHOICES.items():
        if row[column] not in choices:
            yield f"{column} {row[column]!r} is none of {', '.join(choices)}."
    if row["seed"] and not row["seed"].isdecimal():
        yield f"seed {row['seed']!r} is no number."


def _run_problems(run: Run, runs: Mapping[str, Run]) -> Iterator[str]:
    """What of a row does not go together, or does not fit the other rows."""
    if run.trained and run.family not in ("seq2seq", "causal"):
        yield f"a run of family {run.family} is not trained: stage none."
    if run.data == "counterfactual" and run.family in ("seq2seq", "retrieval"):
        yield f"family {run.family} needs pairs: data zh-en or en-zh."
    if run.family == "retrieval":
        if run.model or run.prompt:
            yield "retrieval takes neither model nor prompt."
    elif not run.model:
        yield f"a run of family {run.family} needs a model."
    if run.family == "seq2seq" and run.prompt:
        yield "a model of family seq2seq reads the recipe alone: no prompt."
    if not run.prompt and (
        run.family == "prompt" or (run.family == "causal" and run.data == "counterfactual")
    ):
        yield "it needs a prompt: a name in resources/prompts, or the path of a file."
    if run.prompt and not Path(prompt_file(run.prompt)).is_file():
        yield f"there is no prompt {prompt_file(run.prompt)}."
    if run.model == FROM_SCRATCH and not run.trained:
        yield f"a model {FROM_SCRATCH} is made by training: stage train."
    if run.borrows:
        lender = runs.get(run.model_run or "")
        if run.trained:
            yield f"{run.model}: training begins from a model of the hub or a folder, or from {FROM_SCRATCH}."
        elif lender is None or not lender.trained or lender.family != run.family:
            yield f"{run.model}: no run of that name trains a model of family {run.family}."
    unread = set(run.settings) - _steps_of(run)
    if unread:
        yield f"it has no step for the settings {', '.join(f'{step}.*' for step in sorted(unread))}."


def _steps_of(run: Run) -> set[str]:
    if run.family in ("retrieval", "prompt"):
        return {"prompt"} & {run.family}
    return {"decode", "model"} if run.trained else {"decode"}


def prompt_file(prompt: str) -> str:
    """The file of a prompt, which is given by its name in resources/prompts or by its path."""
    return prompt if "/" in prompt else f"resources/prompts/{prompt}.txt"


def _settings(text: str, schema: Mapping[str, Any]) -> list[tuple[list[str], Any] | str]:
    """Overrides as (path, value), or what is wrong with one: `model.epochs=5; decode.beams=1`."""
    return [_setting(one.strip(), schema) for one in text.split(";") if one.strip()]


def _setting(text: str, schema: Mapping[str, Any]) -> tuple[list[str], Any] | str:
    dotted, equals, value = (part.strip() for part in text.partition("="))
    path = dotted.split(".")
    if not equals or path[0] not in STEPS:
        return f"{text!r} is no setting: STEP.KEY=VALUE, where STEP is {', '.join(STEPS)}."
    rule: Any = schema
    for key in [*STEPS[path[0]].split("."), *path[1:]]:
        rule = rule.get("properties", {}).get(key)
        if rule is None:
            return f"there is no key {key} in {dotted} (config/README.md, {STEPS[path[0]]})."
    read = _value(value)
    wrong = next(Draft202012Validator(rule).iter_errors(read), None)
    if "properties" in rule:
        return f"{dotted} is a block of settings: name one of {', '.join(rule['properties'])} in it."
    return f"{dotted}: {wrong.message}." if wrong else (path, read)


def _value(text: str) -> Any:
    """A number, true, false, null or a list, as JSON has them; anything else is a text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _nested(settings: Any) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for path, value in settings:
        block = nested
        for key in path[:-1]:
            block = block.setdefault(key, {})
        block[path[-1]] = value
    return nested


def _merged(block: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = deepcopy(dict(block))
    for key, value in over.items():
        merged[key] = _merged(merged.get(key, {}), value) if isinstance(value, Mapping) else value
    return merged
