"""Applies the gates to the rows of a release, and to the run behind them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq

from wokflow.export import damage, leaks, privacy
from wokflow.export.forms import Form, inner_id, recipe_text
from wokflow.export.gate_findings import Finding, finding
from wokflow.export.near_duplicates import near_duplicates
from wokflow.export.privacy import text_findings
from wokflow.export.release_shards import Rows, shard_paths, shard_problems
from wokflow.export.row_gates import Account, duplicate_ids
from wokflow.export.source_texts import Texts
from wokflow.export.split_sides import Sides
from wokflow.frame import tables
from wokflow.generate import schemas as generate
from wokflow.train import schemas as train

SIDES = ("pairs", "gold")  # forms whose rows are on a side of a split
BATCH = 5_000  # recipes that are compared at a time
# Where the rows of a corpus go: the step, what it keeps, and its rejects.
AFTER = {
    "recipes of {} for pairs": ("match/eligible", "match/rejects"),
    "recipes of {} with actions": ("parse/actions", "parse/rejects"),
    "sentences of {} with items": ("enrich/sentences", "enrich/rejects"),
}
FIELDS = ("title", "ingredients", "steps")
EXAMPLES_TABLE = next(name for name, schema in train.SCHEMAS.items() if schema is train.EXAMPLES)
INSTANCES_TABLE = next(name for name, schema in generate.SCHEMAS.items() if schema is generate.INSTANCES)


def of_subset(folder: Path, subset: str, form: Form, *, full: bool) -> list[Finding]:
    """Findings in a subset's shards by the gates on single tables: duplicate ids, personal data, damaged text."""
    shards = sorted((folder / "data" / subset).glob("*.parquet"))
    if not shards:
        return []
    text = form.row_key(full=full)
    return [
        *repeated_ids(shards, subset, form, full=full),
        *text_findings(Rows(shards), text, subset, privacy.searches() | damage.searches()),
    ]


def repeated_ids(shards: Sequence[Path], subset: str, form: Form, *, full: bool) -> list[Finding]:
    """The finding of the gate duplicate_ids in a subset's shards, of which only ids are read."""
    own = set(form.schema(full=full).names)
    columns = [name if name in own else f"{name.removesuffix('_id')}.id" for name in form.key]
    return duplicate_ids(Rows(shards, columns, (form.row_key(full=full).alias("key"),)), subset)


def of_shards(
    folder: Path, subset: str, form: Form, counts: Mapping[str, list[int]], *, full: bool
) -> list[Finding]:
    """Findings about shards whose columns, rows or paths differ from what the card will say."""
    expected = {
        path: rows
        for split, listed in counts.items()
        for path, rows in zip(shard_paths(subset, split, len(listed)), listed, strict=True)
    }
    wrong: dict[str, list[str]] = {"schema": [], "counts": []}
    for path in sorted(
        {*expected, *(path.relative_to(folder).as_posix() for path in folder.glob("data/*/*"))}
    ):
        if path not in expected:
            wrong["counts"].append(f"{path} is in no split")
        elif not (folder / path).is_file():
            wrong["counts"].append(f"{path} is missing")
        else:
            for gate, problem in shard_problems(
                folder / path, form.schema(full=full), expected[path], form.group
            ):
                wrong[gate].append(f"{path} {problem}")
    advice = f"Remove {folder} and export again: its files are not those that export_dataset has written."
    return [
        each
        for gate, problems in wrong.items()
        for each in finding(gate, subset, len(problems), problems, advice)
    ]


def of_splits(
    places: Mapping[str, Path],
    subsets: Mapping[str, Mapping[str, Any]],
    texts: Mapping[str, Texts],
    scratch: Path,
    *,
    full: bool,
) -> list[Finding]:
    """Findings about leaks between the sides of all pairs and test sets of a release, both directions together.

    `places` are the folders of the subsets by name; temporary files lie in `scratch`.
    """
    sides = Sides({corpus: own.size for corpus, own in texts.items()}, scratch)
    for name, subset in subsets.items():
        for split in subset["splits"] if subset["form"] in SIDES else ():
            for rows in _pairs(places[name], name, split, subset["form"], full=full):
                sides.add(rows, split)

    def read(*fields: str) -> Iterator[pl.DataFrame]:
        yield from _recipes_of(sides, texts, fields)
        for name, subset in subsets.items():
            if subset["form"] == "gold":
                yield from _of_gold(places[name], name, fields, texts, full=full)

    return [
        *leaks.shared_recipes(sides),
        *leaks.shared_titles(Again(lambda: read("title"))),
        *leaks.connected_pairs(sides),
        *near_duplicates(Again(lambda: _texts_of(read(*FIELDS))), scratch),
    ]


def _pairs(folder: Path, name: str, split: str, form: str, *, full: bool) -> Iterator[pl.DataFrame]:
    """source_id and target_id of the pairs of a subset's split; no target where a person has written it."""
    shards = sorted((folder / "data" / name).glob(f"{split}-*.parquet"))
    source = inner_id("source_id") if full else pl.col("source_id")
    columns = ["source.id" if full else "source_id"]
    if form == "gold":
        target = pl.lit(None, pl.String)
    elif full:
        columns.append("targets.list.element.id")
        target = pl.col("targets").list.eval(pl.element().struct.field("id"))
    else:
        columns.append("target_ids")
        target = pl.col("target_ids")
    for rows in Rows(shards, columns):
        ids = rows.select(source_id=source, target_id=target)
        yield ids if form == "gold" else ids.explode("target_id")


@dataclass(frozen=True)
class Again:
    """Frames that are made anew each time that somebody iterates over them."""

    make: Callable[[], Iterator[pl.DataFrame]]

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return self.make()


def _texts_of(recipes: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """recipe_id, split and text of recipes."""
    for frame in recipes:
        text = pl.Series([recipe_text(*row) for row in frame.select(FIELDS).iter_rows()], dtype=pl.String)
        yield frame.select("recipe_id", "split", text=text)


def _of_gold(
    folder: Path, name: str, fields: Sequence[str], texts: Mapping[str, Texts], *, full: bool
) -> Iterator[pl.DataFrame]:
    """What people wrote for a gold set, and its recipes of no corpus, as recipes that are only in the test.

    What may not be passed on is left out.
    """
    source = inner_id("source_id") if full else pl.col("source_id")
    for rows in Rows(sorted((folder / "data" / name).glob("*.parquet"))):
        ids = rows.select(source.alias("id"))["id"]
        recipes = [own for own in texts.values() if "title" in own.fields]
        alone = pl.all_horizontal(pl.lit(own.take(ids)["title"].is_null()) for own in recipes)
        for column, called, wanted in (
            ("adaptation", pl.format("the adaptation of {}", source), True),
            ("source", source, alone),
        ):
            yield rows.filter(wanted, pl.col(column).struct.field("title").is_not_null()).select(
                *(called.alias("recipe_id"), pl.lit("gold").alias("split"), pl.lit(True).alias("first")),
                *(pl.col(column).struct.field(field) for field in fields),
            )


def _recipes_of(sides: Sides, texts: Mapping[str, Texts], fields: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Some recipes at a time, each with its split and fields; those of no corpus are left out."""
    for corpus, own in texts.items():
        for some in sides.frames(corpus, BATCH):
            content = own.take(some["recipe_id"]).select(fields)
            yield some.hstack(content).filter(pl.col(fields[0]).is_not_null())
            own.forget()


def of_models(paths: Sequence[str]) -> list[Finding]:
    """Training examples that hold what their models, whose predictions are released, are tested on.

    `paths` are parts of train/examples and of generate/instances.
    """
    examples, instances = _by_data(paths, EXAMPLES_TABLE), _by_data(paths, INSTANCES_TABLE)
    findings = []
    for data in (name for name in examples if name in instances):
        tested = tables.scan(instances[data])
        if "source_id" in pq.read_schema(instances[data]).names:
            sides = [tested.select(recipe_id="source_id", text=side) for side in ("source", "reference")]
            texts = pl.concat(sides).drop_nulls("text")
            ids = pl.concat([tested.select(source_id=name) for name in ("source_id", "reference_id")])
            learnt, ids = tables.scan(examples[data]), ids.drop_nulls()
            findings += leaks.trained_on_tests(learnt, ids, texts, f"predictions ({data})")
    return findings


def _by_data(paths: Sequence[str], table: str) -> dict[str, str]:
    """The paths of parts of a table, such as train/examples/{data}, by its wildcard."""
    above = f"/{table.removesuffix('/{data}')}"
    folders = {path: Path(path).parent for path in paths}
    return {
        folder.name: path
        for path, folder in folders.items()
        if f"/{folder.parent.as_posix()}".endswith(above)
    }


def counted(paths: Sequence[str], exported: Mapping[str, tuple[str, int]], results: str) -> list[Account]:
    """The counts of rows of each step from source to shard.

    `paths` are parts of ingest/recipes, ingest/sentences and ingest/rejects, of the tables in AFTER, and of those in
    `exported`, which has the table of each subset and the number of its rows in the shards; all lie below `results`.
    """
    by_table: dict[str, list[str]] = {}
    for path in dict.fromkeys(paths):
        by_table.setdefault(Path(path).relative_to(results).parent.as_posix(), []).append(path)

    def rows(name: str) -> int:
        return tables.rows(by_table.get(name, []))

    accounts = []
    for name in sorted(by_table):
        if not name.startswith(("ingest/recipes/", "ingest/sentences/")):
            continue
        corpus = Path(name).name
        read = tables.rows_read([*by_table[name], *by_table.get(f"ingest/rejects/{corpus}", [])])
        accounts.append(Account(f"ingest {corpus}", read, rows(name), rows(f"ingest/rejects/{corpus}")))
        for step, (kept, rejects) in AFTER.items():
            if parts := by_table.get(f"{kept}/{corpus}"):
                out = _recipes(parts) if kept == "parse/actions" else rows(f"{kept}/{corpus}")
                rejected = rows(f"{rejects}/{corpus}")
                accounts.append(Account(step.format(corpus), rows(name), out, rejected, f"ingest {corpus}"))
    for name, (table, count) in exported.items():
        own = [
            path
            for folder, parts in by_table.items()
            if f"{folder}/".startswith(f"{table}/")
            for path in parts
        ]
        accounts.append(Account(f"shards of {name}", tables.rows(own), count, 0))
    return accounts


def _recipes(parts: Sequence[str]) -> int:
    """The number of recipes in a table that may have several rows of each."""
    return int(tables.scan(parts).select(pl.col("recipe_id").n_unique()).collect(engine="streaming").item())


def without_examples(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The findings in the form of the manifest, without examples, since these may show personal data."""
    return [
        {"gate": each.gate, "config": each.config, "count": each.count, "advice": each.advice}
        for each in findings
    ]
