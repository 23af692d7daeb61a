"""Pairs by what is cooked: candidates, judged by a model of graded pairs, cut at k and at a wanted precision."""

import json
from collections.abc import Sequence
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.sheets import write_sheet
from wokflow.match import judgement, schemas
from wokflow.match.directions import DIRECTIONS
from wokflow.match.judgement import Model
from wokflow.match.labels import read_labels
from wokflow.match.schemas import FEATURES
from wokflow.match.settings import RerankSettings
from wokflow.match.sides import Side, read_side

NEEDED = ("title", "foods", "cooking", "length")  # features that every pair has
ALONE = ("title",)
PAPER = 0.85  # the least similarity of titles in Cultural Adaptation of Recipes
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
    """Write the pairs of both directions that the model accepts (match/reranked), and what it is and how well it
    does.

    `compared` are the shards of candidates, `titles` are `eligible` and `translations`, of the Chinese corpus and of
    the English one. A graded pair that is a candidate here counts with what its recipes
    have in common here, else with what its row says. `model` gets the model, the least probability that keeps the
    wanted precision where each dish is judged by a model of the others, and its figures on pairs set apart, whole
    and without each part. The sheet `unsure` has the candidates nearest to that probability, for people to grade.
    """
    translated = (settings.source_translated, settings.target_translated)
    sides = dict(
        zip(("zh", "en"), map(read_side, titles["eligible"], titles["translations"], translated), strict=True)
    )
    graded, unusable = labels(settings, compared, sides)
    tables.write(rejects, schemas.SHEET_REJECTS, unusable, job.metadata)
    learnt = graded.filter(pl.col("part") == "learn")
    try:
        fitted = judgement.fit(learnt)
        figures = report(graded, settings.precision)
    except ValueError as error:
        raise UserError(
            f"{settings.labels}: no model can be fitted ({error}). Grade pairs of the same dish, and pairs of others."
        ) from error
    least = figures["least"]
    tables.write_text(model, json.dumps({"model": fitted.shown(), **figures}, indent=1) + "\n")
    if least is None:
        job.progress.warn(
            f"No probability keeps a precision of {settings.precision} on the graded pairs, so no pair is accepted. "
            "Grade more pairs (match.rerank.graded), or lower match.rerank.precision."
        )
    judged = _judged(compared, fitted, 0.0 if least is None else least, settings.unsure, job.progress)
    accepted, near = judged
    for direction, path in zip(DIRECTIONS, reranked, strict=True):
        source, target = direction.split("-")
        good = accepted.clear() if least is None else accepted
        tables.write(path, schemas.RERANKED, _pairs(good, source, target, sides, settings.k), job.metadata)
    write_unsure(unsure, near, sides)


def labels(
    settings: RerankSettings, compared: Sequence[str], sides: dict[str, Side]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Graded pairs with their features, and rejects: rows without grade or features."""
    sheets = [read_labels(path) for path in (settings.graded, settings.labels) if path]
    graded = pl.concat([rows for rows, _ in sheets]).unique(NAMES, keep="first", maintain_order=True)
    here = graded.with_row_index("label")
    for lang, side in sides.items():
        recipes = side.recipes.select(
            pl.col("order").cast(pl.Int32).alias(lang),
            pl.col("recipe_id").alias(f"{lang}_id"),
            pl.col("title").alias(f"{lang}_title"),
        )
        here = here.join(recipes, on=[f"{lang}_id", f"{lang}_title"])
    own = tables.scan(compared).join(here.select("label", "zh", "en").lazy(), on=["zh", "en"]).collect()
    own = own.unique("label", maintain_order=True).select("label", *FEATURES)
    rows = graded.with_row_index("label").join(
        own, on="label", how="left", suffix="_here", maintain_order="left"
    )
    found = pl.col("title_here").is_not_null()
    rows = rows.with_columns(
        pl.when(found).then(f"{name}_here").otherwise(name).alias(name) for name in FEATURES
    ).select(graded.columns)
    complete = pl.all_horizontal(pl.col(name).is_not_null() for name in NEEDED)
    lacking = rows.filter(~complete).select(
        "source_row",
        reason=pl.lit("no_features"),
        detail=pl.lit(None, pl.String),
        raw=pl.concat_str(NAMES, separator=" | "),
    )
    return rows.filter(complete), pl.concat([*(bad for _, bad in sheets), lacking])


def report(graded: pl.DataFrame, precision: float) -> dict[str, Any]:
    """The least accepted probability, by dishes that their own model has not seen, and how well the model does.

    On the pairs set apart: the whole model, and what is left of it without each feature, each at the least score
    that kept the precision in learning; titles alone, at theirs.
    """
    learnt, apart = (graded.filter(pl.col("part") == part) for part in ("learn", "apart"))
    figures: dict[str, Any] = {"precision": precision}
    chosen: dict[str, Sequence[str]] = {"all": FEATURES, "titles alone": ALONE}
    chosen |= {f"without {name}": [each for each in FEATURES if each != name] for name in FEATURES}
    for name, features in chosen.items():
        crossed = judgement.crossed(learnt, features)
        least = judgement.least(crossed, learnt, precision)
        if name == "all":
            figures |= {"least": least, "curves": _curves(crossed, learnt), "measured": {}}
        if apart.height and least is not None:
            score = judgement.fit(learnt, features).probability(apart)
            figures["measured"][name] = {"least": least, **_measured(score, apart, least)}
    figures["measured"]["titles at 0.85"] = _measured(apart["title"].to_numpy(), apart, PAPER)
    return figures


def _curves(score: Any, rows: pl.DataFrame) -> dict[str, list[dict[str, float]]]:
    curves = {}
    for corpus in sorted(set(rows["corpus"])):
        own = (rows["corpus"] == corpus).to_numpy()
        curve = judgement.curve(score[own], rows["grade"].to_numpy()[own])
        curves[corpus] = curve.with_columns(pl.col("least", "precision", "recall").round(4)).to_dicts()
    return curves


def _measured(score: Any, rows: pl.DataFrame, least: float) -> dict[str, Any]:
    """Figures of all pairs set apart, and of those of each corpus."""
    figures = {}
    for corpus in sorted(set(rows["corpus"])):
        own = rows["corpus"] == corpus
        figures[corpus] = judgement.measured(score[own.to_numpy()], rows.filter(own), least)
    return figures


def _judged(
    compared: Sequence[str], model: Model, least: float, unsure: int, progress: Progress
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The candidates with at least a probability, and those nearest to it, each pair once, with the model's parts."""
    accepted, near = [], []
    for number, path in enumerate(compared, 1):
        rows = tables.read(path).unique(
            ["zh", "en"], maintain_order=True
        )  # each of a pair's recipes finds it
        rows = rows.hstack(model.parts(rows)).with_columns(
            probability=pl.Series(model.probability(rows), dtype=pl.Float64)
        )
        accepted.append(rows.filter(pl.col("probability") >= least))
        near.append(_nearest(rows, least, unsure))
        progress(number, f"{number} of {len(compared)} shards judged", of=len(compared))
    return (
        pl.concat(accepted).unique(["zh", "en"]).sort("zh", "en"),
        _nearest(pl.concat(near).unique(["zh", "en"]), least, unsure),
    )


def _nearest(rows: pl.DataFrame, least: float, count: int) -> pl.DataFrame:
    distance = (pl.col("probability") - least).abs().round(9)
    return rows.sort(distance, "zh", "en").head(count)


def _pairs(judged: pl.DataFrame, source: str, target: str, sides: dict[str, Side], k: int) -> pl.DataFrame:
    """The k most probable targets of each source (schema match/reranked), in the order of sources."""
    best = judged.sort(source, pl.col("probability").round(9), target, descending=[False, True, False])
    best = best.with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over(source))
    best = best.filter(pl.col("rank") <= k).with_columns(score="title")
    for lang, name in ((source, "source"), (target, "target")):
        recipes = sides[lang].recipes.select(
            pl.col("order").cast(pl.Int32).alias(lang),
            pl.col("recipe_id").alias(f"{name}_id"),
            pl.col("title").alias(f"{name}_title"),
            sides[lang].translation.alias(f"{name}_title_translated"),
        )
        best = best.join(recipes, on=lang, how="left", maintain_order="left")
    return best


def write_unsure(path: str, rows: pl.DataFrame, sides: dict[str, Side]) -> None:
    """Write pairs as a sheet with an empty column for grades, the most probable first, and with their features."""
    named = _pairs(rows.sort("probability", descending=True), "zh", "en", sides, rows.height + 1)
    named = named.sort(pl.col("probability").round(9), "zh", "en", descending=[True, False, False])
    header = ("probability", "grade", *NAMES, "zh_title_translated", *FEATURES)
    renamed = named.rename(
        {
            f"{role}_{what}": f"{lang}_{what}"
            for role, lang in (("source", "zh"), ("target", "en"))
            for what in ("id", "title", "title_translated")
        }
    )
    cells = (
        [row["probability"], "", *("" if row[name] is None else row[name] for name in header[2:])]
        for row in renamed.iter_rows(named=True)
    )
    write_sheet(path, header, cells)
