"""Section of a paper's page: each of its tables and figures, what comes out here in its place, and published values.

The tables are resources/papers, from which docs/papers.md is made, too.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.evaluate.summary import read_published
from wokflow.frame.text_files import read_table
from wokflow.report import doubts
from wokflow.report.adaptation import METRICS
from wokflow.report.render import Cell, Table

COLUMNS = {
    "papers": ("short", "title", "authors", "published", "how", "files"),
    "exhibits": ("paper", "item", "shows", "state", "outputs", "published", "needs", "difference"),
    "settings": ("paper", "setting", "published", "ours", "why", "keys"),
}
PAGE = "page: "  # begins a section of the page among the outputs
METRIC_HEADINGS = METRICS | {"pta": "PTA", "nt_pta": "NT-PTA"}
SHOWN_STATES = {
    "built": "as in the paper",
    "differs": "differs",
    "cannot": "not built",
    "nothing": "nothing to build",
}


def read(folder: str | Path, name: str) -> list[dict[str, str]]:
    """The rows of a table of resources/papers."""
    return [row for _, row in read_table(Path(folder) / f"{name}.tsv", COLUMNS[name], name)]


def listed(cell: str) -> list[str]:
    """The entries of a cell, between which semicolons stand."""
    return [entry for entry in cell.split("; ") if entry]


def numbers(cell: str, known: Iterable[str]) -> list[str]:
    """The published tables that a cell names; none where it tells in words why there are none."""
    names = listed(cell)
    return names if set(names) <= {*known} else []


def templates(folder: str, short: str) -> set[str]:
    """The sections of the page, by template, that show tables and figures of a paper."""
    outputs = (
        name for row in read(folder, "exhibits") if row["paper"] == short for name in listed(row["outputs"])
    )
    return {name.removeprefix(PAGE) for name in outputs if name.startswith(PAGE)}


def section(folder: str, short: str, published: str, headings: Mapping[str, str]) -> dict[str, Any]:
    """The paper's title, and its tables and figures; `headings` are those of the sections on the page."""
    [paper] = [row for row in read(folder, "papers") if row["short"] == short]
    values = read_published(published).filter(paper=paper["published"])
    rows = [row for row in read(folder, "exhibits") if row["paper"] == short]
    return {
        "title": paper["title"],
        "items": [
            {
                **{name: row[name] for name in ("item", "shows", "needs", "state")},
                "said": SHOWN_STATES[row["state"]],
                "difference": row["difference"].replace("`", ""),  # of Markdown
                "sections": [
                    (name, headings[name])
                    for output in listed(row["outputs"])
                    if (name := output.removeprefix(PAGE)) in headings and output.startswith(PAGE)
                ],
                "tables": [output for output in listed(row["outputs"]) if not output.startswith(PAGE)],
                "published": [
                    one
                    for table in numbers(row["published"], values["table"])
                    for one in _published(values.filter(table=table))
                ],
            }
            for row in rows
        ],
    }


def _published(values: pl.DataFrame) -> Iterator[tuple[str, Table, list[str]]]:
    """For each data set of a published table: its values, a row a system and a column a metric, and their notes.

    The name is empty where there is one data set, and that of the direction where nothing else tells them apart. The
    data sets of one and the same system are rows of one table.
    """
    datasets = [str(name) for name in values["dataset"].unique(maintain_order=True)]
    directions = [name.partition("/")[0] for name in datasets]
    names = directions if len({*directions}) == len(datasets) else datasets
    if values["run"].n_unique() == 1 and len(datasets) > 1:
        named = pl.col("dataset").replace_strict(datasets, names)
        values, datasets, names = values.with_columns(run=named, dataset=pl.lit("")), [""], [""]
    for dataset, name in zip(datasets, names, strict=True):
        rows = values.filter(dataset=dataset)
        digits = dict(rows.group_by("metric", maintain_order=True).agg(pl.col("digits").max()).iter_rows())
        by_run: dict[str, dict[str, Cell]] = {}
        for row in rows.iter_rows(named=True):
            metric, deviation = row["metric"], row["deviation"]
            note = "" if deviation is None else f"± {deviation:.{digits[metric]}f}"
            by_run.setdefault(row["run"], {})[metric] = Cell(row["value"], note, digits=digits[metric])
        cells = [
            [METRIC_HEADINGS.get(run, run), *(of.get(metric, Cell(None)) for metric in digits)]
            for run, of in by_run.items()
        ]
        shown = Table(
            ["", *(METRIC_HEADINGS.get(metric, metric.replace("_", " ")) for metric in digits)], cells
        )
        yield name if len(datasets) > 1 else "", shown, doubts.notes(rows.to_dicts())
