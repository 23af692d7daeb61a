"""Recipes and scores in the authors' CSV (dmis-lab/ASH), in and out (`wokflow papers ash`).

Their programs write v0_recipes.csv, a row for each recipe, and v0_recipes_eval_*.csv, which has each recipe again for
each answer of an evaluator, with its scores and reasons. The latter have the column `iteration` if a recipe was rated
more than once. The columns ingredients and instructions are not read, and are left empty: the authors fill them from
braces, which the prompt does not ask for.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.frame.text_files import longest_cell, read_text
from wokflow.frame.usage import UsageError, left_over, refuse_overwriting
from wokflow.generate.answers import cleaned
from wokflow.judge.schemas import ANSWERS
from wokflow.judge.tasks import SEEN

RECIPE = ("index", "model", "original_dish", "variation", "generated_recipe", "ingredients", "instructions")
CRITERIA = ("authenticity", "sensitivity", "harmony")
SCORES = tuple(f"{name}_{part}" for name in CRITERIA for part in ("score", "reason"))
RATED = (*RECIPE, "evaluator_model", "iteration", "evaluation", *SCORES)
RECIPES_FILE, RATINGS_FILE = "v0_recipes.csv", "v0_recipes_eval.csv"
FAILED = "Error: "  # begins what their programs write in place of an answer
TO_RATE = "judge/tasks/part-00000.parquet"
RATED_BY = "evaluate/ratings/means/part-00000.parquet"
LONGEST = 1 << 24  # characters of a cell

Key = tuple[str, ...]


def published_answers(path: str, tasks: pl.DataFrame, model: str, asked: str) -> pl.DataFrame:
    """What a model answered to tasks, as judge/answers; `prompt` is empty, as the files have none.

    A file with the column `evaluation` has the answers of evaluators, any other those of generators. Rows count where
    the model's column is `model` or `asked`. They go by the names of dish and cuisine, without regard to letter case
    and to the word diet (Kosher, Hindu diet), and the answers of evaluators also by the recipe's text and,
    where several generators wrote the same text, by the column model. A row of no task keeps those names in place of
    the task. Raises UserError, with the row, for missing columns, for a repetition that is no number, and for rows
    that are not whole.
    """
    rates, rows = _rows(path)
    waiting: dict[Key, dict[str, str | None]] = defaultdict(dict)  # the systems of tasks
    for task in tasks.iter_rows(named=True):
        texts = {each["name"]: each["text"] for each in task["shown"]}
        key = _key(texts["dish"], texts["cuisine"], texts.get("recipe"))
        waiting[key][task["task_id"]] = task.get("system")
    generators = {row.get("model") for row in rows}
    unanswered: dict[tuple[Key, int], dict[str, str | None]] = {}
    answers = []
    for number, row in enumerate(rows, start=1):
        if row["evaluator_model" if rates else "model"] not in (model, asked):
            continue
        recipe = cleaned(row["generated_recipe"]) if rates else None
        key = _key(row["original_dish"], row["variation"], recipe)
        repetition = row.get("iteration") or "1"
        if not repetition.isdecimal():
            raise UserError(f"{path}, row {number}: iteration is {repetition!r}, not a number.")
        systems = unanswered.setdefault((key, int(repetition)), dict(waiting.get(key, {})))
        task_id = min(
            systems,
            key=lambda name: (systems[name] != row.get("model"), systems[name] in generators),
            default=f"row {number}: {' / '.join(key[:2])}",
        )
        systems.pop(task_id, None)
        text = row["evaluation" if rates else "generated_recipe"]
        failed = text.startswith(FAILED)
        answers.append(
            {
                "task_id": task_id,
                "asked": asked,
                "repetition": int(repetition),
                "prompt": "",
                "request": "",
                "status": "failed" if failed else "ok" if text.strip() else "empty",
                "reason": text.removeprefix(FAILED) if failed else None,
                "answer": "" if failed else text,
            }
        )
    return tables.frame(ANSWERS, answers)


def _key(dish: str, cuisine: str, recipe: str | None) -> Key:
    names = (" ".join(name.casefold().split()).removesuffix(" diet") for name in (dish, cuisine))
    return (*names, *([recipe] if recipe is not None else []))


def _rows(path: str) -> tuple[bool, list[dict[str, str]]]:
    """Whether a file has the answers of evaluators, and its rows."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    rows = list[dict[str, str]]()
    header = list[str]()
    try:
        with longest_cell(LONGEST):
            for cells in filter(None, reader):
                if header and len(cells) != len(header):
                    raise csv.Error(f"{len(cells)} cells, but the header has {len(header)}")
                rows += [dict(zip(header, cells, strict=True))] if header else []
                header = header or cells
    except csv.Error as error:
        raise UserError(
            f"{path}, row {len(rows) + 1} (up to line {reader.line_num}): {error}. Take a whole copy of the file; "
            "quotation marks within a cell are doubled."
        ) from error
    rates = "evaluation" in header
    wanted = ("original_dish", "variation", "generated_recipe", "evaluator_model" if rates else "model")
    if missing := [name for name in wanted if name not in header]:
        raise UserError(f"{path}: missing column {', '.join(missing)}; found were {', '.join(header)}.")
    return rates, rows


def write_ash(results: str, folder: str, say: Callable[[str], None]) -> list[str]:
    """Write the recipes and the scores of a run in the authors' form; what was written.

    Raises UsageError if the results have no recipe that a model was to write, or if one of the files exists already;
    UserError if raters read other recipes, as models were asked again since.
    """
    refuse_overwriting(folder, (RECIPES_FILE, RATINGS_FILE))
    judge = Path(results, "judge")
    instructions = {row["task_id"]: row for row in _table(judge / "instructions")}
    parts = sorted((judge / "answers").glob("*/part-00000.parquet"))
    answers = [row for part in parts for row in tables.read(str(part)).iter_rows(named=True)]
    recipes: dict[str, dict[str, Any]] = {}
    order = {task: number for number, task in enumerate(instructions)}
    asked = [row for row in answers if row["task_id"] in order]
    written: dict[str, tuple[str, str]] = {}  # models and texts, empty ones where there are none to rate
    for row in sorted(asked, key=lambda row: (row["asked"], order[row["task_id"]])):
        own = cleaned(row["answer"]) if row["status"] in SEEN else ""
        written[f"{row['task_id']}:{row['asked']}"] = row["asked"], own
        texts = {each["name"]: each["text"] for each in instructions[row["task_id"]]["shown"]}
        recipes[f"{row['task_id']}:{row['asked']}"] = {
            "index": len(recipes) + 1,
            "model": row["asked"],
            "original_dish": texts["dish"],
            "variation": texts["cuisine"],
            "generated_recipe": _answer(row),
        }
    if not recipes:
        raise UsageError(
            f"{results}: judge/answers has no recipe for a dish and a cuisine of judge/instructions. "
            "Run snakemake judge."
        )
    _refuse_others(judge, written)
    ratings: dict[Key, dict[str, Any]] = defaultdict(dict)
    for row in _table(judge / "ratings"):
        scores = ratings[row["task_id"], row["rater"], str(row["repetition"])]
        scores[f"{row['dimension']}_score"] = (
            float(row["value"]) if row["value"].isdecimal() else row["value"]
        )
        scores[f"{row['dimension']}_reason"] = row["rationale"]
    rated = []
    for row in answers:
        if row["task_id"] in recipes:
            evaluated = {
                "evaluator_model": row["asked"],
                "iteration": row["repetition"],
                "evaluation": _answer(row),
            }
            scores = ratings[row["task_id"], row["asked"], str(row["repetition"])]
            rated.append(
                recipes[row["task_id"]]
                | evaluated
                | {name: some for name, some in scores.items() if name in SCORES}
            )
    systems = dict.fromkeys(model for model, text in written.values() if text)
    raters = dict.fromkeys(row["asked"] for row in answers if row["task_id"] in recipes)
    for part, column, names in (TO_RATE, "system", systems), (RATED_BY, "rater", raters):
        for sentence in left_over(results, part, column, names):
            say(sentence)
    rated.sort(key=lambda row: (row["index"], row["evaluator_model"], row["iteration"]))
    Path(folder).mkdir(parents=True, exist_ok=True)
    made = {RECIPES_FILE: (RECIPE, recipes.values()), RATINGS_FILE: (RATED, rated)}
    for name, (columns, rows) in made.items():
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
        with tables.atomic(Path(folder, name)) as temporary:
            temporary.write_bytes(text.getvalue().encode())
    return [*made]


def _refuse_others(judge: Path, written: Mapping[str, tuple[str, str]]) -> None:
    """Raises UserError where judge/tasks has another text for a recipe than its model has written since, or none."""
    rows = _table(judge / "tasks")
    systems = {row["system"] for row in rows}
    shown = {
        row["task_id"]: next(each["text"] for each in row["shown"] if each["name"] == "recipe")
        for row in rows
    }
    for task, (model, text) in written.items():
        if model in systems and shown.get(task, "") != text:
            raise UserError(
                f"results of judge: the recipe {task} is not the one that was rated, as {model} was asked again "
                "since. Run snakemake judge."
            )


def _answer(row: Mapping[str, Any]) -> str:
    failed = row["status"] in ("failed", "rejected", "refused")
    return f"{FAILED}{row['reason'] or row['status']}" if failed else row["answer"]


def _table(folder: Path) -> list[dict[str, Any]]:
    parts = sorted(folder.rglob("*.parquet"))
    return tables.read([str(part) for part in parts]).to_dicts() if parts else []
