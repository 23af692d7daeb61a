"""Reading what the page shows: parts of tables by name, small text files, rejects, run times."""

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl

from wokflow.frame import tables
from wokflow.frame.columns import Reason
from wokflow.frame.text_files import read_table
from wokflow.report.render import Cell, Table, language, share, shorten

Tables = Mapping[str, str | Sequence[str]]  # the parts of tables, under the names that input_name gives them
RAW = 180  # characters shown of a rejected record
MEASURED = 5.0  # seconds that a job must last for its memory to be known


def input_name(table: str) -> str:
    """The name of the rule's input that holds a table: match_pairs_zh_en is that of match/pairs/zh-en."""
    return table.replace("/", "_").replace("-", "_")


def of(parts: Tables, table: str) -> list[str]:
    """The parts of `table`, such as ingest/recipes/xiachufang; none where the rule does not give it."""
    paths = parts.get(input_name(table), ())
    return [paths] if isinstance(paths, str) else list(paths)


def rows(parts: Tables, table: str) -> pl.DataFrame:
    """The table's rows; an empty frame without columns where it has no parts."""
    paths = of(parts, table)
    return tables.read(paths) if paths else pl.DataFrame()


def links(page: str, paths: Iterable[str]) -> list[dict[str, Any]]:
    """Tables of which `paths` are parts, and other files: name, address as seen from the page, rows of a table."""
    folders: dict[Path, list[str]] = {}
    for path in sorted(paths):
        folders.setdefault(Path(path).parent if path.endswith(".parquet") else Path(path), []).append(path)
    linked = []
    for folder, parts in folders.items():
        href = Path(os.path.relpath(folder, Path(page).parent)).as_posix()
        rows = tables.rows(parts) if parts[0].endswith(".parquet") else None
        linked.append({"name": href.replace("../", ""), "href": quote(href), "rows": rows})
    return linked


def tsv(path: str | Path) -> list[dict[str, str]]:
    return [row for _, row in read_table(path, ())]


def to_float(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None


def rejects(paths: Sequence[str], stage: str, meanings: Mapping[str, Reason], whole: int) -> dict[str, Any]:
    """Reasons with shares of `whole`, the most frequent first, and the first two rejects of each."""
    rejected = tables.read(paths, ["reason", "source_row"]).sort("source_row")
    reasons = rejected.group_by("reason").len("count").sort("count", "reason", descending=[True, False])
    wanted = rejected.group_by("reason", maintain_order=True).head(2)["source_row"].implode()
    raw = pl.col("raw").str.slice(0, RAW + 1)
    examples = tables.scan(paths).filter(pl.col("source_row").is_in(wanted)).with_columns(raw).collect()
    examples = examples.join(reasons, on="reason")
    examples = examples.sort("count", "reason", "source_row", descending=[True, False, False])
    most = reasons["count"][0] / whole if reasons.height else 1.0
    counted = [
        (
            Cell(name, meanings[name].meaning if name in meanings else ""),
            count,
            share(count / whole, most=most),
        )
        for name, count in reasons.iter_rows()
    ]
    shown = [
        (
            Cell(row["reason"], ": ".join(filter(None, [f"row {row['source_row']}", row["detail"]]))),
            Cell(shorten(row["raw"], RAW), lang=language(row["raw"]), kind="code"),
        )
        for row in examples.iter_rows(named=True)
    ]
    return {
        "stage": stage,
        "reasons": Table([f"Reason ({stage})", "Rows", "Share"], counted),
        "examples": Table(["Reason", "Record as read" if stage == "ingest" else "Recipe"], shown),
    }


def run_times(folder: Path) -> tuple[Table, list[str]]:
    """Of each rule but the report's own: jobs, seconds in all, greatest memory; when the first and last job ended.

    A file is named <wildcards>.tsv or <wildcards>.<shard>.<shards>.tsv; files of a former number of shards are left
    out. Memory is sampled, so that of a job which lasted less than MEASURED seconds is not known.
    """
    measured = []
    for path in sorted(folder.glob("*/*.tsv")):
        job, shards = path.stem, ""
        if path.stem.count(".") >= 2:
            job, _, shards = path.stem.rsplit(".", 2)
        for line in tsv(path):
            numbers = to_float(line.get("s")), to_float(line.get("max_rss"))
            measured.append((path.parent.name, job, shards, path.stat().st_mtime, *numbers))
    columns = ["rule", "job", "shards", "time", "seconds", "memory"]
    schema = dict(zip(columns, [pl.String] * 3 + [pl.Float64] * 3, strict=True))
    current = pl.col("shards") == pl.col("shards").sort_by("time").last().over("rule", "job")
    jobs = pl.DataFrame(measured, schema, orient="row").filter(current, pl.col("rule") != "report_page")
    known = pl.when(pl.col("seconds") >= MEASURED).then(pl.col("memory"))
    sums = jobs.group_by("rule").agg(pl.len(), pl.col("seconds").sum(), known.max())
    sums = sums.sort("seconds", "rule", descending=[True, False])
    rows = [
        (rule, count, Cell(f"{seconds:,.1f}", share=seconds / (sums["seconds"][0] or 1.0)), memory)
        for rule, count, seconds, memory in sums.iter_rows()
    ]
    ended = [moment(time) for time in (jobs["time"].min(), jobs["time"].max()) if isinstance(time, float)]
    return Table(["Rule", "Jobs", "Seconds in all", "Memory of the largest job, MB"], rows), ended


def moment(seconds: float) -> str:
    """A time since 1970 as a date, UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
