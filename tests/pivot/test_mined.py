"""Edits of an ingredient: found in recipes of other dishes, and never in those by which a pair is scored."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.ingest import schemas as ingest_schemas
from wokflow.parse.actions import parse_actions
from wokflow.parse.settings import ActionsSettings
from wokflow.pivot import schemas
from wokflow.pivot.mined import pivot_mined
from wokflow.pivot.settings import MinedSettings

from tests.conftest import ROOT

GLOSSARY = {
    "verbs.tsv": "去皮\t去皮\n切片\t切\n切\t切\n打散\t打\n炒\t炒\n煮\t煮\n放入\t放\n腌\t腌\n",
    "ingredients.tsv": "蛋\t蛋\n豆腐\t豆腐\n土豆丝\t丝\n土豆\t土豆\n番茄\t番茄\n盐\t盐\n",
    "tools.tsv": "锅\t锅\n",
}
PAIRS = "base_dish\ttarget_dish\tingredient_removed\tingredient_added\n"
PAIRS += "炒蛋\t炒土豆丝\t蛋\t土豆丝\n番茄汤\t番茄豆腐汤\t\t豆腐\n"


class Recipe(NamedTuple):
    dish: str | None
    text: str


POTATOES = [Recipe("土豆饼", "土豆去皮。土豆切片。放入番茄。煮土豆。")] * 20
EGGS = [Recipe("蛋糕", "蛋打散。放入番茄。煮蛋。")] * 20
TOFU = [Recipe(None, "豆腐切片，放入豆腐。")] * 20


def mined(folder: Path, known: Sequence[Recipe], **own: Any) -> pl.DataFrame:
    """pivot/mined of known recipes; those of no dish of a pair are pivot/corpus."""
    glossary, pairs = folder / "glossary", folder / "pairs.tsv"
    glossary.mkdir(exist_ok=True)
    for name, rows in GLOSSARY.items():
        (glossary / name).write_text("surface\tclass\n" + rows, encoding="utf-8")
    pairs.write_text(PAIRS, encoding="utf-8")
    rows = pl.DataFrame(
        [
            {"recipe_id": f"x:{number}", "corpus": "x", "source_row": number, "steps": [recipe.text]}
            for number, recipe in enumerate(known)
        ]
    )
    empty = tables.frame(ingest_schemas.RECIPES)
    every = pl.concat([empty, rows], how="diagonal_relaxed").with_columns(
        pl.col(name).fill_null("") for name in empty.columns if empty.schema[name] == pl.String
    )
    path = {
        name: str(folder / f"{name}.parquet")
        for name in ("recipes", "actions", "rejects", "dishes", "corpus")
    }
    every.write_parquet(path["recipes"])
    parse_actions(
        recipes=path["recipes"],
        dependencies=(),
        actions=path["actions"],
        rejects=path["rejects"],
        settings=ActionsSettings(glossary=str(glossary), style="house", method="rules"),
        job=Job(),
    )
    dish = rows.select("recipe_id", dish=pl.Series([one.dish for one in known], dtype=pl.String))
    dishes = dish.drop_nulls().with_columns(found_by=pl.lit("field"))
    tables.write(path["dishes"], schemas.DISHES, dishes, {})
    untested = ~pl.col("dish").fill_null("").is_in(["炒蛋", "炒土豆丝", "番茄汤", "番茄豆腐汤"])
    tables.write(path["corpus"], schemas.CORPUS, dish.filter(untested), {})
    out = str(folder / "mined.parquet")
    pivot_mined(
        actions=[path["actions"]],
        dishes=path["dishes"],
        corpus=path["corpus"],
        mined=out,
        settings=MinedSettings(pairs=str(pairs), glossary=str(glossary), **own),
        job=Job(),
    )
    return tables.read(out)


def kinds(rows: pl.DataFrame, target: str) -> dict[str, set[tuple[str, str]]]:
    own = rows.filter(pl.col("target_dish") == target)
    return {
        kind: {
            (row["verb_class"], *row["ingredient_classes"]) for row in own.to_dicts() if row["kind"] == kind
        }
        for kind in ("remove", "insert")
    }


def test_what_one_ingredient_has_done_to_it_and_the_other_has_not(tmp_path: Path) -> None:
    """What both have, by whatever name, is no edit, nor is what is done to other food."""
    rows = mined(tmp_path, [*POTATOES, *EGGS, *TOFU])
    assert kinds(rows, "炒土豆丝") == {
        "remove": {("打", "土豆丝")},
        "insert": {("去皮", "土豆丝"), ("切", "土豆丝")},
    }
    assert kinds(rows, "番茄豆腐汤") == {"remove": set(), "insert": {("切", "豆腐"), ("放", "豆腐")}}
    [peel] = rows.filter(pl.col("verb_class") == "去皮").to_dicts()
    assert peel["phrases"] == ["土豆去皮"]
    assert (peel["earlier"], "煮/土豆丝/" in peel["later"]) == ([], True)
    assert (peel["base_count"], peel["base_recipes"], peel["target_count"]) == (0, 20, 20)


def test_a_pairs_own_recipes_cannot_reach_its_edits(tmp_path: Path) -> None:
    """Nor those of any other pair's dishes, by default: the edits stay as they are, whatever such recipes do."""
    own = [Recipe("炒土豆丝", "腌土豆丝。炒土豆丝。")] * 50 + [Recipe("炒蛋", "蛋切片。放入蛋。")] * 50
    own += [Recipe("炒土豆丝", "蛋打散。土豆打散。")] * 50
    plain = mined(tmp_path, [*POTATOES, *EGGS, *TOFU])
    assert plain.height
    for recipes in ("untested", "others"):
        rows = mined(tmp_path, [*POTATOES, *EGGS, *TOFU, *own], recipes=recipes)
        assert rows.filter(pl.col("target_dish") == "炒土豆丝").equals(
            plain.filter(pl.col("target_dish") == "炒土豆丝")
        )
    other = [Recipe("番茄汤", "腌土豆。")] * 50
    assert mined(tmp_path, [*POTATOES, *EGGS, *TOFU, *other]).equals(plain)
    rows = mined(tmp_path, [*POTATOES, *EGGS, *TOFU, *other], recipes="others")
    assert ("腌", "土豆丝") in kinds(rows, "炒土豆丝")["insert"]


def test_too_few_recipes_claim_nothing(tmp_path: Path) -> None:
    assert mined(tmp_path, [*POTATOES[:9], *EGGS, *TOFU[:9]]).is_empty()
    assert mined(tmp_path, POTATOES).is_empty(), "no recipe has what is removed"


@pytest.mark.parametrize(
    ("rule", "read"),
    [("pivot_mined", {"pivot/dishes", "pivot/corpus"}), ("generate_mined", {"pivot/mined"})],
)
def test_no_table_that_pairs_are_scored_by_is_an_input(rule: str, read: set[str]) -> None:
    [text] = [
        text
        for path in (ROOT / "rules").glob("*.smk")
        if f"rule {rule}:" in (text := path.read_text(encoding="utf-8"))
    ]
    inputs = text.split(f"rule {rule}:")[1].split("output:")[0]
    assert set(re.findall(r"\bpivot/\w+", inputs)) == read
