"""Ways to change a house."""

import shutil
from collections.abc import Callable
from pathlib import Path

import yaml

Edit = Callable[[Path], None]


def setting(dotted: str, value: object) -> Edit:
    def edit(house: Path) -> None:
        path = house / "config" / "config.yaml"
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        block = config
        *parents, name = dotted.split(".")
        for parent in parents:
            block = block.setdefault(parent, {})
        block[name] = value
        path.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")

    return edit


def replace(path: str, old: str, new: str) -> Edit:
    def edit(house: Path) -> None:
        text = (house / path).read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {path}"
        (house / path).write_text(text.replace(old, new, 1), encoding="utf-8")

    return edit


def append(path: str, text: str) -> Edit:
    def edit(house: Path) -> None:
        with (house / path).open("a", encoding="utf-8") as file:
            file.write(text)

    return edit


def then(*edits: Edit) -> Edit:
    def edit(house: Path) -> None:
        for one in edits:
            one(house)

    return edit


def copy(source: str, target: str) -> Edit:
    def edit(house: Path) -> None:
        (shutil.copytree if (house / source).is_dir() else shutil.copy)(house / source, house / target)

    return edit


def bundled_model(house: Path) -> None:
    from wokflow.match.embed import bundled_folder

    shutil.copytree(bundled_folder(), house / "model")


def trained_pipeline(house: Path) -> None:
    shutil.copytree(house / "results" / "parse" / "parser" / "model", house / "pipeline")


def answers(house: Path) -> None:
    sheet = (house / "results" / "pivot" / "questions" / "questions.tsv").read_text(encoding="utf-8")
    (house / "data" / "answers.tsv").write_text(sheet, encoding="utf-8")


def vectors(house: Path) -> None:
    (house / "data" / "vectors.txt").write_text("豆腐 1 0\n炒 0 1\n", encoding="utf-8")


def predictions(house: Path) -> None:
    (house / "data" / "mine.tsv").write_text("instance_id\trun\tprediction\n", encoding="utf-8")
