"""Section of the page: recipes that models wrote and rated; how far raters agree, and what they like."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from wokflow.report import inputs
from wokflow.report.inputs import Tables
from wokflow.report.published import Published, published
from wokflow.report.render import Cell, Table

BIASES = {
    "length": "a text of twice the length",
    "self": "its own model’s text",
    "family": "a text of its model’s family",
}


def section(parts: Tables, ruled: Sequence[str], papers: str) -> dict[str, Any] | None:
    """The section's tables, beside what stands in file `papers`; None if there are no ratings.

    `ruled` are the models that are rules.
    """
    means, words = (inputs.rows(parts, f"evaluate/{name}") for name in ("ratings/means", "words"))
    if means.is_empty():
        return None
    agreement, calibration, biases, differences = (
        inputs.rows(parts, f"evaluate/ratings/{name}")
        for name in ("agreement", "calibration", "biases", "differences")
    )
    known = set(means["dimension"])  # what is nominal has no means
    dimensions = [name for name in agreement["dimension"].unique(maintain_order=True) if name in known]
    cuisines = published(papers, "ash/cuisines")
    return {
        "ruled": ruled,
        "dimensions": [
            _dimension(means.filter(pl.col("dimension") == name), name, cuisines) for name in dimensions
        ],
        "against": "people" if "people" in set(calibration["against"]) else "the other raters",
        "raters": _raters(agreement, calibration, dimensions, published(papers, "ash/people")),
        "biases": _biases(biases, dimensions),
        "apart": _apart(differences),
        "words": _words(words),
    }


def _dimension(means: pl.DataFrame, name: str, papers: Published) -> dict[str, Any]:
    """Means by system and rater; and by cuisine, of each system and of each rater, beside that of `papers`."""
    whole = means.filter(pl.col("by") == "all").row(0, named=True)
    pairs = means.filter(pl.col("by") == "system and rater")
    cells = means.filter(pl.col("by") == "cuisine and system and rater")
    tables = {
        "pairs": _heat("Written by", [("system", "rater", pairs), ("system", None, _of(means, "system"))]),
        "cuisines": _heat(
            "Cuisine",
            [
                ("cuisine", None, _of(means, "cuisine")),
                *(("cuisine", by, _pooled(cells, by)) for by in ("system", "rater")),
            ],
            {cuisine: values[name] for cuisine, values in papers.items() if name in values},
        ),
    }
    return {"name": name, "mean": Cell(whole["mean"], digits=2).text, "ratings": whole["ratings"]} | tables


def _of(means: pl.DataFrame, by: str) -> pl.DataFrame:
    return means.filter(pl.col("by") == by)


def _pooled(cells: pl.DataFrame, by: str) -> pl.DataFrame:
    """Means by cuisine and system, or by cuisine and rater: each rating counts once."""
    whole = (pl.col("mean") * pl.col("ratings")).sum() / pl.col("ratings").sum()
    return cells.group_by("cuisine", by, maintain_order=True).agg(mean=whole)


def _heat(
    head: str,
    several: Sequence[tuple[str, str | None, pl.DataFrame]],
    papers: Mapping[str, float] | None = None,
) -> Table:
    """A row for each value of the first column, a column for each of the second; without one, the mean of all.

    What `papers` has of the rows stands last, without a shade.
    """
    values: dict[tuple[str, str], float] = {}
    for rows, columns, frame in several:
        for row in frame.iter_rows(named=True):
            values[row[rows], row[columns] if columns else "all"] = row["mean"]
    low, high = min(values.values()), max(values.values())
    heads = list(dict.fromkeys(column for _, column in values))
    names = dict.fromkeys(name for name, _ in values)
    if heads[0] == "all":
        names = dict.fromkeys(sorted(names, key=lambda name: -values[name, "all"]))

    def cell(value: float | None) -> Cell:
        shade = None if value is None else (value - low) / ((high - low) or 1)
        return Cell(value, digits=2, heat=shade)

    body = [[name, *(cell(values.get((name, one))) for one in heads)] for name in names]
    if papers and not names.keys().isdisjoint(papers):
        heads.append("published")
        body = [[*row, Cell(papers.get(name), digits=2)] for name, row in zip(names, body, strict=True)]
    return Table([head, *heads], body)


def _raters(
    agreement: pl.DataFrame, calibration: pl.DataFrame, dimensions: Sequence[str], papers: Published
) -> Table:
    """A row for each rater and one for all: agreement, and differences from the raters that it is compared with.

    Behind them the raters of `papers`, with their mean differences without signs from each person (001, Table 3).
    """
    alphas = {(row["rater"], row["dimension"]): row for row in agreement.iter_rows(named=True)}
    whole = calibration.filter(pl.col("value").is_null())
    apart = {(row["rater"], row["dimension"]): row for row in whole.iter_rows(named=True)}
    names = dict.fromkeys(rater for rater, _ in alphas)
    rows = [
        [
            "with one another" if rater is None else Cell(rater, "with itself"),
            *(_spread(alphas.get((rater, name)), "alpha") for name in dimensions),
            *(_spread(apart.get((rater, name)), "difference") for name in dimensions),
            *(Cell(apart.get((rater, name), {}).get("absolute_each"), digits=2) for name in dimensions),
        ]
        for rater in names
    ]
    for rater, values in papers.items():
        empty = (Cell("") for _ in range(2 * len(dimensions)))
        shown = (Cell(values[name], digits=2) if name in values else Cell("") for name in dimensions)
        rows.append([Cell(rater, "from people, published", kind="published"), *empty, *shown])
    head = [f"{what} {name}" for what in ("α,", "Difference,", "Without signs,") for name in dimensions]
    return Table(["Rater", *head], rows)


def _spread(row: Mapping[str, Any] | None, column: str) -> Cell:
    if row is None or row[column] is None:
        return Cell(None)
    known = row["low"] is not None
    return Cell(row[column], f"{row['low']:.2f} to {row['high']:.2f}" if known else "", digits=2)


def _biases(biases: pl.DataFrame, dimensions: Sequence[str]) -> Table:
    """A row for each rater and bias; ▲ and ▼ where the interval leaves out 0."""
    by_bias = {(row["bias"], row["rater"], row["dimension"]): row for row in biases.iter_rows(named=True)}
    rows = []
    for bias, rater in dict.fromkeys(
        key[:2] for key in sorted(by_bias, key=lambda key: [*BIASES].index(key[0]))
    ):
        cells = [by_bias.get((bias, rater, name)) for name in dimensions]
        rows.append([Cell(rater, f"for {BIASES[bias]}"), *map(marked, cells)])
    return Table(["Rater", *dimensions], rows)


def marked(row: Mapping[str, Any] | None) -> Cell:
    """An estimate with its interval; ▲ and ▼ where that leaves out 0."""
    plain = _spread(row, "estimate")
    if row is None or row["low"] is None:
        return plain
    mark = "▲" if row["low"] > 0 else "▼" if row["high"] < 0 else ""
    return Cell(f"{mark} {plain.text}".strip(), plain.note, number=True)


def _apart(differences: pl.DataFrame) -> Table:
    """Mean absolute differences of each two models that rate, over the dimensions."""
    models = differences.filter(kinds="model-model")
    rows = models.group_by("rater", "other", maintain_order=True).agg(pl.col("absolute").mean())
    names = list(dict.fromkeys([*rows["rater"], *rows["other"]]))
    known = {frozenset(row[:2]): row[2] for row in rows.rows()}
    most = max(known.values(), default=0) or 1

    def cells(name: str) -> Iterator[Cell]:
        for other in names:
            value = known.get(frozenset((name, other)))
            yield (
                Cell("")
                if name == other
                else Cell(value, digits=2, heat=None if value is None else value / most)
            )

    return Table(["Rater", *names], [[name, *cells(name)] for name in names])


def _words(words: pl.DataFrame) -> Table:
    """A row for each cuisine, a column for each system: its words with their counts."""
    if words.is_empty():
        return Table([], [])
    words_of: dict[tuple[str, str], list[str]] = {}
    for row in words.iter_rows(named=True):
        words_of.setdefault((row["cuisine"], row["system"]), []).append(f"{row['word']} {row['count']:,}")
    systems = _first(system for _, system in words_of)
    cuisines = _first(cuisine for cuisine, _ in words_of)
    rows = [[name, *(", ".join(words_of.get((name, system), [])) for system in systems)] for name in cuisines]
    return Table(["Cuisine", *systems], rows)


def _first(names: Iterable[str]) -> list[str]:
    return sorted(set(names))
