"""Part of the section on pairs: how well pairs by what is cooked are judged, and what speaks for two of them."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wokflow.match.schemas import FEATURES
from wokflow.report import charts
from wokflow.report.charts import Charts
from wokflow.report.render import Cell, Table

PARTS = {
    "title": "the titles",
    "named": "the foods that the titles name",
    "form": "the kind of dish",
    "foods": "the foods",
    "shared": "rare foods in common",
    "amounts": "the amounts",
    "cooking": "ways of cooking",
    "length": "the numbers of foods",
}
LINES = {"all": "all parts", "titles alone": "titles alone"}
LEAST = 0.05  # of log odds; what adds less is not told


def section(paths: Sequence[str], draw: Charts) -> dict[str, Any] | None:
    """A curve and figures by corpus of graded pairs, and two pairs in words; None where titles alone make pairs."""
    if not paths:
        return None
    model = json.loads(Path(paths[0]).read_text(encoding="utf-8"))
    least = model["least"]
    drawn = {}
    for corpus, lines in model["curves"].items():
        named = {LINES[name]: points for name, points in lines.items()}
        drawn[corpus] = draw.draw(
            charts.trade(named, least, model["precision"]), f"Precision by recall, {corpus}"
        )
    pairs = {name: pair for name, pair in model["examples"].items() if pair}
    return {
        "least": least,
        "least_by": model["least_by"],
        "precision": model["precision"],
        "threshold": model["threshold"],
        "curves": drawn,
        "measured": Table(
            ["Judged by", "Graded pairs", "Accepted", "Precision", "Recall", "More"], measured(model)
        ),
        "calibration": Table(
            ["Probability", "Graded pairs", "Mean probability", "Share that is right"], calibrated(model)
        ),
        "brier": model["calibration"],
        "pairs": {name: pair | {"why": reasons(pair)} for name, pair in pairs.items()},
    }


def measured(model: Mapping[str, Any]) -> Iterator[list[Cell]]:
    """A row for each way to judge and each corpus."""
    for name, by_corpus in model["measured"].items():
        for corpus, of in by_corpus.items():
            yield [
                Cell(LINES.get(name, name), corpus),
                Cell(of["pairs"], f"{of['same']} of one dish"),
                Cell(of["accepted"], digits=1),
                *(
                    Cell(of[each], interval(of[f"{each}_interval"]), 2)
                    for each in ("precision", "recall", "more")
                ),
            ]


def calibrated(model: Mapping[str, Any]) -> Iterator[list[Cell]]:
    """A row for each corpus and each range of probability that has graded pairs."""
    for corpus, of in model["calibration"].items():
        for some in of["bins"]:
            yield [
                Cell(f"{some['low']:.1f} to {some['high']:.1f}", corpus),
                Cell(some["pairs"]),
                Cell(some["said"], digits=2),
                Cell(some["right"], interval(some["right_interval"]), 2),
            ]


def interval(ends: Sequence[float] | None) -> str:
    return f"{ends[0]:.2f} to {ends[1]:.2f}" if ends else ""


def reasons(pair: Mapping[str, Any]) -> str:
    """What speaks for a pair and against it, the strongest first: how many times as likely each part makes it."""
    parts = sorted(((pair[f"by_{name}"], name) for name in FEATURES), key=lambda part: -abs(part[0]))
    told = []
    for start, sign, times in (("For it speak", 1, "×"), ("Against it", -1, "÷")):
        words = [
            f"{PARTS[name]} ({pair[name]:.2f}; odds {times} {math.exp(sign * added):.1f})"
            for added, name in parts
            if sign * added >= LEAST
        ]
        told.append(f"{start}: {', '.join(words) or 'nothing'}.")
    return " ".join(told)
