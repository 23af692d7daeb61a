"""Sections of the page: rates of literal translation, and how metrics agree with people's ratings."""

from collections.abc import Mapping

import polars as pl

from wokflow.report import inputs
from wokflow.report.adaptation import METRICS, of_data, ordered
from wokflow.report.charts import Html, bar, esc, noted, number, paragraph, percent, table
from wokflow.report.inputs import Tables

REFERENCE = "reference"
AVERAGE = "avg."
LITERAL = (
    "For some concepts that one kitchen has and the other has less of: how often their literal translation "
    "stands in the predictions, for each time that the concept is in the sources (Cultural Adaptation of Recipes, "
    "section 7). A run that translates word by word comes near 100 %; references, which cooks of the other culture "
    "wrote, show what is usual. A literal word is not wrong by itself: that depends on the dish. A concept that is "
    "seldom in the sources tells little."
)
CORRELATIONS = (
    "Do the metrics see what people see? Kendall’s τ between the scores of single predictions and people’s ratings "
    "of them, from −1 (opposite) over 0 (unrelated) to 1 (the same order). *: significant, corrected for the "
    "number of tests (Bonferroni)."
)


def literal(parts: Tables, names: Mapping[str, str]) -> str:
    """For each test set a table of concepts by run, with bars."""
    found = of_data(inputs.rows(parts, "evaluate/literal"), names)
    if found.is_empty():
        return paragraph("No literal translation was looked for: there are no predictions.")
    page: str = paragraph(LITERAL)
    for dataset in ordered(found, names):
        data, _, name = dataset.partition("/")
        page += f"<h3>{esc(names[data])}, {esc(name)}</h3>\n"
        page += _concepts(found.filter(pl.col("dataset") == dataset))
    return page


def _concepts(rows: pl.DataFrame) -> str:
    """A row for each concept, the most frequent in the sources first; references stand before the runs."""
    runs = sorted(rows["run"].unique(maintain_order=True), key=lambda run: run != REFERENCE)
    cells = {(row["concept"], row["run"]): row for row in rows.to_dicts()}
    counts = rows.group_by("concept", maintain_order=True).agg(pl.col("source_count").max())
    counts = counts.sort("source_count", descending=True, maintain_order=True)
    body = [
        (concept, number(count), *(_rate(cells.get((concept, run))) for run in runs))
        for concept, count in counts.iter_rows()
        if count
    ]
    absent = ", ".join(counts.filter(pl.col("source_count") == 0)["concept"])
    shown: str = table(["Concept", "#In sources", *(f"={run}" for run in runs)], body) if body else ""
    return shown + (paragraph(f"Not in these sources: {absent}.", "note") if absent else "")


def _rate(row: dict[str, float] | None) -> str:
    if row is None or row["rate"] is None:
        return "–"
    drawn = bar(min(1.0, row["rate"])) if row["rate"] else ""
    counted = f"{number(row['target_count'])} for {number(row['source_count'])}"
    return Html(f"{drawn}<small>{percent(row['rate'])}, {counted}</small>")


def correlations(parts: Tables, names: Mapping[str, str]) -> str:
    """For each of the data a table of criteria by metric; empty where nobody rated."""
    found = inputs.rows(parts, "evaluate/correlations")
    if found.is_empty():
        return ""
    page: str = paragraph(CORRELATIONS)
    for (data,), rows in found.group_by("data", maintain_order=True):
        page += f"<h3>{esc(names.get(str(data), data))}</h3>\n" + _criteria(rows)
    return page


def _criteria(rows: pl.DataFrame) -> Html:
    """A row for each criterion, their mean last."""
    metrics = [name for name in METRICS if name in set(rows["metric"])]
    cells = {(row["criterion"], row["metric"]): row for row in rows.to_dicts()}
    criteria = sorted(rows["criterion"].unique(maintain_order=True), key=lambda name: name == AVERAGE)
    counts = dict(rows.group_by("criterion").agg(pl.col("ratings").max()).iter_rows())
    body = [
        (
            noted(name, f"{number(counts[name])} ratings"),
            *(_tau(cells.get((name, metric))) for metric in metrics),
        )
        for name in criteria
    ]
    return table(["Criterion", *(f"#{METRICS[name]}" for name in metrics)], body)


def _tau(row: dict[str, float] | None) -> str:
    if row is None or row["tau"] is None:
        return "–"
    mark = "*" if row["significant"] else ""
    return noted(f"{row['tau']:.3f}{mark}", f"p {_p(row['adjusted_p'])}")


def _p(value: float | None) -> str:
    return "–" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"
