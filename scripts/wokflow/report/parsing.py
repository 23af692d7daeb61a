"""Section of the page: the actions that stage parse found in each corpus."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.parse import schemas
from wokflow.parse.glossary import Glossary
from wokflow.report import coloured, inputs
from wokflow.report.gloss import english, with_english
from wokflow.report.inputs import Tables
from wokflow.report.render import Cell, Table, percent, share

BATCH = 50_000  # rows of parse/proto held at once
VERBS = 15  # verb classes shown
LOOK = 20_000  # actions among which an example is chosen
LENGTHS = (6, 14)  # number of actions that makes a recipe a good example
PROTO = ["verb_class", "ingredient_classes", "tool_classes"]
UNITS = {"clauses": "Clauses", "sentences": "Sentences"}
WORDS = {"own_words": "words as cut for parsing", "gold_words": "the treebank’s words"}
FIGURES = ("words", "upos", "uas", "las")
COUNTED = ("ingest/recipes", "parse/rejects")
NUMBERS = {
    "recipes": "Recipes in",
    "rejects": "− rejects",
    "parsed": "= recipes with actions",
    "actions": "Actions",
}
MEANS = {
    "Actions a recipe, mean": ("actions", "parsed"),
    "Distinct proto-actions a recipe, mean": ("distinct", "parsed"),
}
SHARES = {"inherited": "Actions that inherit", "optional": "Optional actions"}


def section(parts: Tables, names: Mapping[str, str], words: Glossary) -> dict[str, Any]:
    """Numbers, rejects, verbs and an example of each corpus of `names` that was parsed, by its name.

    `words` is the glossary whose English names are shown.
    """
    measures = {name: measure(parts, name) for name in names if inputs.of(parts, f"parse/actions/{name}")}
    corpora = {}
    for name, counts in measures.items():
        rejects = inputs.of(parts, f"parse/rejects/{name}")
        corpora[names[name]] = {
            "lost": counts["recipes"] != counts["parsed"] + counts["rejects"],
            "rejects": inputs.rejects(rejects, "parse", schemas.REASONS, counts["recipes"]),
            "verbs": verbs(inputs.of(parts, f"parse/actions/{name}"), counts["actions"], words),
            "example": example(parts, name, words),
        }
    return {"numbers": numbers({names[name]: one for name, one in measures.items()}), "corpora": corpora}


def measure(parts: Tables, corpus: str) -> dict[str, int]:
    """The numbers of a corpus; `distinct` counts a recipe's equal proto-actions once.

    Memory holds BATCH actions and the longest recipe at a time.
    """
    actions = tables.scan(inputs.of(parts, f"parse/actions/{corpus}"), ["inherited", "optional"])
    counts = (
        actions.select(pl.len().alias("actions"), pl.all().sum())
        .collect(engine="streaming")
        .row(0, named=True)
    )
    counts |= {"parsed": 0, "distinct": 0}
    for frame in whole_recipes(inputs.of(parts, f"parse/proto/{corpus}")):
        counts["parsed"] += frame["recipe_id"].n_unique()
        counts["distinct"] += frame.n_unique()
    recipes, rejects = (tables.rows(inputs.of(parts, f"{name}/{corpus}")) for name in COUNTED)
    return counts | {"recipes": recipes, "rejects": rejects}


def whole_recipes(parts: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Recipes and their proto-actions, frame by frame. No recipe is divided: its rows follow one another."""
    text = [pl.col(name).list.join(",") for name in PROTO[1:]]
    for part in parts:
        rest: list[pl.DataFrame] = []
        for batch in tables.opened(part).iter_batches(BATCH, columns=["recipe_id", *PROTO]):
            frame = pl.concat([*rest, pl.DataFrame(batch).with_columns(text)])
            last = pl.col("recipe_id") == frame["recipe_id"].last()
            yield frame.filter(~last)
            rest = [frame.filter(last)]
        yield from rest


def numbers(by_corpus: Mapping[str, Mapping[str, int]]) -> Table:
    """A column for each corpus."""
    rows: list[list[object]] = [
        [label, *(counts[name] for counts in by_corpus.values())] for name, label in NUMBERS.items()
    ]
    for label, (name, whole) in MEANS.items():
        means = [counts[name] / counts[whole] if counts[whole] else None for counts in by_corpus.values()]
        rows.append([label, *(Cell(mean, digits=1) for mean in means)])
    for name, label in SHARES.items():
        shares = [
            counts[name] / counts["actions"] if counts["actions"] else None for counts in by_corpus.values()
        ]
        rows.append([label, *(Cell(None if each is None else percent(each), number=True) for each in shares)])
    return Table(["Corpus", *by_corpus], rows if by_corpus else [])


def verbs(actions: Sequence[str], whole: int, words: Glossary) -> dict[str, Any]:
    """The number of verb classes, and the most frequent ones."""
    counts = tables.scan(actions, ["verb_class"]).group_by("verb_class").len("count")
    ordered = counts.collect(engine="streaming").sort("count", "verb_class", descending=[True, False])
    rows = [
        (
            with_english(name, english(words, "verb", [name])),
            count,
            share(count / whole, most=ordered["count"][0] / whole),
        )
        for name, count in ordered.head(VERBS).iter_rows()
    ]
    return {"all": ordered.height, "most": Table(["Verb", "Actions", "Share"], rows)}


def example(parts: Tables, corpus: str, words: Glossary) -> dict[str, Any] | None:
    """A recipe with its actions marked; None where there are no actions."""
    actions = inputs.of(parts, f"parse/actions/{corpus}")
    chosen = choose(tables.scan(actions).head(LOOK).collect())
    if chosen is None:
        return None
    this = pl.col("recipe_id") == chosen
    rows = tables.scan(actions).filter(this).collect().sort("position").to_dicts()
    recipes = tables.scan(inputs.of(parts, f"ingest/recipes/{corpus}"), ["recipe_id", "title", "steps"])
    _, title, steps = recipes.filter(this).collect().row(0)
    return {"id": chosen, "title": title, **coloured.recipe(steps, rows, words)}


def choose(actions: pl.DataFrame) -> str | None:
    """The first recipe of a good length that has the most kinds of actions."""
    recipes = actions.group_by("recipe_id", maintain_order=True).agg(
        fits=pl.len().is_between(*LENGTHS),
        kinds=pl.sum_horizontal(
            pl.col("inherited").any(), pl.col("optional").any(), (pl.col("tools").list.len() > 0).any()
        ),
    )
    best = recipes.sort("fits", "kinds", descending=True, maintain_order=True)
    return None if best.is_empty() else str(best["recipe_id"][0])


def parser(path: str) -> dict[str, Any]:
    """How well the parser that the workflow trained attaches words; `path` is that of parse/parser/scores.json."""
    scores = json.loads(Path(path).read_text(encoding="utf-8"))
    rows = [
        (f"{name}, {words}", *(Cell(scores[unit][key][figure], digits=1) for figure in FIGURES))
        for unit, name in UNITS.items()
        for key, words in WORDS.items()
    ]
    return {**scores, "table": Table(["Tested on", "Words", "Parts of speech", "UAS", "LAS"], rows)}
