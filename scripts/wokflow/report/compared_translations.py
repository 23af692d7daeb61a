"""Section of the page: translations of culture-specific items, preferred to the reference or not (PTA)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from wokflow.evaluate.rating_schemas import PTA_TABLES
from wokflow.report import inputs
from wokflow.report.inputs import Tables
from wokflow.report.published import published
from wokflow.report.render import Cell, Table, interval

ALL = {"model": "all models", "person": "all persons"}
PUBLISHED = {"all": "pta", "untranslated": "nt_pta"}  # metrics of the paper, by items
ITEMS = {"all": "PTA", "translated": "With a name", "untranslated": "Without: NT-PTA"}
BIASES = {
    "position": "What goes to A",
    "length": "What goes to the longer text",
    "self": "Points for its own model’s text",
    "family": "For its family’s text",
}
NONE = dict.fromkeys(
    ("self", "family"), ("estimate", 0)
)  # column, and its value without a bias; others: value, 50
SAME = {"same_in_both_orders": "Same in both orders", "same_when_repeated": "Same when repeated"}
PEOPLE = {"person": "a person", "people": "all persons together"}


def section(
    parts: Tables, ruled: Sequence[str], languages: Mapping[str, str], papers: str
) -> dict[str, Any] | None:
    """All of it, beside what stands in file `papers`; None where nobody chose.

    `ruled` are the runs and models that are rules, `languages` those of the corpora, as en-zh.
    """
    scores, biases, agreement, alpha = (inputs.rows(parts, f"evaluate/pta/{name}") for name in PTA_TABLES)
    if scores.is_empty():
        return None
    return {
        "ruled": ruled,
        "scores": _scores(scores, languages, papers),
        "biases": _biases(biases),
        "agreement": _agreement(agreement),
        "alpha": _alpha(alpha),
    }


def _rater(name: str, kind: str) -> str:
    return f"{name} ({PEOPLE[kind]})" if kind in PEOPLE else name


def _scores(scores: pl.DataFrame, languages: Mapping[str, str], papers: str) -> Table:
    """A row for each source of sentences, run and rater: PTA of all items, and of those with and without a name.

    Behind them stand those published for the same languages.
    """
    rows = []
    for (corpus, run, kind, rater), own in scores.sort("corpus", "run", "kind", "rater").group_by(
        "corpus", "run", "kind", "rater", maintain_order=True
    ):
        of = {row["items"]: row for row in own.iter_rows(named=True)}
        whole = of["all"]
        rows.append(
            [
                Cell(run, f"{corpus}, by {_rater(str(rater), str(kind))}"),
                *(_percent(of.get(items), "pta") for items in ITEMS),
                *(Cell(whole[name], digits=1) for name in ("tied", "lost", *SAME)),
                Cell(whole["pairs"], f"{whole['unrated']:,} more unread" if whole["unrated"] else ""),
            ]
        )
    for pair in dict.fromkeys(languages[corpus] for corpus in scores["corpus"].unique().sort()):
        for run, figures in published(papers, f"{pair}/pta").items():
            shown = (Cell(figures.get(PUBLISHED.get(items, "")), digits=1) for items in ITEMS)
            first = Cell(run, f"{pair}, by GPT-4o, published", kind="published")
            rows.append([first, *shown, *(Cell("") for _ in range(5))])
    return Table(["Run", *ITEMS.values(), "Tie", "Lost", *SAME.values(), "Pairs"], rows)


def _percent(row: Mapping[str, Any] | None, column: str) -> Cell:
    if row is None:
        return Cell(None)
    return Cell(row[column], interval(row["low"], row["high"]), digits=1)


def _biases(biases: pl.DataFrame) -> Table:
    """A row for each rater and run; ▲ and ▼ where the interval leaves out 50 percent, or 0 points."""
    by_rater = {
        (row["kind"], row["rater"], row["run"], row["bias"]): row for row in biases.iter_rows(named=True)
    }

    def cells(*of: str | None) -> Iterator[Cell]:
        for bias in BIASES:
            row = by_rater.get((*of, bias))  # type: ignore[arg-type]
            column, none = NONE.get(bias, ("value", 50))
            plain = _percent(row, column)
            if row is None or row["low"] is None:
                yield plain
            else:
                mark = "▲ " if row["low"] > none else "▼ " if row["high"] < none else ""
                yield Cell(f"{mark}{plain.text}", plain.note, number=True)

    rows = [
        [Cell(_rater(rater, kind), run or "all runs"), *cells(kind, rater, run)]
        for kind, rater, run in dict.fromkeys(key[:3] for key in by_rater)
    ]
    return Table(["Rater", *BIASES.values()], rows)


def _agreement(agreement: pl.DataFrame) -> Table:
    """A row for each two raters: Pearson's r over pairs, and over runs; Cohen's kappa."""
    by_raters: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    for row in agreement.iter_rows(named=True):
        both = _rater(row["rater"], row["kind"]), _rater(row["other"], row["other_kind"])
        by_raters.setdefault(both, {})[row["of"]] = row

    def cell(row: Mapping[str, Any]) -> Cell:
        ends = f"{interval(row['low'], row['high'], 2)}, " if row["low"] is not None else ""
        return Cell(row["pearson"], f"{ends}{row['units']:,} {row['of']}", digits=2)

    def kappa(row: Mapping[str, Any]) -> Cell:
        return Cell(row["kappa"], interval(row["kappa_low"], row["kappa_high"], 2), digits=2)

    rows = [
        [f"{one}, {other}", cell(of["pairs"]), cell(of["runs"]), kappa(of["pairs"])]
        for (one, other), of in by_raters.items()
    ]
    return Table(["Raters", "r of pairs", "r of runs", "κ of pairs"], rows)


def _alpha(alpha: pl.DataFrame) -> Table:
    """A row for all models, one for all persons, and one for each rater with its repetitions."""
    rows = [
        [
            f"{row['rater']}, repeated" if row["rater"] else ALL[row["kind"]],
            Cell(row["alpha"], interval(row["low"], row["high"], 2), digits=2),
            row["units"],
        ]
        for row in alpha.iter_rows(named=True)
    ]
    return Table(["Raters", "α", "Tasks or repetitions"], rows)
