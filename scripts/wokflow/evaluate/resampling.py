"""Intervals of scores, and paired comparisons of runs, by resampling the instances (Koehn 2004)."""

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from wokflow.evaluate.intervals import Bootstrap, Floats, ends, resamples, rounded
from wokflow.evaluate.measured import Measured

NONE = "No instance counts for it."
LEAST = 5  # instances of a comparison: of fewer, there are too few different resamples


def score_rows(found: Iterable[Measured], bootstrap: Bootstrap) -> pl.DataFrame:
    """Rows of schema evaluate/scores: the score of all instances, and the ends of its percentile interval."""
    found = list(found)
    sampled = _sampled([(one.ids, [one.parts]) for one in found], bootstrap)
    rows = []
    for one, sums in zip(found, sampled, strict=True):
        values: Sequence[float | None] = (None, None, None)
        note: str | None = one.note or NONE
        if one.ids:
            values = rounded(one.value(one.parts), *ends(one.statistic(sums[0]), bootstrap))
            note = None
        rows.append((one.run, one.dataset, one.metric, *values, len(one.ids), one.signature, note))
    types = [*[pl.String] * 3, *[pl.Float64] * 3, pl.Int32, pl.String, pl.String]
    names = ("run", "dataset", "metric", "value", "low", "high", "instances", "signature", "note")
    return pl.DataFrame(rows, dict(zip(names, types, strict=True)), orient="row")


def comparison_rows(pairs: Iterable[tuple[Measured, Measured]], bootstrap: Bootstrap) -> pl.DataFrame:
    """Rows of schema evaluate/comparisons: each run and its baseline, on the instances that both have.

    Where these are fewer than LEAST there is no row. Both are scored on the same resamples. With d the difference of
    their scores and d* that on a resample, the interval holds the middle of d*, and p is (1 + n) / (1 + samples),
    where n is the number of resamples with |d* - d| >= |d|: the resamples tell how a difference varies, here about
    0 as if there were none (Efron and Tibshirani 1993, section 16.4). So p is two-sided, and 1 for a run against
    itself.
    """
    work = []
    for run, baseline in pairs:
        theirs = set(baseline.ids)
        ids = tuple(name for name in run.ids if name in theirs)
        if len(ids) >= LEAST:
            work.append((run, baseline, ids, [run.parts_of(ids), baseline.parts_of(ids)]))
    sampled = _sampled([(ids, parts) for _, _, ids, parts in work], bootstrap)
    rows = []
    for (run, baseline, ids, parts), sums in zip(work, sampled, strict=True):
        difference = run.value(parts[0]) - run.value(parts[1])
        drawn = run.statistic(sums[0]) - run.statistic(sums[1])
        names = (run.dataset, run.metric, run.run, baseline.run)
        spread = rounded(difference, *ends(drawn, bootstrap))
        rows.append((*names, *spread, p_value(difference, drawn), len(ids)))
    types = [*[pl.String] * 4, *[pl.Float64] * 4, pl.Int32]
    columns = ("dataset", "metric", "run", "baseline", "difference", "low", "high", "p_value", "instances")
    return pl.DataFrame(rows, dict(zip(columns, types, strict=True)), orient="row")


def p_value(difference: float, drawn: Floats) -> float:
    """See comparison_rows."""
    return float(1 + (np.abs(drawn - difference) >= abs(difference)).sum()) / (1 + len(drawn))


def _sampled(
    wanted: Sequence[tuple[tuple[str, ...], Sequence[Floats]]], bootstrap: Bootstrap
) -> list[list[Floats]]:
    """For each of `wanted` (ids of instances, and lists of their parts), the sums of each list over the resamples.

    Parts of the same instances are resampled together.
    """
    by_ids: dict[tuple[str, ...], list[int]] = {}
    for number, (ids, _) in enumerate(wanted):
        by_ids.setdefault(ids, []).append(number)
    sampled: list[list[Floats]] = [[] for _ in wanted]
    for ids, numbers in by_ids.items():
        if not ids:
            continue
        parts = [part for number in numbers for part in wanted[number][1]]
        sums = np.concatenate(list(resamples(np.hstack(parts), bootstrap)))
        cuts = np.cumsum([part.shape[1] for part in parts])[:-1]
        pieces = iter(np.split(sums, cuts, axis=1))
        for number in numbers:
            sampled[number] = [next(pieces) for _ in wanted[number][1]]
    return sampled
