"""Compares a release with an earlier one: rows added, removed and changed, settings, sources."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.export.findings import printable
from wokflow.export.forms import FORMS
from wokflow.export.manifest import Manifest, rows_of
from wokflow.export.shards import shard_paths
from wokflow.export.subsets import RECORDS
from wokflow.export.verify import verified

SHOWN = 5
SOURCE = ("version", "sha256", "licence", "release")
MEMBERS = ("name", "version", "mode", "contact", "licence_of_annotations")


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
        if before.get(name) != after.get(name):
            yield f"{name}: {_short(before.get(name))} -> {_short(after.get(name))}"
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
        elif name == RECORDS or before["mode"] == after["mode"]:
            yield from _described(compare(old, before, new, after, name))
        else:
            yield f"{name}: not compared, since one release is stand-off and the other full"


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
        for name in sorted({*one, *other}):
            if one.get(name) != other.get(name):
                yield f"{job}, setting {name}: {_short(one.get(name))} -> {_short(other.get(name))}"
        files = [before[job]["resources"], after[job]["resources"]]
        names = sorted(name for name in {*files[0], *files[1]} if files[0].get(name) != files[1].get(name))
        if names:
            yield f"{job}: other content of {', '.join(names)}"
        if before[job]["code"] != after[job]["code"]:
            yield f"{job}: other code"


def compare(old: str, before: Manifest, new: str, after: Manifest, name: str) -> Difference:
    """Compare the rows of a subset by key and split, holding keys and digests of the rows in memory.

    If a key occurs several times, the first row is compared with the first, the second with the second.
    """
    form = FORMS[after["subsets"][name]["form"]]
    left, right = (
        _digests(release, manifest, name, form.key) for release, manifest in ((old, before), (new, after))
    )
    both = left.join(right, on=["key", "nth"], how="full", suffix="_new", coalesce=True).collect(
        engine="streaming"
    )
    kinds = {
        "added": pl.col("row").is_null(),
        "removed": pl.col("row_new").is_null(),
        "changed": pl.col("row") != pl.col("row_new"),
    }
    differing = {kind: both.filter(which) for kind, which in kinds.items()}
    counts = {kind: rows.height for kind, rows in differing.items()}
    return Difference(
        name,
        **counts,
        equal=both.height - sum(counts.values()),
        examples={kind: rows["key"].sort().head(SHOWN).to_list() for kind, rows in differing.items()},
    )


def _digests(release: str, manifest: Manifest, name: str, key: Sequence[str]) -> pl.LazyFrame:
    """Columns key (text, with the split), nth (number among the rows with this key, from 0), and row (hash of the
    row).

    Hashes of equal rows are equal within one process.
    """
    frames = [
        pl.scan_parquet(str(Path(release, path)), glob=False).select(
            key=pl.concat_str(
                pl.lit(split), *(_text(column) for column in _key(key, manifest, name)), separator=" "
            ),
            row=pl.struct(pl.all()).map_batches(_hashes, return_dtype=pl.UInt64),
        )
        for split, shards in manifest["subsets"][name]["splits"].items()
        for path in shard_paths(name, split, len(shards))
    ]
    rows = pl.concat(frames) if frames else pl.LazyFrame(schema={"key": pl.String, "row": pl.UInt64})
    return rows.with_columns(nth=pl.int_range(pl.len()).over("key"))


def _key(key: Sequence[str], manifest: Manifest, name: str) -> list[str]:
    """The columns of the key; in the full form, a recipe's id is a member of its struct."""
    full = FORMS[manifest["subsets"][name]["form"]].schema(full=manifest["mode"] == "full")
    return [column if column in full.names else f"{column.removesuffix('_id')}.id" for column in key]


def _text(column: str) -> pl.Expr:
    outer, _, inner = column.partition(".")
    value = pl.col(outer).struct.field(inner) if inner else pl.col(outer)
    return value.map_batches(_joined, return_dtype=pl.String)


def _joined(values: pl.Series) -> pl.Series:
    if isinstance(values.dtype, pl.List):
        return values.list.join(",")
    return values.cast(pl.String).fill_null("")


def _hashes(rows: pl.Series) -> pl.Series:
    return pl.Series([hash(repr(row)) & 0xFFFFFFFFFFFFFFFF for row in rows.to_list()], dtype=pl.UInt64)


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
