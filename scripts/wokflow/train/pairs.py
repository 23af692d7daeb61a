"""Training examples of adaptation: pairs of recipes as texts. A cutoff: equal texts train nothing again."""

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Progress
from wokflow.models.texts import recipe_texts
from wokflow.train import schemas
from wokflow.train.gold import gold_set


def train_pairs(
    *,
    pairs: str,
    recipes: list[str],
    gold: str | None,
    simplified: bool,
    data: str,
    digest: str,
    metadata: dict[str, str],
    progress: Progress,
) -> None:
    """Write the pairs of train and valid (match/pairs, in their order) as train/examples to `data`, and a `digest`.

    `recipes` are the parts of ingest/recipes of both corpora, whose Chinese may be `simplified`. Pairs whose source
    is in the gold set are left out, and the log says how many.
    """
    learnable = tables.read(pairs, ["source_id", "target_id", "split"]).filter(pl.col("split") != "test")
    tested = gold_set(gold, recipes, simplified=simplified)["source_id"]
    kept = learnable.filter(~pl.col("source_id").is_in(tested.implode()))
    texts = recipe_texts(recipes, pl.concat([kept["source_id"], kept["target_id"]]))
    rows = kept.with_columns(
        instance_id=pl.concat_str("source_id", pl.lit(">"), "target_id"),
        source=pl.col("source_id").replace_strict(texts, return_dtype=pl.String),
        target=pl.col("target_id").replace_strict(texts, return_dtype=pl.String),
    )
    progress.say(
        f"{len(rows)} pairs; left out, as their source is in the gold set: {len(learnable) - len(rows)}"
    )
    write_examples(data, digest, rows, metadata)


def write_examples(data: str, digest: str, rows: pl.DataFrame, metadata: dict[str, str]) -> None:
    """Write rows as train/examples, and the digest of what a model learns from them."""
    tables.write(data, schemas.EXAMPLES, rows, metadata)
    learnt = pl.concat([rows[name] for name in ("split", "source", "target")])
    tables.write_text(digest, tables.strings_digest(learnt) + "\n")
