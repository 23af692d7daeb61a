"""Pairs and predictions in the form of CulturalRecipes (`wokflow papers cultural-recipes`).

FOLDER/DIRECTION gets train.jsonl, val.jsonl and test.jsonl, a line for each source recipe with its targets, as the
data of Cao et al. 2024 has them, and predictions/RUN.DATASET.jsonl with source, references and prediction, as their
evaluation reads them. test.jsonl is the silver set or, without one, the test pairs. A direction whose models learnt
from other pairs than those of match (train.published, or match ran anew), or were tested on others, gets predictions
alone. All texts are whole: mind the terms of the corpora (resources/sources.tsv) before you pass them on.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.frame.usage import left_over, refuse_overwriting, require_tables
from wokflow.match.directions import DIRECTIONS

NAMES = {"train": "train.jsonl", "valid": "val.jsonl", "test": "test.jsonl"}
SIDES = ("source", "target")
SCORED = "evaluate/scores/part-00001.parquet"  # of runs that adapt recipes, among others


def write_cultural_recipes(results: str, folder: str, say: Callable[[str], None]) -> list[str]:
    """Write the files of each direction; what was written.

    Raises UsageError if the results have no pairs, or if one of the files exists already.
    """
    require_tables(results, "match", *(f"pairs/{direction}" for direction in DIRECTIONS))
    made: dict[str, Iterator[dict[str, Any]]] = {}
    for direction in DIRECTIONS:
        rows = tables.read(str(Path(results, "match/pairs", direction, "part-00000.parquet")))
        silver = Path(results, "match/silver", direction, "part-00000.parquet")
        if silver.is_file() and len(given := tables.read(str(silver))):
            test = given.with_columns(split=pl.lit("test"))
            rows = pl.concat([rows.filter(pl.col("split") != "test"), test], how="diagonal")
        if not _has_others(results, direction, rows):
            recipes = _recipes(results, rows)
            _refuse_others(rows, recipes, direction)
            for split, name in NAMES.items():
                made[f"{direction}/{name}"] = _lines(rows.filter(split=split), recipes)
        made |= _predictions(results, direction, say)
    refuse_overwriting(folder, made)
    for name, records in made.items():
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
        tables.write_text(Path(folder, name), text)
    return [*made]


def _has_others(results: str, direction: str, rows: pl.DataFrame) -> bool:
    """Whether training examples or silver instances of a direction are of other pairs than these rows of match."""
    pairs = rows["source_id"] + ">" + rows["target_id"]
    known = {"train/examples": pairs, "generate/instances": "silver:" + rows["source_id"]}
    for table, ids in known.items():
        part = Path(results, table, direction, "part-00000.parquet")
        given = tables.read(str(part), ["instance_id"])["instance_id"] if part.is_file() else ids
        if not given.filter(~given.str.starts_with("gold:")).is_in(ids.implode()).all():
            return True
    return False


def _refuse_others(rows: pl.DataFrame, recipes: Mapping[str, Any], direction: str) -> None:
    """Raises UserError where recipes of pairs are not those of ingest, which ran again since, but match did not."""
    for side in SIDES:
        for name, title in rows.select(f"{side}_id", f"{side}_title").unique().drop_nulls().iter_rows():
            if name not in recipes or recipes[name][0] != title:
                raise UserError(
                    f"results of match: recipe {name} of the pairs {direction} is not the one that ingest has read "
                    "since. Run snakemake match."
                )


def _lines(rows: pl.DataFrame, recipes: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for (source,), some in rows.group_by("source_id", maintain_order=True):
        yield {
            "source": _recipe(source, "source", some.row(0, named=True), recipes),
            "targets": [
                _recipe(row["target_id"], "target", row, recipes) for row in some.iter_rows(named=True)
            ],
        }


def _recipe(name: Any, side: str, row: Mapping[str, Any], recipes: Mapping[str, Any]) -> dict[str, Any]:
    title, ingredients, steps, dish = recipes[name]
    return {
        "id": name,
        "title": title,
        "title_translated": row.get(f"{side}_title_translated"),
        "ingredients": ingredients,
        "steps": steps,
        "dish": dish,
    }


def _recipes(results: str, rows: pl.DataFrame) -> dict[str, Any]:
    wanted = pl.concat([rows[f"{side}_id"] for side in SIDES]).unique().implode()
    parts = [str(path) for path in sorted(Path(results, "ingest/recipes").glob("*/*.parquet"))]
    columns = ["recipe_id", "title", "ingredients", "steps", "dish"]
    found = tables.scan(parts, columns).filter(pl.col("recipe_id").is_in(wanted)).collect(engine="streaming")
    return {name: parts for name, *parts in found.iter_rows()}


def _predictions(
    results: str, direction: str, say: Callable[[str], None]
) -> dict[str, Iterator[dict[str, Any]]]:
    instances = Path(results, "generate/instances", direction, "part-00000.parquet")
    if not instances.is_file():
        return {}
    asked = tables.read(str(instances))
    made: dict[str, Iterator[dict[str, Any]]] = {}
    runs: list[str] = []
    for part in sorted(Path(results, "generate/predictions").glob("*/part-00000.parquet")):
        own = tables.read(str(part)).select("instance_id", "prediction")
        predicted = asked.join(own, on="instance_id", maintain_order="left")
        runs += [part.parent.name] if len(predicted) else []
        lacking = asked.join(own, on="instance_id", how="anti") if len(predicted) else predicted
        for dataset, count in lacking["dataset"].value_counts().sort("dataset").iter_rows():
            of = (asked["dataset"] == dataset).sum()
            say(f"{part.parent.name}: {count} of {of} instances of {direction}, {dataset} have no prediction")
        for (dataset,), some in predicted.group_by("dataset", maintain_order=True):
            made[f"{direction}/predictions/{part.parent.name}.{dataset}.jsonl"] = (
                {
                    "source": row["source"],
                    "references": [row["reference"] or ""],
                    "prediction": row["prediction"],
                }
                for row in some.to_dicts()
            )
    for sentence in left_over(results, SCORED, "run", runs):
        say(sentence)
    return made
