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
    """The rows of evaluate/outputs of the data, or sources of sentences, `names`."""
    outputs_of_runs = inputs.rows(parts, "evaluate/outputs")
    if outputs_of_runs.is_empty():
        return tables.frame(schemas.OUTPUTS)
    data = pl.col("dataset").str.split("/").list
    of_names = data.first().is_in(list(names)) | data.last().is_in(list(names))
    return outputs_of_runs.filter(of_names).sort("dataset", "run")


def smoke_tests(seen: pl.DataFrame) -> list[str]:
    return sorted(set(seen.filter("smoke_test")["run"]))


def warnings(seen: pl.DataFrame, dataset: str) -> dict[str, str]:
    """By run, what is wrong with its predictions of a data set, or of a source of sentences in any languages."""
    of_set = (pl.col("dataset") == dataset) | pl.col("dataset").str.ends_with(f"/{dataset}")
    rows = seen.filter(of_set, pl.col("warnings").list.len() > 0).explode("warnings")
    joined = pl.col("warnings").unique(maintain_order=True).str.join("; ")
    return dict(rows.group_by("run", maintain_order=True).agg(joined).iter_rows())


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
