"""Section of the page: what people rated and compared in studies, the published values behind."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.evaluate.summary import read_published
from wokflow.frame import tables
from wokflow.report import inputs
from wokflow.report.inputs import Tables
from wokflow.report.render import Cell, Table, interval

KINDS = (  # folder of the studies' tables, column of the values, digits, name on the page
    ("evaluate/people/means", "mean", 2, "Ratings"),
    ("evaluate/best_worst", "score", 1, "Best and worst"),
)
PUBLISHED = {  # data sets of published values, by that name and a study's data
    ("Ratings", "zh-en"): "zh-en/people",
    ("Ratings", "en-zh"): "en-zh/people",
    ("Best and worst", "counterfactual"): "counterfactual/best_worst",
}


def section(parts: Tables, studies: Mapping[str, str], papers: str) -> dict[str, Any] | None:
    """A table for each study, beside what stands in file `papers`; None where nobody has answered.

    `studies` are the data of the studies.
    """
    values = read_published(papers)
    found = [
        {
            "kind": title,
            "name": study,
            "table": _table(
                rows, column, digits, values.filter(dataset=PUBLISHED.get((title, studies[study]), ""))
            ),
        }
        for folder, column, digits, title in KINDS
        for study, rows in _by_study(inputs.of(parts, folder))
    ]
    marked = [
        {"name": study, "table": _agreement(rows)}
        for study, rows in _by_study(inputs.of(parts, "evaluate/marks"))
        if rows.height
    ]
    return {"studies": found, "marked": marked} if found or marked else None


def _by_study(paths: Sequence[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    for path in sorted(paths):
        yield Path(path).parent.name, tables.read([path])


def _table(rows: pl.DataFrame, column: str, digits: int, papers: pl.DataFrame) -> Table:
    """A row for each system, then those of `papers`; a column for each dimension, with intervals."""
    own = rows.filter(by="system") if "by" in rows.columns else rows
    dimensions = list(dict.fromkeys([*own["dimension"], *papers["metric"]]))
    cells = {(row["system"], row["dimension"]): row for row in own.iter_rows(named=True)}
    body = [
        [system, *(_measured(cells.get((system, name)), column, digits) for name in dimensions)]
        for system in own["system"].unique(maintain_order=True)
    ]
    for (run,), of_run in papers.group_by("run", maintain_order=True):
        known = {row["metric"]: row for row in of_run.iter_rows(named=True)}
        shown = (_printed(known.get(name), digits) for name in dimensions)
        body.append([Cell(run, "published", kind="published"), *shown])
    return Table(["System", *(name.capitalize() for name in dimensions)], body)


def _agreement(rows: pl.DataFrame) -> Table:
    """A row for all annotators and for each two of them, by what must be alike in their marks."""
    body = [
        [
            Cell(*(row["rater"], f"and {row['other']}") if row["rater"] else ("all",)),
            row["label"] if row["label"] == "words" else f"words and {row['label']}",
            row["dialogues"],
            row["marks"],
            *(
                Cell(
                    row[f"{name}_f1"], _counted(row[name], row[f"{name}_low"], row[f"{name}_high"]), digits=2
                )
                for name in ("exact", "partial")
            ),
            Cell(row["alpha"], interval(row["low"], row["high"], 2), digits=2),
        ]
        for row in rows.iter_rows(named=True)
    ]
    return Table(
        ["Annotators", "Alike", "Dialogues", "Marks", "F1, exact", "F1, partial", "α of words"], body
    )


def _counted(pairs: int, low: float | None, high: float | None) -> str:
    return ", ".join(filter(None, (f"{pairs:,} pairs", interval(low, high, 2))))


def _measured(row: Mapping[str, Any] | None, column: str, digits: int) -> Cell:
    if row is None:
        return Cell(None)
    deviation = row.get("deviation")
    spread = "" if deviation is None else f"± {deviation:.{digits}f}"
    note = ", ".join(filter(None, (spread, interval(row["low"], row["high"], digits))))
    return Cell(row[column], note, digits=digits)


def _printed(row: Mapping[str, Any] | None, digits: int) -> Cell:
    if row is None:
        return Cell("")
    return Cell(row["value"], "" if row["deviation"] is None else f"± {row['deviation']:g}", digits=digits)
