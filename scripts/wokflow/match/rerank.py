"""Pairs by what is cooked: candidates, judged by a model of graded pairs, cut at k and at a wanted precision."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from wokflow.frame import tables
from wokflow.frame.buckets import Buckets, scratch
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.tsv_sheets import write_sheet
from wokflow.match import judgement, schemas
from wokflow.match.directions import DIRECTIONS
from wokflow.match.judgement import Model
from wokflow.match.labels import read_labels
from wokflow.match.schemas import FEATURES
from wokflow.match.settings import RerankSettings
from wokflow.match.sides import Side, read_side

NEEDED = ("title", "foods", "shared", "cooking", "length")  # features that every pair has
ALONE = ("title",)
CURVE = ("least", "accepted", "precision", "precision_interval", "recall", "recall_interval")
EXAMPLES = ("missed", "wrong")  # pairs on which titles alone err
ROWS = 4 * tables.ROW_GROUP  # that are held with all their columns
BAND = 0.25  # of probability, on both sides of the least: where the sheet of unsure pairs is from
NAMED = ("zh_named", "en_named")  # numbers of titles
STEPS = 10_000  # of probability, in which the least one is looked for
LOWEST = 0.1  # least probability that is accepted by the mean of all
NAMES = ("zh_id", "zh_title", "en_id", "en_title")


def match_rerank(
    *,
    compared: Sequence[str],
    reranked: Sequence[str],
    rejects: str,
    model: str,
    unsure: str,
    settings: RerankSettings,
    job: Job,
    **titles: Sequence[str],
) -> None:
    """Write the pairs of both directions that the model accepts (match/reranked), and the model with its figures.

    `compared` are the shards of candidates, `titles` are `eligible` and `translations`, of the Chinese corpus and of
    the English one. A graded pair that is a candidate here counts with what its recipes have in common here, else
    with what its row says. `model` gets the model, the least probability that keeps the wanted precision (where
    dishes are judged by models of the others, or see expected_least), how well it does, whole and without each part,
    and two pairs on which titles alone err. The sheet `unsure` has candidates from a band around that probability,
    for people to grade.
    """
    from threadpoolctl import threadpool_limits

    translated = (settings.source_translated, settings.target_translated)
    sides = dict(
        zip(("zh", "en"), map(read_side, titles["eligible"], titles["translations"], translated), strict=True)
    )
    graded, unusable = labels(settings, compared, sides)
    tables.write(rejects, schemas.SHEET_REJECTS, unusable, job.metadata)
    try:
        fitted = judgement.fit(graded)
        with threadpool_limits(limits=1):  # each of many fits is small
            figures = report(graded, settings.precision, settings.threshold)
    except ValueError as error:
        raise UserError(
            f"{settings.labels}: no model can be fitted ({error}). Grade pairs of the same dish, and pairs of others."
        ) from error
    if settings.least_by == "probabilities":
        with scratch(Path(model)) as folder:
            likely = Buckets(folder / "zh", "zh", sides["zh"].recipes.height)
            figures["least"] = expected_least(compared, fitted, settings.precision, likely)
    least = figures["least"]
    if least is None:
        by_labels = settings.least_by == "labels"
        on = (
            f"on each corpus of {settings.labels}"
            if by_labels
            else "by the mean of the candidates that reach it"
        )
        job.progress.warn(
            f"No probability keeps a precision of {settings.precision} {on}, so no pair is accepted. Lower "
            "match.rerank.precision, or teach the model more pairs (match.rerank.graded)."
        )
    with scratch(Path(model)) as folder:
        accepted = {lang: Buckets(folder / lang, lang, side.recipes.height) for lang, side in sides.items()}
        judged = _judged(compared, fitted, least, sides, settings, accepted.values(), job.progress)
        for direction, path in zip(DIRECTIONS, reranked, strict=True):
            with tables.PartWriter(path, schemas.RERANKED, job.metadata) as part:
                part.write(tables.frame(schemas.RERANKED))
                source, target = direction.split("-")
                for rows in accepted[source]:
                    best = _best(rows, source, target, settings.k)
                    for start in range(0, best.height, ROWS):
                        part.write(_shown(best[start : start + ROWS], source, target, sides, fitted))
    examples = {name: _example(_shown(judged[name], "zh", "en", sides, fitted)) for name in EXAMPLES}
    shown = {"model": fitted.shown(), "threshold": settings.threshold, "least_by": settings.least_by}
    shown |= {**figures, "examples": examples}
    tables.write_text(model, json.dumps(shown, indent=1, ensure_ascii=False) + "\n")
    write_unsure(unsure, judged["near"], sides, fitted)


def labels(
    settings: RerankSettings, compared: Sequence[str], sides: dict[str, Side]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Graded pairs with their features, and rejects: rows without grade or features.

    `sampled` are those of settings.labels. Those of settings.graded were drawn where the model is unsure, so they say
    nothing about the precision of what is accepted. Of a pair in both, the user's grade counts.
    """
    paths = ((settings.graded, False), (settings.labels, True))
    sheets = [(*read_labels(path), sampled) for path, sampled in paths if path]
    graded = (
        pl.concat(rows.with_columns(sampled=pl.lit(sampled)) for rows, _, sampled in sheets)
        .with_columns(pl.col("corpus", "sampled").last().over(NAMES))
        .unique(NAMES, keep="first", maintain_order=True)
    )
    here = graded.with_row_index("label")
    for lang, side in sides.items():
        recipes = side.recipes.select(
            pl.col("order").cast(pl.Int32).alias(lang),
            pl.col("recipe_id").alias(f"{lang}_id"),
            pl.col("title").alias(f"{lang}_title"),
        )
        here = here.join(recipes, on=[f"{lang}_id", f"{lang}_title"])
    here = here.select("label", "zh", "en")
    candidates = [rows.join(here, on=["zh", "en"]) for path in compared for rows in _batches(path)]
    own = pl.concat(candidates).unique("label", maintain_order=True).select("label", *FEATURES)
    rows = graded.with_row_index("label").join(
        own, on="label", how="left", suffix="_here", maintain_order="left"
    )
    has_features = pl.col("title_here").is_not_null()
    rows = rows.with_columns(
        pl.when(has_features).then(f"{name}_here").otherwise(name).alias(name) for name in FEATURES
    ).select(graded.columns)
    complete = pl.all_horizontal(pl.col(name).is_not_null() for name in NEEDED)
    lacking = rows.filter(~complete).select(
        "source_row",
        reason=pl.lit("no_features"),
        detail=pl.lit(None, pl.String),
        raw=pl.concat_str(NAMES, separator=" | "),
    )
    return rows.filter(complete), pl.concat([*(bad for _, bad, _ in sheets), lacking])


def report(graded: pl.DataFrame, precision: float, threshold: float) -> dict[str, Any]:
    """The least accepted probability, and how well the model does by corpus, by dishes that it has not seen.

    `curves`: precision and recall of all parts and of titles alone, wherever one pair of grade 2 more is found.
    `measured`: the whole model, what is left without each part, and titles alone, where model and least probability
    are of other dishes (judgement.chosen); titles at the threshold. `more` is the recall beyond that of titles alone.
    `calibration`: of the whole model's probabilities (judgement.calibration). All pairs train models, and those that
    are `sampled` measure them.
    """
    variants: dict[str, Sequence[str]] = {"all": FEATURES, "titles alone": ALONE}
    crossed = {name: judgement.crossed(graded, features) for name, features in variants.items()}
    variants |= {f"without {name}": [each for each in FEATURES if each != name] for name in FEATURES}
    accepted = {name: judgement.chosen(graded, features, precision) for name, features in variants.items()}
    accepted[f"titles at {threshold:g}"] = (graded["title"] >= threshold).cast(pl.Float64).to_numpy()
    alone = accepted["titles alone"]
    sampled = graded["sampled"]
    corpora = {
        name: (sampled & (graded["corpus"] == name)).to_numpy()
        for name in sorted(set(graded.filter(sampled)["corpus"]))
    }
    rows = {name: graded.filter(pl.Series(own)) for name, own in corpora.items()}
    return {
        "precision": precision,
        "least": judgement.least(crossed["all"], graded, precision),
        "curves": {
            corpus: {name: _curve(score[own], rows[corpus]) for name, score in crossed.items()}
            for corpus, own in corpora.items()
        },
        "calibration": {
            corpus: judgement.calibration(crossed["all"][own], rows[corpus])
            for corpus, own in corpora.items()
        },
        "measured": {
            name: {
                corpus: judgement.measured(taken[own], rows[corpus], alone[own])
                for corpus, own in corpora.items()
            }
            for name, taken in accepted.items()
        },
    }


def expected_least(compared: Sequence[str], model: Model, precision: float, likely: Buckets) -> float | None:
    """The least probability from which on candidates have the wanted precision by their mean; None if none has.

    Where a probability is the share that is right, the share of all accepted pairs is its mean. Of these only the k
    best of a recipe are kept then, which are surer. The least is a multiple of one in STEPS, and LOWEST or more; a
    pair that both its recipes find counts once: candidates of LOWEST or more are kept in `likely`, which is empty.
    """
    for path in compared:
        for rows in _batches(path):
            step = np.floor(model.probability(rows).round(9) * STEPS).astype(np.int32)
            own = rows.select("zh", "en", step=pl.Series(step))
            likely.add(own.filter(pl.col("step") >= LOWEST * STEPS))
    counts = np.zeros(STEPS + 1, np.int64)
    for rows in likely:
        steps = rows.unique(["zh", "en"])["step"].to_numpy()
        counts += np.bincount(steps, minlength=STEPS + 1)[::-1]
    above = counts.cumsum()
    mean = (counts * np.arange(STEPS, -1, -1)).cumsum() / np.maximum(above, 1) / STEPS
    (reaching,) = np.nonzero((counts > 0) & (mean >= precision))
    return float(STEPS - reaching[-1]) / STEPS if len(reaching) else None


def _curve(score: judgement.Floats, rows: pl.DataFrame) -> list[dict[str, Any]]:
    points = judgement.curve(score, rows["grade"].to_numpy())
    rises = points.filter(pl.col("recall").diff().fill_null(pl.col("recall")) > 0)
    turns = (
        {"least": round(each, 4)} | judgement.measured((score >= each).astype(float), rows)
        for each in rises["least"]
    )
    return [{name: point[name] for name in CURVE} for point in turns]


def _batches(path: str) -> Iterator[pl.DataFrame]:
    """The rows of a shard of candidates, ROWS at a time."""
    tables.compare([path])
    with tables.opened(path) as file:
        for batch in file.iter_batches(ROWS):
            yield pl.DataFrame(pl.from_arrow(batch))


def _judged(
    compared: Sequence[str],
    model: Model,
    least: float | None,
    sides: Mapping[str, Side],
    settings: RerankSettings,
    accepted: Collection[Buckets],
    progress: Progress,
) -> dict[str, pl.DataFrame]:
    """Add those that the model accepts to each of `accepted`, with their probability; return some candidates.

    These are those `near` the least probability (_spread); and EXAMPLES: the most probable pair that titles alone
    have `missed`, the least probable one that they get `wrong`.
    """
    probable, alike = pl.col("probability").round(9), pl.col("title") >= settings.threshold
    right = pl.lit(False) if least is None else probable >= least
    away = (probable - (1.0 if least is None else least)).round(9)
    named = {lang: side.recipes["title"].rank("dense") for lang, side in sides.items()}
    examples = {"missed": (right & ~alike, -probable), "wrong": (~right & alike, probable)}
    found: dict[str, pl.DataFrame] = {}
    for number, path in enumerate(compared, 1):
        for rows in _batches(path):
            rows = rows.with_columns(probability=pl.Series(model.probability(rows), dtype=pl.Float64))
            for name, (which, order) in examples.items():
                known = pl.concat([found.get(name, rows[:0]), rows.filter(which)])
                found[name] = known.sort(order, "zh", "en")[:1]
            near = rows.with_columns(
                away=away, **{f"{lang}_named": named[lang][rows[lang]] for lang in named}
            )
            found["near"] = _nearest(pl.concat([found.get("near", near[:0]), near]), settings.unsure)
            for buckets in accepted:
                buckets.add(rows.filter(right))
        progress(number, f"{number} of {len(compared)} shards judged", of=len(compared))
    return found | {"near": _spread(found["near"], settings.unsure)}


def _band(pairs: pl.DataFrame, most: int) -> pl.DataFrame:
    """Pairs with the part of BAND in which they lie (`band`; those beyond it are one part), the nearest first."""
    width = 2 * BAND / max(most, 1)
    part = pl.when(pl.col("away").abs() <= BAND).then((pl.col("away") / width).floor().cast(pl.Int32))
    return pairs.with_columns(band=part).sort(pl.col("away").abs(), "zh", "en")


def _nearest(pairs: pl.DataFrame, most: int) -> pl.DataFrame:
    """In each part of BAND the nearest pairs of `most` pairs of titles; those of a whole are among those of parts."""
    ordered = _band(pairs, most).unique(["band", *NAMED], keep="first", maintain_order=True)
    return ordered.filter(pl.int_range(pl.len()).over("band") < most).drop("band")


def _spread(pairs: pl.DataFrame, most: int) -> pl.DataFrame:
    """One pair of recipes for each pair of titles, `most` in all, in turn from each part of BAND.

    Those nearest to the least probability would all have one probability, and often the titles of one dish. Pairs
    beyond BAND are taken where there are too few within.
    """
    ordered = _band(pairs, most).unique(NAMED, keep="first", maintain_order=True)
    turn = pl.int_range(pl.len()).over("band")
    return ordered.sort(pl.col("band").is_null(), turn, maintain_order=True)[:most].drop(
        "band", "away", *NAMED
    )


def _best(judged: pl.DataFrame, source: str, target: str, k: int) -> pl.DataFrame:
    """The k most probable targets of each source, with their `rank`; by source, then rank. A pair counts once."""
    pairs = judged.with_columns(probable=pl.col("probability").round(9)).unique(
        [source, target], keep="first"
    )
    pairs = pairs.sort(source, "probable", target, descending=[False, True, False])
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over(source)
    return pairs.with_columns(rank=rank).filter(pl.col("rank") <= k)


def _shown(
    judged: pl.DataFrame, source: str, target: str, sides: Mapping[str, Side], model: Model
) -> pl.DataFrame:
    """Pairs with the ids and titles of their recipes, the similarity of titles as `score`, and the model's parts."""
    shown = judged.hstack(model.parts(judged)).with_columns(score="title")
    for lang, name in ((source, "source"), (target, "target")):
        side = sides[lang]
        recipes = side.recipes[judged[lang]].select(
            pl.col("recipe_id").alias(f"{name}_id"),
            pl.col("title").alias(f"{name}_title"),
            side.translation.alias(f"{name}_title_translated"),
        )
        shown = shown.hstack(recipes)
    return shown


def _example(shown: pl.DataFrame) -> dict[str, Any] | None:
    """The first of some pairs, its numbers rounded, lest last digits depend on how many were computed at a time."""
    numbers = pl.selectors.float().cast(pl.Float64).round(judgement.DIGITS)
    return next(shown[:1].with_columns(numbers).iter_rows(named=True), None)


def write_unsure(path: str, rows: pl.DataFrame, sides: Mapping[str, Side], model: Model) -> None:
    """Write pairs as a sheet with an empty column for grades, the most probable first, and with their features."""
    ordered = rows.sort(pl.col("probability").round(9), "zh", "en", descending=[True, False, False])
    named = _shown(ordered, "zh", "en", sides, model).with_columns(grade=pl.lit(""))
    columns = {"probability": "probability", "grade": "grade"}
    columns |= {
        f"{lang}_{what}": f"{role}_{what}"
        for lang, role in (("zh", "source"), ("en", "target"))
        for what in ("id", "title")
    }
    columns |= {"zh_title_translated": "source_title_translated"} | {name: name for name in FEATURES}
    cells = named.select(columns.values()).iter_rows()
    write_sheet(path, list(columns), (["" if cell is None else cell for cell in row] for row in cells))
