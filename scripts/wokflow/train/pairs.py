"""Training examples of adaptation: pairs of recipes as texts. A cutoff: if they stay equal, nothing trains again."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.match.gold import published_pairs
from wokflow.models.recipe_texts import recipe_text, recipe_texts
from wokflow.train import schemas
from wokflow.train.settings import PairsSettings

FILES = {"train": "train.jsonl", "valid": "val.jsonl"}  # of the published data, by split


def train_pairs(
    *,
    pairs: str,
    recipes: list[str],
    direction: str,
    data: str,
    digest: str,
    settings: PairsSettings,
    job: Job,
) -> None:
    """Write the pairs of splits train and valid (match/pairs, in order) as train/examples to `data`, and a `digest`.

    `recipes` are the parts of ingest/recipes of both corpora. Pairs of recipes in test sets have split test already.
    With published data, its pairs are written instead, each target of a source as a pair.
    """
    if settings.published:
        given = [*_published(settings.published, direction)]
        job.progress.say(f"{settings.published}: {len(given)} pairs")
        frame = pl.DataFrame(given, dict.fromkeys(schemas.EXAMPLES.names, pl.String))
        write_examples(data, digest, frame, job.metadata)
        return
    kept = tables.read(pairs, ["source_id", "target_id", "split"]).filter(pl.col("split") != "test")
    texts = recipe_texts(recipes, pl.concat([kept["source_id"], kept["target_id"]]))
    titles = _titles(recipes, kept["source_id"])
    rows = kept.with_columns(
        title=pl.col("source_id").replace_strict(titles, return_dtype=pl.String),
        instance_id=pl.concat_str("source_id", pl.lit(">"), "target_id"),
        source=pl.col("source_id").replace_strict(texts, return_dtype=pl.String),
        target=pl.col("target_id").replace_strict(texts, return_dtype=pl.String),
    )
    write_examples(data, digest, rows, job.metadata)


def _published(folder: str, direction: str) -> Iterator[dict[str, str]]:
    """The pairs of published data. A target without an id, or a pair that occurs again, is named by its place."""
    languages, seen = direction.split("-"), set[str]()
    for split, name in FILES.items():
        path = Path(folder, name)
        if not path.is_file():
            raise UserError(f"train.published.{direction}: {folder} has no {name}.")
        for line, source, targets in published_pairs(str(path)):
            for number, target in enumerate(targets, start=1):
                texts = [
                    recipe_text(recipe["title"], recipe["ingredients"], recipe["steps"], lang)
                    for recipe, lang in zip((source, target), languages, strict=True)
                ]
                pair = f"{source['id']}>{target['id']}"
                if not target["id"] or pair in seen:
                    pair = f"{source['id']}>{name}:{line}:{number}"
                seen.add(pair)
                yield {
                    "instance_id": pair,
                    "split": split,
                    "title": source["title"],
                    "source": texts[0],
                    "target": texts[1],
                }


def _titles(recipes: list[str], ids: pl.Series) -> dict[str, str]:
    wanted = tables.scan(recipes, ["recipe_id", "title"]).filter(
        pl.col("recipe_id").is_in(ids.unique().implode())
    )
    return dict(wanted.collect(engine="streaming").iter_rows())


def write_examples(data: str, digest: str, rows: pl.DataFrame, metadata: Mapping[str, str]) -> None:
    """Write rows as train/examples, and the digest of all columns that a model learns from."""
    tables.write(data, schemas.EXAMPLES, rows, metadata)
    learnt = pl.concat([rows[name] for name in ("split", "title", "source", "target")])
    tables.write_text(digest, tables.strings_digest(learnt) + "\n")
