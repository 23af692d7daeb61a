"""Gold test sets: adaptations written by people, read from the user's files."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.frame.misread_text import refuse_misread
from wokflow.frame.text_files import read_table, read_text
from wokflow.frame.writing import BARS

TARGET = ("title", "ingredients", "steps")
SOURCE = tuple(f"source_{name}" for name in TARGET)
MANDATORY = ("source_id", "source_title", *TARGET)
BETWEEN = "|"  # separates the entries of a list
PUBLISHED = "published"  # stands for the corpus in ids that name none
SCHEMA = {
    "source_id": pl.String,
    **{name: pl.String if name.endswith("title") else pl.List(pl.String) for name in (*TARGET, *SOURCE)},
    "line": pl.Int64,
}

# Everything but letters and digits, which covers whatever cleaning may have removed from a title.
_NO_WORD = re.compile(r"[0-9#*]\ufe0f?\u20e3|[\W_]+")


def gold_set(path: str | None, recipes: Sequence[str], *, simplified: bool) -> pl.DataFrame:
    """A gold set (SCHEMA) whose sources are those of the corpora `recipes` (parts of ingest/recipes); None: no rows.

    Raises UserError for a row whose source_title is not the title of the recipe with its source_id: the set was
    then written for another copy of the corpus, where ids mean other recipes. Titles are compared without what
    cleaning may remove and, if the corpora are `simplified`, in simplified characters.
    """
    if path is None:
        return pl.DataFrame(schema=SCHEMA)
    rows = read_gold(path)
    titles = tables.scan(recipes, ["recipe_id", "title"]).filter(
        pl.col("recipe_id").is_in(rows["source_id"].implode())
    )
    known = rows.join(titles.collect(engine="streaming"), left_on="source_id", right_on="recipe_id")
    wrong = known.filter(
        _words(known["source_title"], simplified) != _words(known["title_right"], simplified)
    )
    if len(wrong):
        first = wrong.sort("line").row(0, named=True)
        raise UserError(
            f"{path}, line {first['line']}: the title of {first['source_id']} is {first['title_right']!r} in the "
            f"corpus, but source_title is {first['source_title']!r} ({len(wrong)} of {len(rows)} rows differ). The "
            "set was written for another copy of the corpus. Look up the source_id of each title in "
            "ingest/recipes of your results, or leave the set out (train.gold: null for this direction)."
        )
    return rows


def read_gold(path: str) -> pl.DataFrame:
    """A gold set as its file has it; source_ingredients and source_steps are null if the file lacks them.

    The file is tab-separated with a header; entries of ingredients and steps are separated by bars or line breaks. Or
    it is JSON lines (.jsonl) as the paper's authors published theirs, with whole source recipes. Ids without a
    corpus, which are plain numbers, get the prefix PUBLISHED. Raises UserError, with file and line, for missing
    columns, empty cells, sources that occur twice, and sources with only one of ingredients and steps; and as
    refuse_misread does, where the texts of sources count as copied.
    """
    gold: dict[str, dict[str, object]] = {}
    for line, row in _published(path) if path.endswith(".jsonl") else _table(path):
        filled = {name for name in (*MANDATORY, *SOURCE) if row.get(name)}
        if empty := [name for name in MANDATORY if name not in filled]:
            raise UserError(f"{path}, line {line}: {', '.join(empty)} is empty.")
        if len(filled & set(SOURCE)) == 2:
            raise UserError(
                f"{path}, line {line}: give both of source_ingredients and source_steps, or neither."
            )
        if row["source_id"] in gold:
            raise UserError(f"{path}, line {line}: {row['source_id']} occurs twice.")
        gold[row["source_id"]] = {name: row.get(name) or None for name in SCHEMA} | {"line": line}
    return pl.DataFrame(list(gold.values()), SCHEMA)


def _table(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    about = "a gold set: resources/gold/README.md explains its columns"
    for line, row in read_table(path, MANDATORY, about, optional=SOURCE, whole=False, copied=SOURCE):
        yield line, {name: _cell(name, row.get(name, "")) for name in SCHEMA}


def _published(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of JSON lines with a source recipe and its one adaptation, in the form of the paper's published sets."""
    rows = []
    for line, source, targets in published_pairs(path, most=1):
        row = {name: targets[0][name] for name in TARGET}
        rows.append((line, row | {f"source_{name}": source[name] for name in TARGET}, source["id"]))
    refuse_misread(path, ((f"line {line}", row) for line, row, _ in rows), copied=SOURCE)
    for line, row, source_id in rows:
        yield line, row | {"source_id": source_id}


def published_pairs(
    path: str, most: int | None = None
) -> Iterator[tuple[int, dict[str, Any], list[dict[str, Any]]]]:
    """Line, source and targets of JSON lines in the form of the data that the paper's authors published.

    A recipe is its id and TARGET; ids without a corpus get the prefix PUBLISHED, and a target may lack one. Raises
    UserError for other lines, for a source without an id or a target, and for one with more than `most` targets.
    """
    for line, text in enumerate(read_text(path).split("\n"), start=1):
        if not text.strip():
            continue
        try:
            pair = json.loads(text)
            source, targets = pair["source"], list(pair["targets"])
            if not targets or len(targets) > (most or len(targets)):
                raise ValueError(f"{len(targets)} targets")
            parts = [_read(recipe) for recipe in (source, *targets)]
            if not parts[0]["id"]:
                raise ValueError("a source without id")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise UserError(
                f"{path}, line {line}: not a source with {'one target' if most == 1 else 'targets'}, each with "
                f"title, ingredients and steps, as the paper's sets are ({error!r})."
            ) from error
        yield line, parts[0], parts[1:]


def _read(recipe: Any) -> dict[str, Any]:
    given = recipe.get("id")
    if isinstance(given, float) and given.is_integer():
        given = int(given)  # as programs write numbers where others of the column are missing
    if given is not None and not isinstance(given, str | int):
        raise TypeError(f"id is {given!r}")
    number = "" if given is None else str(given).strip()
    name = number if not number or ":" in number else f"{PUBLISHED}:{number}"
    return {"id": name, **{part: _part(recipe, part) for part in TARGET}}


def _part(recipe: Any, name: str) -> str | list[str]:
    """A title, or the entries of ingredients or steps, of a recipe in JSON. Raises TypeError for other types."""
    value = recipe[name]
    if not isinstance(value, str if name.endswith("title") else list):
        raise TypeError(f"{name} is {value!r}")
    if isinstance(value, str):
        return value.strip()
    if others := [entry for entry in value if not isinstance(entry, str)]:
        raise TypeError(f"{name} has {others[0]!r}")
    return [entry.strip() for entry in value if entry.strip()]


def _cell(name: str, text: str) -> str | list[str]:
    if name in ("source_id", "line") or name.endswith("title"):
        return text.strip()
    return [entry.strip() for entry in BARS.sub("\n", text).splitlines() if entry.strip()]


def _words(titles: pl.Series, simplified: bool) -> pl.Series:
    """The letters and digits of titles, in lower case and, if asked for, in simplified Chinese."""
    words = [_NO_WORD.sub("", title).casefold() for title in titles]
    if simplified:
        from opencc import OpenCC

        convert = OpenCC("t2s").convert
        words = [convert(word) for word in words]
    return pl.Series(words, dtype=pl.String)
