"""Instances to predict: the test pairs (silver), and adaptations by people (gold)."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from wokflow import tables
from wokflow.generate import schemas
from wokflow.job import Progress, UserError
from wokflow.train.gold import SCHEMA, SOURCE, TARGET, read_gold
from wokflow.train.pairs import recipe_texts
from wokflow.train.texts import recipe_text, without_headings

READ = ("instance_id", "title", "base", "source")
IDS = ("source_id", "reference_id", "retrieved_id")


def instances(
    pairs: str,
    recipes: Sequence[str],
    gold: str | None,
    out: str,
    digest: str,
    *,
    data: str,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write the instances of a direction (`data`, as zh-en) by schema generate/instances, and a digest.

    Silver comes before gold; the digest is of what models read.

    Silver: the source recipes of the test pairs (match/pairs), each with its best match as the reference; what is
    retrieved for it is the next best. Gold: the rows of a gold set, where there is one; what is retrieved is the
    source's best match of whatever split. `recipes` are the parts of ingest/recipes of both corpora. Raises
    UserError for gold sources that are in no corpus and do not come with the set.
    """
    matches = tables.read(pairs, ["source_id", "target_id", "source_title", "split"])
    silver, people = _silver(matches), _gold(gold, matches)
    ids = pl.concat([rows[name] for rows in (silver, people) for name in IDS]).drop_nulls()
    texts, plain = recipe_texts(recipes, ids), recipe_texts(recipes, ids, headings=False)
    source_lang, target_lang = data.split("-")
    found = []
    for row in pl.concat([silver, people], how="diagonal").iter_rows(named=True):
        source = _recipe(row, SOURCE, source_lang, headings=True) or texts.get(row["source_id"])
        if source is None:
            raise UserError(
                f"{gold}: {row['source_id']} is in no corpus. Give the recipe itself in the columns "
                f"{', '.join(SOURCE)}, or take the row out."
            )
        reference = plain.get(row["reference_id"]) or _recipe(row, TARGET, target_lang, headings=False)
        retrieved = plain.get(row["retrieved_id"])
        found.append(
            {
                "instance_id": f"{row['dataset']}:{row['source_id']}",
                "dataset": row["dataset"],
                "source_id": row["source_id"],
                "title": without_headings(source).split("\n")[0],
                "source": source,
                "reference": reference and reference.strip(),
                "retrieved": retrieved and retrieved.strip(),
            }
        )
    schema = dict.fromkeys(schemas.INSTANCES.names, pl.String)
    write_instances(out, digest, pl.DataFrame(found, schema), metadata)
    if progress:
        progress.say(f"{len(silver)} silver instances, {len(people)} gold ones")


def write_instances(out: str, digest: str, rows: pl.DataFrame, metadata: dict[str, str]) -> None:
    """Write schema generate/instances, and the digest of what models read of it."""
    tables.write(out, schemas.INSTANCES, rows, metadata)
    read = pl.concat([rows[name].fill_null("") for name in READ])
    tables.write_text(digest, tables.strings_digest(read) + "\n")


def _silver(matches: pl.DataFrame) -> pl.DataFrame:
    test = matches.filter(pl.col("split") == "test").group_by("source_id", maintain_order=True)
    return test.agg(
        dataset=pl.lit("silver"),
        reference_id=pl.col("target_id").first(),
        retrieved_id=pl.col("target_id").get(1, null_on_oob=True),
    )


def _gold(path: str | None, matches: pl.DataFrame) -> pl.DataFrame:
    best = matches.group_by("source_id", maintain_order=True).agg(retrieved_id=pl.col("target_id").first())
    rows = pl.DataFrame(schema=SCHEMA) if path is None else read_gold(path)
    return rows.join(best, on="source_id", how="left", maintain_order="left").with_columns(
        dataset=pl.lit("gold"), reference_id=pl.lit(None, pl.String)
    )


def _recipe(row: Mapping[str, Any], names: Sequence[str], lang: str, *, headings: bool) -> str | None:
    """The recipe that the row itself holds in these columns."""
    title, ingredients, steps = (row[name] for name in names)
    return recipe_text(title, ingredients, steps, lang, headings=headings) if title else None
