"""Adapted dialogues against their utterances: which culture-specific items were edited, and all edits."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from wokflow.evaluate import dialogue_schemas
from wokflow.evaluate.edit_finding import edits, likeness
from wokflow.evaluate.resampling import ratios, with_interval
from wokflow.evaluate.settings import DialoguesSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.ingest.schemas import ANNOTATIONS

UTTERANCE = ["dialogue_id", "position"]
BY = ("all", "category", "foreignness")
BOTH = " | "  # between two categories of an item


def evaluate_dialogues(
    *,
    adaptations: Sequence[str],
    annotations: Sequence[str],
    marked: str,
    edited: str,
    changes: str,
    settings: DialoguesSettings,
    job: Job,
) -> None:
    """Write evaluate/dialogues/items, .../edited and .../changes of what runs made of utterances.

    An item is edited if no words of its adapted utterance are like it (edit_finding) by `threshold` or more; the
    shares are also given by the thresholds `beside` (Singh et al. 2024, section 5.2). Words that several annotators
    marked are one item with the categories that more than half of them gave, or else the most frequent one, and with
    the foreignness that most of them gave, each counted once; ties go to the first category by name and to the lower
    foreignness. By category, an item counts in each of its own. Dialogues without an adaptation by the run do not
    count. Changes are all edits that an aligner finds, without a model, with whether they touch an item. Intervals
    are of resamples of dialogues.
    """
    adapted = tables.read(adaptations).sort("run", *UTTERANCE)
    items = consensus(annotations)
    items_adapted = adapted.join(items, on=UTTERANCE, maintain_order="left", suffix="_item")
    alike = [likeness(*pair) for pair in items_adapted.select("text_item", "adapted").iter_rows()]
    items_adapted = items_adapted.with_columns(likeness=pl.Series(alike, dtype=pl.Float64).round(6))
    items_adapted = items_adapted.with_columns(edited=pl.col("likeness") < settings.threshold)
    named = items_adapted.drop("text").rename({"text_item": "text"}).select(dialogue_schemas.ITEMS.names)
    tables.write(marked, dialogue_schemas.ITEMS, named, job.metadata)
    shares = tables.frame(dialogue_schemas.EDITED, _edited(items_adapted, settings))
    tables.write(edited, dialogue_schemas.EDITED, shares, job.metadata)
    tables.write(changes, dialogue_schemas.CHANGES, changed(adapted, items), job.metadata)
    whole = shares.filter(by="all", threshold=float(settings.threshold))
    for run, count, share in whole.select("run", "items", "share").iter_rows():
        job.progress.say(f"{run}: {share:.1f} % of {count} culture-specific items are edited")


def consensus(annotations: Sequence[str]) -> pl.DataFrame:
    """The items of ingest/annotations, one for all annotators of the same words."""
    names = [*UTTERANCE, "start", "end", "text"]
    marks = tables.read(annotations) if annotations else tables.frame(ANNOTATIONS)
    rows = [
        (
            *key,
            _categories(some["category"].to_list(), some["annotator"].n_unique()),
            _most(some.select("annotator", "foreignness").unique()["foreignness"].to_list()),
            some["annotator"].n_unique(),
        )
        for key, some in marks.sort(*names, "annotator").group_by(names, maintain_order=True)
    ]
    whole = tables.frame(dialogue_schemas.ITEMS)
    schema = whole.select(*names, "category", "foreignness", "annotators").schema
    return pl.DataFrame(rows, schema, orient="row")


def _categories(named: Sequence[str], annotators: int) -> str:
    """The categories that more than half of the annotators gave, by name; the most frequent one if there is none."""
    most = sorted(name for name, count in Counter(named).items() if count * 2 > annotators)
    return BOTH.join(most) or _most(named)


def _most(values: Sequence[Any]) -> Any:
    """The most frequent value; the lowest of several that are equally frequent."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value))


def _edited(items: pl.DataFrame, settings: DialoguesSettings) -> Iterator[dict[str, Any]]:
    """A row for each run, group and threshold."""
    for (run,), of_run in items.group_by("run", maintain_order=True):
        for by in BY:
            for name, some in _groups(of_run, by):
                for threshold in (settings.threshold, *settings.beside):
                    counted = some.group_by("dialogue_id", maintain_order=True).agg(
                        (pl.col("likeness") < threshold).sum().cast(pl.Float64).alias("edited"),
                        pl.len().cast(pl.Float64).alias("items"),
                    )
                    parts = counted.select("edited", "items").to_numpy()
                    value, low, high = with_interval(parts * [100, 1], ratios, settings.bootstrap)
                    yield {
                        "run": run,
                        "by": by,
                        "name": name,
                        "threshold": threshold,
                        "dialogues": counted.height,
                        "items": some.height,
                        "edited": int(parts[:, 0].sum()),
                        "share": value,
                        "low": low,
                        "high": high,
                    }


def _groups(items: pl.DataFrame, by: str) -> Iterator[tuple[str | None, pl.DataFrame]]:
    if by == "all":
        yield None, items
    else:
        if by == "category":
            items = items.with_columns(pl.col(by).str.split(BOTH)).explode(by)
        for (name,), some in items.sort(by, maintain_order=True).group_by(by, maintain_order=True):
            yield str(name), some


def changed(adapted: pl.DataFrame, items: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """The edits of each adapted utterance, with their numbers."""
    places: dict[tuple[Any, ...], list[tuple[int, int]]] = {}
    for *key, start, end in items.select(*UTTERANCE, "start", "end").iter_rows():
        places.setdefault(tuple(key), []).append((start, end))
    columns = ["run", *UTTERANCE, "text", "adapted"]
    for run, dialogue, position, text, new in adapted.select(columns).iter_rows():
        items_here = places.get((dialogue, position), [])
        for number, edit in enumerate(edits(text, new), start=1):
            touched = any(start < edit.end and edit.start < end for start, end in items_here)
            yield {
                "run": run,
                "dialogue_id": dialogue,
                "position": position,
                "number": number,
                "kind": edit.kind,
                "start": edit.start,
                "end": edit.end,
                "original": edit.original,
                "adapted": edit.adapted,
                "item": touched,
            }
