"""Pivot actions, decided by frequency and by people (Counterfactual Recipe Generation, 4.2)."""

from collections.abc import Sequence

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Progress
from wokflow.pivot import schemas
from wokflow.pivot.given import Scope, write_pivots
from wokflow.pivot.questions import identified, read_answers

NONE = (
    "No pivot action was mined, so no recipe counts in the action scores. Do both dishes of some pair have recipes "
    "in the corpus of pivot.dishes.corpus? (counterfactual has none of target dishes.) If not, name pivot actions in "
    "pivot.pivots.given."
)
DECISIONS = {"never": "remove", "always": "insert"}


def pivot_pivots(
    *,
    candidates: Sequence[str],
    pivots: str,
    rejects: str,
    given: str | None,
    pairs: str,
    glossary: str,
    answers: Sequence[str],
    overrule: bool,
    annotators: int,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write the pivot actions (schema pivot/pivots), in the order of the candidates; or those that are `given`.

    `given` is a file of pivot actions that take the place of mined ones; there are no candidates then. Those of them
    that `pairs` and `glossary` do not know are `rejects` (schema pivot/rejects), of which there are none otherwise.

    An action that frequency decides keeps its kind. One that people were asked about is removed if most say never,
    inserted if most say always, and otherwise dropped. With `overrule`, answers about actions that frequency decides
    count too, and can change or drop these; without, such answers are ignored. `answers` are sheets that
    questions.read_answers reads; there may be none.
    """
    if given:
        write_pivots(given, Scope.read(pairs, glossary), pivots, rejects, metadata, progress)
        return
    known = identified(tables.read(candidates))
    answered = read_answers(answers, set(known["question_id"]), progress)
    voted = known.join(majority(answered, annotators), on="question_id", how="left", maintain_order="left")
    by_people = (pl.col("kind") == "ask") | (overrule & pl.col("vote").is_not_null())
    decided = voted.with_columns(
        decided_by=pl.when(by_people).then(pl.lit("people")).otherwise(pl.lit("frequency")),
        kind=pl.when(by_people)
        .then(pl.col("vote").replace_strict(DECISIONS, default=None, return_dtype=pl.String))
        .otherwise("kind"),
    ).drop_nulls("kind")
    tables.write(pivots, schemas.PIVOTS, decided, metadata)
    tables.write(rejects, schemas.GIVEN_REJECTS, pl.DataFrame(schemas.GIVEN_REJECTS.empty_table()), metadata)
    if progress:
        open_questions = voted.filter((pl.col("kind") == "ask") & pl.col("vote").is_null()).height
        progress.say(f"{decided.height} pivot actions; {open_questions} questions without enough answers")
        if decided.is_empty():
            progress.warn(NONE)


def majority(answers: pl.DataFrame, annotators: int) -> pl.DataFrame:
    """question_id and vote: the answer of more than half of the annotators, or `none`.

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
