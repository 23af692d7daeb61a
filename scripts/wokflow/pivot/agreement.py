"""Agreement of annotators with each other and with frequencies (Counterfactual Recipe Generation, fig. 4)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.frame import tables
from wokflow.pivot import schemas
from wokflow.pivot.people_answers import SCALE

KINDS = ("remove", "insert", "ask")
DIGITS = 9  # decimal places of numbers in the table
Matrix = NDArray[np.float64]


def agreement(votes: pl.DataFrame, majorities: pl.DataFrame) -> pl.DataFrame:
    """The table pivot/agreement: a row for each kind (by frequency) and one for all.

    `votes` has columns of pivot/votes, and `majorities` those of pivots.majority. Kinds without votes have no row.
    """
    voted = votes.select("question_id", "kind").unique(maintain_order=True)
    decided = voted.join(majorities, on="question_id")
    rows: list[dict[str, Any]] = []
    for kind in (*KINDS, "all"):
        answers, decisions = (
            frame if kind == "all" else frame.filter(pl.col("kind") == kind) for frame in (votes, decided)
        )
        if answers.height:
            counts = {answer: (decisions["vote"] == answer).sum() for answer in (*SCALE, "none")}
            matrix = coincidences(answer_counts(answers))
            alphas = {
                f"alpha_{name}": alpha(matrix, metric)
                for name, metric in (("nominal", nominal), ("ordinal", ordinal))
            }
            questions = {"questions": answers["question_id"].n_unique(), "answers": answers.height}
            rows.append({"kind": kind, **questions, "decided": decisions.height, **counts, **alphas})
    return tables.frame(schemas.AGREEMENT, rows)


def answer_counts(votes: pl.DataFrame) -> NDArray[np.int64]:
    """How often each question was given each answer, (questions, answers on the scale)."""
    wide = votes.group_by("question_id", maintain_order=True).agg(
        (pl.col("answer") == answer).sum().cast(pl.Int64).alias(answer) for answer in SCALE
    )
    return wide.select(SCALE).to_numpy()


def coincidences(counts: NDArray[np.int64]) -> Matrix:
    """Coincidences of values (values, values), from the number of times each unit got each value (units, values).

    Each pair of answers to one unit counts 1 / (answers - 1); units with one answer have no pair.
    """
    weighted: Matrix = unit_coincidences(counts[counts.sum(axis=1) > 1]).sum(axis=0)
    return weighted


def unit_coincidences(counts: NDArray[np.int64]) -> Matrix:
    """The same of each unit, (units, values, values); each has two answers or more."""
    pairable = counts.astype(np.float64)
    pairs = pairable[:, :, None] * pairable[:, None, :]
    diagonal = np.arange(counts.shape[1])
    pairs[:, diagonal, diagonal] -= pairable
    weighted: Matrix = pairs / (pairable.sum(axis=1) - 1)[:, None, None]
    return weighted


def nominal(totals: Matrix) -> Matrix:
    """Squared differences of values, (values, values): 1 if they differ."""
    return 1.0 - np.eye(len(totals))


def ordinal(totals: Matrix) -> Matrix:
    """Squared differences of values: the number of answers between two values, of which the ends count half."""
    middle = np.cumsum(totals) - totals / 2
    squares: Matrix = (middle[:, None] - middle[None]) ** 2
    return squares


def alpha(matrix: Matrix, metric: Callable[[Matrix], Matrix]) -> float | None:
    """Krippendorff's alpha of a matrix of coincidences: 1 is agreement, 0 chance. None where nothing can differ.

    1 - observed / expected disagreement (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability).
    """
    totals = matrix.sum(axis=1)
    differences, pairs = metric(totals), totals.sum()
    expected = (np.outer(totals, totals) * differences).sum() / max(pairs - 1, 1)
    return round(float(1 - (matrix * differences).sum() / expected), DIGITS) if expected > 0 else None
