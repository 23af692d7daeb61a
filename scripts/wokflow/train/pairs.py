"""The frontier before training on pairs: source and target as texts, and a digest of them."""

from collections.abc import Sequence

import polars as pl

from wokflow import tables
from wokflow.job import Progress
from wokflow.train import schemas
from wokflow.train.gold import gold_sources
from wokflow.train.texts import recipe_text


def pair_examples(
    pairs: str,
    recipes: Sequence[str],
    gold: str | None,
    out: str,
    digest: str,
    *,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write pairs of train and valid (match/pairs, in their order) as schema train/examples, and a digest.

    `recipes` are the parts of ingest/recipes of both corpora. Pairs whose source the gold set tests are left out,
    and the log says how many.
    """
    chosen = tables.read(pairs, ["source_id", "target_id", "split"]).filter(pl.col("split") != "test")
    kept = chosen.filter(~pl.col("source_id").is_in(gold_sources(gold)))
    texts = recipe_texts(recipes, pl.concat([kept["source_id"], kept["target_id"]]))
    rows = kept.with_columns(
        instance_id=pl.concat_str("source_id", pl.lit(">"), "target_id"),
        source=pl.col("source_id").replace_strict(texts, return_dtype=pl.String),
        target=pl.col("target_id").replace_strict(texts, return_dtype=pl.String),
    )
    if progress:
        progress.say(f"{len(rows)} pairs; left out, since the gold set tests them: {len(chosen) - len(rows)}")
    write_examples(out, digest, rows, metadata)


def recipe_texts(recipes: Sequence[str], ids: pl.Series, *, headings: bool = True) -> dict[str, str]:
    """The texts of some recipes, by recipe_id."""
    columns = ["recipe_id", "title", "ingredients", "steps", "lang"]
    wanted = tables.scan(recipes, columns).filter(pl.col("recipe_id").is_in(ids.unique().implode()))
    found = wanted.collect(engine="streaming")
    return {recipe: recipe_text(*parts, headings=headings) for recipe, *parts in found.iter_rows()}


def write_examples(out: str, digest: str, rows: pl.DataFrame, metadata: dict[str, str]) -> None:
    """Write schema train/examples, and the digest of what a model learns from them."""
    tables.write(out, schemas.EXAMPLES, rows, metadata)
    learnt = pl.concat([rows[name] for name in ("split", "source", "target")])
    tables.write_text(digest, tables.strings_digest(learnt) + "\n")
