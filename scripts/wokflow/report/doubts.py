"""What is in doubt: degenerate predictions beside their scores, smoke tests without scores, published columns."""

from collections.abc import Collection, Mapping, Sequence

import polars as pl

from wokflow.evaluate import schemas
from wokflow.evaluate.comparisons import ALPHA, LEAST
from wokflow.frame import tables
from wokflow.report import inputs
from wokflow.report.inputs import Tables
from wokflow.report.render import Cell, Table

COUNTS = {
    "distinct": "Distinct",
    "copied_train": "Copied from training",
    "copied_source": "Copied source",
    "empty": "Empty",
    "wrong_language": "Other language",
    "refused": "Refused",
    "truncated": "Broken off",
}


def outputs(parts: Tables, names: Collection[str]) -> pl.DataFrame:
    """The rows of evaluate/outputs of the data `names`."""
    outputs_of_runs = inputs.rows(parts, "evaluate/outputs")
    if outputs_of_runs.is_empty():
        return tables.frame(schemas.OUTPUTS)
    data = pl.col("dataset").str.split("/").list.first()
    return outputs_of_runs.filter(data.is_in(list(names))).sort("dataset", "run")


def smoke_tests(seen: pl.DataFrame) -> list[str]:
    return sorted(set(seen.filter("smoke_test")["run"]))


def warnings(seen: pl.DataFrame, dataset: str) -> dict[str, str]:
    """By run, what is wrong with its predictions of a data set."""
    rows = seen.filter(pl.col("dataset") == dataset, pl.col("warnings").list.len() > 0)
    return dict(rows.select("run", pl.col("warnings").list.join("; ")).iter_rows())


def counts(seen: pl.DataFrame) -> Table:
    """What the runs wrote, and what is wrong with it."""
    cells = [
        (
            Cell(row["run"], "; ".join([row["dataset"], *row["warnings"]])),
            row["predictions"],
            *(row[name] for name in COUNTS),
        )
        for row in seen.iter_rows(named=True)
    ]
    return Table(["Run", "Predictions", *COUNTS.values()], cells)


def notes(published: Sequence[Mapping[str, str | None]]) -> list[str]:
    """What is in doubt about published rows: each doubt once, with its rows, each once."""
    doubts: dict[str, list[str]] = {}
    for row in published:
        if row["note"]:
            doubts.setdefault(row["note"], []).append(str(row["run"]))
    return [f"{', '.join(dict.fromkeys(runs))}: {note}" for note, runs in doubts.items()]


__all__ = ["ALPHA", "LEAST", "counts", "notes", "outputs", "smoke_tests", "warnings"]
