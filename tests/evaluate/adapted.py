"""Recipes with references, made up or real, and the small tables that hold them."""

import csv
import json
import random
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path

import polars as pl
from wokflow.evaluate import schemas as evaluate_schemas
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.generate import schemas

METADATA = {"key": "k", "sources": "{}"}
JOB = Job(METADATA)
WORDS = {
    "en": {
        "title": ["Braised {}", "{} soup", "Grandma's {} (quick)", "Stir-fried {}"],
        "food": ["pork belly", "tofu", "2 eggs", "1/2 cup rice", "bok choy", "green onions", "soy sauce"],
        "step": [
            "Heat the oil, then add {}.",
            "Cut {} into 1-inch pieces;",
            "Simmer {} for 30 minutes, until tender!",
            "Season {} to taste.",
        ],
    },
    "zh": {
        "title": ["红烧{}", "{}汤", "家常{}（快手）", "清炒{}"],
        "food": ["五花肉", "豆腐", "鸡蛋2个", "米饭半碗", "小白菜", "葱花", "生抽"],
        "step": ["锅里放油，下{}翻炒。", "{}切成小块；", "{}小火焖30分钟，至软烂！", "{}加盐调味。"],
    },
}


def recipes(lang: str, count: int = 24) -> tuple[list[str], list[str]]:
    """Predictions and references of three lines each; one prediction is empty, one is its reference."""
    draw = random.Random(lang)
    texts, references = [], []
    for number in range(count):
        reference = recipe(draw, lang)
        lines = reference.split("\n")
        other = recipe(draw, lang).split("\n")
        mixed = [lines[0], other[1], lines[2] if number % 3 else other[2]]
        texts.append("" if number == 5 else reference if number == 7 else "\n".join(mixed))
        references.append(reference)
    return texts, references


def recipe(draw: random.Random, lang: str) -> str:
    words, comma = WORDS[lang], {"en": ", ", "zh": "，"}[lang]
    foods = draw.sample(words["food"], 4)
    title = draw.choice(words["title"]).format(foods[0])
    steps = [step.format(draw.choice(foods)) for step in draw.sample(words["step"], 3)]
    return f"{title}\n{comma.join(foods)}\n{({'en': ' ', 'zh': ''}[lang]).join(steps)}"


def real(shared: Path, lang: str, count: int = 30) -> tuple[list[str], list[str]]:
    """Real recipes; a prediction is made of the steps of two of them."""
    folder = shared / "real" / "recipes"
    if lang == "en":
        with (folder / "full_dataset.csv").open(encoding="utf-8", newline="") as file:
            rows = list(islice(csv.DictReader(file), count + 1))
        steps = [json.loads(row["directions"]) for row in rows]
    else:
        with (folder / "recipe_corpus_full.json").open(encoding="utf-8") as file:
            steps = [
                json.loads(line)["recipeInstructions"]
                for line, _ in zip(file, range(count + 1), strict=False)
            ]
    references = ["\n".join(lines) for lines in steps[:count]]
    texts = ["\n".join([*one[: len(one) // 2], *other[-2:]]) for one, other in pairwise(steps)]
    return texts[:count], references


def write_instances(path: Path, rows: Sequence[Mapping[str, str | None]]) -> str:
    """A table generate/instances; of each row only what is of interest has to be given."""
    empty = dict.fromkeys(schemas.INSTANCES.names, "") | {
        "dataset": "silver",
        "base": None,
        "retrieved": None,
    }
    frame = pl.DataFrame([empty | row for row in rows], dict.fromkeys(schemas.INSTANCES.names, pl.String))
    tables.write(path, schemas.INSTANCES, frame, METADATA)
    return str(path)


def write_predictions(path: Path, run: str, texts: Mapping[str, str]) -> str:
    frame = pl.DataFrame({"instance_id": list(texts), "prediction": list(texts.values())})
    tables.write(path, schemas.PREDICTIONS, frame.with_columns(run=pl.lit(run)), METADATA)
    return str(path)


def write_parts(path: Path, rows: Sequence[Mapping[str, object]]) -> str:
    """A table evaluate/parts; rows have at least instance_id, run, and parts of a mean, which also give the value."""
    usual = {"dataset": "zh-en/silver", "metric": "m", "statistic": "mean", "signature": "s"}
    names = evaluate_schemas.PARTS.names
    types = dict.fromkeys(names, pl.String) | {"parts": pl.List(pl.Float64), "value": pl.Float64}
    frame = pl.DataFrame([dict.fromkeys(names) | usual | {"value": _value(row)} | row for row in rows], types)
    tables.write(path, evaluate_schemas.PARTS, frame, METADATA)
    return str(path)


def _value(row: Mapping[str, object]) -> float | None:
    parts = row.get("parts")
    return float(parts[0] / parts[1]) if isinstance(parts, list) and parts[1] else None
