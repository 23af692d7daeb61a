"""What each stage left out: rows, recipes, sentences and requests; how many, why, and what may be the cause."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.annotate import schemas as annotate
from wokflow.enrich import schemas as enrich
from wokflow.frame import tables
from wokflow.frame.columns import Reason
from wokflow.frame.text_files import advice, encoding_of
from wokflow.generate import schemas as generate
from wokflow.ingest import schemas as ingest
from wokflow.judge import schemas as judge
from wokflow.match import schemas as match
from wokflow.parse import schemas as parse
from wokflow.pivot import schemas as pivot
from wokflow.report.render import shorten

LOUD = 0.05  # a larger share is explained, what is left out by design aside
SHOWN = 80  # characters of an example
SEEN = 200  # rows of which a cause is guessed
# By stage, in the order of the workflow; imported by name, since the key of a step has the code that it imports.
REASONS: Mapping[str, Mapping[str, Reason]] = {
    "ingest": ingest.REASONS,
    "match": match.REASONS,
    "parse": parse.REASONS,
    "pivot": pivot.REASONS,
    "enrich": enrich.REASONS,
    "generate": generate.REASONS,
    "judge": judge.REASONS,
    "annotate": annotate.REASONS,
}
ESCAPED = re.compile(rb"\\x([0-9a-f]{2})")  # a byte that is no UTF-8, as ingest writes it


@dataclass(frozen=True)
class Kind:
    """What the rows of a table of rejects were, and which tables say how many rows there were before: the `whole`
    tables or, with the rejects added, the tables of what was `kept`. `of` names the source of the rows; if it is
    empty, the rest of the table's name does.
    """

    things: str
    of: str = ""
    whole: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


# How the names of tables begin; the first that fits counts.
KINDS = {
    "ingest/rejects/pages_": Kind("pages", kept=("ingest/pages/",)),
    "ingest/rejects/dialogues": Kind("utterances", kept=("ingest/utterances",)),
    "ingest/rejects/annotations": Kind("marked items", kept=("ingest/annotations",)),
    "ingest/rejects/": Kind("rows", kept=("ingest/recipes/", "ingest/sentences/")),
    "match/rejects/dish-names": Kind("names of dishes", "match.candidates.titles"),
    "match/rejects/labels": Kind("graded pairs", "match.rerank"),
    "match/rejects/silver-": Kind("rows", "match.silver.accepted", kept=("match/silver/",)),
    "match/rejects/": Kind("recipes", whole=("ingest/recipes/",)),
    "parse/rejects/": Kind("recipes", whole=("ingest/recipes/",)),
    "pivot/rejects/candidates": Kind("differing actions", "pairs of dishes", kept=("pivot/candidates",)),
    "pivot/rejects/": Kind("given entries", kept=("pivot/",)),
    "enrich/rejects/entities": Kind(
        "entities (those without a name aside)", "enrich.entities.path", kept=("enrich/entities",)
    ),
    "enrich/rejects/mentions/": Kind("mentions", kept=("enrich/mentions/",)),
    "enrich/rejects/": Kind("sentences", whole=("ingest/sentences/",)),
    "generate/rejects/adaptations/": Kind("dialogues", kept=("generate/adaptations/",)),
    "generate/rejects/": Kind("requests", kept=("generate/predictions/",)),
    "judge/rejects/tasks": Kind("recipes", "all generators", kept=("judge/tasks",)),
    "judge/rejects/pta": Kind("translations of items", "all runs", kept=("judge/pta/pairs",)),
    "judge/rejects/": Kind("ratings, or edits,", kept=("judge/ratings/", "judge/edits/")),
    "annotate/rejects/": Kind("ratings by people", kept=("annotate/ratings/",)),
}


@dataclass(frozen=True)
class LeftOut:
    """What one table of rejects holds; `whole` is the number of rows before any was rejected, if that is known.

    `example` and `cause` are of the most frequent fault, if there is one.
    """

    stage: str
    name: str
    things: str
    whole: int | None
    reasons: tuple[tuple[str, int], ...]  # the most frequent first
    example: str
    cause: str = ""

    @property
    def count(self) -> int:
        return sum(count for _, count in self.reasons)

    @property
    def faults(self) -> dict[str, int]:
        """The reasons that are not by design, the most frequent first, with their counts."""
        return dict(_faults(self.stage, self.reasons))

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
        faults = self.faults
        reason, count = next(iter(faults)), sum(faults.values())
        meaning = REASONS[self.stage][reason].meaning.rstrip(".")
        share = f"{100 * count / (self.whole or count):.0f} %"
        message = (
            f"{self.stage} left out {share} of the {self.things} of {self.name}, most often for {reason}: "
            f"{meaning[:1].lower()}{meaning[1:]}. The first: {self.example}."
        )
        return f"{message} {self.cause}".rstrip()


def left_out(paths: Iterable[str], results: str | Path) -> Iterator[LeftOut]:
    """Yield what each table of rejects among `paths` holds, if it has rows, by stage in the order of the workflow.

    All `paths` lie below the folder `results`.
    """
    parts_of: dict[str, list[str]] = {}
    for path in sorted({path for path in paths if path.endswith(".parquet") and Path(path).exists()}):
        parts_of.setdefault(Path(path).parent.relative_to(results).as_posix(), []).append(path)
    for stage in REASONS:
        for table, parts in sorted(parts_of.items()):
            if table.startswith(f"{stage}/rejects/") and tables.rows(parts):
                yield _of_table(table, parts, parts_of)


def _of_table(table: str, parts: list[str], by_name: Mapping[str, list[str]]) -> LeftOut:
    begin, kind = next((begin, kind) for begin, kind in KINDS.items() if table.startswith(begin))
    name = table.removeprefix(begin)
    scanned = tables.scan(parts)
    counted = scanned.group_by("reason").len().collect(engine="streaming")
    reasons = tuple(counted.sort("len", "reason", descending=[True, False]).iter_rows())
    stage = table.split("/")[0]
    shown, _ = next(_faults(stage, reasons), reasons[0])
    first = scanned.filter(pl.col("reason") == shown).head(SEEN).collect()
    whole = sum(tables.rows(by_name[other + name]) for other in kind.whole if other + name in by_name)
    kept = [other + name for other in kind.kept if other + name in by_name]
    if kept:
        whole = tables.rows(parts) + sum(_entries(other, by_name[other]) for other in kept)
    cause = _bytes_cause(first["raw"]) if shown == "invalid_utf8" else ""
    of = ", ".join(filter(None, (kind.of, name)))
    return LeftOut(stage, of, kind.things, whole or None, reasons, _example(first), cause)


def _faults(stage: str, reasons: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    return ((reason, count) for reason, count in reasons if not REASONS[stage][reason].by_design)


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
