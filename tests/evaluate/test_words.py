"""The most frequent words of a cuisine's recipes by system, without stop words and names of cuisines."""

from pathlib import Path

from wokflow.evaluate.settings import WordsSettings
from wokflow.evaluate.words import evaluate_words
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.judge.schemas import TASKS


def test_words_are_ranked_without_stop_words_and_all_cuisines_names(tmp_path: Path) -> None:
    recipes = [
        ("Thai", "x", "Thai basil, basil, and THE Southern chili. Stir-fry."),
        ("Thai", "x", "Chili, chili; stir-fry a b c."),
        ("Thai", "y", "Jalapeño and jalapeño"),
        ("Southern US", "x", "the the the"),
    ]
    rows = [
        {"task_id": str(number), "study": "ash", "item": "i", "system": system, "dimensions": []}
        | {"shown": [{"name": "cuisine", "text": cuisine}, {"name": "recipe", "text": text}]}
        for number, (cuisine, system, text) in enumerate(recipes)
    ]
    paths = {name: str(tmp_path / f"{name}.parquet") for name in ("tasks", "words")}
    tables.write(paths["tasks"], TASKS, tables.frame(TASKS, rows), {})
    evaluate_words(**paths, settings=WordsSettings(most=3), job=Job())
    assert tables.read(paths["words"]).rows() == [
        ("Thai", "x", 1, "chili", 3, 2),
        ("Thai", "x", 2, "stir-fry", 2, 2),
        ("Thai", "x", 3, "basil", 2, 1),
        ("Thai", "y", 1, "jalapeño", 2, 1),
    ]
