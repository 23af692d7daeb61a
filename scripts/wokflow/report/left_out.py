"""What each stage left out: rows, recipes, sentences and requests; how many, why, and what may be the cause."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.columns import Reason, Rejected
from wokflow.frame.text_files import advice, encoding_of
from wokflow.report.render import shorten

LOUD = 0.05  # a larger share is explained, what is left out by design aside
SHOWN = 80  # characters of an example
SEEN = 200  # rows of which a cause is guessed
ESCAPED = re.compile(rb"\\x([0-9a-f]{2})")  # a byte that is no UTF-8, as ingest writes it


@dataclass(frozen=True)
class Declared:
    """What the stages declare of their rejects: the reasons of each, and what tables hold, by how their names begin.

    Stages are in the order of the workflow; the first beginning that fits counts.
    """

    reasons: Mapping[str, Mapping[str, Reason]]
    tables: Mapping[str, Rejected]


@dataclass(frozen=True)
class LeftOut:
    """What one table of rejects holds; `whole` is the number of rows before any was rejected, if that is known.

    `meaning`, `example` and `cause` are of the most frequent fault, if there is one.
    """

    stage: str
    name: str
    things: str
    whole: int | None
    reasons: tuple[tuple[str, int], ...]  # the most frequent first
    faults: Mapping[str, int]  # those of them that are not by design
    meaning: str  # of the most frequent fault
    example: str
    cause: str = ""

    @property
    def count(self) -> int:
        return sum(count for _, count in self.reasons)

    @property
    def loud(self) -> bool:
        """Whether faults, without rejects by design, are more than the share LOUD."""
        return self.whole is not None and sum(self.faults.values()) > LOUD * self.whole

    def __str__(self) -> str:
        of = f" of {self.whole:,}" if self.whole is not None else ""
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.reasons)
        return f"{self.stage}: {self.count:,}{of} {self.things} of {self.name} ({reasons})"

    def explained(self) -> str:
        """The share of faults, the most frequent one with an example, and what to do."""
        reason, count = next(iter(self.faults)), sum(self.faults.values())
        meaning = self.meaning.rstrip(".")
        share = f"{100 * count / (self.whole or count):.0f} %"
        message = (
            f"{self.stage} left out {share} of the {self.things} of {self.name}, most often for {reason}: "
            f"{meaning[:1].lower()}{meaning[1:]}. The first: {self.example}."
        )
        return f"{message} {self.cause}".rstrip()


def left_out(paths: Iterable[str], results: str | Path, declared: Declared) -> Iterator[LeftOut]:
    """Yield what each table of rejects among `paths` holds, if it has rows, by stage in the order of the workflow.

    All `paths` lie below the folder `results`.
    """
    parts_of: dict[str, list[str]] = {}
    for path in sorted({path for path in paths if path.endswith(".parquet") and Path(path).exists()}):
        parts_of.setdefault(Path(path).parent.relative_to(results).as_posix(), []).append(path)
    for stage in declared.reasons:
        for table, parts in sorted(parts_of.items()):
            if table.startswith(f"{stage}/rejects/") and tables.rows(parts):
                yield _of_table(table, parts_of, declared)


def _of_table(table: str, by_name: Mapping[str, list[str]], declared: Declared) -> LeftOut:
    begin = next(begin for begin in declared.tables if table.startswith(begin))
    kind, parts, stage = declared.tables[begin], by_name[table], table.split("/")[0]
    name = table.removeprefix(begin)
    scanned = tables.scan(parts)
    counted = scanned.group_by("reason").len().collect(engine="streaming")
    reasons = tuple(counted.sort("len", "reason", descending=[True, False]).iter_rows())
    known = declared.reasons[stage]
    faults = {reason: count for reason, count in reasons if not known[reason].by_design}
    shown = next(iter(faults), reasons[0][0])
    first = scanned.filter(pl.col("reason") == shown).head(SEEN).collect()
    whole = sum(tables.rows(by_name[other + name]) for other in kind.whole if other + name in by_name)
    kept = [other + name for other in kind.kept if other + name in by_name]
    if kept:
        whole = tables.rows(parts) + sum(_entries(other, by_name[other]) for other in kept)
    cause = _bytes_cause(first["raw"]) if shown == "invalid_utf8" else ""
    of = ", ".join(filter(None, (kind.of, name)))
    meaning, example = known[shown].meaning, _example(first)
    return LeftOut(stage, of, kind.things, whole or None, reasons, faults, meaning, example, cause)


def _entries(table: str, parts: list[str]) -> int:
    """The number of inputs that a table was made of: one for each row, but two for a replacement, which was given as
    a removal and an insertion, and one for each dialogue of adaptations.
    """
    if table.startswith("generate/adaptations/"):
        return tables.read(parts, ["dialogue_id"])["dialogue_id"].n_unique()
    if table != "pivot/pivots":
        return tables.rows(parts)
    kinds = tables.read(parts, ["kind"])["kind"]
    return len(kinds) + int((kinds == "replace").sum())


def _example(first: pl.DataFrame) -> str:
    """The first of some rejects: its place, the detail, and the beginning of its text."""
    row: dict[str, Any] = first.row(0, named=True)
    place = row.get("source_row", row.get("row"))
    where = str(row.get("instance_id") or row.get("dialogue_id") or row.get("task_id") or f"row {place}")
    if "base_dish" in row:
        where = f"{row['kind']} for {row['target_dish']} from {row['base_dish']}"
    detail = f" ({row['detail']})" if row.get("detail") else ""
    return f"{where}{detail}, {shorten(' '.join(row['raw'].split()), SHOWN)!r}"


def _bytes_cause(raw: pl.Series) -> str:
    """What encoding records that are not UTF-8 seem to have, and what to do; '' if it is not known."""
    data = b"\n".join(
        ESCAPED.sub(lambda byte: bytes.fromhex(byte[1].decode()), text.encode()) for text in raw
    )
    return advice(data) if encoding_of(data) else ""
