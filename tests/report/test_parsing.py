"""The section on actions: numbers that can be counted by hand."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.ingest import schemas as ingest
from wokflow.parse import schemas as parse
from wokflow.report import parsing
from wokflow.report.parsing import choose, measure, parser, section, whole_recipes

from tests.report.parts import WORDS, action, by_name, parser_scores, shown, table, texts

NAME = {"counterfactual": "Base recipes"}
CHICKEN = {"ingredients": ["鸡丁"], "ingredient_classes": ["鸡肉"], "text": "切鸡丁"}


def recipe(number: int) -> dict[str, Any]:
    row = {"recipe_id": f"r{number}", "corpus": "counterfactual", "lang": "zh", "source_row": number}
    row |= {"title": f"菜 {number}", "steps": ["切鸡丁，再切，炒"], "ingredients": []}
    return row | {"dish": None, "url": None, "reason": "no_action", "detail": None, "raw": f"r{number}"}


def corpus(folder: Path, recipes: int) -> dict[str, list[str]]:
    """Recipes of three actions in two parts, the first two actions alike; one recipe more is a reject."""
    paths = []
    rows = [recipe(number) for number in range(recipes)]
    for part in range(2):
        some = rows[part::2]
        found = [
            one
            for row in some
            for one in (
                action(row["recipe_id"], 0, "切", 0, **CHICKEN),
                action(row["recipe_id"], 1, "切", 5, **CHICKEN, inherited=True),
                action(row["recipe_id"], 2, "炒", 7, optional=True),
            )
        ]
        bad = [recipe(recipes)] if part == 0 else []
        for name, schema, lines in (
            ("ingest/recipes", ingest.RECIPES, some + bad),
            ("parse/rejects", parse.REJECTS, bad),
            ("parse/actions", parse.ACTIONS, found),
            ("parse/proto", parse.PROTO_ACTIONS, found),
        ):
            paths.append(table(folder, f"{name}/counterfactual", schema, lines, part))
    return by_name(folder, paths)


@pytest.mark.parametrize("batch", [1, 2, 4, 100])
def test_numbers_do_not_depend_on_the_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(parsing, "BATCH", batch)
    found = measure(corpus(tmp_path, 5), "counterfactual")
    expected = {"recipes": 6, "rejects": 1, "parsed": 5, "actions": 15, "distinct": 10}
    assert found == expected | {"inherited": 5, "optional": 5}


def test_recipes_come_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "BATCH", 2)
    parts = corpus(tmp_path, 5)["parse_proto_counterfactual"]
    frames = [frame["recipe_id"].to_list() for frame in whole_recipes(parts)]
    assert [frame for frame in frames if frame] == [[f"r{number}"] * 3 for number in (0, 2, 4, 1, 3)]


def page(parts: dict[str, list[str]], *parsers: str) -> str:
    return shown("parse", section(parts, NAME, WORDS) | {"parsers": [*map(parser, parsers)]})


def test_section_tells_what_was_found(tmp_path: Path) -> None:
    parts = corpus(tmp_path, 5)
    rows = dict(texts(section(parts, NAME, WORDS)["numbers"]))
    assert rows["Distinct proto-actions a recipe, mean"] == "2.0"
    assert rows["Actions that inherit"] == "33.3 %"
    html = page(parts)
    assert (
        "no_action" in html
        and "cut" in html
        and '<span class="verb">切<sup>1</sup></span>' in html.replace("\n", "")
    )
    assert "neither among" not in html


def test_lost_recipes_are_called_out(tmp_path: Path) -> None:
    parts = corpus(tmp_path, 5)
    parts["parse_rejects_counterfactual"] = [table(tmp_path / "none", "empty", parse.REJECTS, [])]
    assert "neither among" in page(parts)


def test_nothing_to_tell(tmp_path: Path) -> None:
    html = page(corpus(tmp_path, 0))
    assert "No verbs." in html and "<article" not in html
    assert "No corpus was parsed." in page({})


def test_example_shows_many_kinds_of_actions() -> None:
    plain = [action("a", number, "切", number) for number in range(8)]
    kinds = [action("b", number, "切", number, inherited=number > 4, tools=["锅"]) for number in range(8)]
    short = [action("c", 0, "切", 0, inherited=True, optional=True, tools=["锅"])]
    assert choose(pl.DataFrame(plain + kinds + short)) == "b"
    assert choose(pl.DataFrame(short)) == "c"


def test_parser_scores(tmp_path: Path) -> None:
    trained, tested = tmp_path / "trained.json", tmp_path / "tested.json"
    trained.write_text(json.dumps(parser_scores()))
    tested.write_text(json.dumps(parser_scores(held_out=False)))
    assert texts(parser(str(trained))["table"])[0] == [
        "Clauses, words as cut for parsing",
        "95.0",
        "94.0",
        "87.3",
        "75.0",
    ]
    assert "same treebanks" in page({}, str(trained)) and "other treebanks" in page({}, str(tested))
    assert "The parser" not in page({}), "no parser was trained"
