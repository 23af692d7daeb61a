"""Section of the page: the actions that stage parse found in each corpus."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import polars as pl
import pyarrow.parquet as pq

from wokflow.frame import tables
from wokflow.parse import schemas
from wokflow.parse.glossary import Glossary
from wokflow.report import inputs, marked
from wokflow.report.charts import Html, bar, beside, number, paragraph, percent, table, zh
from wokflow.report.gloss import english
from wokflow.report.inputs import Tables

BATCH = 50_000  # rows of parse/proto held at once
VERBS = 15  # verb classes shown
LOOK = 20_000  # actions among which an example is chosen
LENGTHS = (6, 14)  # number of actions that makes a recipe a good example
PROTO = ["verb_class", "ingredient_classes", "tool_classes"]
UNITS = {"clauses": "Clauses", "sentences": "Sentences"}
WORDS = {"own_words": "words as cut for parsing", "gold_words": "the treebank’s words"}
FIGURES = ("words", "upos", "uas", "las")
WORDING = (
    "An action is a cooking verb with the ingredients and tools that it works on; a proto-action is an action by "
    "the classes of its words, whatever the wording (Counterfactual Recipe Generation, section 4.1). An action "
    "that names no ingredient and no tool inherits the ingredients of the nearest action before it that has any. "
    "An action is optional where the text leaves it to the cook."
)


class Found(NamedTuple):
    """Numbers of a corpus. `distinct` counts a recipe's equal proto-actions once."""

    recipes: int
    rejects: int
    parsed: int
    actions: int
    distinct: int
    inherited: int
    optional: int


def section(
    parts: Tables, names: dict[str, str], scores: dict[str, Any], method: str, words: Glossary
) -> str:
    """Numbers, rejects, verbs and an example of each corpus of `names` that was parsed; the parser's scores.

    `method` is parse.actions.method, `words` the glossary whose English names are shown.
    """
    found = {name: measure(parts, name) for name in names if inputs.of(parts, f"parse/actions/{name}")}
    page: str = beside(paragraph(WORDING), numbers({names[name]: one for name, one in found.items()}))
    for name, counts in found.items():
        page += f"<h3>{names[name]}</h3>\n"
        if counts.recipes != counts.parsed + counts.rejects:
            page += paragraph(
                "recipes are neither among those with actions nor among the rejects.", "warning"
            )
        rejects = inputs.of(parts, f"parse/rejects/{name}")
        page += inputs.rejects(rejects, "parse", schemas.REASONS, counts.recipes)
        page += verbs(inputs.of(parts, f"parse/actions/{name}"), counts.actions, words)
        page += example(parts, name, words)
    return page + "<h3>The parser</h3>\n" + parser(scores, method)


def measure(parts: Tables, corpus: str) -> Found:
    """The numbers of a corpus. Memory holds BATCH actions and the longest recipe at a time."""
    actions = tables.scan(inputs.of(parts, f"parse/actions/{corpus}"), ["inherited", "optional"])
    kinds = actions.select(pl.len(), pl.all().sum()).collect(engine="streaming").row(0)
    parsed = distinct = 0
    for frame in whole_recipes(inputs.of(parts, f"parse/proto/{corpus}")):
        parsed += frame["recipe_id"].n_unique()
        distinct += frame.n_unique()
    return Found(
        recipes=tables.rows(inputs.of(parts, f"ingest/recipes/{corpus}")),
        rejects=tables.rows(inputs.of(parts, f"parse/rejects/{corpus}")),
        parsed=parsed,
        actions=kinds[0],
        distinct=distinct,
        inherited=kinds[1],
        optional=kinds[2],
    )


def whole_recipes(parts: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Recipes and their proto-actions, frame by frame. No recipe is divided: its rows follow one another."""
    text = [pl.col(name).list.join(",") for name in PROTO[1:]]
    for part in parts:
        rest: list[pl.DataFrame] = []
        for batch in pq.ParquetFile(part).iter_batches(BATCH, columns=["recipe_id", *PROTO]):
            frame = pl.concat([*rest, pl.DataFrame(batch).with_columns(text)])
            last = pl.col("recipe_id") == frame["recipe_id"].last()
            yield frame.filter(~last)
            rest = [frame.filter(last)]
        yield from rest


def numbers(found: dict[str, Found]) -> Html:
    """A column for each corpus."""
    if not found:
        return paragraph("No corpus was parsed.")

    def mean(count: int, whole: int) -> str:
        return number(count / whole, 1) if whole else "–"

    def share(count: int, whole: int) -> str:
        return percent(count / whole) if whole else "–"

    columns = found.values()
    rows = {
        "Recipes in": [number(one.recipes) for one in columns],
        "− rejects": [number(one.rejects) for one in columns],
        "= recipes with actions": [number(one.parsed) for one in columns],
        "Actions": [number(one.actions) for one in columns],
        "Actions a recipe, mean": [mean(one.actions, one.parsed) for one in columns],
        "Distinct proto-actions a recipe, mean": [mean(one.distinct, one.parsed) for one in columns],
        "Actions that inherit": [share(one.inherited, one.actions) for one in columns],
        "Optional actions": [share(one.optional, one.actions) for one in columns],
    }
    head = ["Corpus", *(f"#{name}" for name in found)]
    return table(head, [(label, *values) for label, values in rows.items()])


def verbs(actions: Sequence[str], whole: int, words: Glossary) -> Html:
    """The most frequent verb classes, with bars."""
    counts = tables.scan(actions, ["verb_class"]).group_by("verb_class").len("count")
    ordered = counts.collect(engine="streaming").sort("count", "verb_class", descending=[True, False])
    rows = [
        (
            zh(name),
            english(words, "verb", [name]) if words.english else "",
            number(count),
            percent(count / whole),
            bar(count / ordered["count"][0]),
        )
        for name, count in ordered.head(VERBS).iter_rows()
    ]
    text = f"{len(rows)} of {ordered.height} verb classes, the most frequent first." if rows else "No verbs."
    return Html(paragraph(text) + table(["Verb", "In English", "#Actions", "#Share", "="], rows))


def example(parts: Tables, corpus: str, words: Glossary) -> Html:
    """A recipe with its actions marked; nothing where there are no actions."""
    actions = inputs.of(parts, f"parse/actions/{corpus}")
    chosen = choose(tables.scan(actions).head(LOOK).collect())
    if chosen is None:
        return Html()
    this = pl.col("recipe_id") == chosen
    rows = tables.scan(actions).filter(this).collect().sort("position").to_dicts()
    recipes = tables.scan(inputs.of(parts, f"ingest/recipes/{corpus}"), ["recipe_id", "title", "steps"])
    _, title, steps = recipes.filter(this).collect().row(0)
    return marked.recipe(title, steps, rows, words)


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


def parser(scores: dict[str, Any], method: str) -> Html:
    """How well the parser that the workflow trains attaches words (parse/parser/scores.json)."""
    rows = [
        (f"{name}, {words}", *(number(scores[unit][key][figure], 1) for figure in FIGURES))
        for unit, name in UNITS.items()
        for key, words in WORDS.items()
    ]
    test = "set aside from the same treebanks" if scores["held_out"] else "of other treebanks"
    text = (
        f"The dependency parser learnt from {number(scores['train_sentences'])} sentences and was tested on "
        f"{number(scores['test_sentences'])} {test}. UAS counts words attached to the right head, LAS those whose "
        "relation to it is right as well; all are F1, in percent. Recipes are parsed by clauses, with words as cut "
        "for parsing: the first row tells of them."
    )
    if method == "rules":
        text += " The actions above were found by rules, without the parser (parse.actions.method)."
    return Html(paragraph(text) + table(["Tested on", "#Words", "#Tags", "#UAS", "#LAS"], rows))
