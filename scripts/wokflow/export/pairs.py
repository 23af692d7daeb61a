"""Pairs as released shards: Parquet and JSON lines by split, statistics, checksums."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from wokflow.export import schemas
from wokflow.frame import tables
from wokflow.match.split import SPLITS

RECIPE = ("id", "title", "title_translated", "ingredients", "steps", "dish")
STORED = ("title", "ingredients", "steps", "dish")  # columns of the corpus
BATCH = 20_000  # sources that are joined with their recipes at a time


def export_pairs(
    *,
    pairs: str,
    source_recipes: Sequence[str],
    target_recipes: Sequence[str],
    statistics: str,
    release: str,
    direction: str,
    shards: int,
    metadata: dict[str, str],
) -> None:
    """Write a release of one direction to the folder `release`, which is replaced as a whole.

    data/<split>-NNNNN-of-NNNNN.parquet and jsonl/<split>-NNNNN-of-NNNNN.jsonl hold a source recipe with its targets
    in each row, best first, in the format of the CulturalRecipes repository. Beside them lie statistics.tsv and
    SHA256SUMS.
    """
    found = tables.read(pairs)
    with tables.atomic_folder(release) as work:
        with (
            TemporaryDirectory(dir=work) as stored,
            closing(Recipes(source_recipes, found["source_id"], Path(stored, "sources"))) as sources,
            closing(Recipes(target_recipes, found["target_id"], Path(stored, "targets"))) as targets,
        ):
            _write_shards(work, found, sources, targets, shards, metadata)
        rows = pl.read_csv(statistics, separator="\t").filter(pl.col("direction") == direction)
        rows.write_csv(work / "statistics.tsv", separator="\t")
        _checksums(work)


class Recipes:
    """Recipes of one corpus, looked up by id, in bounded memory.

    The corpus is read once: the recipes of the given ids are written uncompressed to the file `path`, and looked up
    there through a memory map.
    """

    def __init__(self, parts: Sequence[str], ids: pl.Series, path: Path) -> None:
        used = pl.LazyFrame({"id": ids.unique()})
        corpus = tables.scan(parts, ["recipe_id", *STORED]).rename({"recipe_id": "id"})
        stored = corpus.join(used, on="id", how="semi")
        stored.sink_ipc(path, compression="uncompressed", compat_level=pl.CompatLevel.oldest())
        file = pa.ipc.open_file(pa.memory_map(str(path)))
        self._batches = [file.get_batch(number) for number in range(file.num_record_batches)]
        self._none = pl.DataFrame(schema=stored.collect_schema())
        places = [
            pl.DataFrame({"id": batch.column("id"), "batch": number}).with_row_index("row")
            for number, batch in enumerate(self._batches)
        ]
        columns = {"row": pl.UInt32, "id": pl.String, "batch": pl.Int32}
        self._places = pl.concat([pl.DataFrame(schema=columns), *places])

    def take(self, ids: pl.Series) -> pl.DataFrame:
        """Id, title, ingredients, steps and dish of those of the ids that the corpus has, each once."""
        places = ids.unique().to_frame("id").join(self._places, on="id")
        frames = [self._none]
        for (number,), group in places.group_by("batch"):
            rows = self._batches[number].take(group["row"].to_arrow())
            frames.append(pl.DataFrame(rows))
        return pl.concat(frames)

    def close(self) -> None:
        """Let go of the file, so that it can be removed."""
        self._batches, self._places = [], self._places.clear()


def _write_shards(
    work: Path, pairs: pl.DataFrame, sources: Recipes, targets: Recipes, shards: int, metadata: dict[str, str]
) -> None:
    (work / "data").mkdir()
    (work / "jsonl").mkdir()
    for name, of_split, ids in _shards(pairs, shards):
        with (
            tables.PartWriter(work / "data" / f"{name}.parquet", schemas.PAIRS, metadata) as part,
            (work / "jsonl" / f"{name}.jsonl").open("w", encoding="utf-8", newline="\n") as lines,
        ):
            for start in range(0, ids.len(), BATCH):
                wanted = ids[start : start + BATCH]
                some = of_split.filter(pl.col("source_id").is_in(wanted.implode()))
                rows = matched(some, sources.take(some["source_id"]), targets.take(some["target_id"]))
                part.write(rows)
                lines.writelines(_line(row) for row in rows.iter_rows(named=True))


def _shards(pairs: pl.DataFrame, shards: int) -> Iterator[tuple[str, pl.DataFrame, pl.Series]]:
    """The name of each shard, the pairs of its split, and the ids of its sources."""
    for split in SPLITS:
        of_split = pairs.filter(pl.col("split") == split)
        sources = of_split["source_id"].unique(maintain_order=True)
        for shard in range(shards):
            start, stop = (place * sources.len() // shards for place in (shard, shard + 1))
            yield f"{split}-{shard:05}-of-{shards:05}", of_split, sources[start:stop]


def matched(pairs: pl.DataFrame, sources: pl.DataFrame, targets: pl.DataFrame) -> pl.DataFrame:
    """A row for each source recipe: source, targets (best first), scores. Sources keep the order of `pairs`."""

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


def _line(row: dict[str, Any]) -> str:
    # The shortest decimals that are the same float32 when they are read again.
    scores = [float(str(np.float32(score))) for score in row["scores"]]
    return json.dumps(row | {"scores": scores}, ensure_ascii=False) + "\n"


def _checksums(folder: Path) -> None:
    lines = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.relative_to(folder)}\n")
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
