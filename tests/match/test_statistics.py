"""Table 1 of the paper, counted by hand on a few pairs, and the histogram of scores."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.ingest.schemas import RECIPES
from wokflow.match import schemas
from wokflow.match.settings import StatisticsSettings
from wokflow.match.statistics import BINS, match_statistics, table_one

Pair = tuple[str, str, str]
ENGLISH = {
    "r:0": ("Egg Soup", ["2 eggs", "1 l water"], ["Boil the water.", "Add the eggs."]),
    "r:1": ("Rice", ["rice"], ["Cook."]),
    "r:2": ("Never paired", ["a"], ["b"]),
}
CHINESE = {"x:0": ("番茄 鸡蛋", ["鸡蛋 两个"], ["加盐"]), "x:1": ("米饭", ["大米"], ["煮"])}
COLUMNS = ["direction", "split", "sources", "source_tokens", "targets", "target_tokens", "pairs"]


def recipes(path: Path, lang: str, found: dict[str, tuple[str, list[str], list[str]]]) -> str:
    rows = [
        [name, "a corpus", lang, *fields, None, None, row] for row, (name, fields) in enumerate(found.items())
    ]
    tables.write(path, RECIPES, tables.frame(RECIPES, rows), {})
    return str(path)


def counted(
    folder: Path,
    zh_en: list[Pair],
    en_zh: list[Pair],
    scores: list[float],
    silver: Sequence[str] = (),
    gold: str | None = None,
) -> tuple[pl.DataFrame, dict[str, object]]:
    """Table 1 and the histogram, by way of files. The English recipes lie in two parts."""
    pairs = {}
    for direction, rows in {"zh-en": zh_en, "en-zh": en_zh}.items():
        frame = pl.DataFrame(
            rows, dict.fromkeys(("source_id", "target_id", "split"), pl.String), orient="row"
        )
        filled = frame.with_columns(
            score=pl.lit(0.9, pl.Float32),
            rank=pl.lit(1, pl.Int32),
            source_title=pl.lit("a"),
            target_title=pl.lit("b"),
            source_title_translated=pl.lit(None, pl.String),
            target_title_translated=pl.lit(None, pl.String),
        )
        pairs[direction] = str(folder / direction)
        tables.write(pairs[direction], schemas.PAIRS, filled, {})
    neighbours = str(folder / "neighbours")
    numbers = pl.Series(scores, dtype=pl.Float32)
    found = pl.DataFrame(
        {"source_index": range(len(scores)), "target_index": range(len(scores)), "score": numbers}
    )
    tables.write(neighbours, schemas.NEIGHBOURS, found, {})
    names = list(ENGLISH)
    english = [
        recipes(folder / "en-0", "en", {name: ENGLISH[name] for name in names[:1]}),
        recipes(folder / "en-1", "en", {name: ENGLISH[name] for name in names[1:]}),
    ]
    table, histogram = folder / "table1.tsv", folder / "scores.json"
    match_statistics(
        pairs=[pairs["zh-en"], pairs["en-zh"]],
        neighbours=[neighbours, neighbours],
        silver=silver,
        recipes=[*english, recipes(folder / "zh-0", "zh", CHINESE), recipes(folder / "zh-1", "zh", {})],
        statistics=str(table),
        histogram=str(histogram),
        settings=StatisticsSettings(gold_zh_en=gold, gold_en_zh=None, simplified=False),
        job=Job(),
    )
    return pl.read_csv(table, separator="\t"), json.loads(histogram.read_text(encoding="utf-8"))


def test_table_one_by_hand(tmp_path: Path) -> None:
    """r:0 has 13 words and r:1 3; jieba finds 5 words in x:0 (番茄 鸡蛋 鸡蛋 两个 加盐) and 3 in x:1."""
    zh_en = [("x:0", "r:0", "train"), ("x:0", "r:1", "train"), ("x:1", "r:1", "valid")]
    table, _ = counted(tmp_path, zh_en, [("r:0", "x:0", "test")], [])
    assert table.columns == COLUMNS
    assert table.rows() == [
        ("zh-en", "train & valid", 2, 4.0, 2, 8.0, 3),
        ("zh-en", "train", 1, 5.0, 2, 8.0, 2),
        ("zh-en", "valid", 1, 3.0, 1, 3.0, 1),
        ("zh-en", "test", 0, None, 0, None, 0),
        ("en-zh", "train & valid", 0, None, 0, None, 0),
        ("en-zh", "train", 0, None, 0, None, 0),
        ("en-zh", "valid", 0, None, 0, None, 0),
        ("en-zh", "test", 1, 13.0, 1, 5.0, 1),
    ]


def test_test_sets_of_their_own_have_rows(tmp_path: Path) -> None:
    """A gold target has 5 words; the second gold source, in no corpus, has 3 (汤 水 煮)."""
    silver = []
    for direction, rows in {"zh-en": [("x:0", "r:2")], "en-zh": []}.items():
        frame = pl.DataFrame(rows, {"source_id": pl.String, "target_id": pl.String}, orient="row")
        names = {f"{side}_{name}": pl.lit("a") for side in ("source", "target") for name in ("title", "dish")}
        numbers = {f"{side}_score": pl.lit(100, pl.Float32) for side in ("source", "target")}
        silver.append(str(tmp_path / f"silver-{direction}"))
        tables.write(silver[-1], schemas.SILVER, frame.with_columns(**names, **numbers), {})
    gold = tmp_path / "gold.tsv"
    gold.write_text(
        "source_id\tsource_title\ttitle\tingredients\tsteps\tsource_ingredients\tsource_steps\n"
        "x:0\t番茄 鸡蛋\tEgg Soup\teggs | water\tBoil.\t\t\n"
        "mine:1\t汤\tSoup\twater\tBoil it well.\t水\t煮\n",
        encoding="utf-8",
    )
    table, _ = counted(tmp_path, [], [("r:0", "x:0", "train")], [], silver, str(gold))
    found = [row for row in table.rows() if row[1] in ("silver test", "gold test")]
    assert found == [
        ("zh-en", "silver test", 1, 5.0, 1, 4.0, 1),
        ("zh-en", "gold test", 2, 4.0, 2, 5.0, 2),
        ("en-zh", "silver test", 0, None, 0, None, 0),
    ]


@pytest.mark.parametrize("name", ["xiachufang", "recipenlg", "zh-en"])
def test_table_one_does_not_depend_on_where_the_results_lie(name: str, tmp_path: Path) -> None:
    """A name in the path, such as that of a corpus, means nothing."""
    zh_en, en_zh = [("x:0", "r:0", "train"), ("x:1", "r:1", "valid")], [("r:0", "x:0", "test")]
    folders = tmp_path / "results", tmp_path / name / "out"
    for folder in folders:
        folder.mkdir(parents=True)
    usual, named = (counted(folder, zh_en, en_zh, [0.5]) for folder in folders)
    assert named[0].equals(usual[0]) and named[1] == usual[1]
    assert named[0]["source_tokens"].to_list()[:2] == [4.0, 5.0]


def test_table_one_counts_a_recipe_once_and_means_are_over_recipes() -> None:
    pairs = pl.DataFrame(
        {"source_id": ["a", "a", "b"], "target_id": ["c", "d", "d"], "split": ["train", "train", "train"]}
    )
    lengths = pl.DataFrame({"recipe_id": ["a", "b", "c", "d"], "tokens": [1, 4, 10, 20]})
    row = table_one("zh-en", pairs, lengths)[1]
    assert row == {
        "direction": "zh-en",
        "split": "train",
        "sources": 2,
        "source_tokens": 2.5,
        "targets": 2,
        "target_tokens": 15.0,
        "pairs": 3,
    }


def test_scores_fall_into_bins_of_two_hundredths(tmp_path: Path) -> None:
    _, histogram = counted(tmp_path, [], [], [-0.5, 0.0, 0.01, 0.29, 0.99, 1.0, 0.85])
    assert histogram["bins"] == BINS.tolist() and len(BINS) == 51
    expected = np.zeros(50, int)
    expected[[0, 14, 42, 49]] = [3, 1, 1, 2]
    assert histogram["counts"] == {"zh-en": expected.tolist(), "en-zh": expected.tolist()}


def test_no_pairs_make_a_table_of_zeros(tmp_path: Path) -> None:
    table, histogram = counted(tmp_path, [], [], [])
    assert table.columns == COLUMNS and table.height == 8
    assert table.select("sources", "targets", "pairs").sum().row(0) == (0, 0, 0)
    assert histogram["counts"] == {"zh-en": [0] * 50, "en-zh": [0] * 50}
