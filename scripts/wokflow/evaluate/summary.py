"""Scores of all runs with intervals, their differences to a baseline, and the summary beside published scores."""

from collections.abc import Mapping, Sequence

import polars as pl

from wokflow.evaluate import schemas
from wokflow.evaluate.comparisons import comparison_rows
from wokflow.evaluate.measured import Measured, read_measured
from wokflow.evaluate.score_intervals import score_rows
from wokflow.evaluate.settings import SummarySettings
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.text_files import comma_hint, read_table
from wokflow.frame.tsv_sheets import written

OURS, PUBLISHED = "this run", "published"
PUBLISHED_COLUMNS = ("data", "dataset", "run", "metric", "value")
MEASURED = ("paper", "table", "data", "dataset", "run", "metric")  # a row has one value of these
NUMBERS = ("value", "deviation")
PUBLISHED_SCHEMA = dict.fromkeys(("paper", "table", *PUBLISHED_COLUMNS), pl.String()) | {
    "value": pl.Float64(),
    "deviation": pl.Float64(),
    "note": pl.String(),
    "digits": pl.Int64(),
}
HEADINGS = {  # of the summary as a table with tabs, as the paper has them, and behind them those of translations
    "dataset": "Data",
    "run": "Method",
    "origin": "Origin",
    "bleu": "BLEU",
    "bleu_jieba": "BLEU (jieba)",
    "spbleu": "spBLEU",
    "chrf": "ChrF",
    "rouge_l": "R-L",
    "rouge_l_blanks": "R-L (blanks)",
    "bertscore": "B-Sc",
    "smatch": "Smatch",
    "comet": "COMET",
    "bleurt": "BLEURT",
    "tokens": "# Tok.",
    "note": "Note",
}


def evaluate_summary(
    *,
    parts: Sequence[str],
    outputs: Sequence[str],
    scores: str,
    comparisons: str,
    summary: str,
    table: str,
    settings: SummarySettings,
    job: Job,
) -> None:
    """From tables evaluate/parts write evaluate/scores, /comparisons and /summary, and the summary as a `table`.

    Published scores are in the summary if runs were scored on their data sets. Without parts all tables are empty.
    Runs that `outputs` (evaluate/outputs) marks as smoke tests have scores, but are neither compared nor in the
    summary. There, warnings stand beside the scores of the other runs. The log names baselines that were not scored.
    """
    measured = read_measured(parts)
    seen = read_outputs(outputs)
    untested = set(seen.filter("smoke_test")["run"])
    baselines = settings.baselines.model_dump(by_alias=True)
    scored = score_rows(((one.run, one.dataset, one.of) for one in measured), settings.bootstrap)
    tables.write(scores, schemas.SCORES, scored, job.metadata)
    job.progress.say(f"{scored.height} scores of {scored['run'].n_unique()} runs")
    for data, run in unscored(measured, baselines):
        job.progress.say(
            f"the baseline {run} was not scored on {data}: nothing is compared with it (evaluate.summary.baselines)"
        )
    real = [one for one in measured if one.run not in untested]
    compared = comparison_rows(against(real, baselines), settings.trials, settings.bootstrap)
    tables.write(comparisons, schemas.COMPARISONS, compared, job.metadata)
    wide = summary_rows(scored.filter(~pl.col("run").is_in(untested)), settings.published, seen)
    tables.write(summary, schemas.SUMMARY, wide, job.metadata)
    tables.write_text(table, as_text(wide))


def against(
    measured: Sequence[Measured], baselines: Mapping[str, str | None]
) -> list[tuple[Measured, Measured]]:
    """Each metric of each run, paired with the same metric of the baseline of its data (such as zh-en)."""
    of = {(one.dataset, one.run, one.metric): one for one in measured}
    pairs = []
    for one in measured:
        baseline = baselines.get(one.dataset.partition("/")[0])
        other = of.get((one.dataset, baseline or "", one.metric))
        if other and one.run != baseline:
            pairs.append((one, other))
    return pairs


def unscored(measured: Sequence[Measured], baselines: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """Data and baseline, for each baseline that was not measured."""
    scored = {(one.dataset.partition("/")[0], one.run) for one in measured}
    return [(data, run) for data, run in baselines.items() if run and (data, run) not in scored]


def read_outputs(outputs: Sequence[str]) -> pl.DataFrame:
    """Columns run, dataset, smoke_test and note (the warnings) of tables evaluate/outputs."""
    rows = tables.read(outputs) if outputs else tables.frame(schemas.OUTPUTS)
    return rows.select("run", "dataset", "smoke_test", note=pl.col("warnings").list.join("; "))


def summary_rows(scored: pl.DataFrame, published: str, seen: pl.DataFrame) -> pl.DataFrame:
    """Rows of schema evaluate/summary, one for each run and data set; published scores follow those of their data
    set.
    """
    others = read_published(published).filter(
        pl.col("dataset").is_in(scored["dataset"].unique().implode()),
        pl.col("metric").is_in(list(schemas.MEASURES)),
    )
    said = seen.select("run", "dataset", "note")
    ours = scored.drop("note").join(said, ["run", "dataset"], "left", maintain_order="left")
    columns = ("dataset", "run", "metric", "value", "note")
    both = pl.concat(
        [ours.select(*columns, origin=pl.lit(OURS)), others.select(*columns, origin=pl.lit(PUBLISHED))]
    )
    measures = [
        pl.col("value").filter(pl.col("metric") == name).first().alias(name) for name in schemas.MEASURES
    ]
    notes = pl.col("note").filter(pl.col("note") != "").unique(maintain_order=True).drop_nulls()
    note = pl.when(notes.len() > 0).then(notes.str.join(" ")).alias("note")
    wide = both.group_by("dataset", "origin", "run", maintain_order=True).agg(*measures, note)
    return wide.sort("dataset", pl.col("origin") == PUBLISHED, maintain_order=True)


def read_published(path: str) -> pl.DataFrame:
    """Published scores: data set as zh-en/silver, run, metric, value and deviation, in the order of the file.

    `digits` is how many decimal places a value is written with: two for 0.60.
    Raises UserError, with the line, for a table that lacks a column, and for a value that is no number, as for a
    deviation that is neither a number nor empty.
    """
    rows = []
    seen: dict[tuple[str, ...], int] = {}
    for line, row in read_table(path, PUBLISHED_COLUMNS, "published scores", whole=False):
        cells: dict[str, str | float | None] = {name: row.get(name) or None for name in PUBLISHED_SCHEMA}
        cells["digits"] = len(row["value"].strip().partition(".")[2])
        for name in NUMBERS:
            if name == "value" or cells[name] is not None:
                try:
                    cells[name] = float(row[name])
                except ValueError as error:
                    raise UserError(
                        f"{path}, line {line}, column {name}: {row[name]!r} is not a number.{comma_hint(row[name])}"
                    ) from error
        before = seen.setdefault(tuple(row.get(name, "") for name in MEASURED), line)
        if before != line:
            raise UserError(
                f"{path}, line {line}: line {before} already has this figure. Delete one of the two."
            )
        rows.append(cells)
    return pl.DataFrame(rows, PUBLISHED_SCHEMA).with_columns(
        dataset=pl.concat_str("data", "dataset", separator="/")
    )


def as_text(wide: pl.DataFrame) -> str:
    """The summary as a table with tabs: scores with one digit after the point, as the paper prints them."""
    named = wide.select(pl.col(name).alias(title) for name, title in HEADINGS.items())
    text = pl.col(pl.String).map_elements(written, pl.String)
    return named.with_columns(text).write_csv(separator="\t", float_precision=1)
