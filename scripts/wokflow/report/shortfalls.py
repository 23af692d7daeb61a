"""What a run did not find, and what to do about it: sentences for the page and for the end of a run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from wokflow.generate.origins import several_served

SPLITS = {
    "train": "learnt from",
    "valid": "chosen by",
    "test": "scored on",
}  # and what a split's pairs are for
FAULTS = {  # columns of evaluate/outputs, and what they count
    "refused": "are refusals",
    "empty": "are empty",
    "truncated": "break off",
}
SERVED = {"generate/calls": "run", "judge/answers": "asked"}  # tables of answers, and whose they are
DEMO = "resources/demo/"  # where the demo's corpora lie
FEW = 10  # recipes of one side of the pairs: fewer are few dishes
MOST_NAMES = 5  # dishes that a sentence names


def of_sources(sources: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """About pairs of which one side is the user's corpus and the other still the demo's."""
    own = {name: DEMO not in str(sources[name]["path"]) for name in ("recipenlg", "xiachufang")}
    if len(set(own.values())) > 1:
        demo = next(name for name, mine in own.items() if not mine)
        yield (
            f"sources.{demo}.path is not set, so {demo} is the demo's small corpus, and its pairs are no result: "
            "name your own corpus."
        )


def of_pairs(
    pairs: Mapping[str, Mapping[str, int]],
    threshold: float,
    recipes: Mapping[str, tuple[int, int]],
    precision: float | None = None,
) -> Iterator[str]:
    """About directions without pairs, splits without, and pairs of few recipes.

    `pairs` counts the pairs by direction and split, `recipes` the different sources and targets of each direction.
    `precision` is match.rerank.precision where recipes make pairs, not titles alone.
    """
    for direction, counts in pairs.items():
        if precision is None:
            setting = f"match.pair.threshold ({threshold:g})"
            lacking = f"no two titles reach {setting}"
            sheet = f"match/near/{direction}.tsv shows the titles nearest to it (docs/match.md)"
            remedy = "lower it if those are the same dishes"
        else:
            setting = f"match.rerank.precision ({precision:g})"
            lacking = f"no pair is as probable as {setting} on match.rerank.labels (or by least_by) asks for"
            sheet = "match/rerank/unsure.tsv shows the pairs that the model is unsure of (docs/match.md)"
            remedy = "grade them (match.rerank.graded), and lower it if most are the same dishes"
        if not any(counts.values()):
            yield f"{direction}: {lacking}, so there are no pairs. {sheet}; {remedy}."
        elif empty := [split for split in SPLITS if not counts.get(split)]:
            uses = " or ".join(SPLITS[split] for split in empty)
            yield (
                f"{direction}: no pair is in {' or '.join(empty)}, so no model can be {uses} these pairs. A lower "
                f"{setting} gives more; {sheet}."
            )
        elif min(recipes[direction]) < FEW:
            sources, targets = recipes[direction]
            yield (
                f"{direction}: {sum(counts.values()):,} pairs, but of {sources:,} sources and {targets:,} targets "
                f"alone. Would a lower {setting} find more of the same dishes, or other dishes? {sheet}."
            )


def of_dishes(pairs: Sequence[tuple[str, str]], recipes: Mapping[str, int], units: int) -> Iterator[str]:
    """About dishes with no recipes, or too few.

    `recipes` counts those of each dish; `units` is pivot.orders.units.
    """
    dishes = sorted({dish for pair in pairs for dish in pair})
    without = [dish for dish in dishes if not recipes.get(dish)]
    compared = [pair for pair in pairs if set(without).isdisjoint(pair)]
    least = 2 * units
    few = sorted({dish for pair in compared for dish in pair if recipes[dish] < least})
    if without:
        yield (
            f"{len(pairs) - len(compared)} of {len(pairs)} pairs of dishes cannot be compared: there are no recipes "
            f"of {_some(without)}. Name dishes of your corpus in pivot.pairs.path, as it writes them: simplified "
            "or traditional."
        )
    if few:
        yield f"Too few recipes to test the order of actions (fewer than {least}, pivot.orders.units): {_some(few)}."


def of_questions(questions: int, compared: int) -> Iterator[str]:
    """About a sheet of questions that is empty; `compared` is the number of pairs of dishes with recipes of both."""
    if not questions:
        why = "frequency decides about every action" if compared else "no two dishes could be compared"
        yield f"There is nothing to ask people about in pivot/questions/questions.tsv: {why}."


def of_outputs(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """About runs with unusable predictions, which `rows` of evaluate/outputs count; smoke tests aside."""
    for row in rows:
        if row["smoke_test"]:
            continue
        if faults := [f"{row[name]:,} {said}" for name, said in FAULTS.items() if row[name]]:
            yield f"{row['run']} on {row['dataset']}: of {row['predictions']:,} predictions {', '.join(faults)}."


def of_calls(calls: pl.DataFrame) -> Iterator[str]:
    """About answers without the headings of their source; `calls` has run and in_form of generate/calls."""
    form = pl.col("in_form")
    counted = (
        calls.group_by("run").agg(form.not_().sum().alias("wrong"), form.count().alias("all")).sort("run")
    )
    for run, wrong, answers in counted.filter(pl.col("wrong") > 0).iter_rows():
        yield f"{run}: {wrong:,} of {answers:,} answers are not in the form asked for."


def of_served(answers: pl.DataFrame) -> Iterator[str]:
    """About answers of one name that came from several served models, as where the model behind an alias changed.

    `answers` has name (a run or a judge) and served_model of generate/calls or judge/answers.
    """
    for (name,), some in answers.sort("name").group_by("name", maintain_order=True):
        for notice in several_served(some, ["served_model"]):
            yield (
                f"{name}: {notice}. Its figures are of no single model. Name one with its date in the table, such as "
                "gpt-4o-2024-08-06 in place of gpt-4o."
            )


def of_runs(runs: int) -> Iterator[str]:
    """About an empty table of runs."""
    if not runs:
        yield "No model is trained or scored: the table of runs is empty. Name one as `runs` in your config."


def of_removed(folders: Sequence[str]) -> Iterator[str]:
    """About folders of runs that are not in the table of runs any more."""
    if folders:
        yield (
            f"{len(folders)} folders are of runs that the table of runs no longer has. No score, page or release "
            f"uses them. Delete those that you do not need: {_some(folders)}."
        )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
