"""Section of the page: settings and prompts of runs, their costs, and their predictions for the same recipes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.digests import file_digest
from wokflow.models.recipe_texts import without_headings
from wokflow.report import doubts, inputs
from wokflow.report.inputs import Tables
from wokflow.report.provenance import Job
from wokflow.report.render import Cell, Table, shorten
from wokflow.report.training import plain

SHOWN = 5  # instances of each test set; the page folds all but three
LONGEST = 1500  # characters shown of a text
REASONS = 5  # reasons of failures that are shown
REFERENCES = {"gold": "an adaptation of this source", "silver": "a recipe matched by title"}
STATUS = ("ok", "cut", "refused", "empty", "rejected", "failed")
# Steps that make predictions by a model.
ASKING = ("generate.decode", "generate.prompt", "generate.delorean", "generate.educat", "generate.mined")


def section(
    parts: Tables,
    names: Mapping[str, str],
    jobs: Sequence[Job],
    prompts: Sequence[str],
    ruled: Sequence[str],
) -> dict[str, Any]:
    """Settings and prompts of runs, costs and failures, and predictions; `jobs` made what the page shows.

    `ruled` are the runs that rules made.
    """
    calls = inputs.rows(parts, "generate/calls")
    return {
        "ruled": ruled,
        "settings": settings(jobs),
        "prompts": texts(jobs, prompts),
        "calls": costs(calls),
        "reasons": reasons(calls),
        "outputs": doubts.counts(doubts.outputs(parts, names)),
        "predictions": predictions(parts, names),
    }


def settings(jobs: Sequence[Job]) -> Table:
    """The settings with which each run's model was asked, from the keys of its predictions."""
    rows = {(job.run, job.step): plain(job.settings) for job in jobs if job.step in ASKING}
    return Table(["Run", "Settings"], [(Cell(*name), value) for name, value in sorted(rows.items())])


def texts(jobs: Sequence[Job], prompts: Sequence[str]) -> list[dict[str, Any]]:
    """The prompts with the runs that were given them."""
    given = {path: file_digest(path) for path in prompts}
    return [
        {
            "text": Path(path).read_text(encoding="utf-8-sig"),
            "runs": sorted({job.run for job in jobs if job.resources.get("prompt") == digest}),
        }
        for path, digest in given.items()
    ]


def costs(calls: pl.DataFrame) -> Table:
    """A row a run: requests by status, answers not as asked for, tokens and money.

    Equal requests are asked once, so their tokens count once, as their cost does.
    """
    head = ["Run", "Requests", *STATUS, "Other language", "Other form", "Tokens", "Cost"]
    if calls.is_empty():
        return Table(head, [])
    counted = pl.col("prompt_tokens", "completion_tokens").filter(
        pl.struct("run", "request").is_first_distinct()
    )
    grouped = calls.group_by("run", maintain_order=True).agg(
        pl.len().alias("requests"),
        *(pl.col("status").eq(status).sum().alias(status) for status in STATUS),
        language=pl.col("in_language").not_().sum(),
        form=pl.col("in_form").not_().sum(),
        tokens=pl.sum_horizontal(counted.sum()),
        cost=pl.when(pl.col("cost").is_not_null().any()).then(pl.col("cost").sum()),
    )
    return Table(head, [(*row[:-1], Cell(row[-1], digits=4)) for row in grouped.sort("run").iter_rows()])


def reasons(calls: pl.DataFrame) -> Table:
    """Why requests had no answer, the most frequent reasons of each run first."""
    if calls.is_empty():
        return Table([], [])
    counted = calls.drop_nulls("reason").group_by("run", "status", "reason").len("count")
    counted = counted.sort("run", "count", "reason", descending=[False, True, False])
    rows = counted.group_by("run", maintain_order=True).head(REASONS).iter_rows()
    return Table(["Run", "Status", "Reason", "Requests"], rows)


def predictions(parts: Tables, names: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    """Some instances of each test set of the data `names`, with the predictions of all runs."""
    cards_of = {}
    for data, name in names.items():
        instances = inputs.rows(parts, f"generate/instances/{data}")
        generated = inputs.of(parts, f"generate/predictions/{data}")
        if instances.is_empty() or not generated:
            continue
        wanted = pl.col("instance_id").is_in(instances["instance_id"].implode())
        predicted = tables.scan(generated).filter(wanted).collect()
        if cards := [instance(row, data, predicted) for row in choose(instances, predicted)]:
            cards_of[name] = cards
    return cards_of


def choose(instances: pl.DataFrame, predictions: pl.DataFrame) -> list[dict[str, Any]]:
    """SHOWN instances of each test set, gold first: those with the most predictions; no title comes twice.

    The first of each test set come first, then the second ones.
    """
    counts = predictions.group_by("instance_id").len("predictions")
    order = pl.col("dataset").replace_strict(
        {name: place for place, name in enumerate(REFERENCES)}, default=9
    )
    rows = instances.join(counts, on="instance_id").with_columns(order=order)
    rows = rows.sort("order", "dataset", "predictions", "instance_id", descending=[False, False, True, False])
    once = rows.unique("title", keep="first", maintain_order=True)
    shown = once.group_by("dataset", maintain_order=True).head(SHOWN)
    turn = pl.int_range(pl.len()).over("dataset")
    return shown.with_columns(turn=turn).sort("turn", "order", maintain_order=True).to_dicts()


def instance(row: Mapping[str, Any], data: str, predictions: pl.DataFrame) -> dict[str, Any]:
    """Source and reference, then the prediction of each run that has one."""
    source_lang, lang = data.split("-") if "-" in data else ("zh", "zh")
    note = REFERENCES.get(row["dataset"], "")
    texts = [text("Source", row["source"], source_lang)]
    if row["reference"] is not None:
        texts.append(text(f"Reference: {note}" if note else "Reference", row["reference"], lang))
    of = predictions.filter(pl.col("instance_id") == row["instance_id"])
    return {
        "dish": row["title"] if row["base"] is None else f"{row['base']} → {row['title']}",
        "lang": source_lang,
        "where": f"{row['dataset']}, {row['source_id']}",
        "given": texts,
        "runs": [text(run, written, lang) for run, written in of.select("run", "prediction").iter_rows()],
    }


def text(heading: str, written: str, lang: str) -> dict[str, Any]:
    """A recipe in lines; the first is its title if there are others."""
    lines = shorten(without_headings(written), LONGEST).split("\n")
    return {
        "heading": heading,
        "lang": lang,
        "title": lines.pop(0) if len(lines) > 1 else "",
        "lines": [line for line in lines if line],
    }
