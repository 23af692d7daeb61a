"""Gates on rows: duplicate ids, counts that do not add up, sources without a licence."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from wokflow.export.gate_findings import EXAMPLES, Finding, finding
from wokflow.export.licences import RELEASES

UNKNOWN = frozenset({"", "?", "unknown", "todo", "tbd", "n/a", "none", "null"})


def duplicate_ids(rows: Iterable[pl.DataFrame], config: str) -> list[Finding]:
    """Ids (column `key`) that occur more than once; the count is of ids, of which those that occur most are shown.

    Ids are compared by hashes of 64 bits, so that 16 bytes a row are in memory. `rows` are read twice if there are
    such ids.
    """
    key = pl.col("key").hash(seed=0)
    none = np.empty(0, np.uint64)
    hashes = np.concatenate([none, *(each.select(key).to_series().to_numpy() for each in rows)])
    hashes.sort()
    begins = np.flatnonzero(np.concatenate([np.ones(min(len(hashes), 1), bool), hashes[1:] != hashes[:-1]]))
    times = np.diff(np.append(begins, len(hashes)))
    twice = np.flatnonzero(times > 1)
    shown = twice[np.argsort(-times[twice], kind="stable")][:EXAMPLES]
    most = dict(zip(hashes[begins[shown]].tolist(), times[shown].tolist(), strict=True))
    names: dict[int, str] = {}
    for each in rows if most else ():
        some = each.select("key", code=key).filter(pl.col("code").is_in(list(most)))
        names |= {code: name for name, code in some.iter_rows()}
    examples = (f"{names[code]}: {count} times" for code, count in most.items())
    advice = "Each id names one row: look at the step that wrote the table, and at the source, for rows read twice."
    return finding("duplicate_ids", config, len(twice), examples, advice)


@dataclass(frozen=True)
class Account:
    """The row counts of a step. If `after` names a step, its rows out are this step's rows in."""

    step: str
    rows_in: int
    rows_out: int
    rejects: int
    after: str = ""


def accounts(steps: Iterable[Account]) -> list[Finding]:
    """Steps whose rows in differ from rows out plus rejects, or from the rows out of the step before; counts rows.

    Raises ValueError for a repeated step, and for a step after an unknown one.
    """
    known: dict[str, Account] = {}
    wrong: list[tuple[int, str]] = []
    for one in steps:
        if one.step in known or (one.after and one.after not in known):
            raise ValueError(
                f"{one.step} is repeated, or the step before it ({one.after!r}) has not come yet"
            )
        known[one.step] = one
        missing = one.rows_in - one.rows_out - one.rejects
        if missing:
            sums = f"{one.rows_in} rows in, {one.rows_out} out and {one.rejects} rejects"
            wrong.append((abs(missing), f"{one.step}: {sums} ({_off(missing)})"))
        if one.after and (missing := known[one.after].rows_out - one.rows_in):
            sums = f"{known[one.after].rows_out} rows out of {one.after}, {one.rows_in} in"
            wrong.append((abs(missing), f"{one.step}: {sums} ({_off(missing)})"))
    advice = "Run the step again: its tables are of different runs, or it lost rows, which is an error in the step."
    return finding("rows", "", sum(rows for rows, _ in wrong), (text for _, text in wrong), advice)


def _off(missing: int) -> str:
    return f"{missing} missing" if missing > 0 else f"{-missing} too many"


def unlicensed(sources: Mapping[str, Mapping[str, Any]]) -> list[Finding]:
    """Sources without a known `licence`, or whose `release` is not in RELEASES; counts sources."""
    wrong = []
    for name, source in sorted(sources.items()):
        lacks = []
        if str(source.get("licence") or "").strip().rstrip(".").casefold() in UNKNOWN:
            lacks.append("no licence")
        if source.get("release") not in RELEASES:
            lacks.append(f"release: {source.get('release')!r} is none of {', '.join(RELEASES)}")
        if lacks:
            wrong.append(f"{name}: {'; '.join(lacks)}")
    advice = "Read the terms of the source, and write down its licence and what may be released of it."
    return finding("licences", "", len(wrong), wrong, advice)
