"""Pivot actions, decided by frequency and by people (Counterfactual Recipe Generation, 4.2)."""

from collections.abc import Sequence

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.parse.glossary import read_glossary
from wokflow.pivot import schemas
from wokflow.pivot.agreement import agreement as agreements
from wokflow.pivot.dishes import read_pairs
from wokflow.pivot.given import Scope, write_pivots
from wokflow.pivot.people_answers import read_answers
from wokflow.pivot.questions import identified
from wokflow.pivot.replacements import merged, swaps
from wokflow.pivot.settings import PivotsSettings

NONE = (
    "No pivot action was mined, so no recipe counts in the action scores. Do both dishes of some pair have enough "
    "recipes in the corpus of pivot.dishes.corpus? (counterfactual has none of target dishes; what differs in too "
    "few recipes is in pivot/rejects/candidates.) If not, name pivot actions in pivot.pivots.given."
)
KINDS = ("remove", "insert", "replace")
PAPER = 13.6, 8.8  # actions of a pair to remove and to insert (section 4.2)
DECISIONS = {"never": "remove", "always": "insert"}


def pivot_pivots(
    *,
    candidates: Sequence[str],
    pivots: str,
    votes: str,
    agreement: str,
    rejects: str,
    settings: PivotsSettings,
    job: Job,
) -> None:
    """Write the pivot actions (schema pivot/pivots), in the order of the candidates; or the given ones.

    Given pivot actions replace mined ones: then there are no candidates, and given actions of unknown pairs or
    classes are `rejects` (schema pivot/rejects). Otherwise there are no rejects.

    An action that frequency decides keeps its kind. One that people were asked about is removed if most say never,
    inserted if most say always, and otherwise dropped. A removal and an insertion that differ in the pair's changed
    ingredient alone become a replacement. With `overrule`, people's answers also change or drop actions that
    frequency decides. Each answer is a row of `votes` (schema pivot/votes), and `agreement` measures how far people
    agree with each other and with the frequencies; both tables are empty where pivot actions are given.
    """
    if settings.given:
        for path, schema in ((votes, schemas.VOTES), (agreement, schemas.AGREEMENT)):
            tables.write_none(path, schema, job.metadata)
        write_pivots(settings.given, Scope.read(settings.pairs, settings.glossary), pivots, rejects, job)
        return
    known = identified(tables.read(candidates))
    read = read_answers(settings.answers, known, job.progress)
    every = known.join(read, on="question_id", maintain_order="left_right")
    most = majority(read, settings.annotators)
    tables.write(votes, schemas.VOTES, every, job.metadata)
    tables.write(agreement, schemas.AGREEMENT, agreements(every, most), job.metadata)
    voted = known.join(most, on="question_id", how="left", maintain_order="left")
    by_people = (pl.col("kind") == "ask") | (settings.overrule & pl.col("vote").is_not_null())
    decided = voted.with_columns(
        decided_by=pl.when(by_people).then(pl.lit("people")).otherwise(pl.lit("frequency")),
        kind=pl.when(by_people)
        .then(pl.col("vote").replace_strict(DECISIONS, default=None, return_dtype=pl.String))
        .otherwise("kind"),
    ).drop_nulls("kind")
    decided = merged(decided, swaps(read_pairs(settings.pairs), read_glossary(settings.glossary)))
    tables.write(pivots, schemas.PIVOTS, decided, job.metadata)
    tables.write_none(rejects, schemas.GIVEN_REJECTS, job.metadata)
    undecided = voted.filter((pl.col("kind") == "ask") & pl.col("vote").is_null()).height
    job.progress.say(f"{decided.height} pivot actions; {undecided} questions without enough answers")
    job.progress.say(per_pair(decided))
    if decided.is_empty():
        job.progress.warn(NONE)


def per_pair(pivots: pl.DataFrame) -> str:
    """Numbers of pivot actions for each pair that has some, also as the paper counts them."""
    pairs = max(pivots.select("base_dish", "target_dish").n_unique(), 1)
    remove, insert, replace = (pivots.filter(pl.col("kind") == kind).height / pairs for kind in KINDS)
    return (
        f"For each pair with pivot actions: {remove:.1f} to remove, {insert:.1f} to insert, {replace:.1f} with the "
        f"ingredient replaced. With a removal and an insertion for each of the latter: {remove + replace:.1f} and "
        f"{insert + replace:.1f}; the paper has {PAPER[0]} and {PAPER[1]}."
    )


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
