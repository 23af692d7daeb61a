"""Predictions of one shard of a run's instances, block by block: a job that was killed continues after its last."""

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.frame.shards import blocks
from wokflow.generate import schemas


@dataclass(frozen=True)
class Shard:
    """Shard `number` of `count` of a run, in the file `predictions`."""

    predictions: str
    number: int
    count: int
    run: str

    def write(
        self,
        rows: pl.DataFrame,
        block: int,
        texts: Callable[[pl.DataFrame, int], list[str]],
        model: str,
        job: Job,
    ) -> None:
        """Write the predictions (generate/predictions) of this shard of `rows`: `texts` of each block and its number.

        A shard is every `count`-th block of `block` rows, so all shards have short and long texts where rows are in
        the order of their length, and predictions do not depend on the number of shards. Finished blocks are kept in
        the shard's own folder beside its output until the end. Blocks of other rows, of another `model` (its digest)
        or of another key of the job are removed.
        """
        every = list(enumerate(blocks(range(rows.height), block)))
        own = {number: rows[place.start : place.stop] for number, place in every[self.number :: self.count]}
        resume, key = Path(f"{self.predictions}.blocks"), job.metadata["key"]
        files = {
            number: resume / f"{digest(key, model, number, some.rows())}.parquet"
            for number, some in own.items()
        }
        todo = _todo(resume, files, job.progress)
        for done, number in enumerate(todo, start=1):
            predicted = own[number].select(
                "instance_id",
                run=pl.lit(self.run),
                prediction=pl.Series(texts(own[number], number), dtype=pl.String),
            )
            tables.write(files[number], schemas.PREDICTIONS, predicted, {})
            job.progress(done, f"{done} of {len(todo)} blocks decoded", of=len(todo))
        with tables.PartWriter(self.predictions, schemas.PREDICTIONS, job.metadata) as part:
            for file in files.values():
                part.write(tables.read(file))
        shutil.rmtree(resume, ignore_errors=True)


def digest(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def seed_of(seed: int, block: int) -> int:
    """The seed of what is drawn in a block."""
    return int(digest(seed, block)[:8], 16)


def _todo(resume: Path, files: dict[int, Path], progress: Progress) -> list[int]:
    """Blocks to decode, long texts first, so that a lack of memory shows early. Files of other blocks are removed."""
    for path in set(resume.glob("*")) - set(files.values()):
        path.unlink()
    whole = {number for number, file in files.items() if file.exists() and not tables.damage(file)}
    todo = sorted(files.keys() - whole, reverse=True)
    if len(todo) < len(files):
        progress.say(f"{len(files) - len(todo)} of {len(files)} blocks were decoded before")
    return todo
