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
from wokflow.report.render import Cell, Table

COLUMNS = {
    "papers": ("short", "title", "authors", "published", "how", "files"),
    "exhibits": ("paper", "item", "shows", "state", "outputs", "published", "needs", "difference"),
    "settings": ("paper", "setting", "published", "ours", "why", "keys"),
}
PAGE = "page: "  # begins a section of the page among the outputs


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
                **{name: row[name] for name in ("item", "shows", "state", "needs")},
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
    """For each data set of a published table: its values, a row a system and a column a metric, and their notes."""
    for (dataset,), rows in values.group_by("dataset", maintain_order=True):
        metrics = rows["metric"].unique(maintain_order=True).to_list()
        by_run: dict[str, dict[str, Cell]] = {}
        for row in rows.iter_rows(named=True):
            note = "" if row["deviation"] is None else f"± {row['deviation']:g}"
            cell = Cell(f"{row['value']:,.10g}", note, number=True)
            by_run.setdefault(row["run"], {})[row["metric"]] = cell
        cells = [[run, *(of.get(metric, Cell("")) for metric in metrics)] for run, of in by_run.items()]
        shown = Table(["", *(metric.replace("_", " ") for metric in metrics)], cells)
        yield str(dataset), shown, doubts.notes(rows.to_dicts())
