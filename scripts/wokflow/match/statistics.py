"""Table 1 of Cultural Adaptation of Recipes for the pairs at hand, and the histogram of scores."""

import json
from collections.abc import Sequence

import numpy as np
import polars as pl

from wokflow.frame import tables

PAPER = [
    {
        "direction": "zh-en",
        "split": "train & valid (paper)",
        "sources": 44_500,
        "targets": 144_600,
        "source_tokens": 159.1,
        "target_tokens": 140.2,
    },
    {
        "direction": "en-zh",
        "split": "train & valid (paper)",
        "sources": 43_800,
        "targets": 120_700,
        "source_tokens": 117.1,
        "target_tokens": 164.8,
    },
]
BINS = np.round(np.linspace(0.0, 1.0, 51), 2)


def match_statistics(
    *,
    pairs_zh_en: str,
    pairs_en_zh: str,
    neighbours_zh_en: str,
    neighbours_en_zh: str,
    recipenlg: Sequence[str],
    xiachufang: Sequence[str],
    statistics: str,
    histogram: str,
) -> None:
    """Write Table 1 (TSV: a row for each direction and split) and the histograms of scores (JSON).

    `recipenlg` and `xiachufang` are the parts of their recipes. Tokens are words between white space in English and
    jieba's words in Chinese, over title, ingredients and steps, as in the paper.
    """
    pairs = {"zh-en": tables.read(pairs_zh_en), "en-zh": tables.read(pairs_en_zh)}
    ids = [table[column] for table in pairs.values() for column in ("source_id", "target_id")]
    used = pl.concat(ids).unique()
    lengths = pl.concat([_lengths(recipenlg, used), _lengths(xiachufang, used)])
    rows = [row for direction, table in pairs.items() for row in table_one(direction, table, lengths)]
    with tables.atomic(statistics) as temporary:
        pl.DataFrame(rows, infer_schema_length=None).write_csv(temporary, separator="\t", float_precision=1)
    counts = {"zh-en": _histogram(neighbours_zh_en), "en-zh": _histogram(neighbours_en_zh)}
    tables.write_text(histogram, json.dumps({"bins": BINS.tolist(), "counts": counts}) + "\n")


def _histogram(neighbours: str) -> list[int]:
    scores = tables.read(neighbours, ["score"])["score"].to_numpy()
    return [int(count) for count in np.histogram(scores.clip(0, 1), BINS)[0]]


def table_one(direction: str, pairs: pl.DataFrame, lengths: pl.DataFrame) -> list[dict[str, object]]:
    """Rows for train & valid, train, valid and test: recipes, pairs and mean tokens on each side."""
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
