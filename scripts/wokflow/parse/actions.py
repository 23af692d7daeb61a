"""Recipes to actions: each verb of the glossary with the ingredients and tools it acts on."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Literal

import polars as pl
import pyarrow as pa

from wokflow import tables
from wokflow.job import Progress
from wokflow.parse import schemas
from wokflow.parse.clauses import clauses
from wokflow.parse.extract import Action, Parse, extract
from wokflow.parse.glossary import Glossary, read_glossary

BATCH = 2000  # recipes held at once
Row = dict[str, Any]


def parse_actions(
    recipes: str,
    dependencies: Sequence[str],
    actions: str,
    rejects: str,
    *,
    glossary: str,
    method: Literal["rules", "parser", "both"],
    style: Literal["house", "paper"],
    max_characters: int,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write the actions of one part of the recipes, in reading order, and the recipes that have none.

    `dependencies` are the shards of parse/dependencies, none where `method` is "rules". Every recipe ends with
    at least one action or as a reject.
    """
    words = read_glossary(glossary)
    table = tables.scan(recipes, ["recipe_id", "corpus", "source_row", "steps"])
    total = tables.rows([recipes])
    with ExitStack() as stack:
        good = stack.enter_context(tables.PartWriter(actions, schemas.ACTIONS, metadata))
        bad = stack.enter_context(tables.PartWriter(rejects, schemas.REJECTS, metadata))
        for start in range(0, total, BATCH):
            batch = table.slice(start, BATCH).collect()
            parses = read_parses(dependencies, batch["steps"])
            found: list[Row] = []
            rejected: list[Row] = []
            for recipe in batch.iter_rows(named=True):
                rows, reject = _recipe(recipe, words, parses, method, style, max_characters)
                found += rows
                rejected += [reject] if reject else []
            good.write(pa.Table.from_pylist(found, schemas.ACTIONS))
            bad.write(pa.Table.from_pylist(rejected, schemas.REJECTS))
            if progress:
                progress(start + batch.height, f"{start + batch.height} of {total} recipes", of=total)


def read_parses(dependencies: Sequence[str], steps: pl.Series) -> dict[str, Parse]:
    """The parses of the clauses of these steps (lists of strings); empty where there are no dependencies."""
    if not dependencies:
        return {}
    wanted = {step[start:end] for some in steps for step in some for start, end in clauses(step)}
    names = pl.LazyFrame({"clause": sorted(wanted)}, schema={"clause": pl.String})
    found = tables.scan(dependencies).join(names, on="clause", how="semi").collect()
    return {
        clause: Parse(tuple(words), tuple(tags), tuple(heads), tuple(relations))
        for clause, words, tags, heads, relations in found.iter_rows()
    }


def _recipe(
    recipe: Row, words: Glossary, parses: Mapping[str, Parse], method: str, style: str, max_characters: int
) -> tuple[list[Row], Row | None]:
    """The rows of a recipe's actions, or the reason why it has none."""
    longest = max(map(len, recipe["steps"]), default=0)
    if longest > max_characters:
        return [], _reject(recipe, "too_long", f"a step of {longest} characters")
    by_step = extract(recipe["steps"], words, parses, method=method, style=style)
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
    inherited = style == "house" and not action.ingredients and not action.tools
    ingredients = action.inherited if inherited else action.ingredients
    around = next(((a, b) for a, b in spans if a <= action.start < b), (action.start, action.end))
    return {
        "start": action.start,
        "end": action.end,
        "text": step[around[0] : max(around[1], action.end)],
        "verb": action.verb,
        "verb_class": action.verb_class,
        "ingredients": [mention.surface for mention in ingredients],
        "ingredient_classes": [mention.cls for mention in ingredients],
        "tools": [mention.surface for mention in action.tools],
        "tool_classes": [mention.cls for mention in action.tools],
        "inherited": inherited,
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
