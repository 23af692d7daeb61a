"""Section of the page: scores of counterfactual recipes, beside those of the paper."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from wokflow.report import inputs
from wokflow.report.charts import Html, noted, number, paragraph, table
from wokflow.report.inputs import Tables

DATASET = "counterfactual"
RUNS = {
    "copy": "the base recipe as it is",
    "substitute": "the ingredient’s name replaced",
    "retrieve": "a recipe of the target dish",
}
HARD = {
    "hard_precision": "Precision",
    "hard_recall": "Recall",
    "hard_f1": "F1",
    "hard_f1_insert": "F1 of inserts",
    "hard_f1_remove": "F1 of removes",
}
LEVELS = {
    "Surface": {
        "coverage_added": "Added is in",
        "coverage_replaced": "Replaced is in ↓",
        "bleu": "BLEU",
        "bleu_sentence": "BLEU by recipe",
        "bertscore": "BERTScore",
    },
    "Actions, hard": HARD | {"order_accuracy": "In order"},
    "Actions, soft": {name.replace("hard", "soft"): title for name, title in HARD.items()},
}
MEANINGS = (
    "The recipe should name the added ingredient and not the replaced one (↓: less is better). BLEU and BERTScore "
    "compare it with the base recipe: they tell what was kept, not what is right; a copy has 100. BLEU is of all "
    "recipes together, and the mean by recipe; the paper does not say which it has.",
    "Changes to the base recipe are compared with the actions to remove and to insert; an action in which only the "
    "ingredient was replaced is neither credit nor fault. In order: the share of inserted actions that stand where "
    "the orders found allow.",
    "As above, but changes in similar words count too, by how similar they are. Vectors learnt from few "
    "recipes find most words alike; soft scores then say little.",
)
# Counterfactual Recipe Generation: table 3; hard F1 of inserts and of removes: table 5; order: section 6.2.2; BLEU
# of the experts: section 6.1.2. The paper does not say which BLEU it has.
COLUMNS = [name for metrics in LEVELS.values() for name in metrics if name != "bleu_sentence"]
FIGURES = {
    "GPT-2 (D)": (74.0, 0.0, 1.4, 68.5, 11.8, 33.8, 15.9, 13.3, 26.7, 99, 21.7, 56.8, 29.0, 27.7, 31.0),
    "GPT-2 (D+R)": (71.8, 15.2, 3.9, 70.6, 13.1, 34.3, 17.2, 15.3, 26.9, 87, 21.4, 53.2, 27.9, 25.8, 31.2),
    "EDUCAT": (43.5, 51.3, 24.4, 81.4, 8.9, 16.2, 10.0, 4.4, 23.2, 84, 17.7, 29.1, 19.5, 11.5, 27.8),
    "DELOREAN": (90.8, 0.3, 3.0, 67.4, 13.5, 34.6, 17.5, 15.4, 27.3, 80, 22.4, 52.5, 28.6, 26.5, 31.6),
}
PAPER = {run: dict(zip(COLUMNS, figures, strict=True)) for run, figures in FIGURES.items()}
PAPER["Human experts"] = {"bleu": 65.2}


def section(parts: Tables, level: float) -> str:
    """Three tables of runs by metric, with intervals of the given level, and below them the paper's figures."""
    found = inputs.rows(parts, "evaluate/scores")
    found = found.filter(pl.col("dataset").str.split("/").list.first() == DATASET)
    whole = found.filter(pl.col("dataset") == DATASET)
    text = "No run was evaluated: there are no instances, or no predictions of them."
    if not whole.is_empty():
        pairs = found.filter(pl.col("dataset") != DATASET)["dataset"].n_unique()
        text = (
            f"Runs were scored on {_most(whole)} instances (dish pairs: {pairs}), the same for all, so they can be "
            f"compared. Scores are in percent; below each is its bootstrap interval ({100 * level:g} %)."
        )
    page: str = paragraph(text) + paragraph(
        "The paper’s figures (Counterfactual Recipe Generation, table 3) cannot be ranked with them: they are of "
        "other base recipes of other instances, with the paper’s own glossary, parser and pivot actions. They show "
        "which values to expect of models of their time, no more."
    )
    runs: dict[str, dict[str, dict[str, Any]]] = {}
    for row in whole.iter_rows(named=True):
        runs.setdefault(row["run"], {})[row["metric"]] = row
    for (title, metrics), meaning in zip(LEVELS.items(), MEANINGS, strict=True):
        of_level = whole.filter(pl.col("metric").is_in(list(metrics)))
        page += f"<h3>{title}</h3>\n" + paragraph(f"{meaning} Instances that count: {_most(of_level)}.")
        page += scores(metrics, runs) + notes(metrics, of_level)
    return page


def _most(rows: pl.DataFrame) -> str:
    return number(max(rows["instances"], default=0))


def scores(metrics: Mapping[str, str], runs: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Html:
    """A row for each run, with intervals, then one for each model of the paper."""
    rows = [
        (noted(run, RUNS.get(run, "this run")), *(_score(found.get(name)) for name in metrics))
        for run, found in runs.items()
    ]
    for run, figures in PAPER.items():
        if figures.keys() & metrics.keys():
            rows.append((noted(run, "the paper"), *(number(figures.get(name), 1) for name in metrics)))
    return table(["Run", *(f"#{title}" for title in metrics.values())], rows)


def _score(row: Mapping[str, Any] | None) -> str:
    if row is None or row["value"] is None:
        return "–"
    return noted(f"{row['value']:.1f}", f"{row['low']:.1f} to {row['high']:.1f}")


def notes(metrics: Mapping[str, str], rows: pl.DataFrame) -> str:
    """Why scores are missing: each reason once, with its runs unless it holds for all."""
    missing = rows.filter(pl.col("value").is_null())
    grouped = missing.group_by("metric", "note", maintain_order=True).agg("run")
    page = ""
    for metric, note, runs in grouped.iter_rows():
        some = f" ({', '.join(runs)})" if len(runs) < rows["run"].n_unique() else ""
        page += paragraph(f"– {metrics[metric]}{some}: {note}", "note")
    return page
