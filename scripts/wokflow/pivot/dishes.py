"""Pairs of dishes, and the dish of each recipe (Counterfactual Recipe Generation, 4.1)."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.misread_text import refuse_misread_json
from wokflow.frame.text_files import read_text
from wokflow.frame.tsv_sheets import read_sheet
from wokflow.frame.writing import name_of
from wokflow.pivot import schemas
from wokflow.pivot.settings import DishesSettings

PAIR = ("base_dish", "target_dish", "ingredient_removed", "ingredient_added")
PUBLISHED = ("base", "target", "ingredient_removed", "ingredient_added")  # PAIR in JSON
FILES = ("dish_pairs.txt", "changing_ingres.txt")  # of the paper's authors
ENGLISH = ("base_english", "target_english")
BATCH = 50_000  # recipes
DIVIDED = frozenset(",/，、／")  # between names; an ingredient of a pair is one name
SHORTEST = 2  # characters of a name that titles are searched for: 粥 or 面 is part of too many other words


def read_pairs(path: str) -> pl.DataFrame:
    """Base and target dishes with the ingredients that change, in the file's order; see `pair_rows` for the file.

    An empty ingredient_removed becomes null.
    """
    rows = [
        {name: row[name] or (None if name == "ingredient_removed" else "") for name in PAIR}
        for row in pair_rows(path)
    ]
    return pl.DataFrame(rows, dict.fromkeys(PAIR, pl.String))


def pair_rows(path: str) -> list[dict[str, str]]:
    """The pairs in the file's order: PAIR, and the English names of both dishes, "" where the file has none.

    `path` is a TSV with the columns of PAIR; or the folder with the files of the paper's authors, dish_pairs.txt and
    changing_ingres.txt, where each line has two names with a blank between them, or of ingredients only the added
    one; or a .json file, a list of objects with the keys of PUBLISHED. Further columns and keys are ignored. Raises
    UserError if a file is not UTF-8, if columns or values are missing, if an ingredient is not one name, or if a pair
    occurs twice.
    """
    seen: set[tuple[str, str]] = set()
    rows = []
    if Path(path).is_dir():
        found = _folder_rows(path)
    else:
        found = _json_rows(path) if path.endswith(".json") else _tsv_rows(path)
    for where, row in found:
        values = {name: name_of(row.get(name) or "") for name in (*PAIR, *ENGLISH)}
        pair = values["base_dish"], values["target_dish"]
        if not all(values[name] for name in PAIR if name != "ingredient_removed"):
            raise UserError(f"{path}, {where}: only ingredient_removed may be empty.")
        if divided := [values[name] for name in PAIR[2:] if not DIVIDED.isdisjoint(values[name])]:
            raise UserError(
                f"{path}, {where}: {divided[0]!r} has a comma or a slash: an ingredient is one word of the glossary."
            )
        if pair in seen or pair[0] == pair[1]:
            raise UserError(
                f"{path}, {where}: the pair {' to '.join(pair)} occurs twice, or both dishes are the same. Remove it."
            )
        seen.add(pair)
        rows.append(values)
    return rows


def _tsv_rows(path: str) -> Iterator[tuple[str, dict[str, str]]]:
    for number, row in read_sheet(path, PAIR, ENGLISH, copied=False):
        yield f"row {number}", row


def _folder_rows(folder: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The lines of FILES, side by side."""
    dishes, foods = (
        [line.split() for line in read_text(str(Path(folder, name))).splitlines() if line.strip()]
        for name in FILES
    )
    if len(dishes) != len(foods):
        raise UserError(f"{folder}: {len(dishes)} lines in {FILES[0]}, but {len(foods)} in {FILES[1]}.")
    for number, (pair, change) in enumerate(zip(dishes, foods, strict=True), start=1):
        if len(pair) != 2 or len(change) > 2:
            raise UserError(f"{folder}, line {number}: not two dishes, and one or two ingredients.")
        yield f"line {number}", dict(zip(PAIR, [*pair, *[""] * (2 - len(change)), *change], strict=True))


def _json_rows(path: str) -> Iterator[tuple[str, dict[str, str]]]:
    pairs = read_json(path)
    if not isinstance(pairs, list):
        raise UserError(f"{path}: not a list of pairs, each an object with {', '.join(PUBLISHED)}.")
    for number, pair in enumerate(pairs, start=1):
        texts: list[Any] = [pair.get(key) for key in PUBLISHED] if isinstance(pair, dict) else []
        if not texts or not all(isinstance(text, str) for text in texts):
            raise UserError(
                f"{path}, pair {number}: not an object with the texts {', '.join(PUBLISHED)}: {pair!r}"
            )
        yield f"pair {number}", dict(zip(PAIR, texts, strict=True))


def read_json(path: str, *, copied: bool = False) -> Any:
    """The content of a JSON file. Raises UserError if it is not JSON, or was read in a wrong encoding before.

    `copied`: see misread_text.refuse_misread.
    """
    try:
        content = json.loads(read_text(path))
    except ValueError as error:
        raise UserError(f"{path} is not JSON: {error}") from error
    refuse_misread_json(path, content, copied=copied)
    return content


def names(pairs: pl.DataFrame) -> list[str]:
    """All dishes of the pairs, sorted."""
    return sorted({*pairs["base_dish"], *pairs["target_dish"]})


def pivot_dishes(*, recipes: Sequence[str], dishes: str, settings: DishesSettings, job: Job) -> None:
    """Write the dish of each recipe that has a known one (schema pivot/dishes), in the recipes' order.

    The dish is the recipe's field `dish`. If that is null, it is the longest known name in the title, and of equally
    long ones the first. Known names are the dishes of the pairs and those in the field of enough recipes. Memory
    holds BATCH recipes at a time, and the names.
    """
    named = tables.scan(recipes, ["dish"]).drop_nulls().group_by("dish").len().collect(engine="streaming")
    known = {*names(read_pairs(settings.pairs)), *named.filter(pl.col("len") >= settings.least)["dish"]}
    find = finder(known)
    total, done, with_dish = tables.rows(recipes), 0, 0
    with tables.PartWriter(dishes, schemas.DISHES, job.metadata) as part:
        for path in recipes:
            for batch in tables.opened(path).iter_batches(BATCH, columns=["recipe_id", "title", "dish"]):
                frame = _with_dish(pl.DataFrame(batch), find)
                part.write(frame)
                done, with_dish = done + batch.num_rows, with_dish + frame.height
                text = (
                    f"{done} recipes, {with_dish} of them with a dish; {len(known)} were looked for in titles"
                )
                job.progress(done, text, of=total)


def _with_dish(recipes: pl.DataFrame, find: Callable[[str], str | None]) -> pl.DataFrame:
    unnamed = recipes["dish"].is_null()
    titles = zip(recipes["title"], unnamed, strict=True)
    by_title = pl.Series([find(title) if look else None for title, look in titles], dtype=pl.String)
    return recipes.with_columns(
        dish=pl.coalesce("dish", by_title),
        found_by=pl.when(unnamed).then(pl.lit("title")).otherwise(pl.lit("field")),
    ).drop_nulls("dish")


def finder(known: set[str]) -> Callable[[str], str | None]:
    """A function that finds the longest known name in a title, the first of equally long ones."""
    import ahocorasick

    automaton = ahocorasick.Automaton()
    for name in sorted(known):
        if len(name) >= SHORTEST:
            automaton.add_word(name, name)
    automaton.make_automaton()

    def find(title: str) -> str | None:
        matches = automaton.iter(title) if len(automaton) else ()
        longest = min(((-len(name), end, name) for end, name in matches), default=None)
        return longest[2] if longest else None

    return find
