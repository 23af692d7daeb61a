"""Helpers for declaring tables."""

from typing import NamedTuple

import pyarrow as pa

STRINGS = pa.list_(pa.field("element", pa.string(), nullable=False))
RECIPE_ID = "Corpus and row number in the source, as recipenlg:12; rows count from 0, without the header."


def column(name: str, type_: pa.DataType, description: str, *, nullable: bool = False) -> pa.Field:
    """A column with its description, which goes into the Parquet file and into docs/tables.md."""
    return pa.field(name, type_, nullable=nullable, metadata={"description": description})


class Reason(NamedTuple):
    """Why a row is a reject, in words.

    `by_design`: a filter, a test or a person decides so, as the config says. All other reasons are faults of the
    input, or of a setting that does not fit it.
    """

    meaning: str
    by_design: bool = False


class Rejected(NamedTuple):
    """What the rows of a table of rejects were, and which tables say how many rows there were before: the `whole`
    tables or, with the rejects added, the tables of what was `kept`. `of` names the source of the rows; if it is
    empty, the rest of the table's name does.
    """

    things: str
    of: str = ""
    whole: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


class RejectedError(Exception):
    """A row that becomes a reject. `reason` is one of its stage's REASONS, `detail` says what was read."""

    def __init__(self, reason: str, detail: str | None = None) -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail
