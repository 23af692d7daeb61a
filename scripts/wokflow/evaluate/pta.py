"""PTA: how often a run's translation of an item is preferred to the reference, and how far raters can be trusted."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from wokflow.evaluate import rating_schemas
from wokflow.evaluate.biases import by_name, preferences
from wokflow.evaluate.pearson import SAME, pearson, resampled_pearson
from wokflow.evaluate.rated import COLUMNS, Ratings
from wokflow.evaluate.rated import of as ratings_of
from wokflow.evaluate.ratings import agreements
from wokflow.evaluate.resampling import Counts, by_unit, kappas, with_interval
from wokflow.evaluate.score_intervals import DIGITS
from wokflow.evaluate.settings import Bootstrap, PtaSettings
from wokflow.frame import tables
from wokflow.frame.intervals import wilson
from wokflow.frame.job import Job
from wokflow.judge.schemas import TASKS

TIE = "C"
WINNERS = {"reference": "0", "tie": "0.5", "system": "1"}  # and what the system gets of each
PEOPLE = "people"  # all persons together, as rater and as its kind
MODEL = "model"
PAIR = ("pair_id", "sentence_id", "qid")
# Items by whether they have a name in the target language; NT-PTA of the paper is of the untranslated ones.
ITEMS = {
    "all": pl.col("pair_id").is_not_null(),
    "translated": pl.col("translated"),
    "untranslated": ~pl.col("translated"),
}
Interval = tuple[float, float, float]  # value, low and high, from 0 to 1


def evaluate_pta(
    *,
    pairs: str,
    ratings: Sequence[str],
    pta: str,
    biases: str,
    agreement: str,
    alpha: str,
    settings: PtaSettings,
    job: Job,
) -> None:
    """Write evaluate/pta/scores, .../biases, .../agreement and .../alpha of the choices between translations of
    judge/pta.

    PTA is the share of pairs in which the run's translation is preferred (Yao et al. 2024, section 4); a tie is not a
    preference. A pair counts once, with the mean of its choices in both orders and all repetitions. A pair without a
    translation by the run counts as lost for each rater. Intervals of shares are Wilson's for as many trials as pairs
    are worth whose sentence or item is the same (_trials); if pairs have several choices, they are too wide rather
    than too narrow. All other intervals are of resamples of the sentences, but that of Pearson's r of runs. All
    persons together are a rater, too. Of people, who rate a sample, the pairs that they rated count.
    """
    known = tables.read(pairs)
    chosen = tables.read(ratings, ["task_id", "rater", "kind", "repetition", "value"]).with_columns(
        who="rater"
    )
    together = chosen.filter(kind="person").with_columns(rater=pl.lit(PEOPLE), kind=pl.lit(PEOPLE))
    judged = _judged(known, pl.concat([chosen, together]))
    raters = judged.select("kind", "rater").unique().sort("kind", "rater").rows()
    scores, biases_found = list[dict[str, Any]](), list[dict[str, Any]]()
    for kind, rater in raters:
        own = judged.filter(kind=kind, rater=rater)
        given = known if kind == MODEL else _given(known, own)
        scores += [{"rater": rater, "kind": kind, **row} for row in _scores(given, own)]
        biases_found += [{"rater": rater, "kind": kind, **row} for row in _biases(own)]
    apart = judged.filter(pl.col("kind") != PEOPLE)
    biases_found += _own_texts(apart, settings)
    for path, schema, rows in (
        (pta, rating_schemas.PTA, scores),
        (biases, rating_schemas.PTA_BIASES, biases_found),
        (agreement, rating_schemas.PTA_AGREEMENT, list(_agreement(judged, raters, settings.bootstrap))),
        (alpha, rating_schemas.PTA_ALPHA, list(_alphas(apart, settings.bootstrap))),
    ):
        tables.write(path, schema, rows, job.metadata)
    job.progress.say(f"{judged.height} choices of {len(raters)} raters, of {known.height} pairs")


def _judged(pairs: pl.DataFrame, chosen: pl.DataFrame) -> pl.DataFrame:
    """Each choice with its pair: `winner` (system, reference, tie), what it counts for the system, and for A."""
    task = pl.col("task_id")
    rows = chosen.with_columns(
        pair_id=task.str.replace(r":\d+$", ""), order=task.str.extract(r":(\d+)$").cast(pl.Int32)
    ).join(pairs, on="pair_id", maintain_order="left")
    system_is_a = (pl.col("a") == "system") == (pl.col("order") == 1)
    system_wins = (pl.col("value") == "A") == system_is_a
    tie = pl.col("value") == TIE
    return rows.with_columns(
        winner=pl.when(tie)
        .then(pl.lit("tie"))
        .when(system_wins)
        .then(pl.lit("system"))
        .otherwise(pl.lit("reference")),
        system_is_a=system_is_a,
        of_system=pl.when(tie).then(0.5).otherwise(system_wins.cast(pl.Float64)),
        of_a=pl.when(tie).then(0.5).otherwise((pl.col("value") == "A").cast(pl.Float64)),
    ).sort("kind", "rater", "pair_id", "order", "repetition")


def _given(pairs: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
    """The pairs that somebody rated, and those of the same items and runs where a run wrote nothing."""
    item = ["corpus", "sentence_id", "qid"]
    items, runs = judged.select(item).unique(), judged.select("corpus", "run").unique()
    unasked = pairs.filter("empty").join(items, on=item, how="semi")
    unasked = unasked.join(runs, on=["corpus", "run"], how="semi")
    return pl.concat([pairs.join(judged, on="pair_id", how="semi"), unasked])


def _scores(pairs: pl.DataFrame, judged: pl.DataFrame) -> Iterator[dict[str, Any]]:
    shares = judged.group_by("pair_id").agg(
        ((pl.col("winner") == winner).mean()).alias(winner) for winner in ("system", "tie", "reference")
    )
    counted = pairs.join(shares, on="pair_id", how="left").with_columns(
        system=pl.when("empty").then(0.0).otherwise("system"),
        tie=pl.when("empty").then(0.0).otherwise("tie"),
        reference=pl.when("empty").then(1.0).otherwise("reference"),
    )
    for (corpus, run), own in counted.sort("corpus", "run", "pair_id").group_by(
        "corpus", "run", maintain_order=True
    ):
        for items, chosen in ITEMS.items():
            some = own.filter(chosen)
            rated = some.drop_nulls("system")
            choices = judged.filter(pl.col("pair_id").is_in(rated["pair_id"].implode()))
            if not some.height:
                continue
            share = _share(rated, "system")
            value, low, high = (None, None, None) if share is None else _percent(*share)
            yield {
                "run": run,
                "corpus": corpus,
                "items": items,
                "pairs": rated.height,
                "unrated": some.height - rated.height,
                "choices": choices.height,
                "pta": value,
                "low": low,
                "high": high,
                "tied": _of_hundred(_mean(rated["tie"])),
                "lost": _of_hundred(_mean(rated["reference"])),
                "same_in_both_orders": _of_hundred(
                    _same(choices, ["pair_id", "repetition", "who"], "winner")
                ),
                "same_when_repeated": _of_hundred(_same(choices, ["pair_id", "order", "who"], "value")),
            }


def _same(choices: pl.DataFrame, unit: list[str], column: str) -> float | None:
    """The mean over units with several choices of the share of pairs of these that are the same."""
    times = choices.group_by(*unit, column).len("times")
    of_unit = times.group_by(unit).agg(
        total=pl.col("times").sum(), same=(pl.col("times") * (pl.col("times") - 1)).sum()
    )
    several = of_unit.filter(pl.col("total") > 1)
    return _mean(several.select(pl.col("same") / (pl.col("total") * (pl.col("total") - 1))).to_series())


def _biases(judged: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Preferences for a place, over all runs and of each, and for length, of each run."""
    runs = judged["run"].unique().sort().to_list()
    for run in (None, *runs):
        own = judged if run is None else judged.filter(run=run)
        both = own.group_by(*PAIR, "repetition", maintain_order=True).agg(
            pl.col("order").n_unique(), pl.col("of_a").mean()
        )
        both = (
            both.filter(pl.col("order") == 2).group_by(PAIR, maintain_order=True).agg(pl.col("of_a").mean())
        )
        preferences = {"position": (both.height, _share(both, "of_a"))}
        if not both.height:
            of_pair = own.group_by(PAIR, maintain_order=True).agg(
                pl.col("of_system").mean(), pl.col("system_is_a").first()
            )
            preferences["position"] = of_pair.height, _preference(of_pair, "system_is_a")
        if run is not None:
            apart = own.filter(pl.col("system_length") != pl.col("reference_length"))
            of_pair = apart.group_by(PAIR, maintain_order=True).agg(
                pl.col("of_system").mean(),
                longer=(pl.col("system_length") > pl.col("reference_length")).first(),
            )
            preferences["length"] = of_pair.height, _preference(of_pair, "longer")
        for bias, (units, interval) in preferences.items():
            value, low, high = (None, None, None) if interval is None else _percent(*interval)
            yield {
                "run": run,
                "bias": bias,
                "units": units,
                "value": value,
                "estimate": None,
                "low": low,
                "high": high,
            }


def _own_texts(judged: pl.DataFrame, settings: PtaSettings) -> Iterator[dict[str, Any]]:
    """Preferences of models for translations of their own model, and of others of its family, over all runs.

    What the run gets of a pair (1, 0.5 or 0) is taken for the merit of its translation beside the reference, which
    all raters see alike, a rater's leniency with runs, and what it adds for its own (biases.preferences). A rater
    whose leniency cannot be told from that, as all runs are its own or nobody else rated them, has no row.
    """
    judges, systems = by_name(settings.judges), by_name(settings.systems)
    rows = judged.with_columns(
        # A person may have the name of a model.
        rater=pl.when(kind="person").then(pl.format("person {}", "rater")).otherwise("rater"),
        value=pl.col("winner").replace_strict(WINNERS, return_dtype=pl.String),
    )
    ratings = _as_ratings(rows, "pair_id", "interval", [*WINNERS.values()])
    for rated in ratings.dimensions:
        for row in preferences(ratings, rated, judges, systems, settings.bootstrap):
            points = {name: _of_hundred(row[name]) for name in ("estimate", "low", "high")}
            named = {"rater": row["rater"], "kind": MODEL, "run": None, "bias": row["bias"]}
            yield named | {"units": row["tasks"], "value": None, **points}


def _as_ratings(judged: pl.DataFrame, unit: str, scale: str, values: Sequence[str]) -> Ratings:
    """Choices as ratings of a dimension of pairs or of tasks, whichever the column `unit` names.

    In resamples, a sentence is drawn with all its items, runs and orders.
    """
    dimension = {"name": "preferred", "scale": scale, "question": "", "values": [*values]}
    known = judged.select(unit, "run", "sentence_id").unique().sort(unit)
    tasks = [
        {"task_id": name, "system": run, "shown": [], "dimensions": [dimension]}
        for name, run, _ in known.iter_rows()
    ]
    rows = judged.with_columns(task_id=unit, dimension=pl.lit("preferred")).select(COLUMNS)
    return ratings_of(tables.frame(TASKS, tasks).with_columns(unit=known["sentence_id"]), rows)


def _alphas(judged: pl.DataFrame, bootstrap: Bootstrap) -> Iterator[dict[str, Any]]:
    """Krippendorff's alpha, nominal, of which side is preferred: of all models and of all persons, and of each with
    its own repetitions. Units are the tasks, so that both orders of a pair are two.
    """
    rows = judged.with_columns(value="winner")
    for (kind,), some in rows.sort("kind").group_by("kind", maintain_order=True):
        for row in agreements(_as_ratings(some, "task_id", "nominal", [*WINNERS]), bootstrap):
            if row["units"]:
                names = ("rater", "units", "ratings", "alpha", "low", "high")
                yield {"kind": kind} | {name: row[name] for name in names}


def _share(of_pair: pl.DataFrame, column: str) -> Interval | None:
    """The mean over pairs of a column of shares, with Wilson's interval; None of no pairs."""
    share = _mean(of_pair[column])
    return None if share is None else (share, *wilson(share, _trials(of_pair, column)))


def _trials(of_pair: pl.DataFrame, column: str) -> float:
    """How many independent trials pairs are worth: their number by the design effect (Kish 1965), at least 1.

    That is the variance of the column's mean where pairs of a sentence or of an item vary together, by the one where
    none do: with both groupings at once (Cameron, Gelbach and Miller 2011) or with one of them, whichever is larger.
    Where all pairs are alike, which shows no variance, there are as many trials as sentences or items, whichever are
    fewer.
    """
    apart = of_pair.with_columns((pl.col(column) - _mean(of_pair[column])).alias(column))

    def spread(*by: str) -> tuple[int, float]:
        sums = apart.group_by(by, maintain_order=True).agg(pl.col(column).sum())[column].to_list()
        return len(sums), math.fsum(one**2 for one in sums) * len(sums) / max(len(sums) - 1, 1)

    (pairs, alone), sentences, items = spread("pair_id"), spread("sentence_id"), spread("qid")
    fewest = min(sentences[0], items[0])
    if fewest < 2 or alone < SAME:
        return fewest
    together = sentences[1] + items[1] - spread("sentence_id", "qid")[1]
    return pairs / max(1.0, *(one / alone for one in (sentences[1], items[1], together)))


def _preference(of_pair: pl.DataFrame, which: str) -> Interval | None:
    """The share that goes to what a column says of the system's text, were that true of it as often as not.

    A half and half of the difference between what the system gets where it is true (it is the longer text, or A),
    and where it is not: how good it is does not count. The interval is Newcombe's (1998, method 10), from Wilson's
    of both.
    """
    given, others = (of_pair.filter(pl.col(which) == true) for true in (True, False))
    one, other = _mean(given["of_system"]), _mean(others["of_system"])
    if one is None or other is None:
        return None
    (low, high), (other_low, other_high) = (
        wilson(one, _trials(given, "of_system")),
        wilson(other, _trials(others, "of_system")),
    )
    less, more = math.hypot(one - low, other_high - other), math.hypot(high - one, other - other_low)
    middle = 0.5 + (one - other) / 2
    return middle, middle - less / 2, middle + more / 2


def _agreement(
    judged: pl.DataFrame, raters: Sequence[tuple[str, str]], bootstrap: Bootstrap
) -> Iterator[dict[str, Any]]:
    """Pearson's r and Cohen's kappa of each two raters but people with one of themselves, over the pairs that both
    rated.

    Of pairs, r is that of what the system gets: 1, 0.5 or 0; of runs, that of the shares of pairs in which they win.
    Kappa is of which side is preferred, or none, in tasks that both rated: a pair in one order.
    """
    means = judged.group_by("kind", "rater", "run", "pair_id", "sentence_id").agg(
        pl.col("of_system").mean(), wins=(pl.col("winner") == "system").mean()
    )
    of_tasks = judged.group_by("kind", "rater", "pair_id", "sentence_id", "order").agg(
        shares=pl.concat_list((pl.col("winner") == winner).mean() for winner in WINNERS)
    )
    for (kind, one), (other_kind, other) in combinations(raters, 2):
        if {kind, other_kind} == {PEOPLE, "person"}:
            continue
        both = means.filter(kind=kind, rater=one).join(
            means.filter(kind=other_kind, rater=other), on=["run", "pair_id"], suffix="_other"
        )
        both = both.sort("run", "pair_id")
        tasks = of_tasks.filter(kind=kind, rater=one).join(
            of_tasks.filter(kind=other_kind, rater=other), on=["pair_id", "order"], suffix="_other"
        )
        of_runs = both.group_by("run", maintain_order=True).agg(pl.col("wins", "wins_other").mean())
        for of, units in (
            ("pairs", both.select("of_system", "of_system_other")),
            ("runs", of_runs.select("wins", "wins_other")),
        ):
            value, low, high = pearson(units.to_numpy())
            if of == "pairs":
                low, high = resampled_pearson(units.to_numpy(), _numbered(both["sentence_id"]), bootstrap)
            kappa = _kappa(tasks, bootstrap) if of == "pairs" else (None, None, None)
            yield {
                "rater": one,
                "kind": kind,
                "other": other,
                "other_kind": other_kind,
                "of": of,
                "pairs": both.height,
                "units": units.height,
                "pearson": value,
                "low": low,
                "high": high,
                **dict(zip(("kappa", "kappa_low", "kappa_high"), kappa, strict=True)),
            }


def _kappa(tasks: pl.DataFrame, bootstrap: Bootstrap) -> tuple[float | None, float | None, float | None]:
    """Cohen's kappa, unweighted, of the shares that two raters give each winner in each task, with its interval.

    Within a task, each repetition of the one meets each of the other. A pair counts once, with the mean of its tasks.
    """
    if tasks.is_empty():
        return None, None, None
    tasks = tasks.sort("pair_id", "order")
    one, other = (np.array(tasks[name].to_list(), np.float64) for name in ("shares", "shares_other"))
    pair_of = tasks["pair_id"].rle_id().to_numpy()
    orders = np.bincount(pair_of)
    pairs = np.zeros((len(orders), len(WINNERS), len(WINNERS)))
    np.add.at(pairs, pair_of, np.einsum("ti,tj->tij", one, other))
    sentences = tasks.unique("pair_id", maintain_order=True)["sentence_id"]
    parts = by_unit(pairs / orders[:, None, None], _numbered(sentences))
    return with_interval(parts, kappas(1 - np.eye(len(WINNERS))), bootstrap)


def _numbered(names: pl.Series) -> Counts:
    """A number for each name, in their order."""
    return names.rank("dense").cast(pl.Int64).to_numpy()


def _mean(values: pl.Series) -> float | None:
    """The mean, which is the same in any order of rows; None of nothing."""
    return math.fsum(values.to_list()) / len(values) if len(values) else None


def _of_hundred(share: float | None) -> float | None:
    return None if share is None else round(100 * share, DIGITS)


def _percent(*shares: float) -> tuple[float, ...]:
    return tuple(round(100 * share, DIGITS) for share in shares)
