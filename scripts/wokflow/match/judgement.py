"""The model that judges pairs: a logistic regression on what two recipes have in common, and how well it judges.

Each feature is centred and scaled; where it is null, it adds nothing. So what a feature adds to the log odds of a
pair can be read off, and the features' parts add up to them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.match.schemas import FEATURES

FOLDS = 5
DRAWS = 1000  # of the dishes, with replacement, for an interval
SEED = 13
FEW = 100  # graded pairs of a corpus
DIGITS = 6  # of the model's numbers, lest last digits differ between machines

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Model:
    """For each feature its mean, its spread and its weight; the intercept."""

    mean: Mapping[str, float]
    spread: Mapping[str, float]
    weight: Mapping[str, float]
    intercept: float

    def parts(self, rows: pl.DataFrame) -> pl.DataFrame:
        """What each feature adds to the log odds, as columns by_<feature>."""
        return rows.select(
            ((pl.col(name).cast(pl.Float64) - self.mean[name]) / self.spread[name] * weight)
            .fill_null(0.0)
            .alias(f"by_{name}")
            for name, weight in self.weight.items()
        )

    def probability(self, rows: pl.DataFrame) -> Floats:
        """The probability that the recipes of each row are one dish or variants of it."""
        odds = self.parts(rows).sum_horizontal().to_numpy() + self.intercept
        return np.asarray(1 / (1 + np.exp(-odds)))

    def shown(self) -> dict[str, Any]:
        return asdict(self)


def fit(rows: pl.DataFrame, features: Sequence[str] = FEATURES) -> Model:
    """The model of graded pairs: grades 1 and 2 are right, 0 is wrong. Raises ValueError if all are alike."""
    from sklearn.linear_model import LogisticRegression

    right = (rows["grade"] > 0).to_numpy()
    if right.all() or not right.any():
        raise ValueError("all graded pairs are right, or none is")
    known = rows.select(pl.col(*features).cast(pl.Float64))
    mean, spread = (
        dict(zip(features, (round(each or 0.0, DIGITS) for each in of.row(0)), strict=True))
        for of in (known.mean(), known.std())
    )
    spread = {name: each or 1.0 for name, each in spread.items()}
    scaled = known.select(((pl.col(name) - mean[name]) / spread[name]).fill_null(0.0) for name in features)
    fitted = LogisticRegression(C=1.0, max_iter=1000, tol=1e-8).fit(scaled.to_numpy(), right)
    weight = {name: round(float(each), DIGITS) for name, each in zip(features, fitted.coef_[0], strict=True)}
    return Model(mean, spread, weight, round(float(fitted.intercept_[0]), DIGITS))


def crossed(rows: pl.DataFrame, features: Sequence[str] = FEATURES) -> Floats:
    """The probability of each pair by a model of the other dishes' pairs; a dish is a Chinese title."""
    fold = np.array([int(sha256(title.encode()).hexdigest(), 16) % FOLDS for title in rows["zh_title"]])
    probability = np.zeros(rows.height)
    for number in set(fold.tolist()):
        own = pl.Series(fold == number)
        probability[fold == number] = fit(rows.filter(~own), features).probability(rows.filter(own))
    return probability


def curve(score: Floats, grade: NDArray[np.int64]) -> pl.DataFrame:
    """For each score as the least one that is accepted, the highest first: accepted pairs, their precision (grades
    1 and 2 are right), and the recall of grade 2."""
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)
    right, same = (grade[order] >= 1).cumsum(), (grade[order] == 2).cumsum()
    accepted = np.arange(1, len(order) + 1)
    return pl.DataFrame(
        {
            "least": score[order],
            "accepted": accepted,
            "precision": right / accepted,
            "recall": same / max(int(same[-1]) if len(same) else 0, 1),
        }
    ).filter(pl.Series(last))


def least(score: Floats, rows: pl.DataFrame, precision: float) -> float | None:
    """The lowest score that keeps the wanted precision in each corpus of graded pairs; None if no score does.

    Corpora differ in how alike their dishes are, and the precision of all together is that of the easiest. Those
    with fewer than FEW pairs do not count beside others.
    """
    by_corpus = rows.select("corpus", "grade").with_columns(score=pl.Series(score)).partition_by("corpus")
    large = [own for own in by_corpus if own.height >= FEW] or by_corpus
    found = []
    for own in large:
        good = curve(own["score"].to_numpy(), own["grade"].to_numpy()).filter(
            pl.col("precision") >= precision
        )
        if not good.height:
            return None
        found.append(float(good["least"][-1]))
    return max(found)


def measured(score: Floats, rows: pl.DataFrame, least: float) -> dict[str, Any]:
    """Precision, and recall of grade 2, of the pairs with at least a score, with intervals of 95 %: of DRAWS draws
    of dishes.
    """
    grade, accepted = rows["grade"].to_numpy(), score >= least
    dishes = rows.select(pl.col("zh_title").rank("dense") - 1).to_series().to_numpy()
    sums = np.array(
        [
            np.bincount(dishes, each, minlength=int(dishes.max(initial=0)) + 1)
            for each in (accepted & (grade > 0), accepted, accepted & (grade == 2), grade == 2)
        ],
        np.float64,
    )
    drawn = np.random.default_rng(SEED).multinomial(sums.shape[1], [1 / sums.shape[1]] * sums.shape[1], DRAWS)
    total, draws = sums.sum(1), drawn @ sums.T
    figures: dict[str, Any] = {"pairs": rows.height, "same": int(total[3]), "accepted": int(total[1])}
    for name, above, below in (("precision", 0, 1), ("recall", 2, 3)):
        some = draws[draws[:, below] > 0]
        of_draws = some[:, above] / some[:, below]
        figures[name] = round(float(total[above] / total[below]), 4) if total[below] else None
        figures[f"{name}_interval"] = (
            [round(float(each), 4) for each in np.quantile(of_draws, (0.025, 0.975))] if len(some) else None
        )
    return figures
