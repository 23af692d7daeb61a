"""Compares a release with an earlier one: rows added, removed and changed, settings, sources."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.export.forms import FORMS
from wokflow.export.gate_findings import printable
from wokflow.export.manifest import Manifest, rows_of
from wokflow.export.release_shards import Rows, shard_paths
from wokflow.export.verify import verified
from wokflow.frame.job import UserError
from wokflow.frame.temporary import temporary_folder

SHOWN = 5
SOURCE = ("name", "version", "home_page", "sha256", "licence", "clause", "attribution", "release")
MEMBERS = ("name", "version", "mode", "contact", "home_page", "licence_of_annotations", "jsonl")
CACHE = 64  # MiB
GATES = "export/gates"  # the job that writes the manifest
_TABLE = f"""
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA temp_store = FILE;
PRAGMA cache_size = -{CACHE << 10};
CREATE TABLE rows (new INTEGER, key TEXT, digest INTEGER);
BEGIN;
"""
_COMPARED = """
CREATE TABLE compared AS
WITH numbered AS (SELECT *, row_number() OVER (PARTITION BY new, key ORDER BY rowid) AS nth FROM rows)
SELECT key, CASE
    WHEN min(new) = 1 THEN 'added'
    WHEN max(new) = 0 THEN 'removed'
    WHEN min(digest) < max(digest) THEN 'changed'
    ELSE 'equal'
END AS kind FROM numbered GROUP BY key, nth
"""


@dataclass(frozen=True)
class Difference:
    """The numbers of rows of a subset that are only in the new release, only in the old one, and changed.

    `examples` has at most SHOWN keys of such rows for each kind (added, removed, changed).
    """

    subset: str
    added: int
    removed: int
    changed: int
    equal: int
    examples: Mapping[str, Sequence[str]]


def diff(old: str, new: str) -> Iterator[str]:
    """A line for each difference of two releases; none if they are equal.

    Both are verified first: raises UserError if one is not as it was made.
    """
    before, after = verified(old), verified(new)
    yield from map(printable, _differences(old, before, new, after))


def _differences(old: str, before: Manifest, new: str, after: Manifest) -> Iterator[str]:
    for name in MEMBERS:
        one, other = (
            before.get(name, ""),
            after.get(name, ""),
        )  # releases made before it was a member have none
        if one != other:
            yield f"{name}: {_short(one)} -> {_short(other)}"
    for name in sorted({*before["software"], *after["software"]}):
        one, other = before["software"].get(name), after["software"].get(name)
        if one != other:
            yield f"software {name}: {_short(one)} -> {_short(other)}"
    yield from _sources(before["sources"], after["sources"])
    yield from _settings(before["steps"], after["steps"])
    for name in sorted({*before["subsets"], *after["subsets"]}):
        if name not in after["subsets"]:
            yield f"{name}: subset removed"
        elif name not in before["subsets"]:
            yield f"{name}: subset added, {rows_of(after['subsets'][name]):,} rows"
        elif before["subsets"][name]["form"] != after["subsets"][name]["form"]:
            yield f"{name}: not compared, since its rows are of another form"
        else:
            yield from _rows(old, before, new, after, name)


def _rows(old: str, before: Manifest, new: str, after: Manifest, name: str) -> Iterator[str]:
    """The lines about a subset's rows; of a stand-off and a full release, about the columns that are the same."""
    form, columns = FORMS[before["subsets"][name]["form"]], None
    if before["mode"] != after["mode"]:
        why = "since one release is stand-off and the other full"
        columns = form.common
        if not {*form.key} <= {*columns}:
            yield f"{name}: not compared, {why}"
            return
        if len(columns) < len(form.schema(full=True)):
            yield f"{name}: only {', '.join(columns)} compared, {why}"
    yield from _described(compare(old, before, new, after, name, columns))


def _sources(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted({*before, *after}):
        if name not in before or name not in after:
            yield f"source {name}: {'added' if name in after else 'removed'}"
            continue
        one, other = before[name], after[name]
        for member in SOURCE:
            if one[member] != other[member]:
                yield f"source {name}, {member}: {_short(one[member])} -> {_short(other[member])}"


def _settings(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """A line for each difference in settings, files read and code, for the steps that both releases have."""
    for job in sorted({*before} & {*after}):
        one, other = before[job]["settings"], after[job]["settings"]
        if job == GATES:  # whose settings are members of the manifest
            one = other = {}
        for name in sorted({*one, *other}):
            if one.get(name) != other.get(name):
                yield f"{job}, setting {name}: {_short(one.get(name))} -> {_short(other.get(name))}"
        files = [before[job]["resources"], after[job]["resources"]]
        names = sorted(name for name in {*files[0], *files[1]} if files[0].get(name) != files[1].get(name))
        if names:
            yield f"{job}: other content of {', '.join(names)}"
        if before[job]["code"] != after[job]["code"]:
            yield f"{job}: other code"


def compare(
    old: str, before: Manifest, new: str, after: Manifest, name: str, columns: Sequence[str] | None = None
) -> Difference:
    """Compare the rows of a subset, or some of their columns, by key and split.

    If a key occurs several times, the first row is compared with the first, the second with the second. Keys and
    digests of the rows lie in a temporary file, which SQLite sorts; its pages and each of its sorts hold CACHE MiB.
    Raises UserError where there is no room for it.
    """
    with _database() as database:
        for number, (release, manifest) in enumerate(((old, before), (new, after))):
            database.executemany(
                f"INSERT INTO rows VALUES ({number}, ?, ?)", _digests(release, manifest, name, columns)
            )
        database.execute(_COMPARED)
        counts = dict(database.execute("SELECT kind, count(*) FROM compared GROUP BY kind"))
        first = "SELECT key FROM compared WHERE kind = ? ORDER BY key LIMIT ?"
        kinds = ("added", "removed", "changed")
        return Difference(
            name,
            **{kind: counts.get(kind, 0) for kind in (*kinds, "equal")},
            examples={kind: [key for (key,) in database.execute(first, (kind, SHOWN))] for kind in kinds},
        )


@contextmanager
def _database() -> Iterator[sqlite3.Connection]:
    """A database in a temporary folder, where SQLite sorts, too. Its errors raise UserError."""
    with temporary_folder() as folder:
        try:
            with closing(sqlite3.connect(folder / "rows.sqlite", isolation_level=None)) as database:
                database.executescript(_TABLE)
                yield database
        except sqlite3.Error as error:
            raise UserError(
                f"The releases cannot be compared in {folder.parent}: {error}. "
                "Is there room? $TMPDIR may name another folder."
            ) from error


def _digests(
    release: str, manifest: Manifest, name: str, columns: Sequence[str] | None
) -> Iterator[tuple[str, int]]:
    """The key, with the split, and a hash of each row; hashes of equal rows are equal within one process."""
    subset = manifest["subsets"][name]
    key = FORMS[subset["form"]].row_key(full=manifest["mode"] == "full")
    for split, counts in subset["splits"].items():
        for rows in Rows([Path(release, path) for path in shard_paths(name, split, len(counts))]):
            keys = rows.select(pl.concat_str(pl.lit(split), key, separator=" ")).to_series()
            compared = rows if columns is None else rows.select(columns)
            yield from zip(keys, (hash(repr(row)) for row in compared.iter_rows()), strict=True)


def _described(difference: Difference) -> Iterator[str]:
    if difference.added or difference.removed or difference.changed:
        yield (
            f"{difference.subset}: {difference.added:,} rows added, {difference.removed:,} removed, "
            f"{difference.changed:,} changed, "
            f"{difference.equal:,} the same"
        )
        for kind, keys in difference.examples.items():
            if keys:
                yield f"  {kind}: {', '.join(keys)}"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
