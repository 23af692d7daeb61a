"""Instances of adaptation: the silver set or the test pairs, and adaptations by people (gold). A cutoff."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.generate import schemas
from wokflow.generate.settings import InstancesSettings
from wokflow.match.gold import SCHEMA, SOURCE, TARGET, gold_set, published_pairs
from wokflow.models.recipe_texts import recipe_text, recipe_texts, without_headings

READ = ("instance_id", "title", "base", "source")
TEST = "test.jsonl"  # of the published data: the silver set
IDS = ("source_id", "reference_id", "retrieved_id")


def generate_instances(
    *,
    pairs: str,
    silver: list[str],
    recipes: list[str],
    direction: str,
    data: str,
    digest: str,
    settings: InstancesSettings,
    job: Job,
) -> None:
    """Write the instances of a direction (such as zh-en) as generate/instances to `data`, and a `digest`.

    Silver comes before gold; the digest is of what models read.

    Silver: the rows of match/silver, if the direction has any (`silver` is that table, or nothing); else the source
    recipes of the test pairs (match/pairs), each with its best match as the reference. What is retrieved for one is
    its best match that is not the reference. With a published silver set, its sources with their first targets are
    silver, and nothing is retrieved for them. Gold: the rows of the gold set, if there is one; what is retrieved is
    the source's reference in the silver set (Cultural Adaptation of Recipes, section 6.1), or else its best match in
    any split. `recipes` are the parts of ingest/recipes of both corpora. Raises UserError for gold sources that are
    in no corpus and do not come with the set.
    """
    matches = tables.read(pairs, ["source_id", "target_id", "source_title", "split"])
    test = Path(settings.published, TEST) if settings.published else None
    source_lang, target_lang = direction.split("-")
    targets: dict[str, str] = {}
    if test and test.is_file():
        chosen, targets = _published(str(test), target_lang)
    else:
        chosen = _silver(_one_to_one(silver, matches), matches)
    gold = gold_set(settings.gold, recipes, simplified=settings.simplified)
    written = _gold(gold, chosen, matches)
    ids = pl.concat([rows[name] for rows in (chosen, written) for name in IDS]).drop_nulls()
    texts, plain = recipe_texts(recipes, ids), recipe_texts(recipes, ids, headings=False) | targets
    instances = []
    for row in pl.concat([chosen, written], how="diagonal").iter_rows(named=True):
        source = _recipe(row, SOURCE, source_lang, headings=True) or texts.get(row["source_id"])
        if source is None:
            raise UserError(
                f"{settings.gold}, line {row['line']}: {row['source_id']} is in no corpus. Give the recipe itself in "
                f"the columns {', '.join(SOURCE)}, or take the row out."
            )
        reference = plain.get(row["reference_id"]) or _recipe(row, TARGET, target_lang, headings=False)
        retrieved = plain.get(row["retrieved_id"])
        instances.append(
            {
                "instance_id": f"{row['dataset']}:{row['source_id']}",
                "dataset": row["dataset"],
                "source_id": row["source_id"],
                "title": without_headings(source).split("\n")[0],
                "source": source,
                "reference": reference and reference.strip(),
                "reference_id": None if row["reference_id"] in targets else row["reference_id"],
                "retrieved": retrieved and retrieved.strip(),
            }
        )
    schema = dict.fromkeys(schemas.INSTANCES.names, pl.String)
    write_instances(data, digest, pl.DataFrame(instances, schema), job.metadata)
    job.progress.say(f"{len(chosen)} silver instances, {len(written)} gold ones")


def write_instances(data: str, digest: str, rows: pl.DataFrame, metadata: Mapping[str, str]) -> None:
    """Write rows as generate/instances, and the digest of what models read of them."""
    tables.write(data, schemas.INSTANCES, rows, metadata)
    read = pl.concat([rows[name].fill_null("") for name in READ])
    tables.write_text(digest, tables.strings_digest(read) + "\n")


def _one_to_one(silver: Sequence[str], matches: pl.DataFrame) -> pl.DataFrame:
    """source_id and reference_id of the silver set, or of the test pairs where it has no row."""
    if silver and len(rows := tables.read(silver[0])):
        return rows.select("source_id", reference_id="target_id")
    test = matches.filter(pl.col("split") == "test").group_by("source_id", maintain_order=True)
    return test.agg(reference_id=pl.col("target_id").first())


def _published(path: str, lang: str) -> tuple[pl.DataFrame, dict[str, str]]:
    """The sources of the published silver set, and the texts of their first targets, without headings.

    Texts go by names made of the source's id: ids of targets may be missing, or the same for several. Raises
    UserError for a source that occurs twice.
    """
    rows: dict[str, dict[str, Any]] = {}
    texts: dict[str, str] = {}
    for line, source, [target, *_] in published_pairs(path):
        if source["id"] in rows:
            raise UserError(f"{path}, line {line}: {source['id']} occurs twice.")
        name = f"of {source['id']}"
        rows[source["id"]] = {column: source[part] for column, part in zip(SOURCE, TARGET, strict=True)} | {
            "source_id": source["id"],
            "reference_id": name,
            "line": line,
            "dataset": "silver",
        }
        texts[name] = recipe_text(
            target["title"], target["ingredients"], target["steps"], lang, headings=False
        )
    schema = SCHEMA | dict.fromkeys(("dataset", "reference_id", "retrieved_id"), pl.String)
    return pl.DataFrame([*rows.values()], schema), texts


def _silver(rows: pl.DataFrame, matches: pl.DataFrame) -> pl.DataFrame:
    others = matches.join(
        rows, left_on=["source_id", "target_id"], right_on=["source_id", "reference_id"], how="anti"
    )
    return _with_best(rows, others).with_columns(dataset=pl.lit("silver"))


def _gold(rows: pl.DataFrame, silver: pl.DataFrame, matches: pl.DataFrame) -> pl.DataFrame:
    own = silver.select("source_id", target_id="reference_id")
    return _with_best(rows, pl.concat([own, matches.select(own.columns)])).with_columns(
        dataset=pl.lit("gold"), reference_id=pl.lit(None, pl.String)
    )


def _with_best(rows: pl.DataFrame, matches: pl.DataFrame) -> pl.DataFrame:
    """The rows with the first match of their source."""
    best = matches.group_by("source_id", maintain_order=True).agg(retrieved_id=pl.col("target_id").first())
    return rows.join(best, on="source_id", how="left", maintain_order="left")


def _recipe(row: Mapping[str, Any], names: Sequence[str], lang: str, *, headings: bool) -> str | None:
    """The recipe that the row itself holds in these columns; None if it does not hold all of it."""
    title, ingredients, steps = (row[name] for name in names)
    if title is None or ingredients is None or steps is None:
        return None
    return recipe_text(title, ingredients, steps, lang, headings=headings)
