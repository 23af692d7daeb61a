"""Pairs of dishes, and the dish of each recipe (Counterfactual Recipe Generation, 4.1)."""

import csv
from collections.abc import Callable, Sequence

import polars as pl
import pyarrow.parquet as pq

from wokflow import tables
from wokflow.job import Progress, UserError
from wokflow.pivot import schemas

PAIR = ("base_dish", "target_dish", "ingredient_removed", "ingredient_added")
BATCH = 50_000  # recipes
SHORTEST = 2  # characters: a name of one, such as 粥 or 面, is part of too many other words


def read_pairs(path: str) -> pl.DataFrame:
    """Base and target dishes with the ingredients that change, in the file's order.

    `path` is a TSV with the columns of PAIR and perhaps more; ingredient_removed is null where it is empty.
    Raises UserError where columns or values are missing, or a pair occurs twice.
    """
    with open(path, encoding="utf-8-sig", newline="") as file:  # noqa: PTH123
        reader = csv.DictReader(file, delimiter="\t")
        if missing := set(PAIR) - set(reader.fieldnames or ()):
            raise UserError(
                f"{path}: missing column {', '.join(sorted(missing))}; the columns are {', '.join(PAIR)}."
            )
        seen: set[tuple[str, str]] = set()
        rows = []
        for row in reader:
            values = {name: (row[name] or "").strip() for name in PAIR}
            pair = values["base_dish"], values["target_dish"]
            where = f"{path}, row {reader.line_num}"
            if not all(values[name] for name in PAIR if name != "ingredient_removed"):
                raise UserError(f"{where}: only ingredient_removed may be empty.")
            if pair in seen or pair[0] == pair[1]:
                raise UserError(
                    f"{where}: the pair {' to '.join(pair)} occurs twice, or is one dish. Remove it."
                )
            seen.add(pair)
            rows.append(values | {"ingredient_removed": values["ingredient_removed"] or None})
    return pl.DataFrame(rows, dict.fromkeys(PAIR, pl.String))


def names(pairs: pl.DataFrame) -> list[str]:
    """All dishes of the pairs, sorted."""
    return sorted({*pairs["base_dish"], *pairs["target_dish"]})


def dishes(
    recipes: Sequence[str],
    pairs: str,
    out: str,
    *,
    least: int,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write the dish of each recipe that has a known one (schema pivot/dishes), in the recipes' order.

    The corpus' field `dish` says it; failing that, the title: of the known names in it the longest, and of
    equally long ones the earliest. Known are the dishes of the pairs and those that the field names in at least
    `least` recipes. Memory holds BATCH recipes at a time, and the names.
    """
    named = tables.scan(recipes, ["dish"]).drop_nulls().group_by("dish").len().collect(engine="streaming")
    known = {*names(read_pairs(pairs)), *named.filter(pl.col("len") >= least)["dish"]}
    find = finder(known)
    total, done, found = tables.rows(recipes), 0, 0
    with tables.PartWriter(out, schemas.DISHES, metadata) as part:
        for path in recipes:
            for batch in pq.ParquetFile(path).iter_batches(BATCH, columns=["recipe_id", "title", "dish"]):
                frame = _with_dish(pl.DataFrame(batch), find)
                part.write(frame)
                done, found = done + batch.num_rows, found + frame.height
                if progress:
                    progress(done, f"{done} recipes, {found} of {len(known)} known dishes", of=total)


def _with_dish(recipes: pl.DataFrame, find: Callable[[str], str | None]) -> pl.DataFrame:
    unnamed = recipes["dish"].is_null()
    titles = zip(recipes["title"], unnamed, strict=True)
    by_title = pl.Series([find(title) if look else None for title, look in titles], dtype=pl.String)
    return recipes.with_columns(
        dish=pl.coalesce("dish", by_title),
        found_by=pl.when(unnamed).then(pl.lit("title")).otherwise(pl.lit("field")),
    ).drop_nulls("dish")


def finder(known: set[str]) -> Callable[[str], str | None]:
    """A function that finds the longest known name in a title, the earliest of equally long ones."""
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
