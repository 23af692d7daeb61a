"""The answers that ship with the demo, made by rules in place of models; run as a module, this writes them."""

import hashlib
import re
from typing import Any

import polars as pl
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.text_files import read_text
from wokflow.judge.arguments import AskedModel
from wokflow.judge.instructions import judge_instructions
from wokflow.judge.prompt import Question, filled
from wokflow.judge.schemas import ANSWERS
from wokflow.judge.settings import InstructionsSettings, TasksSettings
from wokflow.judge.tasks import judge_tasks

from tests.conftest import ROOT
from tests.judge.demo_dialogues import models as demo_models
from tests.judge.models import ASH, rating

DEMO = ROOT / "resources" / "demo" / "ash"
OF_DISH = {
    "Pizza": ["dough", "tomato sauce", "mozzarella"],
    "Fried Rice": ["cooked rice", "eggs", "peas"],
    "Stew": ["carrots", "potatoes", "stock"],
}
OF_CUISINE = {
    "Korean": ["kimchi", "gochujang", "sesame oil"],
    "French": ["shallots", "thyme", "butter"],
    "Kosher": ["chickpeas", "parsley", "olive oil"],
    "Aztec": ["amaranth", "squash", "ancho chili"],
}
MANY_WORDS = "Take your time with each step, taste what you cook, and keep the heat even from first to last."
RATED = re.compile(r"Original Dish: (.*)\nVariation: (.*)\nGenerated Recipe: (.*?)\nPlease rate", re.DOTALL)


def recipe(cook: str, dish: str, cuisine: str) -> str:
    added = OF_CUISINE[cuisine][: {"plain": 1, "mild": 2, "bold": 3}[cook]]
    kept = OF_DISH[dish][: 3 if cook == "plain" else 2]
    steps = [f"Prepare the {kept[0]}.", f"Add {' and '.join(added)}.", "Cook until done, and serve."]
    if hashlib.sha256(f"{cook} {dish} {cuisine}".encode()).digest()[0] % 2:
        steps = [f"{step} {MANY_WORDS}" for step in steps]
    return "\n".join(["ingredients:", *kept, *added, "", "instructions:", *steps])


def judgement(rater: str, prompt: str, repetition: int) -> str:
    """Points for ingredients of the dish and of the cuisine, less or more by a hash of the prompt."""
    found = RATED.search(prompt)
    assert found
    dish, cuisine, text = found.groups()
    chance = hashlib.sha256(f"{rater} {repetition} {text}{cuisine}".encode()).digest()
    liked = (rater == "bold" and text == recipe("bold", dish, cuisine)) or (
        rater == "lengthy" and MANY_WORDS in text
    )
    more = int(liked and chance[0] % 2 == 0)
    authentic = 1 + sum(each in text for each in OF_DISH[dish]) - chance[1] % 2
    sensitive = (
        2 + sum(each in text for each in OF_CUISINE[cuisine]) - (chance[2] % 3 == 0) - (cuisine == "Aztec")
    )
    values = [min(5, max(1, value + more)) for value in (authentic, sensitive, (authentic + sensitive) // 2)]
    return rating(*values)


def made(folder: str) -> pl.DataFrame:
    """The answers of all rows of the demo's table of models, by way of the stage's own tasks in a folder."""
    paths = {name: f"{folder}/{name}.parquet" for name in ("instructions", "tasks", "rejects", "written")}
    given = InstructionsSettings(dishes=str(DEMO / "dishes.tsv"), cuisines=str(DEMO / "cuisines.tsv"))
    judge_instructions(instructions=paths["instructions"], settings=given, job=Job({}))
    models = demo_models().values()
    written = [
        row for model in models if model.role == "generator" for row in rows(model, paths["instructions"])
    ]
    empty = tables.columns(ANSWERS)
    tables.write(paths["written"], ANSWERS, pl.DataFrame(written, empty), {})
    dimensions = TasksSettings(dimensions=str(ASH / "dimensions.tsv"))
    judge_tasks(
        instructions=paths["instructions"],
        answers=[paths["written"]],
        tasks=paths["tasks"],
        rejects=paths["rejects"],
        settings=dimensions,
        job=Job({}),
    )
    rated = [row for model in models if model.role == "evaluator" for row in rows(model, paths["tasks"])]
    return pl.DataFrame([*written, *rated], empty)


def rows(model: AskedModel, tasks: str) -> list[dict[str, Any]]:
    template, found, rule = read_text(model.prompt).rstrip("\n"), [], model.model.partition(":")[2]
    for task, shown in tables.read(tasks, ["task_id", "shown"]).sort("task_id").rows():
        prompt, known = filled(template, shown, model.prompt), {each["name"]: each["text"] for each in shown}
        for repetition in range(1, model.repetitions + 1):
            written = model.role == "generator"
            answer = (
                recipe(rule, known["dish"], known["cuisine"])
                if written
                else judgement(rule, prompt, repetition)
            )
            digest = Question(task, repetition, prompt).digest
            request = hashlib.sha256(f"{model.name} {repetition} {digest}".encode()).hexdigest()
            row = {"task_id": task, "asked": model.name, "repetition": repetition, "prompt": digest}
            found.append(row | {"request": request, "status": "ok", "answer": answer})
    return found


if __name__ == "__main__":
    import tempfile

    (DEMO / "answers.parquet").touch()  # the table of models names it
    with tempfile.TemporaryDirectory() as folder:
        tables.write(DEMO / "answers.parquet", ANSWERS, made(folder), {})
