"""Scores of instances, with intervals from resamples of the instances, and tests of the difference of two runs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.evaluate import sacre
from wokflow.evaluate.settings import Bootstrap
from wokflow.frame.intervals import LEVEL

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
DIGITS = 4
LENGTH = "tokens"  # measured, but neither more nor less of it is better
CELLS = 1_000_000  # places of instances that are held at a time


@dataclass(frozen=True, eq=False)
class Metric:
    """The measurements of some instances, which have the same order in all fields.

    `values` are the scores of single instances; NaN: it does not count. `note` says why nothing was measured. How
    instances make one score is the `statistic`: one of STATISTICS, of the sums of `parts` (instances, parts), or one
    of sacrebleu's (sacre.library), of all `texts` against their `references`.
    """

    name: str
    values: Floats
    parts: Floats
    statistic: str = "mean"
    texts: Sequence[str] = ()
    references: Sequence[str] = ()
    signature: str = ""
    note: str | None = None

    @property
    def counted(self) -> Flags:
        return ~np.isnan(self.values)

    def some(self, chosen: Flags | Sequence[int]) -> "Metric":
        """The same of some instances, by a mask or by their places."""
        places = np.arange(len(self.values))[chosen]
        texts, references = (
            [side[place] for place in places if side] for side in (self.texts, self.references)
        )
        some = replace(self, texts=texts, references=references)
        return replace(some, values=self.values[places], parts=self.parts[places])


def f1_of_sums(sums: Floats) -> Floats:
    """F1 in percent of matches in the text, matches in the reference, and the sizes of both; 0 without matches."""
    precision, recall = share(sums[..., 0], sums[..., 2]), share(sums[..., 1], sums[..., 3])
    return 100 * share(2 * precision * recall, precision + recall)


def share(part: Floats, whole: Floats) -> Floats:
    """part / whole, and 0 where `whole` is 0."""
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=whole > 0)


STATISTICS: dict[str, Callable[[Floats], Floats]] = {
    "mean": lambda sums: sums[..., 0] / sums[..., 1],
    "f1": f1_of_sums,
}


def ratio(name: str, part: Floats, whole: Floats, signature: str = "") -> Metric:
    """The sum of `part` divided by that of `whole`; instances whose `whole` is 0 do not count."""
    parts = np.column_stack([part, whole]).astype(np.float64)
    values = np.where(parts[:, 1] > 0, share(parts[:, 0], parts[:, 1]), np.nan)
    return Metric(name, values, parts, signature=signature)


def mean(
    name: str, values: Iterable[float] | Floats, counted: Flags | bool = True, signature: str = ""
) -> Metric:
    """The mean of shares (0 to 1) over the counted instances, as a percentage."""
    shares = np.asarray(values, np.float64)
    weights = np.broadcast_to(counted, shares.shape).astype(np.float64)
    return ratio(name, 100 * shares * weights, weights, signature)


def skipped(name: str, instances: int, note: str) -> Metric:
    """A metric that was not measured, with the reason as its note."""
    return Metric(name, np.full(instances, np.nan), np.zeros((instances, 2)), note=note)


def whole(name: str, kind: str, texts: Sequence[str], references: Sequence[str], words: str = "") -> Metric:
    """A metric of sacrebleu's, of all texts together; `words` is added to its signature."""
    corpus, single = sacre.library(kind), sacre.library(kind, sentences=True)
    corpus.corpus_score([""], [[""]])  # before a score, there is no signature
    signature = str(corpus.get_signature()) + (f"|words:{words}" if words else "")
    pairs = zip(texts, references, strict=True)
    values = np.array([min(single.sentence_score(text, [other]).score, 100.0) for text, other in pairs])
    return Metric(name, values, np.zeros((len(values), 0)), kind, texts, references, signature)


def together(metrics: Sequence[Metric]) -> Metric:
    """One metric of the instances of several, such as those of a run's test sets."""
    texts = [text for one in metrics for text in one.texts]
    references = [text for one in metrics for text in one.references]
    values, parts = (
        np.concatenate([one.values for one in metrics]),
        np.concatenate([one.parts for one in metrics]),
    )
    return replace(metrics[0], values=values, parts=parts, texts=texts, references=references)


def score(metric: Metric) -> float:
    """The score of all instances, which all count."""
    if metric.texts:
        result = sacre.library(metric.statistic).corpus_score(metric.texts, [metric.references])
        return min(float(result.score), 100.0)  # it may be more by rounding
    return float(STATISTICS[metric.statistic](metric.parts.sum(axis=0)))


def interval(metric: Metric, bootstrap: Bootstrap) -> tuple[float, float]:
    """Both ends of the interval of level LEVEL: percentiles (Efron 1979), or as sacrebleu gives it."""
    if metric.texts:
        given = (metric.statistic, [metric.texts], metric.references)
        (result,) = sacre.paired(*given, "bs", bootstrap.samples, bootstrap.seed)
        return max(0.0, float(result.mean - result.ci)), min(100.0, float(result.mean + result.ci))
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(_resampled(metric, bootstrap), [tail, 1 - tail])
    return float(low), float(high)


def p_values(run: Metric, baseline: Metric, trials: int, bootstrap: Bootstrap) -> tuple[float, float]:
    """p of the difference of two runs, by approximate randomization and by the paired bootstrap.

    Both are of the same instances, two at least, which all count. sacrebleu's own tests are taken for its metrics;
    for others scipy's permutation test of paired samples, and sacrebleu's formula on resamples.
    """
    if run.texts:
        given = (run.statistic, [baseline.texts, run.texts], run.references)
        tests = (("ar", trials), ("bs", bootstrap.samples))
        first, second = (sacre.paired(*given, *test, bootstrap.seed)[1].p_value for test in tests)
        return first, second
    from scipy.stats import permutation_test

    parts, count = np.concatenate([run.parts, baseline.parts]), len(run.parts)

    def difference(one: Any, other: Any, axis: int) -> Floats:
        """The difference of both runs on the instances at these places of `parts`, which lie along an axis."""
        sums = (parts[np.moveaxis(places, axis, -1).astype(np.intp)].sum(axis=-2) for places in (one, other))
        left, right = map(STATISTICS[run.statistic], sums)
        return left - right

    test = permutation_test(
        np.arange(2 * count).reshape(2, count),
        difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=trials,
        batch=max(1, CELLS // count),
        rng=np.random.default_rng(bootstrap.seed),
    )
    drawn = np.abs(_resampled(run, bootstrap) - _resampled(baseline, bootstrap))
    beyond = drawn - drawn.mean() > abs(score(run) - score(baseline))
    return float(test.pvalue), (1 + int(beyond.sum())) / (1 + len(drawn))


def _resampled(metric: Metric, bootstrap: Bootstrap) -> Floats:
    """The scores of resamples, which depend only on the number of instances and the seed; CELLS draws at a time."""
    count, samples = len(metric.parts), bootstrap.samples
    random, share = np.random.default_rng(bootstrap.seed), np.full(count, 1 / count)
    most = max(1, CELLS // count)
    drawn = (
        random.multinomial(count, share, size=min(most, samples - start)) for start in range(0, samples, most)
    )
    return STATISTICS[metric.statistic](np.concatenate([times @ metric.parts for times in drawn]))


def score_rows(scored: Iterable[tuple[str, str, Metric]], bootstrap: Bootstrap) -> pl.DataFrame:
    """Rows of schema evaluate/scores, for runs, data sets and their metrics."""
    rows = []
    for run, dataset, metric in scored:
        own = metric.some(metric.counted)
        values: Sequence[float | None] = (None, None, None)
        if count := len(own.values):
            ends = interval(own, bootstrap) if count > 1 else ()  # one instance does not tell how they vary
            values = [*(round(value, DIGITS) for value in (score(own), *ends)), None, None][:3]
        note = None if count else metric.note or "No instance counts for it."
        rows.append((run, dataset, metric.name, *values, count, metric.signature, note))
    types = [*[pl.String] * 3, *[pl.Float64] * 3, pl.Int32, pl.String, pl.String]
    names = ("run", "dataset", "metric", "value", "low", "high", "instances", "signature", "note")
    return pl.DataFrame(rows, dict(zip(names, types, strict=True)), orient="row")
