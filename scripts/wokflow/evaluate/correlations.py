"""Do metrics agree with people? Kendall's tau with ratings (Cultural Adaptation of Recipes, section 6.2, table 6)."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from wokflow.evaluate import schemas
from wokflow.evaluate.intervals import Floats
from wokflow.evaluate.measured import Measured, read_measured
from wokflow.evaluate.rows import read_rows
from wokflow.evaluate.sums import corpus_bleu, sentence_bleu
from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError

COLUMNS = ("run", "instance_id", "criterion", "rating")
AVERAGE = "avg."
LENGTH = "tokens"  # measured, but not a metric of quality
Rated = tuple[str, str]  # run and instance
Ratings = Mapping[str, Mapping[Rated, float]]  # by criterion


def evaluate_correlations(
    *,
    parts: Sequence[str],
    correlations: str,
    ratings: Sequence[str],
    level: float,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write schema evaluate/correlations: each metric of the tables evaluate/parts with each criterion of ratings.

    Values of single texts are compared; BLEU counts n-grams up to the longest that a text has (effective order).
    `ratings` are files as read_ratings takes them; without any, the table is empty. P-values are multiplied by the
    number of tests of their data (Bonferroni) and are significant below `level`.
    Raises UserError for ratings that cannot be read, or if no rated text belongs to the runs.
    """
    rated = read_ratings(ratings)
    found = [one for one in read_measured(parts) if one.metric != LENGTH and one.ids]
    if rated and progress:
        known = {(one.run, name) for one in found for name in one.ids}
        missing = len({text for of in rated.values() for text in of} - known)
        progress.say(f"{missing} rated texts are of no run that is scored here, and are left out")
    rows = [row for data in _by_data(found).values() for row in correlation_rows(data, rated, level)]
    if rated and not rows:
        raise UserError(
            f"{', '.join(ratings)}: no rating is of a text that was scored. Columns run and instance_id have to be "
            "as in generate/predictions."
        )
    types = [*[pl.String] * 3, *[pl.Float64] * 3, pl.Boolean, pl.Int32]
    frame = pl.DataFrame(rows, dict(zip(schemas.CORRELATIONS.names, types, strict=True)), orient="row")
    tables.write(correlations, schemas.CORRELATIONS, frame, metadata)


def read_ratings(paths: Sequence[str]) -> Ratings:
    """The mean rating of each text by criterion; `avg.` is the mean of all criteria of texts that have them all.

    Files (.tsv with a header, or Parquet) have a row a rating: run, instance_id, criterion, rating (a number, more
    is better), and perhaps rater. Raises UserError, with file and row, for empty cells, ratings that are not numbers,
    and a rater who rates a text twice by one criterion.
    """
    given: dict[str, dict[Rated, list[float]]] = {}
    seen = set()
    for path in paths:
        for number, (*cells, rater) in read_rows(path, COLUMNS, "ratings", optional=["rater"]):
            where = f"{path}, row {number}"
            if empty := [name for name, cell in zip(COLUMNS, cells, strict=True) if not cell]:
                raise UserError(f"{where}: {', '.join(empty)} is empty. Fill it in or remove the row.")
            run, instance, criterion, text = (cell or "" for cell in cells)
            if criterion == AVERAGE:
                raise UserError(f"{where}: a criterion cannot be called {AVERAGE}: that is the mean of all.")
            if rater and (run, instance, criterion, rater) in seen:
                raise UserError(
                    f"{where}: {rater} rates {criterion} of {instance} of {run} twice. Remove one."
                )
            seen.add((run, instance, criterion, rater))
            given.setdefault(criterion, {}).setdefault((run, instance), []).append(_rating(text, where))
    means = {
        name: {text: sum(of) / len(of) for text, of in texts.items()} for name, texts in sorted(given.items())
    }
    if not means:
        return {}
    complete = set.intersection(*(set(texts) for texts in means.values()))
    return means | {
        AVERAGE: {text: sum(of[text] for of in means.values()) / len(means) for text in sorted(complete)}
    }


def _rating(text: str, where: str) -> float:
    try:
        rating = float(text)
    except ValueError:
        rating = math.nan
    if not math.isfinite(rating):
        raise UserError(f"{where}: the rating {text!r} is no number.")
    return rating


def _by_data(found: Sequence[Measured]) -> dict[str, list[Measured]]:
    of: dict[str, list[Measured]] = {}
    for one in found:
        of.setdefault(one.dataset.partition("/")[0], []).append(one)
    return of


def correlation_rows(
    found: Sequence[Measured], ratings: Ratings, level: float
) -> list[tuple[str, str, str, float | None, float | None, float | None, bool, int]]:
    """Rows of schema evaluate/correlations for the metrics of one data, of all its runs and test sets together."""
    from scipy.stats import kendalltau

    data = found[0].dataset.partition("/")[0]
    values = text_values(found)
    results = []
    for metric, of_texts in sorted(values.items()):
        for criterion, of_people in ratings.items():
            if not (texts := sorted(of_texts.keys() & of_people.keys())):
                continue
            pairs = [of_texts[text] for text in texts], [of_people[text] for text in texts]
            varies = all(len(set(side)) > 1 for side in pairs)
            test = kendalltau(*pairs, variant="b") if varies else None
            results.append((metric, criterion, test, len(texts)))
    tests = sum(test is not None for _, _, test, _ in results)
    rows = []
    for metric, criterion, test, count in results:
        tau, p = (float(test.statistic), float(test.pvalue)) if test else (None, None)
        adjusted = None if p is None else min(1.0, p * tests)
        significant = adjusted is not None and adjusted < level
        rows.append((data, metric, criterion, tau, p, adjusted, significant, count))
    return rows


def text_values(found: Sequence[Measured]) -> dict[str, dict[Rated, float]]:
    """By metric, the value of each text."""
    values: dict[str, dict[Rated, float]] = {}
    for one in found:
        of_texts: Floats = (sentence_bleu if one.statistic is corpus_bleu else one.statistic)(one.parts)
        texts = ((one.run, name) for name in one.ids)
        values.setdefault(one.metric, {}).update(zip(texts, np.round(of_texts, 9).tolist(), strict=True))
    return values
