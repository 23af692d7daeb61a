"""Runs compared with their baseline: what is significant, after correction for the number of tests."""

from collections.abc import Iterable, Sequence

import polars as pl

from wokflow.evaluate.measured import Measured
from wokflow.evaluate.score_intervals import DIGITS, LENGTH, p_values, score
from wokflow.evaluate.settings import Bootstrap

LEAST = 20  # instances in which two runs must differ for a test; with fewer, ties make sacrebleu's reject too often
ALPHA = 0.05


def comparison_rows(
    pairs: Iterable[tuple[Measured, Measured]], trials: int, bootstrap: Bootstrap
) -> pl.DataFrame:
    """Rows of schema evaluate/comparisons: each run and its baseline, on the instances that both have.

    p_value is by approximate randomization (Noreen 1989): the share of random swaps of predictions between the two
    runs, instance by instance, whose difference is at least as large, of either sign. bootstrap_p is sacrebleu's of
    the paired bootstrap (Koehn 2004). Neither is given if the two runs differ in fewer than LEAST instances, nor for
    the length of texts. adjusted_p is p_value by Holm (1979) for all tests of a data set, over runs and metrics.
    """
    rows = []
    for run, baseline in pairs:
        theirs = {name: place for place, name in enumerate(baseline.ids)}
        own = [place for place, name in enumerate(run.ids) if name in theirs]
        if not own:
            continue
        ours, others = run.of.some(own), baseline.of.some([theirs[run.ids[place]] for place in own])
        differing = int((ours.values != others.values).sum())
        tested: Sequence[float | None] = (None, None)
        if run.metric != LENGTH and differing >= LEAST:
            tested = p_values(ours, others, trials, bootstrap)
        names = (run.dataset, run.metric, run.run, baseline.run)
        rows.append((*names, round(score(ours) - score(others), DIGITS), *tested, len(own), differing))
    types = [*[pl.String] * 4, *[pl.Float64] * 3, *[pl.Int32] * 2]
    columns = ("dataset", "metric", "run", "baseline", "difference", "p_value", "bootstrap_p", "instances")
    frame = pl.DataFrame(rows, dict(zip((*columns, "differing"), types, strict=True)), orient="row")
    return corrected(frame)


def corrected(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with adjusted_p, by Holm for all tests of a data set, and significant."""
    p_value = pl.col("p_value")
    left = p_value.count() - p_value.rank("ordinal") + 1  # tests whose p is not smaller
    ordered = rows.with_row_index("row").sort("p_value", nulls_last=True, maintain_order=True)
    adjusted = (p_value * left).cum_max().clip(upper_bound=1.0).over("dataset")
    adjusted_rows = ordered.with_columns(adjusted_p=adjusted).sort("row").drop("row")
    return adjusted_rows.with_columns(significant=(pl.col("adjusted_p") < ALPHA).fill_null(value=False))
