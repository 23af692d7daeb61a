"""Table 1 of Cultural Adaptation of Recipes for the pairs at hand, and the histogram of scores."""

import json
from collections.abc import Sequence

import numpy as np
import polars as pl

from wokflow import tables

PAPER = [
    {"direction": "zh-en", "split": "train & valid (paper)", "sources": 44_500, "targets": 144_600}
    | {"source_tokens": 159.1, "target_tokens": 140.2},
    {"direction": "en-zh", "split": "train & valid (paper)", "sources": 43_800, "targets": 120_700}
    | {"source_tokens": 117.1, "target_tokens": 164.8},
]
BINS = np.round(np.linspace(0.0, 1.0, 51), 2)


def match_statistics(
    pairs: dict[str, str],
    neighbours: dict[str, str],
    recipes: dict[str, Sequence[str]],
    statistics: str,
    histogram: str,
) -> None:
    """Write Table 1 (TSV: a row a direction and split) and the scores' histograms (JSON).

    `recipes` holds the parts of the recipes of each corpus. Tokens are words between white space in English
    and jieba's words in Chinese, over title, ingredients and steps, as in the paper.
    """
    found = {direction: tables.read(path) for direction, path in pairs.items()}
    ids = [table[column] for table in found.values() for column in ("source_id", "target_id")]
    used = pl.concat(ids).unique()
    lengths = pl.concat([_lengths(parts, used) for parts in recipes.values()])
    rows = [row for direction, table in found.items() for row in table_one(direction, table, lengths)]
    with tables.atomic(statistics) as temporary:
        pl.DataFrame(rows, infer_schema_length=None).write_csv(temporary, separator="\t", float_precision=1)
    scores = {direction: tables.read(path, ["score"])["score"] for direction, path in neighbours.items()}
    counts = {
        direction: np.histogram(score.to_numpy().clip(0, 1), BINS)[0].tolist()
        for direction, score in scores.items()
    }
    tables.write_text(histogram, json.dumps({"bins": BINS.tolist(), "counts": counts}) + "\n")


def table_one(direction: str, pairs: pl.DataFrame, lengths: pl.DataFrame) -> list[dict[str, object]]:
    """Rows for train & valid, train, valid, test: recipes, pairs and mean tokens on each side."""
    rows: list[dict[str, object]] = []
    for name, splits in {
        "train & valid": ["train", "valid"],
        "train": ["train"],
        "valid": ["valid"],
        "test": ["test"],
    }.items():
        some = pairs.filter(pl.col("split").is_in(splits))
        row: dict[str, object] = {"direction": direction, "split": name}
        for side in ("source", "target"):
            ids = some.select(recipe_id=pl.col(f"{side}_id")).unique()
            row[f"{side}s"] = ids.height
            tokens = ids.join(lengths, on="recipe_id")["tokens"].mean()
            row[f"{side}_tokens"] = float(tokens) if isinstance(tokens, float) else None
        rows.append(row | {"pairs": some.height})
    return rows


def _lengths(parts: Sequence[str], used: pl.Series) -> pl.DataFrame:
    wanted = tables.scan(parts, ["recipe_id", "lang", "title", "ingredients", "steps"]).filter(
        pl.col("recipe_id").is_in(used.implode())
    )
    text = pl.concat_list("title", "ingredients", "steps").list.join(" ")
    table = wanted.select("recipe_id", "lang", text=text).collect()
    return table.select("recipe_id", tokens=_count(table["text"], table["lang"].first() == "zh"))


def _count(text: pl.Series, chinese: bool) -> pl.Series:
    if not chinese:
        return text.str.count_matches(r"\S+").cast(pl.Int64)
    import logging

    import jieba

    jieba.setLogLevel(logging.WARNING)
    counts = [sum(1 for word in jieba.cut(line) if word.strip()) for line in text]
    return pl.Series(counts, dtype=pl.Int64)
