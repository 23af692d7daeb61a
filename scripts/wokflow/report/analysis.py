"""Sections of the page: rates of literal translation, and how metrics agree with people's ratings."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from wokflow.report import inputs
from wokflow.report.adaptation import METRICS, of_data, ordered
from wokflow.report.inputs import Tables
from wokflow.report.published import Published, published
from wokflow.report.render import Cell, Table, p_value, share

REFERENCE = "reference"
AVERAGE = "avg."


def literal(parts: Tables, names: Mapping[str, str]) -> dict[str, Any]:
    """For each test set a table of concepts by run."""
    rates = of_data(inputs.rows(parts, "evaluate/literal"), names)
    return {"sets": [_concepts(rates, dataset, names) for dataset in ordered(rates, names)]}


def _concepts(counted: pl.DataFrame, dataset: str, names: Mapping[str, str]) -> dict[str, Any]:
    """A row for each concept, the most frequent in the sources first; references stand before the runs."""
    rows = counted.filter(pl.col("dataset") == dataset)
    runs = sorted(rows["run"].unique(maintain_order=True), key=lambda run: run != REFERENCE)
    cells = {(row["concept"], row["run"]): row for row in rows.to_dicts()}
    counts = rows.group_by("concept", maintain_order=True).agg(pl.col("source_count").max())
    counts = counts.sort("source_count", descending=True, maintain_order=True)
    body = [
        [concept, count, *(_rate(cells.get((concept, run))) for run in runs)]
        for concept, count in counts.iter_rows()
        if count
    ]
    data, _, name = dataset.partition("/")
    absent = [*counts.filter(pl.col("source_count") == 0)["concept"]]
    table = Table(["Concept", "In sources", *runs], body)
    return {"name": f"{names[data]}, {name}", "table": table, "absent": absent}


def _rate(row: Mapping[str, Any] | None) -> Cell:
    if row is None or row["rate"] is None:
        return Cell(None)
    return share(row["rate"], f"{row['target_count']:,} for {row['source_count']:,}")


def correlations(parts: Tables, names: Mapping[str, str], papers: str) -> dict[str, Any] | None:
    """For each of the data a table of criteria by metric, beside those of file `papers`; None where nobody rated."""
    correlated = inputs.rows(parts, "evaluate/correlations")
    if correlated.is_empty():
        return None
    groups = correlated.group_by("data", maintain_order=True)
    return {
        "data": {
            names.get(str(data), str(data)): _criteria(rows, published(papers, f"{data}/correlations"))
            for (data,), rows in groups
        }
    }


def _criteria(rows: pl.DataFrame, papers: Published) -> Table:
    """A row for each criterion, their mean last, then those of `papers` by metric and criterion."""
    metrics = [name for name in METRICS if name in {*rows["metric"], *papers}]
    cells = {(row["criterion"], row["metric"]): row for row in rows.to_dicts()}
    criteria = sorted(rows["criterion"].unique(maintain_order=True), key=lambda name: name == AVERAGE)
    counts = dict(rows.group_by("criterion").agg(pl.col("ratings").max()).iter_rows())
    body = [
        [
            Cell(name, f"{counts[name]:,} rated texts"),
            *(_tau(cells.get((name, metric))) for metric in metrics),
        ]
        for name in criteria
    ]
    for name in dict.fromkeys(criterion for values in papers.values() for criterion in values):
        shown = (Cell(papers.get(metric, {}).get(name), digits=3) for metric in metrics)
        body.append([Cell(name, "published", kind="published"), *shown])
    return Table(["Criterion", *(METRICS[name] for name in metrics)], body)


def _tau(row: Mapping[str, Any] | None) -> Cell:
    if row is None or row["tau"] is None:
        return Cell(None)
    mark = "*" if row["significant"] else ""
    over_runs = "" if row["pearson_runs"] is None else f", over runs {row['pearson_runs']:.2f}"
    beside = f"p {p_value(row['adjusted_p'])}; r {row['pearson']:.2f}{over_runs}"
    return Cell(f"{row['tau']:.3f}{mark}", beside, number=True)
