"""Section of the page: scores of counterfactual recipes, beside those of the paper."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from wokflow.report import doubts, inputs
from wokflow.report.adaptation import ByRun, by_run, missing, of_data, score
from wokflow.report.inputs import Tables
from wokflow.report.render import Cell, Table

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
    "Changes to the base recipe are compared with the actions to remove and to insert{}. In order: the share of "
    "inserted actions that stand where the orders found allow.",
    "As above, but changes in similar words count too, by how similar they are. Vectors learnt from few "
    "recipes find most words alike; soft scores then say little.",
)
COUNTED = {  # by what the signature says of pivot actions, as evaluate.counterfactual.definition has it
    "pivots:all": ", all of them, as in the paper",
    "pivots:possible": " that are possible in it; an action in which only the ingredient was replaced is neither "
    "credit nor fault. The paper’s figures are by another definition, of all changes and actions",
}
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


def section(parts: Tables, level: float) -> dict[str, Any]:
    """Three tables of runs by metric, with intervals of the given level, and below them the paper's figures."""
    smoke = doubts.smoke_tests(doubts.outputs(parts, [DATASET]))
    found = of_data(inputs.rows(parts, "evaluate/scores"), [DATASET]).filter(~pl.col("run").is_in(smoke))
    whole = found.filter(pl.col("dataset") == DATASET)
    levels = []
    for (title, metrics), meaning in zip(LEVELS.items(), MEANINGS, strict=True):
        rows = whole.filter(pl.col("metric").is_in(list(metrics)))
        levels.append(
            {
                "title": title,
                "meaning": meaning.format(counted(rows["signature"])),
                "instances": max(rows["instances"], default=0),
                "table": scores(metrics, by_run(rows, DATASET)),
                "missing": missing(rows, {}, metrics),
            }
        )
    pairs = found.filter(pl.col("dataset") != DATASET)["dataset"].n_unique()
    instances = max(whole["instances"], default=0)
    return {
        "smoke": smoke,
        "instances": instances,
        "dish_pairs": pairs,
        "level": 100 * level,
        "levels": levels,
    }


def counted(signatures: Iterable[str]) -> str:
    """Which pivot actions and changes count, in words; nothing of metrics that compare none."""
    found = " ".join(signatures)
    return next((words for mark, words in COUNTED.items() if mark in found), "")


def scores(metrics: Mapping[str, str], runs: ByRun) -> Table:
    """A row for each run, with intervals, then one for each model of the paper."""
    rows = [
        [Cell(run, RUNS.get(run, "this run")), *(score(found.get(name)) for name in metrics)]
        for run, found in runs.items()
    ]
    for run, figures in PAPER.items():
        if figures.keys() & metrics.keys():
            shown = [Cell(figures.get(name), digits=1) for name in metrics]
            rows.append([Cell(run, "the paper", kind="published"), *shown])
    return Table(["Run", *metrics.values()], rows)
