"""The model that judges pairs: a logistic regression on what two recipes have in common, and how well it judges.

Each feature is centred and scaled; where it is null, it adds nothing. So what a feature adds to the log odds of a
pair can be read off, and the features' parts add up to them. No weight is negative: to have more in common never
speaks against a pair.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.frame.intervals import wilson
from wokflow.match.schemas import FEATURES

FOLDS, ROUNDS = 5, 5  # of dishes; ways to divide them
DRAWS = 1000  # of the dishes, with replacement, for an interval
SEED = 13
FEW = 100  # graded pairs of a corpus
BINS = 5  # of probability, equally wide, in which its calibration is shown
DIGITS = 6  # of the model's numbers, lest last digits differ between machines
RIDGE = 1.0  # of the squared weights, beside the log loss

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


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
    from scipy.optimize import minimize

    right = (rows["grade"] > 0).to_numpy().astype(np.float64)
    if right.all() or not right.any():
        raise ValueError("all graded pairs are right, or none is")
    known = rows.select(pl.col(*features).cast(pl.Float64)).to_numpy()
    there = ~np.isnan(known)
    count = np.maximum(there.sum(axis=0), 1)
    mean = np.round(np.where(there, known, 0).sum(axis=0) / count, DIGITS)
    away = np.where(there, known - mean, 0)
    spread = np.round(np.sqrt((away**2).sum(axis=0) / count), DIGITS)
    spread[spread == 0] = 1.0
    scaled = away / spread

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds, own = scaled @ weights[:-1] + weights[-1], weights[:-1]
        missing = 1 / (1 + np.exp(-odds)) - right
        value = (np.logaddexp(0, odds) - right * odds).sum() + RIDGE / 2 * own @ own
        return float(value), np.append(scaled.T @ missing + RIDGE * own, missing.sum())

    bounds = [(0, None)] * len(features) + [(None, None)]
    start, options = np.zeros(len(bounds)), {"ftol": 1e-14, "gtol": 1e-9}
    *weights, intercept = (
        minimize(loss, start, jac=True, bounds=bounds, options=options).x.round(DIGITS).tolist()
    )
    named = [dict(zip(features, each, strict=True)) for each in (mean.tolist(), spread.tolist(), weights)]
    return Model(named[0], named[1], named[2], intercept)


def folds(rows: pl.DataFrame, turn: int) -> Iterator[tuple[Bools, pl.DataFrame, pl.DataFrame]]:
    """For each fold: a mask of its pairs, its pairs, and the pairs that share no title with them, to train on."""
    dishes = [int(sha256(f"{turn}:{title}".encode()).hexdigest(), 16) % FOLDS for title in rows["zh_title"]]
    for number in sorted(set(dishes)):
        own = np.array(dishes) == number
        inside = rows.filter(pl.Series(own))
        met = (pl.col(name).is_in(inside[name].implode()) for name in ("zh_title", "en_title"))
        yield own, inside, rows.filter(~pl.any_horizontal(met))


def crossed(rows: pl.DataFrame, features: Sequence[str] = FEATURES, turns: int = ROUNDS) -> Floats:
    """The mean probability of each pair by models that were fitted without its recipes."""
    probability = np.zeros(rows.height)
    for turn in range(turns):
        for own, inside, others in folds(rows, turn):
            probability[own] += fit(others, features).probability(inside) / turns
    return probability


def chosen(rows: pl.DataFrame, features: Sequence[str], precision: float) -> Floats:
    """The share of ROUNDS in which each pair is accepted by a model and a threshold chosen without its recipes."""
    accepted = np.zeros(rows.height)
    for turn in range(ROUNDS):
        for own, inside, others in folds(rows, turn):
            limit = least(crossed(others, features, turns=1), others, precision)
            if limit is not None:
                accepted[own] += (fit(others, features).probability(inside) >= limit) / ROUNDS
    return accepted


def curve(score: Floats, grade: NDArray[np.int64]) -> pl.DataFrame:
    """Precision and recall by threshold, the highest first; each distinct score is one.

    Columns: `least` (the threshold), `accepted` (pairs), `precision` (grades 1 and 2 are right), `recall` (grade 2).
    """
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

    Only `sampled` pairs count. Corpora differ in how alike their dishes are, and the precision of all together is
    that of the easiest. Those with fewer than FEW pairs do not count beside others.
    """
    scored = rows.with_columns(score=pl.Series(score)).filter("sampled")
    by_corpus = scored.select("corpus", "grade", "score").partition_by("corpus")
    large = [own for own in by_corpus if own.height >= FEW] or by_corpus
    bounds = []
    for own in large:
        good = curve(own["score"].to_numpy(), own["grade"].to_numpy()).filter(
            pl.col("precision") >= precision
        )
        if not good.height:
            return None
        bounds.append(float(good["least"][-1]))
    return max(bounds, default=None)


@cache
def _draws(dishes: int) -> Floats:
    """How often each dish is in each draw."""
    drawn = np.random.default_rng(SEED).multinomial(dishes, [1 / dishes] * dishes, DRAWS)
    return drawn.astype(np.float64)


def measured(accepted: Floats, rows: pl.DataFrame, beside: Floats | None = None) -> dict[str, Any]:
    """Precision, and recall of grade 2, where a share of each pair is accepted, with intervals of 95 %: of DRAWS
    draws of dishes, or Wilson's, of as many trials as dishes, if all draws are the same. `more` is how much greater
    the recall is than that of the shares `beside`.
    """
    right, same = ((rows["grade"] >= grade).to_numpy() for grade in (1, 2))
    dishes = rows.select(pl.col("zh_title").rank("dense") - 1).to_series().to_numpy()
    other = accepted if beside is None else beside
    counted = (accepted * right, accepted, accepted * same, same, (accepted - other) * same)
    sums = np.array([np.bincount(dishes, each, minlength=int(dishes.max()) + 1) for each in counted])
    total, draws = sums.sum(axis=1), _draws(sums.shape[1]) @ sums.T
    figures: dict[str, Any] = {
        "pairs": rows.height,
        "same": int(total[3]),
        "accepted": round(float(total[1]), 1),
    }
    for name, above, below in (("precision", 0, 1), ("recall", 2, 3), ("more", 4, 3)):
        some = draws[draws[:, below] > 0]
        ends = np.quantile(some[:, above] / some[:, below], (0.025, 0.975)).tolist() if len(some) else []
        share = float(total[above] / total[below]) if total[below] else None
        if share is not None and name != "more" and len({*ends}) == 1:  # dishes that do not differ
            ends = [*wilson(share, int((sums[below] > 0).sum()))]
        figures[name] = None if share is None else round(share, 4)
        figures[f"{name}_interval"] = [round(end, 4) for end in ends] or None
    return figures


def calibration(probability: Floats, rows: pl.DataFrame) -> dict[str, Any]:
    """How well probabilities say what share of graded pairs is right (grades 1 and 2).

    `brier` is the mean squared difference (Brier 1950), `brier_of_share` that of a judge who gives all pairs the
    share that is right. Each of the `bins` with pairs has its ends, its pairs, their mean probability (`said`), and
    the share of them that is right, with its interval as in `measured`.
    """
    right = (rows["grade"] >= 1).to_numpy()
    place = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    bins = []
    for number in sorted(set(place.tolist())):
        own = place == number
        of = measured(own.astype(np.float64), rows)
        bins.append(
            {
                "low": number / BINS,
                "high": (number + 1) / BINS,
                "pairs": int(own.sum()),
                "said": round(float(probability[own].mean()), 4),
                "right": of["precision"],
                "right_interval": of["precision_interval"],
            }
        )
    return {
        "brier": round(float(((probability - right) ** 2).mean()), 4),
        "brier_of_share": round(float(right.mean() * (1 - right.mean())), 4),
        "bins": bins,
    }
