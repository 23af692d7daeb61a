"""Pivot actions and orders from a file, such as those of the paper's experts, in place of mined ones."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import polars as pl
import pyarrow as pa

from wokflow.frame import tables
from wokflow.frame.columns import RejectedError
from wokflow.frame.job import Job, UserError
from wokflow.parse.glossary import Glossary, read_glossary
from wokflow.pivot import schemas
from wokflow.pivot.dishes import read_pairs
from wokflow.pivot.given_files import Record, order_records, pivot_records
from wokflow.pivot.occurrences import Proto
from wokflow.pivot.replacements import merged, read_split, swaps

SHOWN = 5  # examples of what could not be used, in a message
ACTION = ("verb_class", "ingredient_classes", "tool_classes")
Pair = tuple[str, str]  # base dish, target dish
Row = dict[str, Any]


class Scope:
    """What records may refer to: the run's pairs of dishes, and the classes of its glossary."""

    def __init__(self, pairs: pl.DataFrame, glossary: Glossary) -> None:
        self.pairs: list[Pair] = list(pairs.select("base_dish", "target_dish").iter_rows())
        self.swaps = swaps(pairs, glossary)
        self._verbs, self._foods, self._tools = (
            frozenset(words.values()) for words in (glossary.verbs, glossary.ingredients, glossary.tools)
        )

    @classmethod
    def read(cls, pairs: str, glossary: str) -> "Scope":
        return cls(read_pairs(pairs), read_glossary(glossary))

    def pair(self, record: Record) -> Pair:
        """The pair of a record. Raises RejectedError if it is not exactly one, or if a class is unknown."""
        base, target = record.base, record.target
        matches = [pair for pair in self.pairs if pair[1] == target and base in (None, pair[0])]
        if len(matches) != 1:
            matching = ", ".join(" to ".join(pair) for pair in matches) or "none"
            raise RejectedError("unknown_pair", f"{base or 'any'} to {target}: {matching} of the pairs")
        if unknown := sorted({name for action in record.actions for name in self._unknown(action)}):
            raise RejectedError("unknown_class", ", ".join(unknown))
        return matches[0]

    def _unknown(self, action: Proto) -> set[str]:
        verbs, foods, tools = {action.verb}, set(action.ingredients), set(action.tools)
        return (verbs - self._verbs) | (foods - self._foods) | (tools - self._tools)


def write_pivots(
    given: str,
    scope: Scope,
    pivots: str,
    rejects: str,
    job: Job,
) -> None:
    """Write the pivot actions of the file `given`, in the order of pairs and file, and those that cannot be used.

    A removal and an insertion that differ in the changed ingredient alone become a replacement.

    Raises UserError if the file is malformed, if it has an action of a pair both to remove and to insert, or if no
    pivot action can be used.
    """
    kinds: dict[tuple[Pair, Proto], str] = {}

    def use(record: Record) -> Row:
        pair, (action,) = scope.pair(record), record.actions
        if (known := kinds.setdefault((pair, action), record.kind)) != record.kind:
            raise UserError(
                f"{given}, {record.where}: an earlier row says to {known} {action.written}, this one to "
                f"{record.kind} it. Keep one of the two."
            )
        named = zip(ACTION, (action.verb, list(action.ingredients), list(action.tools)), strict=True)
        return _of(pair) | dict(named) | {"kind": record.kind, "decided_by": "given"}

    rows = _rows(given, pivot_records(given), use, scope, rejects, job)
    tables.write(pivots, schemas.PIVOTS, merged(_frame(schemas.PIVOTS, rows), scope.swaps), job.metadata)


def write_orders(
    given: str,
    scope: Scope,
    pivots: str,
    orders: str,
    rejects: str,
    job: Job,
) -> None:
    """Write the orders of the file `given`, in the order of pairs and file, and those that cannot be used.

    An order of an action that pivot/pivots does not insert is a reject, since no score would read it. Raises
    UserError if the file is malformed, if the pivot is not one of an order's two actions, or if no order can be used.
    """
    inserts = read_split(pivots).filter(pl.col("kind") == "insert")
    inserted = {
        ((base, target), Proto(verb, tuple(foods), tuple(tools)))
        for base, target, verb, foods, tools in inserts.select(
            "base_dish", "target_dish", *ACTION
        ).iter_rows()
    }

    def use(record: Record) -> Row:
        pivot, before, after = record.actions
        if before == after or pivot not in (before, after):
            raise UserError(
                f"{given}, {record.where}: the pivot must be one of two actions, before or after."
            )
        pair = scope.pair(record)
        if (pair, pivot) not in inserted:
            raise RejectedError("not_inserted", pivot.written)
        names = {"pivot": pivot.written, "before": before.written, "after": after.written}
        return _of(pair) | names | {"flag": ""}

    rows = _rows(given, order_records(given), use, scope, rejects, job)
    tables.write(orders, schemas.ORDERS, _frame(schemas.ORDERS, rows), job.metadata)


def _of(pair: Pair) -> Row:
    return {"base_dish": pair[0], "target_dish": pair[1]}


def _rows(
    given: str,
    records: Iterable[Record],
    use: Callable[[Record], Row],
    scope: Scope,
    rejects: str,
    job: Job,
) -> list[Row]:
    """The rows that `use` makes of the records, each once, by pair. Writes the records that it rejects."""
    rows: dict[tuple[Any, ...], Row] = {}
    rejected: list[Row] = []
    for number, record in enumerate(records):
        try:
            row = use(record)
            if rows.setdefault((row["base_dish"], row["target_dish"], record.actions), row) is not row:
                raise RejectedError("repeated", record.where)
        except RejectedError as error:
            rejected.append(
                {"source_row": number, "reason": error.reason, "detail": error.detail, "raw": record.raw}
            )
    if not rows and rejected:
        raise UserError(f"{given}: none of {len(rejected)} rows can be used. {_reasons(rejected)}")
    place = {pair: number for number, pair in enumerate(scope.pairs)}
    tables.write(rejects, schemas.GIVEN_REJECTS, _frame(schemas.GIVEN_REJECTS, rejected), job.metadata)
    job.progress.say(f"{given}: {len(rows)} rows used, {len(rejected)} not. {_reasons(rejected)}".strip())
    return sorted(rows.values(), key=lambda row: place[row["base_dish"], row["target_dish"]])


def _frame(schema: pa.Schema, rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(pa.Table.from_pylist(rows, schema))


def _reasons(rejected: list[Row]) -> str:
    """Each reason with its count, its meaning, and examples."""
    details: dict[str, Counter[str]] = {}
    for reject in rejected:
        details.setdefault(reject["reason"], Counter())[reject["detail"]] += 1
    return " ".join(
        f"{reason} ({tally.total()}): {schemas.REASONS[reason].meaning} "
        f"Found: {'; '.join(detail for detail, _ in tally.most_common(SHOWN))}{' ...' if len(tally) > SHOWN else ''}."
        for reason, tally in sorted(details.items())
    )
