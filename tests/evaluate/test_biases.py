"""Biases that a server's judges are given are measured within their intervals; judges without show none."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.evaluate.biases import evaluate_biases
from wokflow.evaluate.settings import BiasesSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.judge.arguments import model_family

from tests.generate.conftest import keyed
from tests.generate.servers import endpoint, response, says
from tests.judge.models import Stage, rating

pytestmark = pytest.mark.usefixtures("keyed")
__all__ = ["keyed"]
DISHES = [f"Dish {letter}" for letter in "abcdefgh"]
CUISINES = [f"Cuisine {letter}" for letter in "abcdef"]
SYSTEMS = {"wa": "alpha-1", "wb": "beta-1", "wc": "gamma-1"}  # who writes, and its model
SIGNED = re.compile(r"By ([a-z]+-\d)\.")
Judge = Callable[[str, str], float]


def luck(text: str, sides: int) -> int:
    """A number below `sides` that only the text decides."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) % sides


def writes(model: str, text: str) -> str:
    """A recipe signed by its model, of one to sixteen times eight words."""
    return f"By {model}. " + "Stir it and taste it again, my dear. " * 2 ** luck(model + text, 5)


def merit(text: str) -> float:
    """What a recipe deserves, 2 or 3, by dish and cuisine, whatever its length and whoever wrote it."""
    found = re.search(r"Original Dish: (.*)\nVariation: (.*)\n", text)
    return 2.0 + luck("".join(found.groups()) if found else "", 2)


def by_length(model: str, text: str) -> float:
    """Half a point for each doubling; rounded at random."""
    return 0.5 * (text.count("Stir it")).bit_length() - 0.5


def by_name(model: str, text: str) -> float:
    """A point for its own texts, and half a point for those of its family."""
    found = SIGNED.search(text)
    if not found:
        return 0.0
    return 1.0 if found[1] == model else 0.5 * (model_family(found[1]) == model_family(model))


def fair(model: str, text: str) -> float:
    return 0.0


def measured(folder: Path, judges: dict[str, tuple[str, Judge]]) -> dict[tuple[str, str, str], Any]:
    """Estimates with their intervals by dimension, rater and bias, of judges with their models and rules."""
    stage = Stage(folder, DISHES, CUISINES)
    rules = dict(judges.values())

    def behave(handler: Any, asked: Any) -> None:
        model, text = asked.body["model"], asked.text
        if "Original Dish" not in text:
            answer = writes(model, text)
        else:
            points = merit(text) + rules[model](model, text)
            chance = luck(model + text, 1000) / 1000
            value = min(5, max(1, int(points + chance)))  # the fraction is how often it is rounded up
            answer = rating(value, value, value)
        says(200, response(answer))(handler, asked)

    with endpoint(behave) as server:
        for name, model in SYSTEMS.items():
            stage.ask(name, "instructions", server.url, "recipe", model=model)
        stage.tasks(*SYSTEMS)
        for name, (model, _) in judges.items():
            stage.ask(name, "tasks", server.url, model=model)
            stage.read(name)
    models = SYSTEMS | {name: model for name, (model, _) in judges.items()}
    given = tuple((name, model, model_family(model)) for name, model in models.items())
    evaluate_biases(
        tasks=stage.path("tasks"),
        ratings=[stage.path(f"{name}_ratings") for name in judges],
        biases=stage.path("biases"),
        settings=BiasesSettings(models=given),
        job=Job({"key": "k"}),
    )
    rows = stage.table("biases").filter(dimension="harmony").iter_rows(named=True)
    return {(row["rater"], row["bias"]): (row["low"], row["estimate"], row["high"]) for row in rows}


def holds(found: tuple[float, float, float], planted: float) -> bool:
    """Whether an interval has what was planted, and no bias at all only if none was."""
    low, _, high = found
    return low <= planted <= high and (low <= 0 <= high) == (planted == 0)


def test_a_judge_that_likes_long_texts_is_found_and_no_other(tmp_path: Path) -> None:
    found = measured(tmp_path, {"j": ("delta-1", by_length), "k": ("delta-2", fair), "l": ("eta-1", fair)})
    assert {rater: holds(found[rater, "length"], 0.5 * (rater == "j")) for rater in "jkl"} == dict.fromkeys(
        "jkl", True
    )
    assert {bias for _, bias in found} == {"length"}  # none has written


def test_judges_that_like_their_own_and_their_family_are_found_and_no_other(tmp_path: Path) -> None:
    """a rates alpha-1, its own; b is beta-2, and so of the family of beta-1; c rates gamma-1, its own, like any."""
    judges = {
        "a": ("alpha-1", by_name),
        "b": ("beta-2", by_name),
        "c": ("gamma-1", fair),
        "d": ("delta-1", fair),
    }
    found = measured(tmp_path, judges)
    planted = {("a", "self"): 1.0, ("b", "family"): 0.5, ("c", "self"): 0.0}
    assert {key: holds(found[key], value) for key, value in planted.items()} == dict.fromkeys(planted, True)
    assert {key for key in found if key[1] != "length"} == planted.keys()
    assert all(low <= 0 <= high for (_, bias), (low, _, high) in found.items() if bias == "length")


@pytest.mark.parametrize("people", [(), ("p",), ("z",)])
def test_two_judges_that_have_both_written_are_told_apart_by_people(
    people: tuple[str, ...], tmp_path: Path
) -> None:
    """Either may like its own, or the other be strict with it: without a third there is no row.

    z is a person with the name of a generator of x's model, and has no rows of its own.
    """
    systems = {"x": "alpha-1", "y": "beta-1"}
    stage = Stage(tmp_path, ["Pie"], ["Thai", "Aztec"])
    with endpoint(says(200, response("Bake."))) as server:
        for name, model in systems.items():
            stage.ask(name, "instructions", server.url, "recipe", model=model)
    stage.tasks(*systems)
    ratings = pl.DataFrame(
        [
            {"task_id": task, "rater": rater, "value": str(1 + (rater in task[-1:]))}
            for task in stage.table("tasks")["task_id"]
            for rater in (*systems, *people)
        ]
    ).with_columns(
        kind=pl.when(pl.col("rater").is_in(people)).then(pl.lit("person")).otherwise(pl.lit("model")),
        repetition=pl.lit(1, pl.Int32),
        dimension=pl.lit("harmony"),
    )
    from wokflow.judge.schemas import RATINGS

    whole = ratings.with_columns(rationale=pl.lit(""), status=pl.lit("exact"))
    tables.write(stage.path("r"), RATINGS, whole, {})
    given = tuple((name, model, model) for name, model in (systems | {"z": "alpha-1"}).items())
    evaluate_biases(
        tasks=stage.path("tasks"),
        ratings=[stage.path("r")],
        biases=stage.path("biases"),
        settings=BiasesSettings(models=given),
        job=Job(),
    )
    found = stage.table("biases").filter(bias="self").select("rater", "estimate").rows()
    assert found == ([("x", 1.0), ("y", 1.0)] if people else [])


def test_families_are_read_from_names() -> None:
    names = {
        "gemma2:2b": "gemma",
        "meta-llama/Llama-3.1-8B-Instruct": "llama",
        "gpt-4o-mini": "gpt",
        "通义2": "通义",
        "01-ai/01": "01",
        "/models/Llama-ft/": "llama",
    }
    assert {name: model_family(name) for name in names} == names
