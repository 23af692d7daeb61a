"""A stage of models in a folder: small tables of dishes, cuisines and models, and models that answer by rules."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from wokflow.evaluate.ratings import evaluate_ratings
from wokflow.evaluate.settings import RatingsSettings
from wokflow.evaluate.stage import RATING_TABLES
from wokflow.frame import tables
from wokflow.frame.job import Job, job
from wokflow.judge.instructions import judge_instructions
from wokflow.judge.prompt import judge_prompt
from wokflow.judge.ratings import judge_ratings
from wokflow.judge.settings import InstructionsSettings, PromptSettings, TasksSettings
from wokflow.judge.tasks import judge_tasks

from tests.conftest import ROOT

ASH = ROOT / "resources" / "ash"
DISHES, CUISINES = ("Pizza", "Stew"), ("Kosher", "Aztec", "Korean")
RATED = re.compile(r"Original Dish: (.*)\nVariation: (.*)\nGenerated Recipe: (.*)")


def settings(**own: Any) -> PromptSettings:
    """The defaults of generate.prompt for a model that is asked once and keeps nothing."""
    given = {
        "run": "m",
        "model": "m",
        "lang": "en",
        "languages": None,
        "prompt": "none",
        "draw": 13,
        "shots": 0,
    }
    borrowed = dict.fromkeys(
        ("backend", "command", "precision", "max_length", "remote_code", "revision"), None
    )
    given |= {"cache": "none", "ledger": "none", "repetitions": 1, "alike": 1, "released": None}
    return PromptSettings(**given | borrowed | own)


def rating(authenticity: int, sensitivity: int, harmony: int) -> str:
    """An answer in the form that the prompt asks for."""
    values = {"AUTHENTICITY": authenticity, "SENSITIVITY": sensitivity, "HARMONY": harmony}
    return "\n".join(f"{name}: {value}\nReason: It is {value}." for name, value in values.items())


def answers_by_rule(text: str) -> str:
    """Writes a recipe that names its dish; rates Kosher 5, Aztec 2, all else 3, and stews one less in harmony."""
    found = RATED.search(text)
    if not found:
        dish = re.search(r"Dish: (.*)\.", text)
        return f"ingredients:\nsalt\ninstructions:\nMake {dish[1] if dish else 'it'}."
    best = {"Kosher": 5, "Aztec": 2}.get(found[2], 3)
    return rating(best, best, best - (found[1] == "Stew"))


class Stage:
    """The stage's steps in a folder, run as jobs do."""

    def __init__(
        self, folder: Path, dishes: Sequence[str] = DISHES, cuisines: Sequence[str] = CUISINES
    ) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        lines = {
            "dishes": ["id\tname", *(f"{name.lower()}\t{name}" for name in dishes)],
            "cuisines": ["id\tname\tgroup", *(f"{name.lower()}\t{name}\tregional" for name in cuisines)],
        }
        for name, rows in lines.items():
            (folder / f"{name}.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        paths = {name: str(folder / f"{name}.tsv") for name in lines}
        judge_instructions(
            instructions=self.path("instructions"),
            settings=InstructionsSettings(**paths),
            job=Job({"key": "k"}),
        )

    def path(self, name: str) -> str:
        return str(self.folder / f"{name}.parquet")

    def table(self, name: str) -> pl.DataFrame:
        return tables.read(self.path(name))

    def ask(self, name: str, tasks: str, url: str | None, prompt: str = "rating", **own: Any) -> None:
        """Ask a model the tasks of a table; answers go into the table of its name."""
        kept = {"cache": str(self.folder / "cache"), "ledger": str(self.folder / f"{name}.jsonl")}
        small = {
            "run": name,
            "endpoint": url,
            "prompt": str(ASH / f"{prompt}.txt"),
            "timeout_s": 5,
            "tries": 2,
        }
        with job(str(self.folder / "log.txt")) as progress:
            judge_prompt(
                tasks=self.path(tasks),
                server=[],
                answers=self.path(name),
                settings=settings(**kept | small | own),
                job=Job({"key": "k"}, progress),
            )

    def write(self, url: str | None, *names: str, **own: Any) -> None:
        """Have generators write, and make tasks of what they wrote."""
        for name in names:
            self.ask(name, "instructions", url, "recipe", model=name, **own)
        self.tasks(*names)

    def tasks(self, *names: str) -> None:
        """Make tasks of what generators wrote."""
        judge_tasks(
            instructions=self.path("instructions"),
            answers=[self.path(name) for name in names],
            tasks=self.path("tasks"),
            rejects=self.path("task_rejects"),
            settings=TasksSettings(dimensions=str(ASH / "dimensions.tsv")),
            job=Job({"key": "k"}),
        )

    def read(self, name: str) -> None:
        """Read a model's ratings out of its answers."""
        judge_ratings(
            tasks=self.path("tasks"),
            answers=self.path(name),
            ratings=self.path(f"{name}_ratings"),
            rejects=self.path(f"{name}_rejects"),
            job=Job({"key": "k"}),
        )

    def measure(self, *names: str) -> dict[str, pl.DataFrame]:
        """The tables of figures by name."""
        made = {name: self.path(name) for name in RATING_TABLES}
        ratings = [self.path(f"{name}_ratings") for name in names]
        given = {"settings": RatingsSettings(), "job": Job({"key": "k"})}
        evaluate_ratings(tasks=self.path("tasks"), ratings=ratings, figures=list(made.values()), **given)
        return {name: self.table(name) for name in made}

    def bytes(self, *names: str) -> list[bytes]:
        return [Path(self.path(name)).read_bytes() for name in names]
