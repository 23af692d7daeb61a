"""Statistics of the ratings of adapted dialogues and of their edits, by the run that adapted them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import polars as pl

from wokflow.evaluate import dialogue_schemas, rater_agreement
from wokflow.evaluate.biases import bias_rows, by_name
from wokflow.evaluate.rated import Ratings, of, rating_rows, shown
from wokflow.evaluate.ratings import agreements
from wokflow.evaluate.resampling import ratios, with_interval
from wokflow.evaluate.settings import AdaptationsSettings, Bootstrap
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.judge.dialogues import DIALOGUES, EDITS, STRATEGIES

DIALOGUE = r"^(?:dialogue:(.*)|(?:edit|strategy):(.*):\d+:\d+:[^:]*)$"  # in the names of items
RATED_TEXTS = {DIALOGUES: "adapted", EDITS: "edit"}  # by what tasks call it
KEYS = ("study", "system", "found_by", "rater", "dimension")


def evaluate_adaptations(
    *,
    tasks: Sequence[str],
    ratings: Sequence[str],
    figures: Sequence[str],
    settings: AdaptationsSettings,
    job: Job,
) -> None:
    """Write evaluate/dialogues/means, .../shares, .../aspects, .../agreement, .../calibration and .../biases, to
    `figures`.

    `tasks` are those of stage judge about dialogues, edits and strategies, and `ratings` those of models and people.
    Means and shares are of each run, rater and dimension (Singh et al. 2024, Tables 3 and 5, Figure 6), with
    intervals of resamples of dialogues. Aspects are Kendall's tau-b between two dimensions of dialogues, by run
    (Figure 7). Agreement and calibration are of dialogues, of edits and of strategies, each by themselves: how far
    raters agree, with others and with their own repetitions; and how each compares with people, if some rated, and
    else with the others (Table 6). Biases are those of evaluate_biases, of dialogues and of edits. A resample
    draws a dialogue with all its adaptations and edits.
    """
    means, shares, aspects, agreement, calibration, biases = figures
    known = tables.read(tasks).with_columns(
        unit=pl.coalesce(pl.col("item").str.extract(DIALOGUE, group) for group in (1, 2))
    )
    rows, bootstrap = rating_rows(ratings), settings.bootstrap
    numbered = _numbered(known, rows)
    whole = known.filter(study=DIALOGUES)
    own = _ratings_of(whole, rows)
    for path, schema, made in (
        (means, dialogue_schemas.MEANS, _means(numbered, bootstrap)),
        (shares, dialogue_schemas.SHARES, _shares(numbered, bootstrap)),
        (aspects, dialogue_schemas.ASPECTS, _aspects(whole, own, bootstrap)),
        (agreement, dialogue_schemas.AGREEMENT, _by_study(agreements, known, rows, bootstrap)),
        (
            calibration,
            dialogue_schemas.CALIBRATION,
            _by_study(rater_agreement.calibration, known, rows, bootstrap),
        ),
        (biases, dialogue_schemas.BIASES, _biases(known, rows, settings)),
    ):
        tables.write(path, schema, made, job.metadata)
    job.progress.say(f"{rows.height} ratings of {known.height} tasks")


def _ratings_of(tasks: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("task_id").is_in(tasks["task_id"].implode()))


def _by_study(
    figure: Callable[[Ratings, Bootstrap], Iterator[dict[str, Any]]],
    tasks: pl.DataFrame,
    rows: pl.DataFrame,
    bootstrap: Bootstrap,
) -> Iterator[dict[str, Any]]:
    """A figure of each study by itself: dimensions of two may have one name, and other values."""
    for study in (DIALOGUES, EDITS, STRATEGIES):
        some = tasks.filter(study=study)
        own = _ratings_of(some, rows)
        if own.height:
            for row in figure(of(some, own), bootstrap):
                yield {"study": study, **row}


def _biases(
    tasks: pl.DataFrame, rows: pl.DataFrame, settings: AdaptationsSettings
) -> Iterator[dict[str, Any]]:
    """Of adapted dialogues, beside others of the same original; of edits, beside others of the same dialogue."""
    judges, systems = by_name(settings.judges), by_name(settings.systems)
    for study, text in RATED_TEXTS.items():
        some = tasks.filter(study=study)
        own = _ratings_of(some, rows)
        if own.height:
            within = study == EDITS
            for row in bias_rows(of(some, own), settings.bootstrap, text, judges, systems, within=within):
                yield {"study": study, **row}


def _aspects(tasks: pl.DataFrame, rows: pl.DataFrame, bootstrap: Bootstrap) -> Iterator[dict[str, Any]]:
    """Kendall's tau between dimensions, of what each run adapted."""
    for (run,), some in tasks.sort("system", "task_id").group_by("system", maintain_order=True):
        own = _ratings_of(some, rows)
        if own.height:
            for row in rater_agreement.dimensions(of(some, own), bootstrap):
                yield {"run": run, **row}


def _numbered(tasks: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Each rating with its task's study, run and dialogue."""
    details = tasks.select("task_id", "study", "system", found_by=shown("found_by"), dialogue="unit")
    return rows.join(details, on="task_id").sort(*KEYS, "dialogue", "task_id", "repetition")


def _grouped(rows: pl.DataFrame) -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    for key, some in rows.group_by(KEYS, maintain_order=True):
        yield dict(zip(("study", "run", "found_by", "rater", "dimension"), key, strict=True)), some


def _interval(
    some: pl.DataFrame, value: pl.Expr, bootstrap: Bootstrap
) -> tuple[float | None, float | None, float | None]:
    """The mean of a number of each rating, of resamples of dialogues."""
    parts = some.group_by("dialogue", maintain_order=True).agg(
        value.sum().cast(pl.Float64).alias("value"), pl.len().cast(pl.Float64).alias("weight")
    )
    return with_interval(parts.select("value", "weight").to_numpy(), ratios, bootstrap)


def _means(rows: pl.DataFrame, bootstrap: Bootstrap) -> Iterator[dict[str, Any]]:
    """Means of values that are numbers."""
    for named, some in _grouped(rows):
        number = pl.col("value").cast(pl.Float64, strict=False)
        if some.select(number.is_null().any()).item():
            continue
        mean, low, high = _interval(some, number, bootstrap)
        counts = {"tasks": some["task_id"].n_unique(), "ratings": some.height}
        yield {**named, **counts, "mean": mean, "low": low, "high": high}


def _shares(rows: pl.DataFrame, bootstrap: Bootstrap) -> Iterator[dict[str, Any]]:
    """How often each value was given."""
    for named, some in _grouped(rows):
        for value in some["value"].unique().sort():
            share, low, high = _interval(some, (pl.col("value") == value) * 100, bootstrap)
            count = int((some["value"] == value).sum())
            yield {**named, "value": value, "ratings": count, "share": share, "low": low, "high": high}
