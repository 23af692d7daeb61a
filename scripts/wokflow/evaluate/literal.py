"""The rate of literal translation of concepts (Cultural Adaptation of Recipes, section 7)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from wokflow.evaluate import schemas
from wokflow.evaluate.contributions import one_line
from wokflow.evaluate.given_rows import read_rows
from wokflow.evaluate.settings import LiteralSettings
from wokflow.frame import tables
from wokflow.frame.english import inflections
from wokflow.frame.job import Job, UserError
from wokflow.frame.writing import BARS, name_of

REFERENCE = "reference"
COLUMNS = ("data", "concept", "source", "target")
EXCEPTION = "-"
Count = Callable[[str], int]
Rate = tuple[str, str, str, int, int, float | None]  # a row of schema evaluate/literal


@dataclass(frozen=True)
class Concept:
    """Functions that count the concept in a source recipe, and its literal translations in the other language."""

    name: str
    source: Count
    target: Count


def evaluate_literal(
    *,
    instances_en_zh: Sequence[str],
    instances_zh_en: Sequence[str],
    predictions_en_zh: Sequence[str],
    predictions_zh_en: Sequence[str],
    induced: Sequence[str],
    literal: str,
    settings: LiteralSettings,
    job: Job,
) -> None:
    """Write schema evaluate/literal for both directions, of which each has a table of instances, or none.

    For each concept, the source recipes that contain it and the texts made of them count: the predictions of each
    run, and the references. The rate is the number of literal translations in the texts divided by the number of
    occurrences of the concept in the sources. It exceeds 1 if texts repeat what their sources say once. `induced` are
    tables of more concepts. Raises UserError for a table of concepts that cannot be read.
    """
    by_data = {
        "en-zh": (instances_en_zh, predictions_en_zh),
        "zh-en": (instances_zh_en, predictions_zh_en),
    }
    known: dict[str, list[Concept]] = {}
    for path in (settings.concepts, *induced):
        for data, concepts in read_concepts(path).items():
            known.setdefault(data, []).extend(concepts)
    rows = []
    for data, (instances, predictions) in by_data.items():
        if not instances:
            continue
        rows += data_rates(data, instances, predictions, known.get(data, ()))
        job.progress.say(f"{data}: {len(known.get(data, ()))} concepts in {len(predictions)} runs")
    types = [*[pl.String] * 3, pl.Int32, pl.Int32, pl.Float64]
    frame = pl.DataFrame(rows, dict(zip(schemas.LITERAL.names, types, strict=True)), orient="row")
    order = pl.col("run") == REFERENCE  # after the runs
    rates = frame.sort("dataset", order, "run", maintain_order=True)
    tables.write(literal, schemas.LITERAL, rates, job.metadata)


def data_rates(
    data: str, instances: Sequence[str], predictions: Sequence[str], concepts: Sequence[Concept]
) -> list[Rate]:
    """The rates of the runs of one direction, and of its references."""
    texts = tables.read(instances, ["instance_id", "dataset", "source", "reference"]).sort("instance_id")
    references = texts.select(
        "instance_id", "dataset", "source", run=pl.lit(REFERENCE), text=pl.col("reference")
    )
    rows = []
    for part in predictions:
        run = tables.read(part, ["instance_id", "run", "prediction"]).rename({"prediction": "text"})
        rows += _rates(data, texts.join(run, on="instance_id").select(references.columns), concepts)
    return rows + _rates(data, references, concepts)


def _rates(data: str, texts: pl.DataFrame, concepts: Sequence[Concept]) -> list[Rate]:
    rows = []
    groups = texts.drop_nulls("text").group_by("dataset", "run", maintain_order=True)
    for (dataset, run), group in groups:
        pairs = list(zip(map(one_line, group["source"]), map(one_line, group["text"]), strict=True))
        for concept in concepts:
            counts = [(concept.source(source), text) for source, text in pairs]
            sources = sum(count for count, _ in counts)
            targets = sum(concept.target(text) for count, text in counts if count)
            rate = targets / sources if sources else None
            rows.append((f"{data}/{dataset}", str(run), concept.name, sources, targets, rate))
    return rows


def read_concepts(path: str) -> dict[str, list[Concept]]:
    """The concepts of each data, in the order of the file, which has tabs and the columns COLUMNS, perhaps more.

    Columns `source` and `target` hold terms with | between them, around which blanks do not count; rows that begin
    with # are passed over. English terms are found as words, inflected or not. A term after a hyphen (-酱油, -baking
    powder) is an exception: terms inside it are not counted. Raises UserError, with file and row, for rows that break
    these rules.
    """
    concepts: dict[str, list[Concept]] = {}
    for number, cells in read_rows(path, COLUMNS, "concepts", comments=True):
        data, name, *listed = (cell or "" for cell in cells)
        terms = [[name_of(term) for term in BARS.split(text)] for text in listed]
        langs = data.split("-")
        empty = any(not term.removeprefix(EXCEPTION) for some in terms for term in some)
        if not name or empty or sorted(langs) != ["en", "zh"]:
            raise UserError(
                f"{path}, row {number}: data must be zh-en or en-zh, and {', '.join(COLUMNS[1:])} must not be "
                "empty, nor a term between bars."
            )
        if name in (known.name for known in concepts.get(data, ())):
            raise UserError(
                f"{path}, row {number}: {name} of {data} occurs twice. Put all terms into one row."
            )
        counts = (counter(some, lang) for some, lang in zip(terms, langs, strict=True))
        concepts.setdefault(data, []).append(Concept(name, *counts))
    return concepts


def counter(terms: Sequence[str], lang: str) -> Count:
    """A function that counts terms in a text, the longest first, outside of exceptions."""
    exceptions = {term.removeprefix(EXCEPTION) for term in terms if term.startswith(EXCEPTION)}
    forms: dict[str, bool] = {}  # each form, and whether it counts
    for term in [*(term for term in terms if not term.startswith(EXCEPTION)), *sorted(exceptions)]:
        for form in inflections(term) if lang == "en" else [term.lower()]:
            forms[form] = term not in exceptions
    longest_first = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    pattern = re.compile(rf"\b(?:{longest_first})\b" if lang == "en" else longest_first)
    return lambda text: sum(forms[form] for form in pattern.findall(text.lower()))
