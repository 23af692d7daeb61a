"""How far annotators agree on the items that they mark in the same dialogues."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from wokflow.annotate.fields import CATEGORY, FOREIGNNESS, MARKED, PLACE, TEXT, UNMARKED, utterances
from wokflow.evaluate import rating_schemas
from wokflow.evaluate.resampling import alphas, ratios, with_interval
from wokflow.evaluate.settings import MarksSettings
from wokflow.evaluate.spans import words
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.text_files import read_text
from wokflow.pivot.agreement import nominal, unit_coincidences

WORDS = "words"  # what must be alike: the words alone, or their category or foreignness as well
LABELS = (WORDS, CATEGORY, FOREIGNNESS)
Mark = tuple[int, int, int, str]  # utterance, start, end and label
Texts = Mapping[str, Mapping[int, str]]  # the utterances of each dialogue, by their places
Marks = Mapping[str, Mapping[str, Sequence[Mark]]]  # by dialogue and by annotator, of all who read it


def evaluate_marks(
    *, tasks: str, dialogues: str, marked: str, agreement: str, settings: MarksSettings, job: Job
) -> None:
    """Write evaluate/marks: how far the annotators of a study agree, all together and each two of them.

    A dialogue counts for those who read it (annotate/dialogues), also where they marked nothing. F1 is 2 n / (marks
    of the one + marks of the other): the agreement of two annotators where there is no number of things that neither
    marked (Hripcsak and Rothschild 2005). Exact: n marks have the same ends. Partial: n pairs of marks overlap; no
    mark is in two pairs. All together, the pairs of annotators are summed. A unit of Krippendorff's alpha (nominal)
    is a word, and its value is the label of the first mark in it, or none. Intervals are from resamples of dialogues.
    """
    spoken = tables.read(tasks, ["task_id", "shown"]).iter_rows()
    texts = {task: {int(one[PLACE]) - 1: one[TEXT] for one in utterances(shown)} for task, shown in spoken}
    read = tables.read(dialogues).filter(pl.col("state").is_in((MARKED, UNMARKED))).sort("task_id", "rater")
    lines = [json.loads(line) for line in read_text(marked).split("\n") if line]
    rows = list[dict[str, Any]]()
    for label in LABELS:
        marks: dict[str, dict[str, list[Mark]]] = {}
        for task, rater in read.select("task_id", "rater").iter_rows():
            marks.setdefault(task, {})[rater] = []
        for line in lines:
            value = "" if label == WORDS else str(line[label])
            mark = (line["utterance"], line["start"], line["end"], value)
            marks[line["dialogue"]][line["annotator"]].append(mark)
        rows += [{"label": label, **row} for row in _agreements(marks, texts, settings)]
    tables.write(agreement, rating_schemas.MARKS, rows, job.metadata)
    job.progress.say(f"{rows[0]['dialogues'] if rows else 0} dialogues were read by two annotators or more")


def _agreements(marks: Marks, texts: Texts, settings: MarksSettings) -> Iterator[dict[str, Any]]:
    """A row for all annotators, and one for each two who read the same dialogues."""
    shared = {task: by_rater for task, by_rater in marks.items() if len(by_rater) > 1}
    pairs = sorted({pair for by_rater in shared.values() for pair in combinations(sorted(by_rater), 2)})
    if pairs:
        yield {"rater": None, "other": None, **_agreement(shared, texts, settings)}
    for pair in pairs:
        both = {
            task: {name: by_rater[name] for name in pair}
            for task, by_rater in shared.items()
            if by_rater.keys() >= {*pair}
        }
        yield {"rater": pair[0], "other": pair[1], **_agreement(both, texts, settings)}


def _agreement(marks: Marks, texts: Texts, settings: MarksSettings) -> dict[str, Any]:
    """Counts and measures of dialogues that two annotators or more read."""
    labels = sorted({mark[-1] for by_rater in marks.values() for some in by_rater.values() for mark in some})
    counted, coincidences, units = list[list[int]](), [], 0
    for task, by_rater in marks.items():
        both = [*combinations(by_rater.values(), 2)]
        exact = sum(len({*one} & {*other}) for one, other in both)
        partial = sum(_overlapping(one, other) for one, other in both)
        counted.append([exact, partial, sum(len(one) + len(other) for one, other in both)])
        values = _values(by_rater, texts[task], labels)
        units += len(values)
        coincidences.append(unit_coincidences(values).sum(axis=0))
    parts = np.array(counted, np.float64)
    row: dict[str, Any] = {"dialogues": len(marks), "words": units}
    row["marks"] = sum(len(some) for by_rater in marks.values() for some in by_rater.values())
    for place, name in enumerate(("exact", "partial")):
        measured = with_interval(parts[:, [place, 2]] * [2, 1], ratios, settings.bootstrap)
        row[name] = int(parts[:, place].sum())
        row |= zip((f"{name}_f1", f"{name}_low", f"{name}_high"), measured, strict=True)
    measured = with_interval(np.array(coincidences), alphas(nominal), settings.bootstrap)
    return row | dict(zip(("alpha", "low", "high"), measured, strict=True))


def _overlapping(one: Sequence[Mark], other: Sequence[Mark]) -> int:
    """The largest number of pairs of marks with the same label that overlap; no mark is in two pairs."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if not one or not other:
        return 0
    overlaps = [[a[0] == b[0] and a[3] == b[3] and a[1] < b[2] and b[1] < a[2] for b in other] for a in one]
    return int((maximum_bipartite_matching(csr_array(overlaps), perm_type="column") >= 0).sum())


def _values(
    marks: Mapping[str, Sequence[Mark]], texts: Mapping[int, str], labels: Sequence[str]
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """How many annotators gave each word of a dialogue each label or, in the first column, none: (words, labels)."""
    places = [(place, start, end) for place, text in sorted(texts.items()) for start, end in words(text)]
    counts = np.zeros((len(places), len(labels) + 1), np.int64)
    for ordered in map(sorted, marks.values()):
        for number, (place, start, end) in enumerate(places):
            inside = (mark for mark in ordered if mark[0] == place and mark[1] < end and start < mark[2])
            label = next((labels.index(mark[-1]) + 1 for mark in inside), 0)
            counts[number, label] += 1
    return counts
