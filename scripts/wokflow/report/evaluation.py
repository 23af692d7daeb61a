"""Section of the page: scores of counterfactual recipes, beside those of the paper."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from wokflow.report import doubts, inputs
from wokflow.report.adaptation import ByRun, by_run, missing, of_data, score
from wokflow.report.inputs import Tables
from wokflow.report.published import Published, published
from wokflow.report.render import Cell, Table

DATASET, OF_PAPER = "counterfactual", "counterfactual/models"
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


def section(parts: Tables, level: float, papers: str) -> dict[str, Any]:
    """Three tables of runs by metric, with intervals of the given level, and below them those of file `papers`."""
    figures = published(papers, OF_PAPER)
    smoke = doubts.smoke_tests(doubts.outputs(parts, [DATASET]))
    own = of_data(inputs.rows(parts, "evaluate/scores"), [DATASET]).filter(~pl.col("run").is_in(smoke))
    whole = own.filter(pl.col("dataset") == DATASET)
    levels = []
    for (title, metrics), meaning in zip(LEVELS.items(), MEANINGS, strict=True):
        rows = whole.filter(pl.col("metric").is_in(list(metrics)))
        measured = rows.drop_nulls("value").group_by("metric", maintain_order=True)
        counts = dict(measured.agg(pl.col("instances").max()).iter_rows())
        most = max(counts.values(), default=0)
        levels.append(
            {
                "title": title,
                "meaning": meaning.format(counted(rows["signature"])),
                "instances": most,
                "fewer": [(metrics[name], count) for name, count in counts.items() if count < most],
                "table": scores(metrics, by_run(rows, DATASET), figures),
                "missing": missing(rows, {}, metrics),
            }
        )
    pairs = own.filter(pl.col("dataset") != DATASET)["dataset"].n_unique()
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
    signature = " ".join(signatures)
    return next((words for mark, words in COUNTED.items() if mark in signature), "")


def scores(metrics: Mapping[str, str], runs: ByRun, papers: Published) -> Table:
    """A row for each run, with intervals, then one for each model of the paper."""
    rows = [
        [Cell(run, RUNS.get(run, "this run")), *(score(by_metric.get(name)) for name in metrics)]
        for run, by_metric in runs.items()
    ]
    for run, figures in papers.items():
        if figures.keys() & metrics.keys():
            shown = [Cell(figures.get(name), digits=1) for name in metrics]
            rows.append([Cell(run, "the paper", kind="published"), *shown])
    return Table(["Run", *metrics.values()], rows)
