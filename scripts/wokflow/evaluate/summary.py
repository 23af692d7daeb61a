"""Scores of all runs with intervals, their differences to a baseline, and the summary beside published scores."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from wokflow.evaluate import schemas
from wokflow.evaluate.intervals import Bootstrap
from wokflow.evaluate.measured import Measured, read_measured
from wokflow.evaluate.resampling import comparison_rows, score_rows
from wokflow.frame import tables
from wokflow.frame.job import Progress

OURS, PUBLISHED = "this run", "published"
HEADINGS = {  # of the summary as a table with tabs, as the paper has them
    "dataset": "Data",
    "run": "Method",
    "origin": "Origin",
    "bleu": "BLEU",
    "bleu_jieba": "BLEU (jieba)",
    "chrf": "ChrF",
    "rouge_l": "R-L",
    "bertscore": "B-Sc",
    "smatch": "Smatch",
    "comet": "COMET",
    "tokens": "# Tok.",
}


def evaluate_summary(
    *,
    parts: Sequence[str],
    scores: str,
    comparisons: str,
    summary: str,
    table: str,
    baselines: Mapping[str, str | None],
    bootstrap: Mapping[str, Any],
    published: str,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """From tables evaluate/parts write evaluate/scores, /comparisons and /summary, and the summary as a `table`.

    `baselines` has for data such as zh-en the run that the others are compared with, or None. `published` is a
    table with tabs of published scores; those of data sets that runs were scored on are in the summary.
    `bootstrap` are settings of intervals.Bootstrap. Without parts all tables are empty.
    The log names baselines that were not scored.
    """
    found = read_measured(parts)
    settings = Bootstrap(**bootstrap)
    scored = score_rows(found, settings)
    tables.write(scores, schemas.SCORES, scored, metadata)
    if progress:
        progress.say(f"{scored.height} scores of {scored['run'].n_unique()} runs")
        for data, run in unscored(found, baselines):
            progress.say(
                f"the baseline {run} was not scored on {data}: nothing is compared with it "
                "(evaluate.summary.baselines)"
            )
    compared = comparison_rows(against(found, baselines), settings)
    tables.write(comparisons, schemas.COMPARISONS, compared, metadata)
    wide = summary_rows(scored, published)
    tables.write(summary, schemas.SUMMARY, wide, metadata)
    tables.write_text(table, as_text(wide))


def against(
    found: Sequence[Measured], baselines: Mapping[str, str | None]
) -> list[tuple[Measured, Measured]]:
    """Each metric of each run, paired with the same metric of the baseline of its data."""
    of = {(one.dataset, one.run, one.metric): one for one in found}
    pairs = []
    for one in found:
        baseline = baselines.get(_data(one.dataset))
        other = of.get((one.dataset, baseline or "", one.metric))
        if other and one.run != baseline:
            pairs.append((one, other))
    return pairs


def unscored(found: Sequence[Measured], baselines: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """Data and baseline, for each baseline that was not measured."""
    scored = {(_data(one.dataset), one.run) for one in found}
    return [(data, run) for data, run in baselines.items() if run and (data, run) not in scored]


def _data(dataset: str) -> str:
    return dataset.partition("/")[0]


def summary_rows(scored: pl.DataFrame, published: str) -> pl.DataFrame:
    """A row a run and data set, of schema evaluate/summary; after those of a data set, the published ones."""
    others = read_published(published).filter(pl.col("dataset").is_in(scored["dataset"].unique().implode()))
    both = pl.concat(
        [
            scored.select("dataset", "run", "metric", "value", origin=pl.lit(OURS)),
            others.select("dataset", "run", "metric", "value", origin=pl.lit(PUBLISHED)),
        ]
    )
    measures = [
        pl.col("value").filter(pl.col("metric") == name).first().alias(name) for name in schemas.MEASURES
    ]
    wide = both.group_by("dataset", "origin", "run", maintain_order=True).agg(measures)
    return wide.sort("dataset", pl.col("origin") == PUBLISHED, maintain_order=True)


def read_published(path: str) -> pl.DataFrame:
    """Published scores: data set as zh-en/silver, run, metric and value, in the order of the file."""
    rows = pl.read_csv(path, separator="\t", schema_overrides={"value": pl.Float64, "table": pl.String})
    return rows.with_columns(dataset=pl.concat_str("data", "dataset", separator="/"))


def as_text(wide: pl.DataFrame) -> str:
    """The summary as a table with tabs: scores with one digit after the point, as the paper prints them."""
    lines = ["\t".join(HEADINGS.values())]
    for row in wide.select(list(HEADINGS)).iter_rows():
        lines.append("\t".join(f"{cell:.1f}" if isinstance(cell, float) else cell or "" for cell in row))
    return "\n".join(lines) + "\n"
