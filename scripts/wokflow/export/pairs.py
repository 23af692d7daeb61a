"""Pairs as released shards: Parquet and JSON lines by split, statistics, checksums."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from wokflow import tables
from wokflow.export import schemas
from wokflow.match.split import SPLITS

RECIPE = ("id", "title", "title_translated", "ingredients", "steps", "dish")
BATCH = 20_000  # sources that are joined with their recipes at a time


def export_pairs(
    pairs: str,
    source_recipes: Sequence[str],
    target_recipes: Sequence[str],
    statistics: str,
    release: str,
    *,
    direction: str,
    shards: int,
    metadata: dict[str, str],
) -> None:
    """Write a release of one direction to the folder `release`; what was there is replaced as a whole.

    data/<split>-NNNNN-of-NNNNN.parquet and jsonl/<split>-NNNNN-of-NNNNN.jsonl hold one source recipe with its
    targets a row, best first, in the format of the CulturalRecipes repository; statistics.tsv and SHA256SUMS
    beside them.
    """
    with tables.atomic_folder(release) as work:
        (work / "data").mkdir()
        (work / "jsonl").mkdir()
        for name, some, sources in _shards(tables.read(pairs), shards):
            with (
                tables.PartWriter(work / "data" / f"{name}.parquet", schemas.PAIRS, metadata) as part,
                (work / "jsonl" / f"{name}.jsonl").open("w", encoding="utf-8", newline="\n") as lines,
            ):
                for rows in _rows(some, sources, source_recipes, target_recipes):
                    part.write(rows)
                    lines.writelines(_line(row) for row in rows.iter_rows(named=True))
        rows = pl.read_csv(statistics, separator="\t").filter(pl.col("direction") == direction)
        rows.write_csv(work / "statistics.tsv", separator="\t")
        _checksums(work)


def _shards(pairs: pl.DataFrame, shards: int) -> Iterator[tuple[str, pl.DataFrame, pl.Series]]:
    """Each shard's name, the pairs of its split, and the ids of its sources."""
    for split in SPLITS:
        some = pairs.filter(pl.col("split") == split)
        sources = some["source_id"].unique(maintain_order=True)
        for shard in range(shards):
            start, stop = (place * sources.len() // shards for place in (shard, shard + 1))
            yield f"{split}-{shard:05}-of-{shards:05}", some, sources[start:stop]


def _rows(
    pairs: pl.DataFrame, sources: pl.Series, source_recipes: Sequence[str], target_recipes: Sequence[str]
) -> Iterator[pl.DataFrame]:
    for start in range(0, sources.len(), BATCH):
        ids = sources[start : start + BATCH]
        some = pairs.filter(pl.col("source_id").is_in(ids.implode()))
        sources_of = _recipes(source_recipes, some["source_id"])
        yield matched(some, sources_of, _recipes(target_recipes, some["target_id"]))


def _recipes(parts: Sequence[str], ids: pl.Series) -> pl.DataFrame:
    columns = ["recipe_id", "title", "ingredients", "steps", "dish"]
    found = tables.scan(parts, columns).filter(pl.col("recipe_id").is_in(ids.unique().implode()))
    return found.collect().rename({"recipe_id": "id"})


def matched(pairs: pl.DataFrame, sources: pl.DataFrame, targets: pl.DataFrame) -> pl.DataFrame:
    """One row a source recipe: source, targets (best first), scores. Order of `pairs` is kept."""

    def side(name: str, recipes: pl.DataFrame) -> pl.DataFrame:
        ids = pairs.select(id=pl.col(f"{name}_id"), title_translated=pl.col(f"{name}_title_translated"))
        joined = ids.join(recipes, on="id", how="left", maintain_order="left")
        return joined.select(pl.struct(RECIPE).alias(name))

    scores = pairs.select("source_id", "score")
    table = pl.concat([scores, side("source", sources), side("target", targets)], how="horizontal")
    return (
        table.group_by("source_id", maintain_order=True)
        .agg(pl.col("source").first(), targets=pl.col("target"), scores=pl.col("score"))
        .drop("source_id")
    )


def _line(row: dict[str, object]) -> str:
    return json.dumps({"source": row["source"], "targets": row["targets"]}, ensure_ascii=False) + "\n"


def _checksums(folder: Path) -> None:
    lines = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.relative_to(folder)}\n")
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
