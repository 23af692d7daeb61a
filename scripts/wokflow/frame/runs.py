"""The table of runs: each row is one model, prompt or look-up with its predictions and its line of scores."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from wokflow.frame.arguments import merged, nested
from wokflow.frame.cutoffs import plain
from wokflow.frame.job import UserError
from wokflow.frame.paper_settings import Rows
from wokflow.frame.paths import expanded, expanded_model, no_model
from wokflow.frame.text_files import comma_hint, read_table
from wokflow.frame.weights import weights_mb

ROOT = Path(__file__).resolve().parents[3]  # the workflow's own folder
COLUMNS = {
    "name": "Letters, digits, _ and -; predictions and scores have this name.",
    "stage": "`train`: trained first. `none`: taken as it is.",
    "family": "`seq2seq`: encoder and decoder. `causal`: continues a text. `retrieval`: the pairs themselves. "
    "`prompt`: asked through an endpoint. `delorean`, `educat`, `mined`: rewrite by a causal model "
    "(docs/runs.md).",
    "model": "A name on the Hugging Face hub, a folder with one, or a model's name at an endpoint. `small`: "
    "made from scratch, of the size train.model.small. `run:NAME`: the model that another run trained. Empty for "
    "retrieval.",
    "data": "`zh-en`, `en-zh`: adapt recipes. `counterfactual`: learn recipes by their dish, and rewrite those of "
    "pivot/instances. `dialogues`: adapt those of ingest.dialogues to another culture. The name of a source of "
    "sentences: translate those of enrich/sentences.",
    "prompt": "A name in resources/prompts, or the path of a file. Families prompt and causal, and those that "
    "rewrite by a causal model, ask it. Family seq2seq takes one for sentences alone: empty, the source is read as "
    "it is; `append`, behind the items' translations; `replace`, with translations in the place of its items.",
    "settings": "What differs from the config for this run: `model.epochs=5; decode.beams=1; "
    "prompt.temperature=0.7`, where model stands for train.model, and decode, prompt, server, delorean, educat and "
    "mined for the block of stage generate. Values are JSON, except that texts need no quotation marks.",
    "seed": "Seed of the training, or of sampling; empty: 13.",
    "answers": "Of family prompt: a file of released answers, as generate/calls has them: nothing is asked, and no "
    "endpoint is needed. The column may be missing.",
}
OPTIONAL = ("answers",)  # columns that may be missing
TEXTS = ("name", "stage", "family", "model", "data", "prompt")
PATHS = ("model", "prompt", "answers")  # what may be a path with ~ or a variable
ADAPTED = ("zh-en", "en-zh")  # source and target language
REWRITTEN = "counterfactual"
DIALOGUES = "dialogues"
DATA = (*ADAPTED, REWRITTEN)
SENTENCES = "a source of sentences"  # in place of its name
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
DICTIONARY_PROMPTS = ("append", "replace")  # what a translation model reads (Yao et al. 2024, section 5.2)
# Placeholders of prompts for what is known of items; the answer in an exemplar is their explanation.
OF_ITEMS = re.compile(r"\{(items|dictionary|explanations|replaced|answer)\}")
OF_PAIR = re.compile(r"(?<![A-Za-z])[a-z]{2}-[a-z]{2}$")  # the languages that a prompt is for, in its name
STEPS = {"model": "train.model"} | {
    name: f"generate.{name}" for name in ("decode", "prompt", "server", "delorean", "educat", "mined")
}
SEED = 13  # of rows that give none
FROM_SCRATCH = "small"
OF_RUN = "run:"  # before the name of the run whose model is used
SMALL_MB, LARGE_MB = 4_000, 16_000  # memory of a process with a model, at least


@dataclass(frozen=True)
class Family:
    """The data, steps, models, training and prompts that runs of a family may have.

    Data are those of DATA, and SENTENCES. `prompts` and `needs_prompt` are the data for which they may, and must,
    have a prompt. `models` is the family whose models they take, if not their own.
    """

    data: tuple[str, ...]
    steps: tuple[str, ...] = ()
    has_model: bool = True
    trainable: bool = False
    prompts: tuple[str, ...] = ()
    needs_prompt: tuple[str, ...] = ()
    models: str | None = None


def _rewriting(step: str) -> Family:
    """A family that rewrites recipes by a causal model, with a decoding of its own."""
    only = (REWRITTEN,)
    return Family(only, (step,), prompts=only, needs_prompt=only, models="causal")


FAMILIES = {
    "seq2seq": Family((*ADAPTED, SENTENCES), ("decode",), trainable=True, prompts=(SENTENCES,)),
    "causal": Family(
        (*DATA, SENTENCES),
        ("decode",),
        trainable=True,
        prompts=(*DATA, SENTENCES),
        needs_prompt=(REWRITTEN, SENTENCES),
    ),
    "retrieval": Family(ADAPTED, has_model=False),
    "prompt": Family(
        (*DATA, DIALOGUES, SENTENCES),
        ("prompt", "server"),
        prompts=(*DATA, DIALOGUES, SENTENCES),
        needs_prompt=(*DATA, DIALOGUES, SENTENCES),
    ),
    "delorean": _rewriting("delorean"),
    "educat": _rewriting("educat"),
    "mined": _rewriting("mined"),
}
REWRITING = tuple(name for name, family in FAMILIES.items() if family.models)
CHOICES = {"stage": ("train", "none"), "family": tuple(FAMILIES)}


@dataclass(frozen=True)
class Run:
    """A row. `settings` holds the overrides by step and key: {"model": {"epochs": 5}}.

    `lender` is the run that trains the model, if this run takes the model of another one. `pair` are the languages of
    its source of sentences, as en-zh; empty for recipes and dialogues. `answers` is a file of released answers.
    """

    name: str
    stage: str
    family: str
    model: str
    data: str
    prompt: str
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seed: int = SEED
    lender: "Run | None" = None
    pair: str = ""
    answers: str | None = None

    @property
    def kind(self) -> str:
        """The data, or SENTENCES for any source of sentences."""
        return SENTENCES if self.pair else self.data

    @property
    def trained(self) -> bool:
        return self.stage == "train"

    @property
    def step(self) -> str:
        """The block of stage generate by which the run writes; its family has one."""
        return FAMILIES[self.family].steps[0]

    @property
    def borrows(self) -> bool:
        return self.model.startswith(OF_RUN)

    @property
    def model_run(self) -> str | None:
        """The run whose trained model makes this run's predictions."""
        if self.trained:
            return self.name
        return self.lender.name if self.lender else None

    @property
    def small(self) -> bool:
        """Whether the model is made from scratch, and so needs little memory and no GPU."""
        return (self.lender or self).model == FROM_SCRATCH

    @property
    def memory_mb(self) -> int:
        """Memory of a process with the run's model, in MB.

        Four times the weights in 16 bits: they are held in 32 bits, and a checkpoint that is read, or an optimizer,
        takes as much again.
        """
        return SMALL_MB if self.small else max(LARGE_MB, 4 * (self.weights_mb or 0))

    @property
    def weights_mb(self) -> int | None:
        """MB of the weights of the run's model; None where it is made from scratch, or nothing is known of it."""
        return None if self.small else weights_mb((self.lender or self).model)

    @property
    def direction(self) -> str:
        """Source and target language as zh-en, or counterfactual, or dialogues."""
        return self.pair or self.data

    @property
    def languages(self) -> tuple[str, str] | None:
        """Languages of source and target; None for rewriting and dialogues, which stay in their language."""
        if self.data in (REWRITTEN, DIALOGUES):
            return None
        source, target = self.direction.split("-", 1)
        return source, target

    @property
    def target_language(self) -> str:
        if self.languages:
            return self.languages[1]
        return "en" if self.data == DIALOGUES else "zh"

    @property
    def reads_items(self) -> bool:
        """Whether the model's input says more of a sentence's items than the sentence itself."""
        prompt = self.prompt_file
        return bool(
            self.pair
            and prompt
            and OF_ITEMS.search(Path(prompt).read_text(encoding="utf-8", errors="replace"))
        )

    @property
    def instances(self) -> str:
        """The name of the cutoff before its instances."""
        return plain(self.data) if self.pair and not self.reads_items else self.data

    @property
    def prompt_file(self) -> str | None:
        """The file of the prompt, which the table gives by its name in resources/prompts or by its path.

        It is looked for here, and then in the workflow's own folder.
        """
        if not self.prompt:
            return None
        return located(self.prompt if "/" in self.prompt else f"resources/prompts/{self.prompt}.txt")

    def over(self, step: str, block: Mapping[str, Any]) -> dict[str, Any]:
        """A step's config block (`step` as in STEPS) with this run's own settings laid over it."""
        return merged(block, self.settings.get(step, {}))


def located(path: str) -> str:
    """A path as it is or, if there is a file in the workflow's own folder alone, that one's."""
    return path if not path or Path(path).exists() or not (ROOT / path).exists() else str(ROOT / path)


def names_of(runs: Mapping[str, Run], *families: str) -> str:
    """A regular expression for the names of all runs of these families; it matches nothing if there are none."""
    return "|".join(name for name, run in runs.items() if run.family in families) or "(?!)"


def read_runs(
    path: str,
    schema: Mapping[str, Any],
    reserved: Collection[str] = (),
    pairs: Mapping[str, str] | None = None,
    absent: Mapping[str, str] | None = None,
) -> Rows[Run]:
    """The runs of a tab-separated table by name, in its order. Lines that begin with # are skipped.

    `schema` is the config's, against which settings are checked; `reserved` are names that no run may have; `pairs`
    are the sources of sentences, each with its languages as en-zh. Rows with `absent` data are left out, with the
    reason given there. Raises UserError with all problems, each with its line.
    """
    pairs, absent = pairs or {}, absent or {}
    runs: Rows[Run] = Rows()
    problems = []
    needed = [name for name in COLUMNS if name not in OPTIONAL]
    for number, row in read_table(path, needed, "runs", optional=OPTIONAL, comments=True):
        if row["data"] in absent:
            runs.left_out[row["name"]] = absent[row["data"]]
            continue
        row = dict.fromkeys(OPTIONAL, "") | row
        overrides, wrong = read_overrides(row["settings"], schema)
        of_row = [*_row_problems(row, runs, reserved, pairs), *wrong]
        problems += [f"  - line {number}: {text}" for text in of_row]
        if not of_row:
            texts: dict[str, Any] = {name: row[name] for name in TEXTS}
            texts |= {"model": expanded_model(row["model"]), "prompt": expanded(row["prompt"])}
            texts |= {"seed": int(row["seed"] or SEED), "pair": pairs.get(row["data"], "")}
            texts |= {"answers": located(expanded(row["answers"])) or None}
            runs[row["name"]] = Run(**texts, settings=overrides)
    if not problems:
        runs.update({name: replace(run, lender=_lender(run, runs)) for name, run in runs.items()})
        problems = [f"  - {run.name}: {text}" for run in runs.values() for text in _run_problems(run)]
    if problems:
        raise UserError(f"The runs in {path} cannot be used:\n" + "\n".join(problems))
    return runs


def _row_problems(
    row: Mapping[Any, Any], runs: Collection[str], reserved: Collection[str], pairs: Collection[str]
) -> Iterator[str]:
    """Problems of single cells: values that their columns do not allow."""
    if not NAME.fullmatch(row["name"]):
        yield f"{row['name']!r} is not a valid name: use letters, digits, _ and -, and begin with a letter or digit."
    if row["name"] in runs or row["name"] in reserved:
        yield f"the name {row['name']} is taken."
    for column, choices in {**CHOICES, "data": (*DATA, DIALOGUES, *pairs)}.items():
        if row[column] not in choices:
            yield f"{column} {row[column]!r} is not one of {', '.join(choices)}."
    if row["seed"] and not row["seed"].isdecimal():
        yield f"seed {row['seed']!r} is not a number."
    for column in PATHS:
        try:
            expanded(row[column])
        except UserError as error:
            yield f"{column} {error}"


def _lender(run: Run, runs: Mapping[str, Run]) -> Run | None:
    """The run that trains the model which `run` takes; None if it takes none, or there is no such run."""
    lender = runs.get(run.model.removeprefix(OF_RUN)) if run.borrows else None
    return lender if lender and lender.trained and lender.family == _models(run) else None


def _models(run: Run) -> str:
    """The family whose models a run takes."""
    return FAMILIES[run.family].models or run.family


def _run_problems(run: Run) -> Iterator[str]:
    """Problems of cells that contradict one another, or the other rows."""
    family = FAMILIES[run.family]
    if run.trained and not family.trainable:
        yield f"models of family {run.family} cannot be trained: set stage to none."
    if run.trained and run.pair:
        yield "no run learns from a source of sentences: set stage to none."
    if run.kind not in family.data:
        needed = "recipes to rewrite" if family.data == (REWRITTEN,) else "pairs"
        yield f"family {run.family} needs {needed}: set data to {' or '.join(family.data)}."
    yield from _model_problems(run, family)
    yield from _prompt_problems(run, family)
    if run.answers and run.family != "prompt":
        yield f"a run of family {run.family} asks no endpoint: leave the column answers empty."
    elif run.answers and not Path(run.answers).is_file():
        yield f"there is no file {run.answers}."
    steps = {*family.steps, *(["model"] if run.trained else [])}
    if not (run.pair and family.needs_prompt) and any("shots" in own for own in run.settings.values()):
        yield "shots are exemplars for runs of family prompt or causal on a source of sentences; this run is none."
    if unread := sorted(set(run.settings) - steps):
        yield f"no step of this run reads the settings {', '.join(f'{step}.*' for step in unread)}."


def _model_problems(run: Run, family: Family) -> Iterator[str]:
    if run.model and not family.has_model:
        yield f"a run of family {run.family} takes no model."
    if family.has_model and not run.model:
        yield f"a run of family {run.family} needs a model."
    if run.model == FROM_SCRATCH and not run.trained:
        yield f"model {FROM_SCRATCH} is trained from scratch: set stage to train."
    if run.borrows and run.trained:
        yield f"{run.model}: training begins from a model of the hub, a folder or {FROM_SCRATCH}, never from a run's."
    elif run.borrows and run.lender is None:
        yield f"{run.model}: no run of that name trains a model of family {_models(run)}."
    if run.model and not run.borrows and run.family != "prompt" and (wrong := no_model(run.model)):
        yield wrong  # what an endpoint calls a model is its own affair


def _prompt_problems(run: Run, family: Family) -> Iterator[str]:
    if run.prompt and run.kind not in family.prompts:
        yield f"a run of family {run.family} takes no prompt{' for recipes' if family.prompts else ''}."
    elif run.prompt in DICTIONARY_PROMPTS and run.family != "seq2seq":
        yield (
            f"prompt {run.prompt} is for translation models (family seq2seq). A language model needs an instruction: "
            "csi_ct, or csi_line_append and csi_line_replace for family causal."
        )
    if run.kind in family.needs_prompt and not run.prompt:
        yield "prompt is empty: give a name in resources/prompts, or the path of a file."
    if run.prompt_file and not Path(run.prompt_file).is_file():
        yield f"there is no prompt {run.prompt_file}."
    pair = OF_PAIR.search(Path(run.prompt).stem)
    if pair and run.languages and pair[0] != run.direction:
        yield f"prompt {run.prompt} is for {pair[0]}, as its name says, but the data are {run.direction}."


def read_overrides(
    text: str, schema: Mapping[str, Any], steps: Mapping[str, str] = STEPS
) -> tuple[dict[str, Any], list[str]]:
    """Overrides by step and key, of `model.epochs=5; decode.beams=1`, and a message for each that is wrong.

    `steps` has the config block that each step's name stands for.
    """
    read = [_setting(one.strip(), schema, steps) for one in text.split(";") if one.strip()]
    overrides = nested({".".join(each[0]): each[1] for each in read if not isinstance(each, str)})
    return overrides, [each for each in read if isinstance(each, str)]


def _setting(text: str, schema: Mapping[str, Any], steps: Mapping[str, str]) -> tuple[list[str], Any] | str:
    dotted, equals, value = (part.strip() for part in text.partition("="))
    path = dotted.split(".")
    if not equals or path[0] not in steps:
        return f"{text!r} is not a setting: write STEP.KEY=VALUE, where STEP is {', '.join(steps)}."
    rule: Any = schema
    for key in [*steps[path[0]].split("."), *path[1:]]:
        rule = rule.get("properties", {}).get(key)
        if rule is None:
            return f"there is no key {key} in {dotted} (config/README.md, {steps[path[0]]})."
    read = _value(value)
    wrong = next(Draft202012Validator(rule).iter_errors(read), None)
    if "properties" in rule:
        return f"{dotted} is a block of settings: name one of {', '.join(rule['properties'])} in it."
    if wrong and wrong.validator == "pattern":  # the value is not shown: it may be a secret key
        return f"{dotted}: its value does not have the required form. {rule['description']}"
    return f"{dotted}: {wrong.message}.{comma_hint(read)}" if wrong else (path, read)


def _value(text: str) -> Any:
    """The value of a JSON text (number, true, false, null, list); any other text is a string."""
    try:
        return json.loads(text)
    except ValueError:
        return text
