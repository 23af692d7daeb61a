"""Precision@k by a dictionary and by people, and what stands in place of a literal translation (section 4.2)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from wokflow.frame import tables
from wokflow.frame.intervals import wilson
from wokflow.frame.job import Job
from wokflow.lexicon import schemas
from wokflow.lexicon.alignment_summary import read_summary
from wokflow.lexicon.recipe_words import exceptions, read_dictionary
from wokflow.lexicon.schemas import CSLS, MEASURES
from wokflow.lexicon.settings import PrecisionSettings
from wokflow.lexicon.sheet import Mark, Shown, read_marks, shown
from wokflow.lexicon.vectors import read_space
from wokflow.pivot.agreement import alpha, coincidences, nominal

UNDECIDED = "undecided"
CONCEPTS = ("data", "concept", "source", "target", "origin")
Row = dict[str, Any]


def lexicon_precision(
    *,
    neighbours: str,
    aligned: str,
    marks: str,
    words: str,
    precision: str,
    concepts: str,
    settings: PrecisionSettings,
    job: Job,
) -> None:
    """Write schemas lexicon/marks, lexicon/words, lexicon/precision, and `concepts` as evaluate.literal reads them.

    A neighbour is literal by people if more than half of those who marked the word say so; a mismatch is of the kind
    that more than half of those who named one say. Concepts are the words without a literal translation whose
    meaning is known: by people, without accidental ones; or by the dictionary where nobody marked the word and the
    alignment is not doubted.
    """
    rows = tables.read(neighbours)
    known = shown(rows)
    given = [*read_marks(settings.marks, known, settings.count, job.progress)]
    own = {key: [mark for mark in given if mark.word_id == key] for key in known}
    hits = {  # by the dictionary, by word and measure
        (key, measure): literal
        for key, measure, literal in rows.group_by("word_id", "measure", maintain_order=True)
        .agg(pl.when(pl.col("literal").is_not_null().all()).then(pl.col("literal").any()))
        .iter_rows()
    }
    judged = [_judged(key, one, hits[key, CSLS], own[key]) for key, one in known.items()]
    counts = dict(rows.select("word_id", "count").unique().iter_rows())
    for row in judged:
        row["count"] = counts[row["word_id"]]
    figures = [_dictionary(measure, [hits[key, measure] for key in known]) for measure in MEASURES]
    if given:
        figures += [_people(measure, known, rows, own, judged) for measure in MEASURES]
    for row in figures:
        row["neighbours"] = settings.count
    for path, schema, made in (
        (marks, schemas.MARKS, [mark._asdict() for mark in given]),
        (words, schemas.WORDS, judged),
        (precision, schemas.PRECISION, figures),
    ):
        tables.write(path, schema, made, job.metadata)
    dictionary = read_dictionary(settings.lexicon, settings.glossary, settings.dictionary)
    vocabulary = read_space(Path(aligned) / "zh").words
    meant = {word: dictionary[word] for word in vocabulary if word in dictionary}
    doubted = bool(read_summary(aligned)["doubts"])
    trusted = [row for row in judged if row["annotators"] or not doubted]
    lines = ["\t".join(CONCEPTS), *("\t".join(each) for each in _concepts(trusted, meant))]
    tables.write_text(concepts, "\n".join(lines) + "\n")
    if unknown := [
        row["word"] for row in judged if row["annotators"] and _missing(row) and not row["meanings"]
    ]:
        job.progress.warn(
            f"{', '.join(unknown)}: by people without a literal match, but no concepts, as no dictionary has their "
            "meaning. Add them to lexicon.neighbours.dictionary."
        )
    for row in figures:
        job.progress.say(f"{row['measure']}, by {row['judge']}: {row['found']} of {row['words']} words")


def _judged(key: str, one: Shown, by_dictionary: bool | None, marks: Sequence[Mark]) -> Row:
    """A row of lexicon/words, without its count."""
    literal = [name for name in one.nearest if _most(name in mark.literal for mark in marks)]
    by_people = bool(literal) if marks else None
    return {
        "word_id": key,
        "word": one.word,
        "meanings": one.meanings,
        "nearest": one.nearest,
        "by_dictionary": by_dictionary,
        "annotators": len(marks),
        "literal": literal,
        "by_people": by_people,
        "kind": _kind(marks) if by_people is False else None,
    }


def _most(votes: Iterable[bool]) -> bool:
    given = [*votes]
    return 2 * sum(given) > len(given)


def _kind(marks: Sequence[Mark]) -> str:
    votes = Counter(mark.kind for mark in marks if mark.kind)
    return next((kind for kind, number in votes.items() if 2 * number > votes.total()), UNDECIDED)


def _dictionary(measure: str, hits: Sequence[bool | None]) -> Row:
    return {"measure": measure, "judge": "dictionary", **_share([hit for hit in hits if hit is not None])}


def _people(
    measure: str,
    known: Mapping[str, Shown],
    rows: pl.DataFrame,
    own: Mapping[str, Sequence[Mark]],
    judged: Sequence[Row],
) -> Row:
    """Precision by people's marks; kinds are of neighbours by CSLS alone."""
    mine = rows.filter(pl.col("measure") == measure).group_by("word_id").agg("neighbour")
    near: dict[str, list[str]] = dict(mine.iter_rows())
    votes = {
        key: [any(name in near[key] for name in mark.literal) for mark in own[key]]
        for key in known
        if own[key]
    }
    hits = [any(_most(name in mark.literal for mark in own[key]) for name in near[key]) for key in votes]
    kinds = Counter(row["kind"] for row in judged if row["kind"])
    counted = {
        name: kinds[name] if measure == CSLS else None for name in ("cultural", "accidental", UNDECIDED)
    }
    table = np.array([[sum(each), len(each) - sum(each)] for each in votes.values()], np.int64)
    return {
        "measure": measure,
        "judge": "people",
        **_share(hits),
        **counted,
        "alpha": alpha(coincidences(table), nominal),
    }


def _share(hits: Sequence[bool]) -> Row:
    """Words, hits, their share, and Wilson's interval."""
    number, hit = len(hits), sum(hits)
    if not number:
        return {"words": 0, "found": 0}
    low, high = wilson(hit / number, number)
    return {"words": number, "found": hit, "precision": hit / number, "low": low, "high": high}


def _concepts(judged: Sequence[Row], meant: Mapping[str, Sequence[str]]) -> Iterable[tuple[str, ...]]:
    for row in judged:
        if _missing(row) and row["meanings"]:
            word, meanings = row["word"], row["meanings"]
            terms = [word, *(f"-{other}" for other in exceptions(word, meanings, meant))]
            why = f"no literal match, {'people' if row['annotators'] else 'dictionary'}"
            yield "zh-en", f"{meanings[0]} ({word})", "|".join(terms), "|".join(meanings), why


def _missing(row: Row) -> bool:
    """Whether a word has no literal match, by people or else by the dictionary, and not by accident."""
    missing = row["by_dictionary"] is False if row["by_people"] is None else not row["by_people"]
    return missing and row["kind"] != "accidental"
