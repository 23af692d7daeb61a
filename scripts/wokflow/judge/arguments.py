"""The table of models that write recipes, rate them, or choose between translations, and its settings for jobs."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from wokflow.frame.arguments import merged
from wokflow.frame.job import UserError
from wokflow.frame.paper_settings import Rows, paper_of
from wokflow.frame.paths import expanded
from wokflow.frame.runs import DIALOGUES, NAME, SEED, Run, located, read_overrides
from wokflow.frame.text_files import read_table
from wokflow.frame.web import on_loopback
from wokflow.generate.arguments import prompt_overrides, server_problems, servers

PROMPTS = {
    "generator": "resources/ash/recipe.txt",
    "evaluator": "resources/ash/rating.txt",
    "comparer": "resources/pta/prompt.txt",
    "dialogue_rater": "resources/dialogues/dialogue_scores.txt",
    "editor": "resources/dialogues/edits.txt",
    "edit_rater": "resources/dialogues/edit_scores.txt",
    "strategist": "resources/dialogues/strategy.txt",
}
OF_RECIPES = ("generator", "evaluator")  # Lee et al.
OF_DIALOGUES = ("dialogue_rater", "editor", "edit_rater", "strategist")  # Singh et al., appendix B
REPETITIONS = {"evaluator": 3}  # Lee et al., appendix E; others are asked once
ONCE = {"generator": "recipes", "editor": "edits"}  # roles that are not repeated, and what they make
RESERVED = ("tasks", "pta")  # judge/rejects has tables of these names
COLUMNS = {
    "name": "Letters, digits, _ and -; identifies the model's answers and ratings.",
    "role": "`generator`: writes recipes. `evaluator`: rates those of all generators. `comparer`: chooses between a "
    "run's translation of an item and the reference (PTA). `dialogue_rater`: rates adapted dialogues. `editor`: "
    "finds their edits. `edit_rater` and `strategist`: rate edits, and name their strategies.",
    "model": "What its endpoint calls it.",
    "prompt": "The file of its prompt; empty: that of the paper, in resources/ash or resources/pta.",
    "settings": "What differs for this model from generate.prompt, and from generate.server if it asks the "
    "workflow's own server: `prompt.temperature=0.7; server.gpus=2`.",
    "repetitions": "How often it is asked each task; empty: 3 of evaluators, 1 of others. Generators and editors "
    "are asked once.",
    "seed": "The seed of the first repetition; each further one adds 1. Empty: 13.",
    "family": "The model's family, for evaluate.biases; the column may be missing. Empty: the first letters of "
    "the model's name.",
    "answers": "A file of released answers, in the form of judge/answers or of ASH's CSV: nothing is asked, and no "
    "endpoint is needed.",
}
OPTIONAL = ("family",)
PATHS = ("prompt", "answers")
SAME = 1e-9  # sums of money that differ by no more are the same
_FAMILY = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class AskedModel:
    """A row of the table. `settings` holds the overrides by step and key: {"prompt": {"temperature": 0.7}}."""

    name: str
    role: str
    model: str
    prompt: str
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    repetitions: int = 1
    seed: int = SEED
    answers: str | None = None
    relatives: str = ""  # the family of the model, for biases
    family = "prompt"  # it is asked in the same way as a run of that family
    pair = ""


def read_models(
    config: Mapping[str, Any], schema: Mapping[str, Any], runs: Mapping[str, Run]
) -> Rows[AskedModel]:
    """The rows of the table at judge.models by name, in its order; none without a table.

    Comparers choose between the translations of `runs`. Lines that begin with # are comments. Under the settings of a
    paper, models without runs to judge are left out. Raises UserError with all problems, each with its line.
    """
    path = config["judge"]["models"]
    models: Rows[AskedModel] = Rows()
    problems = []
    needed = [column for column in COLUMNS if column not in OPTIONAL]
    idle = _idle(runs) if paper_of(config) else {}
    table = read_table(path, needed, "models", optional=OPTIONAL, comments=True) if path else ()
    for number, row in table:
        if row["role"] in idle:
            models.left_out[row["name"]] = idle[row["role"]]
            continue
        settings, wrong = read_overrides(row["settings"], schema)
        in_row = [*_problems(row, models), *wrong]
        in_row += [
            f"{step}.*: models are asked by prompt.* and server.* alone."
            for step in sorted(settings)
            if step not in ("prompt", "server")
        ]
        if not in_row:
            models[row["name"]] = model = _model(row, settings)
            in_row = [*_missing(model)]
        problems += [f"  - line {number}: {text}" for text in in_row]
    if not problems:
        of_servers = server_problems(config, models, own_servers(config, models), path)
        problems += [f"  - {problem}" for problem in of_servers]
        problems += [f"  - {problem}" for problem in _over_budget(config, models)]
        problems += [f"  - {problem}" for problem in _asked_alike(models)]
    roles = {each.role for each in models.values()}
    if not problems and "comparer" in roles:
        problems += _no_translations(config, runs)
    if not problems and roles & {*OF_DIALOGUES} and not any(run.data == DIALOGUES for run in runs.values()):
        named = " and ".join(sorted(roles & {*OF_DIALOGUES}))
        problems.append(
            f"  - {named}: no run of {config['runs']} adapts dialogues, with {DIALOGUES} as its data."
        )
    if not problems and "evaluator" in roles and "generator" not in roles:
        problems.append("  - evaluators rate what generators write: there is no row with role generator.")
    if problems:
        raise UserError(f"The models in {path} cannot be used:\n" + "\n".join(problems))
    return models


def _over_budget(config: Mapping[str, Any], models: Mapping[str, AskedModel]) -> Iterator[str]:
    """Why the rows may cost more together than judge.budget; nobody pays for requests to the same machine."""
    limit = config["judge"]["budget"]
    own = own_servers(config, models)
    budgets: dict[str, float | None] = {}
    for name, model in models.items() if limit is not None else ():
        prompt = merged(config["generate"]["prompt"], prompt_overrides(config, model))
        if not model.answers and name not in own and not on_loopback(prompt["endpoint"]):
            budgets[name] = prompt["budget"]
    if unlimited := [name for name, budget in budgets.items() if budget is None]:
        yield (
            f"judge.budget is {limit:g}, and nothing limits what {', '.join(unlimited)} may cost: set "
            "generate.prompt.budget, or prompt.budget of the row, with price_in and price_out."
        )
    whole = math.fsum(budget or 0 for budget in budgets.values())
    if limit is not None and whole > limit + SAME:
        yield (
            f"judge.budget is {limit:g}, but the budgets of {', '.join(budgets)} are {whole:g} together. Lower "
            "generate.prompt.budget, or prompt.budget of rows."
        )


def _asked_alike(models: Mapping[str, AskedModel]) -> Iterator[str]:
    """Rows that would get one another's answers: repetitions count on from a row's seed."""
    asking = [each for each in models.values() if not each.answers]
    for one, other in combinations(sorted(asking, key=lambda each: each.seed), 2):
        same = all(getattr(one, name) == getattr(other, name) for name in ("model", "prompt", "settings"))
        if same and one.seed + one.repetitions > other.seed:
            yield (
                f"{one.name} and {other.name} ask one model the same, and their repetitions have seeds in common "
                f"(from {one.seed}, {one.repetitions} of them, and from {other.seed}), so that one's answers would "
                f"be the other's: give {other.name} the seed {one.seed + one.repetitions}, or more."
            )


def _idle(runs: Mapping[str, Run]) -> dict[str, str]:
    """The roles that no run leaves anything to do, each with the reason."""
    idle = {}
    if not any(run.pair for run in runs.values()):
        idle["comparer"] = "no run translates sentences"
    if not any(run.data == DIALOGUES for run in runs.values()):
        idle |= dict.fromkeys(OF_DIALOGUES, "no run adapts dialogues")
    return idle


def _model(row: Mapping[str, str], settings: Mapping[str, Any]) -> AskedModel:
    role = row["role"]
    return AskedModel(
        row["name"],
        role,
        row["model"],
        located(expanded(row["prompt"]) or PROMPTS[role]),
        settings,
        int(row["repetitions"] or REPETITIONS.get(role, 1)),
        int(row["seed"] or SEED),
        located(expanded(row["answers"])) or None,
        (row.get("family") or model_family(row["model"])).lower(),
    )


def model_family(model: str) -> str:
    """The first letters of a model's name, in lower case and without its maker: llama of meta-llama/Llama-3.1-8B.

    A name that begins with no letter is a family of its own.
    """
    name = model.rstrip("/").rpartition("/")[2]
    letters = _FAMILY.match(name)
    return (letters[0] if letters else name).lower()


def biases_given(models: Mapping[str, AskedModel]) -> dict[str, Any]:
    """What evaluate.biases is given: who is of which model and family, of those that write and rate recipes."""
    rate = [each for each in models.values() if each.role in ("generator", "evaluator")]
    return {"models": [(each.name, each.model, each.relatives) for each in rate]}


def pta_given(models: Mapping[str, AskedModel], runs: Iterable[Run]) -> dict[str, Any]:
    """What evaluate.pta is given: model and family of those who choose between translations, and who translate."""
    return {
        "judges": [
            (each.name, each.model, each.relatives) for each in models.values() if each.role == "comparer"
        ],
        "systems": [_system(run) for run in runs if run.pair],
    }


def _system(run: Run) -> tuple[str, str, str]:
    """A run with its model, or that of the run whose model it takes, and the model's family, by its name alone."""
    model = (run.lender or run).model
    return run.name, model, model_family(model)


def rated_of_dialogues(roles: Collection[str], people: bool) -> list[str]:
    """The roles whose tasks evaluate.adaptations reads; `people` rate the same dialogues as a dialogue_rater."""
    wanted = {*roles} | ({"dialogue_rater"} if people else set())
    return [role for role in ("dialogue_rater", "edit_rater", "strategist") if role in wanted]


def adaptations_given(models: Mapping[str, AskedModel], runs: Iterable[Run]) -> dict[str, Any]:
    """What evaluate.adaptations is given: model and family of those who adapt dialogues, and of those who rate."""
    return {
        "judges": [
            (each.name, each.model, each.relatives) for each in models.values() if each.role in OF_DIALOGUES
        ],
        "systems": [_system(run) for run in runs if run.data == DIALOGUES],
    }


def _problems(row: Mapping[str, str], models: Mapping[str, AskedModel]) -> Iterator[str]:
    """Problems of single cells: values that their columns do not allow."""
    if not NAME.fullmatch(row["name"]):
        yield f"{row['name']!r} is not a valid name: use letters, digits, _ and -, and begin with a letter or digit."
    if row["name"] in models or row["name"] in RESERVED:
        yield f"the name {row['name']} is taken."
    if row["role"] not in PROMPTS:
        yield f"role {row['role']!r} is not one of {', '.join(PROMPTS)}."
    if not row["model"]:
        yield "model is empty: give the name by which the endpoint knows it."
    if row["repetitions"] and not (row["repetitions"].isdecimal() and int(row["repetitions"])):
        yield f"repetitions {row['repetitions']!r} is not a whole number of 1 or more."
    if row["role"] in ONCE and row["repetitions"] not in ("", "1"):
        made = ONCE[row["role"]]
        yield f"{row['role']}s are asked once: for more {made} of its model, add a row with another seed."
    if row["seed"] and not row["seed"].isdecimal():
        yield f"seed {row['seed']!r} is not a number."
    for column in PATHS:
        try:
            expanded(row[column])
        except UserError as error:
            yield f"{column} {error}"


def _no_translations(config: Mapping[str, Any], runs: Mapping[str, Run]) -> Iterator[str]:
    """Why comparers have nothing to compare."""
    what = "comparers choose between translations of culture-specific items"
    if not config["enrich"]["entities"]["path"]:
        yield f"  - {what}, and enrich.entities.path names no table of entities."
    if not any(run.pair for run in runs.values()):
        yield f"  - {what}, and no run of {config['runs']} has a source of sentences as its data."


def _missing(model: AskedModel) -> Iterator[str]:
    """Problems of files that do not exist."""
    yield from (
        f"there is no file {path}."
        for path in (model.prompt, model.answers)
        if path and not Path(path).is_file()
    )


def own_servers(config: Mapping[str, Any], models: Mapping[str, AskedModel]) -> dict[str, str]:
    """The server of each model with neither an endpoint nor answers; models of different roles share none."""
    by_name: dict[str, str] = {}
    for role in PROMPTS:
        asking = {name: each for name, each in models.items() if each.role == role and not each.answers}
        by_name |= {name: f"{role}-{server}" for name, server in servers(config, asking).items()}
    return by_name


def first_of_server(servers: Mapping[str, str], name: str) -> str:
    """The first of the models that share a server with this one; the model itself if it has an endpoint."""
    return next((each for each, server in servers.items() if server == servers.get(name)), name)


def asked_given(
    config: Mapping[str, Any], model: AskedModel, models: Mapping[str, AskedModel]
) -> dict[str, Any]:
    """Settings of judge.prompt that depend on the model, and the paths of its cache and its ledger of costs."""
    folder = f"{config['results']}/judge"
    alike = [each for each in models.values() if each.role == model.role and not each.answers]
    return {
        "run": model.name,
        "model": model.model,
        "lang": "en",
        "languages": None,
        "prompt": model.prompt,
        "draw": model.seed,
        "cache": f"{folder}/cache",
        "ledger": f"{folder}/ledger/{model.name}.jsonl",
        "shots": 0,
        "repetitions": model.repetitions,
        "alike": len(alike),
        "released": model.answers,
    }
