"""Biases that judges of adapted dialogues and of their edits are given are measured; judges without show none."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.evaluate.adaptations import evaluate_adaptations
from wokflow.evaluate.settings import AdaptationsSettings
from wokflow.evaluate.stage import ADAPTATION_FIGURES
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.judge.dialogues import DIALOGUES, EDITS, task
from wokflow.judge.schemas import RATINGS, TASKS

RUNS = {"a": "alpha-1", "b": "beta-1", "c": "gamma-1"}  # who adapts, and its model
JUDGES = {"long": "zeta-1", "own": "alpha-1", "kin": "beta-2", "fair": "eta-1"}
MANY = 60  # dialogues
SCALE = {"name": "quality", "scale": "interval", "question": "", "values": [*"1234567"]}
Points = Callable[[str, str, int], float]  # of a judge, for a run's text that was doubled so often


def luck(text: str, sides: int) -> int:
    """A number below `sides` that only the text decides."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) % sides


def points(judge: str, run: str, doubled: int) -> float:
    """`long` adds half a point for each doubling; `own` one to texts of its model, `kin` one to its family's."""
    liked = {"long": 0.5 * doubled, "own": float(run == "a"), "kin": float(run == "b")}
    return liked.get(judge, 0.0)


def rated(tasks: list[tuple[dict[str, Any], str, int]]) -> Iterator[dict[str, Any]]:
    """What each judge gives each task: what it merits, 2.5 or 3.5, and what the judge adds, rounded by chance."""
    for one, dialogue, doubled in tasks:
        for judge in JUDGES:
            value = 2.5 + luck(dialogue, 2) + points(judge, one["system"], doubled)
            value = int(value + luck(judge + one["task_id"], 1000) / 1000)
            row = {"task_id": one["task_id"], "rater": judge, "repetition": 1, "dimension": "quality"}
            yield row | {"kind": "model", "value": str(value), "rationale": "", "status": "exact"}


def measured(folder: Path, tasks: list[tuple[dict[str, Any], str, int]]) -> dict[tuple[str, str], Any]:
    """The biases by rater and bias."""
    rows = figures(folder, [one for one, *_ in tasks], [*rated(tasks)])["biases"].rows(named=True)
    return {(row["rater"], row["bias"]): row for row in rows}


def figures(
    folder: Path, tasks: list[dict[str, Any]], ratings: list[dict[str, Any]]
) -> dict[str, pl.DataFrame]:
    for name, schema, rows in (("tasks", TASKS, tasks), ("ratings", RATINGS, ratings)):
        tables.write(folder / f"{name}.parquet", schema, rows, {})
    paths = [str(folder / f"{name}.parquet") for name in ADAPTATION_FIGURES]
    evaluate_adaptations(
        tasks=[str(folder / "tasks.parquet")],
        ratings=[str(folder / "ratings.parquet")],
        figures=paths,
        settings=AdaptationsSettings(
            judges=tuple((name, model, model[:-2]) for name, model in JUDGES.items()),
            systems=tuple((name, model, model[:-2]) for name, model in RUNS.items()),
        ),
        job=Job({"key": "k"}),
    )
    return {name: tables.read(path) for name, path in zip(ADAPTATION_FIGURES, paths, strict=True)}


def expect(found: dict[tuple[str, str], Any], study: str) -> None:
    planted = {("long", "length"): 0.5, ("own", "self"): 1.0, ("kin", "family"): 1.0}
    assert {row["study"] for row in found.values()} == {study}
    assert {*found} == {*planted, *((name, "length") for name in JUDGES)}
    for key, row in found.items():
        expected = planted.get(key, 0.0)
        assert row["low"] < expected < row["high"], key
        assert (row["low"] > 0) == (expected > 0), key


def test_biases_of_judges_of_dialogues_are_those_that_were_planted(tmp_path: Path) -> None:
    tasks = []
    for number in range(MANY):
        for run in RUNS:
            doubled = luck(f"{number}{run}", 4)
            shown = {"original": f"Ann: {number}", "adapted": "x" * 100 * 2**doubled, "show": "Friends"}
            tasks.append((task(DIALOGUES, f"dialogue:{number}", run, shown, [SCALE]), f"d{number}", doubled))
    expect(measured(tmp_path, tasks), DIALOGUES)


def test_biases_of_judges_of_edits_are_held_against_other_edits_of_the_same_dialogue(tmp_path: Path) -> None:
    tasks = []
    for number in range(MANY):
        for run in RUNS:
            for place in range(4):
                doubled = luck(f"{number}{run}{place}", 4)
                line = ("x" * 8 * 2**doubled)[4:] + " → "
                shown = {"original": f"Ann: {number}", "adapted": f"{run}{number}", "edit": line + "x"}
                shown["found_by"] = "aligner"
                item = f"edit:{number}:{place}:1:aligner"
                tasks.append((task(EDITS, item, run, shown, [SCALE]), f"d{number}{place}", doubled))
    expect(measured(tmp_path, tasks), EDITS)


def test_edits_of_a_dialogue_that_are_rated_alike_are_worth_no_more_than_one(tmp_path: Path) -> None:
    """Each dialogue with one edit, and with six that two judges rate as they rate that one."""
    found = []
    for edits in (1, 6):
        tasks, ratings = [], []
        for number in range(12):
            for place in range(edits):
                shown = {"original": f"Ann: {number}", "adapted": "x", "edit": "a → b", "found_by": "aligner"}
                tasks.append(task(EDITS, f"edit:{number}:{place}:1:aligner", "a", shown, [SCALE]))
                for judge in ("own", "fair"):
                    value = 3 + luck(str(number), 2) + luck(f"{judge}{number}", 2)
                    row = {"task_id": tasks[-1]["task_id"], "rater": judge, "kind": "model", "repetition": 1}
                    row |= {"dimension": "quality", "value": str(value)}
                    ratings.append(row | {"rationale": "", "status": "exact"})
        folder = tmp_path / str(edits)
        folder.mkdir()
        tables_of = figures(folder, tasks, ratings)
        calibration = tables_of["calibration"].filter(pl.col("value").is_null(), rater="own")
        ends = calibration.select("difference", "low", "high", "tau", "tau_low", "tau_high").row(0)
        alpha = tables_of["agreement"].filter(pl.col("rater").is_null())
        found.append((*ends, *alpha.select("low", "high").row(0)))
    one, six = found
    assert six[:3] == pytest.approx(one[:3]) and one[1] < one[0] < one[2]
    assert six[3:] == pytest.approx(one[3:], abs=0.1)
    assert six[7] - six[6] > 0.8 * (one[7] - one[6])
