"""The rate of literal translation of concepts (Cultural Adaptation of Recipes, section 7)."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from wokflow import tables
from wokflow.evaluate import schemas
from wokflow.evaluate.parts import one_line
from wokflow.job import Progress, UserError

REFERENCE = "reference"
COLUMNS = ("data", "concept", "source", "target")
EXCEPTION = "-"
VOWELS = "aeiou"
Count = Callable[[str], int]


@dataclass(frozen=True)
class Concept:
    """What counts the concept in a source recipe, and its literal translation in the other language."""

    name: str
    source: Count
    target: Count


def literal_rates(
    instances: Mapping[str, str],
    predictions: Mapping[str, Sequence[str]],
    concepts: str,
    out: str,
    *,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write schema evaluate/literal for all data: `instances` by data, `predictions` of its runs likewise.

    Counted are the source recipes that have a concept, and what became of them: predictions, of those that a run
    has, and references. The rate is the number of literal translations by that of the concept in the sources; where
    a recipe says again what the source says once, it is above 1. Raises UserError for a table of concepts that
    cannot be read.
    """
    found = read_concepts(concepts)
    rows = []
    for data, path in sorted(instances.items()):
        texts = tables.read(path, ["instance_id", "dataset", "source", "reference"]).sort("instance_id")
        references = texts.select(
            "instance_id", "dataset", "source", run=pl.lit(REFERENCE), text=pl.col("reference")
        )
        made = [
            tables.read(part, ["instance_id", "run", "prediction"]).rename({"prediction": "text"})
            for part in predictions.get(data, ())
        ]
        of_runs = [texts.join(run, on="instance_id").select(references.columns) for run in made if run.height]
        for frame in [*of_runs, references]:
            rows += _rates(data, frame.drop_nulls("text"), found.get(data, ()))
        if progress:
            progress.say(f"{data}: {len(found.get(data, ()))} concepts in {len(of_runs)} runs")
    types = [*[pl.String] * 3, pl.Int32, pl.Int32, pl.Float64]
    frame = pl.DataFrame(rows, dict(zip(schemas.LITERAL.names, types, strict=True)), orient="row")
    order = pl.col("run") == REFERENCE  # after the runs
    tables.write(out, schemas.LITERAL, frame.sort("dataset", order, "run", maintain_order=True), metadata)


def _rates(
    data: str, texts: pl.DataFrame, concepts: Sequence[Concept]
) -> list[tuple[str, str, str, int, int, float | None]]:
    rows = []
    for (dataset, run), of in texts.group_by("dataset", "run", maintain_order=True):
        pairs = list(zip(map(one_line, of["source"]), map(one_line, of["text"]), strict=True))
        for concept in concepts:
            counts = [(concept.source(source), text) for source, text in pairs]
            sources = sum(count for count, _ in counts)
            targets = sum(concept.target(text) for count, text in counts if count)
            rate = targets / sources if sources else None
            rows.append((f"{data}/{dataset}", str(run), concept.name, sources, targets, rate))
    return rows


def read_concepts(path: str) -> dict[str, list[Concept]]:
    """The concepts of each data, in the order of the file, which has tabs and the columns COLUMNS, perhaps more.

    Columns `source` and `target` hold terms with | between them; lines that begin with # are passed over. English
    terms are found as words, inflected or not. A term after a hyphen (-酱油, -baking powder) is an exception: what
    stands inside of it is not counted. Raises UserError, with file and row, for rows that are not so.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: the table of concepts cannot be read: {error}") from error
    numbered = [
        (number, line.split("\t")) for number, line in enumerate(lines, start=1) if line and line[0] != "#"
    ]
    header = numbered[0][1] if numbered else []
    if missing := [name for name in COLUMNS if name not in header]:
        raise UserError(f"{path}: missing column {', '.join(missing)}; found were {', '.join(header)}.")
    found: dict[str, list[Concept]] = {}
    for number, cells in numbered[1:]:
        row = dict(zip(header, cells, strict=False))
        data, name, *terms = (row.get(column, "") for column in COLUMNS)
        langs = data.split("-")
        if not name or not all(terms) or sorted(langs) != ["en", "zh"]:
            raise UserError(
                f"{path}, row {number}: data is to be zh-en or en-zh, and {', '.join(COLUMNS[1:])} are not to be "
                "empty."
            )
        counts = (counter(text.split("|"), lang) for text, lang in zip(terms, langs, strict=True))
        found.setdefault(data, []).append(Concept(name, *counts))
    return found


def counter(terms: Sequence[str], lang: str) -> Count:
    """A function that counts terms in a text, the longest first, outside of exceptions."""
    exceptions = {term.removeprefix(EXCEPTION) for term in terms if term.startswith(EXCEPTION)}
    forms: dict[str, bool] = {}  # and whether they count
    for term in [*(term for term in terms if not term.startswith(EXCEPTION)), *sorted(exceptions)]:
        for form in inflections(term) if lang == "en" else [term]:
            forms[form] = term not in exceptions
    longest_first = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    pattern = re.compile(rf"\b(?:{longest_first})\b" if lang == "en" else longest_first)
    return lambda text: sum(forms[form] for form in pattern.findall(text.lower()))


def inflections(term: str) -> list[str]:
    """An English term with the endings of nouns and verbs on its last word, right or not: bake, bakes, baked, baking.

    Forms that no one writes do no harm.
    """
    term = term.lower()
    if term.endswith("e"):
        return [term, *(term[:-1] + ending for ending in ("es", "ed", "ing"))]
    forms = [term, *(term + ending for ending in ("s", "es", "ed", "ing"))]
    if term.endswith("y") and term[-2:-1] not in VOWELS:
        forms += [term[:-1] + ending for ending in ("ies", "ied")]
    if term[-2:-1] in VOWELS and term[-1] not in VOWELS:
        forms += [term + term[-1] + ending for ending in ("ed", "ing")]
    return forms
