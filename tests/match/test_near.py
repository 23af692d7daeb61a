"""The sheet for choosing a threshold shows the nearest titles on both sides of it."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
from wokflow.match import near
from wokflow.match.near import write_near
from wokflow.match.sides import Side

Row = dict[str, str]


def side(corpus: str, titles: list[str], translated: list[str] | None = None) -> Side:
    """Recipes whose texts are their titles, or translations of them."""
    texts = translated or titles
    distinct = list(dict.fromkeys(texts))
    ids = [f"{corpus}:{row}" for row in range(len(titles))]
    table = {"recipe_id": ids, "title": titles, "text": texts, "text_index": map(distinct.index, texts)}
    recipes = pl.DataFrame(table, schema_overrides={"text_index": pl.Int32})
    return Side(recipes, translated is not None)


def sheet(folder: Path, found: list[tuple[int, int, float]], source: Side, target: Side) -> list[Row]:
    columns = {"source_index": pl.Int32, "target_index": pl.Int32, "score": pl.Float32}
    write_near(folder / "near.tsv", pl.DataFrame(found, columns, orient="row"), source, target, 0.85)
    text = (folder / "near.tsv").read_text(encoding="utf-8-sig")
    return list(csv.DictReader(text.splitlines(), dialect="excel-tab"))


def test_titles_stand_on_both_sides_of_the_threshold_with_their_translations(tmp_path: Path) -> None:
    chinese = side(
        "xiachufang",
        ["意面", "鸡 翅", "鸡翅", "粥"],
        ["Spaghetti", "Chicken Wings", "Chicken Wings", "Congee"],
    )
    english = side("recipenlg", ["Spaghetti Sauce", "Air Fryer\tChicken Wings"])
    found = [(0, 0, 0.84), (1, 1, float(np.float32(0.85))), (2, 0, 0.1), (0, 1, 0.7)]
    rows = sheet(tmp_path, found, chinese, english)
    assert [row["score"] for row in rows] == ["0.850000", "0.840000", "0.700000"]
    assert [row["accepted"] for row in rows] == ["yes", "no", "no"]
    assert rows[0] == {
        "score": "0.850000",
        "accepted": "yes",
        "source_title": "鸡 翅",
        "source_title_translated": "Chicken Wings",
        "target_title": "Air Fryer Chicken Wings",
        "target_title_translated": "",
        "source_id": "xiachufang:1",
        "target_id": "recipenlg:1",
    }


def test_a_large_corpus_shows_ten_of_every_hundredth_on_both_sides(tmp_path: Path) -> None:
    titles = [f"Dish {number}" for number in range(400)]
    scores = np.random.default_rng(1).uniform(0.5, 1, 4000)
    found = [(number % 400, number // 400, float(score)) for number, score in enumerate(scores)]
    rows = sheet(tmp_path, found, side("a", titles), side("b", titles))
    assert Counter((row["accepted"], row["score"][:4]) for row in rows) == {
        ("yes" if score >= 85 else "no", f"{score / 100:.2f}"): near.BAND for score in range(60, 100)
    }
    assert [float(row["score"]) for row in rows] == sorted(
        (float(row["score"]) for row in rows), reverse=True
    )
    below = [row["score"] for row in rows if row["accepted"] == "no"]
    assert below[0] == f"{max(score for score in scores if score < 0.85):.6f}"
    above = [row["score"] for row in rows if row["accepted"] == "yes"]
    assert above[-1] == f"{min(score for score in scores if score >= 0.85):.6f}"


def test_no_neighbours_leave_the_header(tmp_path: Path) -> None:
    assert sheet(tmp_path, [], side("a", ["x"]), side("b", ["y"])) == []
    assert "target_title_translated" in (tmp_path / "near.tsv").read_text(encoding="utf-8")
