"""One self-contained HTML page of a run."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wokflow.frame import tables
from wokflow.parse.glossary import read_glossary
from wokflow.report import (
    actions,
    adaptation,
    analysis,
    charts,
    evaluation,
    inputs,
    matching,
    pivots,
    predictions,
    training,
)
from wokflow.report.matching import DIRECTIONS, NAMES

PARSED = {"xiachufang": "XiaChuFang", "counterfactual": "Counterfactual base recipes"}
DATA = DIRECTIONS | {"counterfactual": "Counterfactual recipes"}
TABLES = (  # that the page reads; generate/predictions of all runs of some data
    *(f"{table}/{corpus}" for corpus in NAMES for table in ("ingest/recipes", "ingest/rejects")),
    *(f"match/{table}/{corpus}" for corpus in NAMES for table in ("eligible", "rejects", "titles", "texts")),
    *(f"match/{table}/{direction}" for direction in DIRECTIONS for table in ("pairs", "audit")),
    "ingest/recipes/counterfactual",
    *(f"parse/{table}/{corpus}" for corpus in PARSED for table in ("rejects", "actions", "proto")),
    *(f"pivot/{table}" for table in ("dishes", "candidates", "pivots", "orders", "effects")),
    *(f"generate/{table}/{data}" for data in DATA for table in ("instances", "predictions")),
    *(f"evaluate/{table}" for table in ("scores", "comparisons", "summary", "correlations", "literal")),
)


def report_page(
    *,
    statistics: str,
    histogram: str,
    leaks: str,
    parser: str,
    models: Sequence[str],
    page: str,
    examples: int,
    threshold: float,
    method: str,
    annotators: int,
    orders: Mapping[str, Any],
    counterfactual_level: float,
    adaptation_level: float,
    glossary: str,
    dish_pairs: str,
    answers: Sequence[str],
    benchmarks: str,
    **parts: str | Sequence[str],
) -> None:
    """Write the page: one file that needs no other, the same bytes for the same tables but for run times.

    `parts` are those of the tables in TABLES, each under the name that inputs.input_name gives it; a table that the
    config leaves out may be missing. `parser` holds the parser's scores, `models` are the folders of trained models;
    run times are read from the folder `benchmarks`. `method` is parse.actions.method, `annotators` is
    pivot.pivots.annotators, `orders` are the settings pivot.orders, and both levels are those of the intervals of
    scores. Raises TypeError for a table that is not in TABLES.
    """
    if unknown := parts.keys() - set(map(inputs.input_name, TABLES)):
        raise TypeError(f"report_page shows no table {', '.join(sorted(unknown))}")
    shown = matching.read(parts, statistics, histogram, leaks, threshold)
    words = read_glossary(glossary)
    scores = json.loads(Path(parser).read_text(encoding="utf-8"))
    bodies = {
        **matching.sections(shown, examples),
        "Actions": actions.section(parts, PARSED, scores, method, words),
        "Dish pairs": pivots.section(
            parts, pairs=dish_pairs, answers=answers, annotators=annotators, orders=orders, words=words
        ),
        "Training": training.section(models, DATA),
        "Adaptation": adaptation.section(parts, DIRECTIONS, adaptation_level),
        "Predictions side by side": predictions.section(parts, DATA),
        "Literal translation": analysis.literal(parts, DIRECTIONS),
        "Correlation with human ratings": analysis.correlations(parts, DIRECTIONS),
        "Counterfactual evaluation": evaluation.section(parts, counterfactual_level),
        "Run times": charts.times(inputs.run_times(Path(benchmarks))),
    }
    filled = [(heading, body) for heading, body in bodies.items() if body]
    numbered = [(f"s{place}", *section) for place, section in enumerate(filled, start=1)]
    tables.write_text(page, charts.document("Chinese and English recipes", matching.top(shown), numbered))
