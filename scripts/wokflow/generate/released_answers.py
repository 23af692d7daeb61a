"""Released answers, which are read instead of asking a model."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.generate.answers import LOST, Answer
from wokflow.generate.costs import Tokens
from wokflow.generate.origins import same_model
from wokflow.generate.schemas import CALLS, ORIGIN


def read_released(path: str, schema: pa.Schema, name: str) -> pl.DataFrame:
    """The rows of a released table of answers; the columns ORIGIN are null if it has none of them.

    Raises UserError for a file that is no such table.
    """
    try:
        rows = tables.read(path)
        missing = [one for one in ORIGIN if one.name not in rows.columns]
        return rows.with_columns(pl.lit(None, pl.String).alias(one.name) for one in missing).select(
            schema.names
        )
    except pl.exceptions.PolarsError as error:
        raise UserError(f"{path} is not in the form of {name}: {error}") from error


def digest_of(said: Sequence[str]) -> str:
    """SHA-256 of all that was said up to a question."""
    return hashlib.sha256(json.dumps([*said], ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True)
class Released:
    """The rows of a table as generate/calls that are of one run."""

    path: str
    run: str
    rows: pl.DataFrame

    @classmethod
    def read(cls, path: str, run: str, model: str) -> "Released":
        """Raises UserError for a file that is no such table, for a question that it answers twice, and if another
        model was asked.
        """
        rows = read_released(path, CALLS, "generate/calls").filter(pl.col("run") == run)
        same_model(rows, model, path, run)
        twice = rows.filter(rows.select("instance_id", "turn").is_duplicated())
        if twice.height:
            raise UserError(f"{path} answers {twice['instance_id'][0]} twice for run {run}. Remove a row.")
        return cls(path, run, rows)

    def turn(
        self, turn: int, instances: Sequence[str], said: Sequence[Sequence[str]]
    ) -> tuple[list[Answer], list[dict[str, Any]]]:
        """The answers to what was said to each instance, and their rows.

        Raises UserError where one is missing, or answers another text.
        """
        of_turn = self.rows.filter(pl.col("turn") == turn)
        known = {row["instance_id"]: row for row in of_turn.drop("run").iter_rows(named=True)}
        rows = []
        for instance, texts in zip(instances, said, strict=True):
            row = known.get(instance)
            if row is None or row["prompt"] != digest_of(texts):
                what = "no answer" if row is None else "an answer to another text"
                raise UserError(
                    f"{self.path} has {what} for {instance} of run {self.run}. Released answers replay with the "
                    "instances, prompts and settings that they were asked with."
                )
            rows.append(row)
        return [_answer(row) for row in rows], rows


def _answer(row: dict[str, Any]) -> Answer:
    counts = row["prompt_tokens"], row["completion_tokens"]
    return Answer(
        row["answer"],
        row["finish_reason"],
        row["reason"],
        None if None in counts else Tokens(*counts),
        row["status"] if row["status"] in LOST else None,
    )
