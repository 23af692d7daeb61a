"""Table 1 of Cultural Adaptation of Recipes for this run's pairs, and the histogram of scores."""

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
import polars as pl

from wokflow.frame import jieba_dictionary, tables
from wokflow.frame.job import Job, Progress
from wokflow.match.directions import DIRECTIONS
from wokflow.match.gold import SOURCE, TARGET, gold_set
from wokflow.match.settings import StatisticsSettings

BATCH = 20_000  # recipes whose texts are read at once
BINS = np.round(np.linspace(0.0, 1.0, 51), 2)


def match_statistics(
    *,
    pairs: Sequence[str],
    neighbours: Sequence[str],
    silver: Sequence[str],
    recipes: Sequence[str],
    statistics: str,
    histogram: str,
    settings: StatisticsSettings,
    job: Job,
) -> None:
    """Write Table 1 (TSV: a row for each direction and split) and the histograms of scores (JSON).

    `recipes` are the parts of both corpora. Tokens are words between white space in English and jieba's words in
    Chinese, over title, ingredients and steps, as in the paper. `pairs` and `neighbours` are the tables of both
    directions, in the order of DIRECTIONS. Separate test sets have a row each: `silver`, both tables of match/silver
    or none, and gold sets.
    """
    paths = dict(zip(DIRECTIONS, pairs, strict=True))
    silver_of = dict(zip(paths, silver, strict=False))
    gold = {
        name: gold_set(path, recipes, simplified=settings.simplified)
        for name, path in zip(paths, (settings.gold_zh_en, settings.gold_en_zh), strict=True)
    }
    used = pl.concat(
        tables.scan(path).select(recipe_id=pl.col(column)).unique().collect()
        for path in (*paths.values(), *silver)
        for column in ("source_id", "target_id")
    )
    used = pl.concat([used, *(rows.select(recipe_id="source_id") for rows in gold.values())]).unique()
    lengths = _lengths(recipes, used, job.progress)
    rows = []
    for direction, path in paths.items():
        rows += table_one(direction, tables.read(path, ["source_id", "target_id", "split"]), lengths)
        if direction in silver_of:
            chosen = tables.read(silver_of[direction], ["source_id", "target_id"])
            rows.append(_row(direction, "silver test", chosen, lengths))
        if len(gold[direction]):
            rows.append(_gold_row(direction, gold[direction], lengths))
    with tables.atomic(statistics) as temporary:
        pl.DataFrame(rows, infer_schema_length=None).write_csv(temporary, separator="\t", float_precision=1)
    counts = {name: _histogram(path) for name, path in zip(DIRECTIONS, neighbours, strict=True)}
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
        rows.append(_row(direction, name, pairs.filter(pl.col("split").is_in(splits)), lengths))
    return rows


def _row(direction: str, name: str, pairs: pl.DataFrame, lengths: pl.DataFrame) -> dict[str, object]:
    row: dict[str, object] = {"direction": direction, "split": name}
    for side in ("source", "target"):
        ids = pairs.select(recipe_id=pl.col(f"{side}_id")).unique()
        row[f"{side}s"] = ids.height
        tokens = ids.join(lengths, on="recipe_id")["tokens"].mean()
        row[f"{side}_tokens"] = float(tokens) if isinstance(tokens, float) else None
    return row | {"pairs": pairs.height}


def _gold_row(direction: str, gold: pl.DataFrame, lengths: pl.DataFrame) -> dict[str, object]:
    """The row of a gold set, which holds its targets itself, and perhaps its sources."""
    source, target = direction.split("-")
    own = gold.filter(pl.col("source_ingredients").is_not_null())
    sources = own.select(
        pl.col("source_id").alias("recipe_id"),
        *(pl.col(column).alias(name) for name, column in zip(TARGET, SOURCE, strict=True)),
    )
    pairs = gold.with_columns(target_id=pl.format("gold:{}", "line"))
    targets = pairs.select("target_id", *TARGET).rename({"target_id": "recipe_id"})
    known = lengths.join(own, left_on="recipe_id", right_on="source_id", how="anti")
    return _row(
        direction,
        "gold test",
        pairs,
        pl.concat([known, _measure(sources, source), _measure(targets, target)]),
    )


def _lengths(parts: Sequence[str], used: pl.DataFrame, progress: Progress) -> pl.DataFrame:
    """Tokens of the recipes in `used`; texts are read BATCH at a time."""
    columns = ["recipe_id", "lang", "title", "ingredients", "steps"]
    counted = [pl.DataFrame(schema={"recipe_id": pl.String, "tokens": pl.Int64})]
    total, done = tables.rows(parts), 0
    for part in parts:
        with tables.opened(part) as file:
            for batch in file.iter_batches(BATCH, columns=columns):
                rows = pl.DataFrame(pl.from_arrow(batch)).join(used, on="recipe_id", how="semi")
                counted.append(_measure(rows, rows["lang"].first()))
                done += batch.num_rows
                progress(done, f"words of {done} recipes are counted", of=total)
    return pl.concat(counted)


def _measure(recipes: pl.DataFrame, lang: Any) -> pl.DataFrame:
    """The tokens of recipes in one language."""
    lines = recipes.select("recipe_id", line=pl.concat_list("title", "ingredients", "steps")).explode("line")
    tokens = lines.select("recipe_id", tokens=_count(lines["line"], lang))
    return tokens.group_by("recipe_id", maintain_order=True).sum()


def _count(line: pl.Series, lang: str) -> pl.Series:
    """The number of tokens of each line."""
    if lang != "zh":
        return line.str.count_matches(r"\S+").cast(pl.Int64)
    return pl.Series(map(_words, line), dtype=pl.Int64)


@lru_cache(1 << 20)
def _words(line: str) -> int:
    """jieba's words in a line; many lines of ingredients occur again and again."""
    return sum(1 for word in _tokenizer().cut(line) if word.strip())


@cache
def _tokenizer() -> Any:
    return jieba_dictionary.tokenizer()
