"""Best-worst scaling against an example by hand."""

from pathlib import Path
from typing import Any

import polars as pl
from wokflow.evaluate.best_worst import evaluate_best_worst
from wokflow.evaluate.settings import BestWorstSettings, ItemsBootstrap
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.judge.schemas import RATINGS, TASKS

# Item, rater, best and worst of the systems a, b and c; an empty one is not known.
CHOSEN = [
    ("i1", "r1", "a", "c"),
    ("i1", "r2", "a", "b"),
    ("i2", "r1", "b", "c"),
    ("i2", "r2", "a", "c"),
    ("i3", "r1", "a", ""),
]


def scored(folder: Path, seed: int = 13) -> pl.DataFrame:
    ends = [
        {"name": f"grammar.{end}", "scale": "nominal", "question": "?", "values": ["a", "b", "c"]}
        for end in ("best", "worst")
    ]
    tasks = [
        {
            "task_id": f"{item}:a+b+c",
            "study": "s",
            "item": item,
            "system": None,
            "shown": [{"name": f"system:{name}", "text": name} for name in "abc"],
            "dimensions": ends,
        }
        for item in ("i1", "i2", "i3")
    ]
    rows = [
        {"task_id": f"{item}:a+b+c", "rater": rater, "repetition": 1, "dimension": f"grammar.{end}"}
        | {"kind": "person", "value": value, "rationale": "", "status": "exact"}
        for item, rater, *both in CHOSEN
        for end, value in zip(("best", "worst"), both, strict=True)
        if value
    ]
    paths: dict[str, Any] = {name: str(folder / f"{name}.parquet") for name in ("tasks", "ratings", "scores")}
    for name, schema, written in (("tasks", TASKS, tasks), ("ratings", RATINGS, rows)):
        tables.write(paths[name], schema, tables.frame(schema, written), {})
    settings = BestWorstSettings(bootstrap=ItemsBootstrap(samples=500, seed=seed))
    evaluate_best_worst(**paths, settings=settings, job=Job())
    return tables.read(paths["scores"])


def test_scores_are_the_shares_of_best_less_those_of_worst(tmp_path: Path) -> None:
    """Of four comparisons that have both: a is best in 3, b in 1; b is worst in 1, c in 3."""
    found = scored(tmp_path)
    columns = ("system", "score", "best", "worst", "compared", "items")
    assert found.select(columns).rows() == [
        ("a", 75.0, 3, 0, 4, 2),
        ("b", 0.0, 1, 1, 4, 2),
        ("c", -75.0, 0, 3, 4, 2),
    ]


def test_intervals_are_over_items(tmp_path: Path) -> None:
    """Of i1 a has 100 and c -50; of i2 a has 50 and c -100: resamples of both lie between, at 50, 75 or 100."""
    found = scored(tmp_path)
    assert found.select("system", "low", "high").rows() == [
        ("a", 50.0, 100.0),
        ("b", -50.0, 50.0),
        ("c", -100.0, -50.0),
    ]
