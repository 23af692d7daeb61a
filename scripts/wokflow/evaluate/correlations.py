"""Do metrics agree with people? Correlations with their ratings.

Kendall's tau over texts, as Cultural Adaptation of Recipes (section 6.2, table 6) has it, and Pearson's coefficient,
as Yao et al. 2024 (section 6.4, table 7). They do not say over which units; values as high as theirs are only reached
over systems.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wokflow.evaluate import schemas
from wokflow.evaluate.given_rows import read_rows
from wokflow.evaluate.measured import Measured, read_measured
from wokflow.evaluate.resampling import DIGITS
from wokflow.evaluate.score_intervals import LENGTH, Floats, Metric, score, share, together
from wokflow.evaluate.settings import CorrelationsSettings
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.text_files import comma_hint
from wokflow.frame.writing import one_spelling

COLUMNS = ("run", "instance_id", "criterion", "rating")
AVERAGE = "avg."
LEAST_RUNS = 3  # with two, any coefficient is 1 or -1
EXCHANGES = 9_999  # of runs and of texts at random, for a p-value
SEED = 13
TIED = 1e-6  # coefficients that differ by less are equal
EXACT = 1 << 24  # up to here whole numbers are exact in 32 bits
Indices = NDArray[np.int64]
Counts = NDArray[np.floating[Any]]
Rated = tuple[str, str]  # run and instance
Ratings = Mapping[str, Mapping[Rated, float]]  # by criterion


def evaluate_correlations(
    *, parts: Sequence[str], correlations: str, settings: CorrelationsSettings, job: Job
) -> None:
    """Write schema evaluate/correlations: each metric of the tables evaluate/parts with each criterion of ratings.

    Values of single texts are compared, by Pearson's coefficient also scores of runs (see Correlated); BLEU of a text
    counts n-grams up to the longest that it has (effective order). Ratings are files as read_ratings takes them;
    without any, the table is empty. P-values of one run are of Kendall's test, those of several by `by_chance`; they
    are multiplied by the number of tests of their data (Bonferroni) and are significant below the level.
    Raises UserError for ratings that cannot be read, or if no rated text belongs to the runs.
    """
    rated = read_ratings(settings.ratings)
    measured = [one for one in read_measured(parts) if one.metric != LENGTH and one.ids]
    if rated:
        known = {(one.run, name) for one in measured for name in one.ids}
        missing = len({text for of in rated.values() for text in of} - known)
        job.progress.say(f"{missing} rated texts belong to no run that is scored here, and are left out")
    rows = [
        row for data in _by_data(measured).values() for row in correlation_rows(data, rated, settings.level)
    ]
    if rated and not rows:
        raise UserError(
            f"{', '.join(settings.ratings)}: no rating belongs to a text that was scored. Columns run and "
            "instance_id must match generate/predictions."
        )
    tables.write(correlations, schemas.CORRELATIONS, rows, job.metadata)


def read_ratings(paths: Sequence[str]) -> Ratings:
    """The mean rating of each text by criterion; `avg.` is the mean of all criteria, those of its block (see
    `blocks`), of texts that have them all.

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
    one_spelling("the raters", sorted({rater for *_, rater in seen if rater}))
    one_spelling("the criteria", sorted(given))
    # Rounded as the metrics' values are: means that are equal must not differ in their last bit.
    means = {
        name: {text: round(sum(of) / len(of), DIGITS) for text, of in texts.items()}
        for name, texts in sorted(given.items())
    }
    if not means:
        return {}
    rated = sorted({each for texts in means.values() for each in texts})
    block = dict(zip(rated, blocks(rated), strict=True))
    wanted = {(block[each], name) for name, texts in means.items() for each in texts}
    average: dict[Rated, float] = {}
    for each in rated:
        own = [means[name].get(each) for name in means if (block[each], name) in wanted]
        if None not in own:
            average[each] = round(sum(value for value in own if value is not None) / len(own), DIGITS)
    return means | {AVERAGE: average}


def blocks(rated: Sequence[Rated]) -> Indices:
    """The block of each text: texts of one run or of one instance are in the same, so those of recipes and of
    sentences are in two.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    runs, names = (np.unique([text[place] for text in rated], return_inverse=True) for place in (0, 1))
    size = len(runs[0]) + len(names[0])
    joined = coo_array((np.ones(len(rated)), (runs[1], names[1] + len(runs[0]))), (size, size))
    return np.asarray(connected_components(joined, directed=False)[1][runs[1]], np.int64)


def _rating(text: str, where: str) -> float:
    try:
        rating = math.nan if "_" in text else float(text)  # 4_5 is 45 to Python
    except ValueError:
        rating = math.nan
    if not math.isfinite(rating):
        raise UserError(f"{where}, column rating: {text!r} is not a number.{comma_hint(text)}")
    return rating


def _by_data(measured: Sequence[Measured]) -> dict[str, list[Measured]]:
    of: dict[str, list[Measured]] = {}
    for one in measured:
        of.setdefault(one.dataset.partition("/")[0], []).append(one)
    return of


class Correlated(NamedTuple):
    """A metric and a criterion of people, over texts that have both.

    `tau` is Kendall's tau-b and its p-value, and `pearson` Pearson's coefficient; `of_runs` is that of the metric's
    scores of runs, over these texts, and their mean ratings. None where a side does not vary, and `of_runs` for fewer
    than LEAST_RUNS.
    """

    metric: str
    criterion: str
    tau: tuple[float, float] | None
    pearson: float | None
    of_runs: float | None
    texts: int
    runs: int


def correlation_rows(measured: Sequence[Measured], ratings: Ratings, level: float) -> list[tuple[Any, ...]]:
    """Rows of schema evaluate/correlations for the metrics of one data, of all its runs and test sets together."""
    data = measured[0].dataset.partition("/")[0]
    by_metric: dict[str, list[Measured]] = {}
    for one in measured:
        by_metric.setdefault(one.metric, []).append(one)
    values = {metric: text_values(of_metric) for metric, of_metric in sorted(by_metric.items())}
    pairs = [
        _correlated(metric, by_metric[metric], of_texts, criterion, of_people)
        for metric, of_texts in values.items()
        for criterion, of_people in ratings.items()
    ]
    results = [pair for pair in pairs if pair.texts]
    tests = sum(pair.tau is not None for pair in results)
    exchanged = by_chance(values, ratings) if any(pair.runs > 1 for pair in results) else {}
    rows = []
    for pair in results:
        tau, p = pair.tau or (None, None)
        if tau is not None and pair.runs > 1:
            p = exchanged[pair.metric, pair.criterion]
        adjusted = None if p is None else min(1.0, p * tests)
        significant = adjusted is not None and adjusted < level
        about = (pair.texts, pair.pearson, pair.of_runs, pair.runs)
        rows.append((data, pair.metric, pair.criterion, tau, p, adjusted, significant, *about))
    return rows


def _correlated(
    metric: str,
    measured: Sequence[Measured],
    values: Mapping[Rated, float],
    criterion: str,
    ratings: Mapping[Rated, float],
) -> Correlated:
    from scipy.stats import kendalltau

    texts = sorted(values.keys() & ratings.keys())
    sides = [values[text] for text in texts], [ratings[text] for text in texts]
    test = kendalltau(*sides, variant="b") if _vary(*sides) else None
    tau = (float(test.statistic), float(test.pvalue)) if test else None
    runs = sorted({run for run, _ in texts})
    scores = run_scores(measured, texts)
    means = {run: np.mean([ratings[text] for text in texts if text[0] == run]) for run in runs}
    of_runs = [scores[run] for run in runs], [float(means[run]) for run in runs]
    between = pearson(*of_runs) if len(runs) >= LEAST_RUNS else None
    return Correlated(metric, criterion, tau, pearson(*sides), between, len(texts), len(runs))


def by_chance(values: Mapping[str, Mapping[Rated, float]], ratings: Ratings) -> dict[tuple[str, str], float]:
    """P-values by metric and criterion: how often ratings in random order agree at least as much with the metric, of
    either sign.

    Texts of one run are alike, and so are the adaptations of one source: Kendall's own test, which takes each for a
    draw of its own, would find agreement where there is none. So the ratings of whole runs, and of whole sources, are
    exchanged at random, within each block.
    """
    rated = {text for of in values.values() for text in of} & {text for of in ratings.values() for text in of}
    runs, names = (sorted({text[place] for text in rated}) for place in (0, 1))
    block = blocks(texts := sorted(rated))
    of_run, of_name = ({text[place]: one for text, one in zip(texts, block, strict=True)} for place in (0, 1))
    kinds = [np.array([of[name] for name in some]) for of, some in ((of_run, runs), (of_name, names))]

    def grids(sides: Mapping[str, Mapping[Rated, float]]) -> Floats:
        """[sides, runs, sources]; NaN: there is none."""
        cells = [[[of.get((run, name), np.nan) for name in names] for run in runs] for of in sides.values()]
        return np.array(cells, np.float64)

    random = np.random.default_rng(SEED)
    pairs = np.triu_indices(len(runs) * len(names), 1)
    ours, theirs = _orders(grids(values), pairs), grids(ratings)
    by_chance_taus = abs(_taus(ours, _orders(theirs, pairs)))
    beyond = np.ones_like(by_chance_taus)
    for _ in range(EXCHANGES):
        of_runs, of_names = (_exchanged(each, random) for each in kinds)
        moved = theirs[:, of_runs][:, :, of_names]
        beyond += abs(_taus(ours, _orders(moved, pairs))) > by_chance_taus - TIED
    named = ((metric, criterion) for metric in values for criterion in ratings)
    return dict(zip(named, (beyond / (EXCHANGES + 1)).ravel().tolist(), strict=True))


def _exchanged(blocks: Indices, random: np.random.Generator) -> Indices:
    """Places in random order; each stays in its block."""
    places = np.arange(len(blocks))
    for block in np.unique(blocks):
        own = np.flatnonzero(blocks == block)
        places[own] = random.permutation(own)
    return places


def _orders(grids: Floats, pairs: tuple[Indices, Indices]) -> tuple[Counts, Counts]:
    """Of grids [sides, runs, sources]: which text of each pair is higher (-1, 0, 1), and whether both are known.

    Both [sides, pairs of texts], in the shortest numbers in which a sum over all pairs is exact.
    """
    flat = grids.reshape(len(grids), -1)
    higher = np.sign(flat[:, pairs[0]] - flat[:, pairs[1]])
    known = ~np.isnan(higher)
    kind = np.float32 if known.shape[1] < EXACT else np.float64
    return np.where(known, higher, 0).astype(kind), known.astype(kind)


def _taus(left: tuple[Counts, Counts], right: tuple[Counts, Counts]) -> Floats:
    """Kendall's tau-b of each of the sides `left` with each of `right`, over the texts that both have."""
    (ours, known), (theirs, given) = left, right
    concordant, first, second = (
        product.astype(np.float64)
        for product in (ours @ theirs.T, abs(ours) @ given.T, known @ abs(theirs).T)
    )
    return share(concordant, np.sqrt(first * second))


def _vary(*sides: Sequence[float]) -> bool:
    return all(len(set(side)) > 1 for side in sides)


def pearson(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Pearson's correlation coefficient; None where one side does not vary."""
    return float(np.corrcoef(left, right)[0, 1]) if _vary(left, right) else None


def text_values(measured: Sequence[Measured]) -> dict[Rated, float]:
    """The value of each text by one metric."""
    values: dict[Rated, float] = {}
    for one in measured:
        texts = ((one.run, name) for name in one.ids)
        values.update(zip(texts, np.round(one.of.values, DIGITS).tolist(), strict=True))
    return values


def run_scores(measured: Sequence[Measured], texts: Collection[Rated]) -> dict[str, float]:
    """The score of each run by one metric, over some texts."""
    wanted, of_runs = set(texts), dict[str, list[Metric]]()
    for one in measured:
        if places := [place for place, name in enumerate(one.ids) if (one.run, name) in wanted]:
            of_runs.setdefault(one.run, []).append(one.of.some(places))
    return {run: round(score(together(some)), DIGITS) for run, some in of_runs.items()}
