"""Agreement on marks, by hand-worked dialogues; alpha by the package krippendorff (0.9.0)."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.annotate.fields import utterance
from wokflow.annotate.schemas import DIALOGUES
from wokflow.evaluate.marks import evaluate_marks
from wokflow.evaluate.settings import MarksSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.judge.schemas import TASKS

TEXTS = {"d": ["Pie at Thanksgiving dinner, no?", "再来一碗麻婆豆腐。"], "e": ["Nothing."], "f": ["Rodeo!"]}
READ = {"d": ("r1", "r2", "r3"), "e": ("r1", "r2"), "f": ("r1",)}
FOOD, SOCIAL = "Material Culture", "Social Culture"
MARKED = [
    ("d", 0, "Pie", FOOD, 2, "r1"),
    ("d", 0, "Pie", FOOD, 3, "r2"),
    ("d", 0, "Thanksgiving dinner", SOCIAL, 3, "r1"),
    ("d", 0, "Thanksgiving", SOCIAL, 3, "r2"),
    ("d", 0, "dinner", FOOD, 2, "r2"),
    ("d", 1, "麻婆豆腐", FOOD, 2, "r1"),
    ("d", 1, "麻婆豆腐", FOOD, 2, "r3"),
    ("f", 0, "Rodeo", SOCIAL, 3, "r1"),
]


def measured(folder: Path) -> pl.DataFrame:
    shown = {
        task: [utterance(place, "Ann", text) for place, text in enumerate(texts)]
        for task, texts in TEXTS.items()
    }
    made = [
        {"task_id": task, "study": "s", "item": task, "system": None, "shown": some, "dimensions": []}
        for task, some in shown.items()
    ]
    tables.write(folder / "tasks.parquet", TASKS, tables.frame(TASKS, made), {})
    lines, counts = [], dict.fromkeys(((task, one) for task, own in READ.items() for one in own), 0)
    for task, place, words, category, foreignness, rater in MARKED:
        start = TEXTS[task][place].index(words)
        where = {
            "dialogue": task,
            "utterance": place,
            "start": start,
            "end": start + len(words),
            "text": words,
        }
        lines.append({**where, "category": category, "foreignness": foreignness, "annotator": rater})
        counts[task, rater] += 1
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / "marked.jsonl").write_text(text, encoding="utf-8")
    read: list[dict[str, Any]] = [
        {"task_id": task, "rater": rater, "marks": count, "state": "with marks" if count else "without"}
        for (task, rater), count in counts.items()
    ]
    read.append({"task_id": "e", "rater": "r3", "marks": 0, "state": "skipped"})
    tables.write(folder / "dialogues.parquet", DIALOGUES, tables.frame(DIALOGUES, read), {})
    paths = {name: str(folder / f"{name}.parquet") for name in ("tasks", "dialogues", "agreement")}
    evaluate_marks(**paths, marked=str(folder / "marked.jsonl"), settings=MarksSettings(), job=Job())
    return tables.read(paths["agreement"])


def test_pairs_of_marks_are_those_counted_by_hand(tmp_path: Path) -> None:
    found = (
        measured(tmp_path).select("label", "rater", "other", "dialogues", "marks", "exact", "partial").rows()
    )
    assert found[:4] == [
        ("words", None, None, 2, 7, 2, 3),
        ("words", "r1", "r2", 2, 6, 1, 2),
        ("words", "r1", "r3", 1, 4, 1, 1),
        ("words", "r2", "r3", 1, 4, 0, 0),
    ]
    assert ("foreignness", "r1", "r2", 2, 6, 0, 1) in found and ("category", "r1", "r2", 2, 6, 1, 2) in found


def test_f1_and_alpha_are_those_of_all_pairs_and_of_the_package(tmp_path: Path) -> None:
    rows = measured(tmp_path)
    whole = rows.row(0, named=True)
    assert whole["exact_f1"] == pytest.approx(2 * 2 / 14) and whole["partial_f1"] == pytest.approx(2 * 3 / 14)
    category = rows.filter(pl.col("label") == "category").row(0, named=True)
    assert category["words"] == 14 and category["alpha"] == pytest.approx(0.27007299270072993)
