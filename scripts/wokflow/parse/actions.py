"""Actions of recipes: each verb of the glossary with the ingredients and tools it acts on."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import polars as pl
import pyarrow as pa

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.parse import schemas
from wokflow.parse.clauses import clause_at, clauses
from wokflow.parse.extract import extract
from wokflow.parse.glossary import Glossary, read_glossary
from wokflow.parse.lattice import ignored
from wokflow.parse.settings import ActionsSettings
from wokflow.parse.types import Action, Parse

BATCH = 2000  # recipes held in memory at once
READ = ["clause", "words", "heads", "roles"]  # of parse/dependencies
HELD = (
    25 * BATCH
)  # recipes whose parses are held at once; the table of parses is read once for each such group
Row = dict[str, Any]


def parse_actions(
    *,
    recipes: str,
    dependencies: Sequence[str],
    actions: str,
    rejects: str,
    settings: ActionsSettings,
    job: Job,
) -> None:
    """Write the actions of one part of the recipes, in reading order, and recipes without actions as rejects.

    Every recipe has at least one action or is a reject. The log counts the glossary's words that are ignored as
    noise. `dependencies` are all shards of parse/dependencies of this corpus; none where rules read the recipes.
    """
    words = read_glossary(settings.glossary)
    if settings.style == "house" and (said := ignored(words)):
        job.progress.say(said)
    table = tables.scan(recipes, ["recipe_id", "corpus", "source_row", "steps"])
    total = tables.rows([recipes])
    with ExitStack() as stack:
        good = stack.enter_context(tables.PartWriter(actions, schemas.ACTIONS, job.metadata))
        bad = stack.enter_context(tables.PartWriter(rejects, schemas.REJECTS, job.metadata))
        for start in range(0, total, BATCH):
            if start % HELD == 0:
                held = Parses(dependencies, table.slice(start, HELD).select("steps"))
            batch = table.slice(start, BATCH).collect()
            parses = held.of(batch["steps"])
            accepted: list[Row] = []
            rejected: list[Row] = []
            for recipe in batch.iter_rows(named=True):
                rows, reject = _recipe(recipe, words, parses, settings)
                accepted += rows
                if reject:
                    rejected.append(reject)
            good.write(pa.Table.from_pylist(accepted, schemas.ACTIONS))
            bad.write(pa.Table.from_pylist(rejected, schemas.REJECTS))
            job.progress(start + batch.height, f"{start + batch.height} of {total} recipes", of=total)


class Parses:
    """The parses of the clauses of some recipes, read once from parse/dependencies; none without dependencies."""

    def __init__(self, dependencies: Sequence[str], recipes: pl.LazyFrame) -> None:
        """`recipes` has the column steps."""
        self._rows = tables.frame(schemas.DEPENDENCIES).select(READ)
        if dependencies:
            wanted, start = set[str](), 0
            while not (batch := recipes.slice(start, BATCH).collect()).is_empty():
                wanted |= _clauses_of(batch["steps"])
                start += BATCH
            names = pl.LazyFrame({"clause": list(wanted)}, schema={"clause": pl.String})
            needed = tables.scan(dependencies, READ).join(names, on="clause", how="semi")
            self._rows = needed.collect(engine="streaming").sort("clause")

    def of(self, steps: pl.Series) -> dict[str, Parse]:
        """The parses of the clauses in these steps (lists of strings), by clause."""
        if self._rows.is_empty():
            return {}
        wanted = pl.Series(sorted(_clauses_of(steps)), dtype=pl.String)
        places = self._rows["clause"].search_sorted(wanted).clip(0, self._rows.height - 1)
        return {
            clause: Parse(tuple(words), tuple(heads), tuple(roles))
            for name, (clause, words, heads, roles) in zip(
                wanted, self._rows[places].iter_rows(), strict=True
            )
            if name == clause
        }


def _clauses_of(steps: pl.Series) -> set[str]:
    return {step[start:end] for some in steps for step in some for start, end in clauses(step)}


def _recipe(
    recipe: Row, words: Glossary, parses: Mapping[str, Parse], settings: ActionsSettings
) -> tuple[list[Row], Row | None]:
    """The rows of a recipe's actions, and its reject if it has none."""
    longest = max(map(len, recipe["steps"]), default=0)
    if longest > settings.max_characters:
        return [], _reject(recipe, "too_long", f"a step of {longest} characters")
    style = settings.style
    by_step = extract(recipe["steps"], words, parses, method=settings.method, style=style)
    rows = [
        {"recipe_id": recipe["recipe_id"], "position": position, "step": number, **row}
        for position, (number, row) in enumerate(_numbered(recipe["steps"], by_step, style))
    ]
    return rows, None if rows else _reject(recipe, "no_action", None)


def _numbered(steps: Sequence[str], by_step: list[list[Action]], style: str) -> Iterator[tuple[int, Row]]:
    for number, (step, actions) in enumerate(zip(steps, by_step, strict=True)):
        spans = clauses(step) if actions else []
        for action in actions:
            yield number, _row(step, spans, action, style)


def _row(step: str, spans: list[tuple[int, int]], action: Action, style: str) -> Row:
    nameless = style == "house" and not action.ingredients and not action.tools
    around = clause_at(spans, action.start) or (action.start, action.end)
    return {
        "start": action.start,
        "end": action.end,
        "text": step[around[0] : max(around[1], action.end)],
        "verb": action.verb,
        "verb_class": action.verb_class,
        "ingredients": [mention.surface for mention in action.foods],
        "ingredient_classes": [mention.cls for mention in action.foods],
        "tools": [mention.surface for mention in action.tools],
        "tool_classes": [mention.cls for mention in action.tools],
        "inherited": nameless or bool(action.inherited),
        "optional": action.optional,
    }


def _reject(recipe: Row, reason: str, detail: str | None) -> Row:
    return {
        "corpus": recipe["corpus"],
        "source_row": recipe["source_row"],
        "reason": reason,
        "detail": detail,
        "raw": recipe["recipe_id"],
    }
