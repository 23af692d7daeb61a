"""Pivot actions, decided by frequency and by people (Counterfactual Recipe Generation, 4.2)."""

from collections.abc import Sequence

import polars as pl

from wokflow import tables
from wokflow.job import Progress
from wokflow.pivot import schemas
from wokflow.pivot.questions import identified, read_answers

DECISIONS = {"never": "remove", "always": "insert"}


def pivots(
    candidates: str,
    answers: Sequence[str],
    out: str,
    *,
    overrule: bool,
    annotators: int,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write the pivot actions (schema pivot/pivots), in the candidates' order.

    Actions that frequency decides are taken as they are. An action that people were asked about is removed if
    most say never, inserted if most say always, and dropped otherwise. With `overrule` people's answers count
    also for actions that frequency decides, and can turn or drop them; without, such answers are passed over.
    `answers` are sheets as questions.read_answers takes them, and may be none.
    """
    known = identified(tables.read(candidates))
    given = read_answers(answers, set(known["question_id"]), progress)
    voted = known.join(majority(given, annotators), on="question_id", how="left", maintain_order="left")
    by_people = (pl.col("kind") == "ask") | (overrule & pl.col("vote").is_not_null())
    decided = voted.with_columns(
        decided_by=pl.when(by_people).then(pl.lit("people")).otherwise(pl.lit("frequency")),
        kind=pl.when(by_people)
        .then(pl.col("vote").replace_strict(DECISIONS, default=None, return_dtype=pl.String))
        .otherwise("kind"),
    ).drop_nulls("kind")
    tables.write(out, schemas.PIVOTS, decided, metadata)
    if progress:
        open_questions = voted.filter((pl.col("kind") == "ask") & pl.col("vote").is_null()).height
        progress.say(f"{decided.height} pivot actions; {open_questions} questions without enough answers")


def majority(answers: pl.DataFrame, annotators: int) -> pl.DataFrame:
    """question_id and vote: what more than half of the annotators say, or `none`.

    Questions with fewer answers than `annotators` are left out.
    """
    counts = answers.group_by("question_id", "answer").len()
    share = pl.col("len") / pl.col("len").sum().over("question_id")
    return (
        counts.with_columns(share=share)
        .filter(pl.col("len").sum().over("question_id") >= annotators)
        .sort("question_id", "share", "answer", descending=[False, True, False])
        .group_by("question_id", maintain_order=True)
        .first()
        .select("question_id", vote=pl.when(pl.col("share") > 0.5).then("answer").otherwise(pl.lit("none")))
    )
