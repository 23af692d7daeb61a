"""Reading what the page shows: parts of tables by name, small text files, rejects, run times."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from wokflow.frame import tables
from wokflow.report import charts
from wokflow.report.charts import Html

Tables = Mapping[str, str | Sequence[str]]  # the parts of tables, under the names that input_name gives them


def input_name(table: str) -> str:
    """The name of the rule's input that holds a table: match_pairs_zh_en is that of match/pairs/zh-en."""
    return table.replace("/", "_").replace("-", "_")


def of(parts: Tables, table: str) -> list[str]:
    """The parts of `table`, such as ingest/recipes/xiachufang; none where the rule does not give it."""
    found = parts.get(input_name(table), ())
    return [found] if isinstance(found, str) else list(found)


def rows(parts: Tables, table: str) -> pl.DataFrame:
    """The table's rows; an empty frame without columns where it has no parts."""
    found = of(parts, table)
    return tables.read(found) if found else pl.DataFrame()


def tsv(path: str | Path) -> list[dict[str, str]]:
    return list(csv.DictReader(Path(path).read_text(encoding="utf-8-sig").splitlines(), delimiter="\t"))


def to_float(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None


def rejects(paths: Sequence[str], stage: str, meanings: Mapping[str, str], whole: int) -> Html:
    """Reasons with bars, then the first two rejects of each reason."""
    found = tables.read(paths, ["reason", "source_row"]).sort("source_row")
    reasons = found.group_by("reason").len("count").sort("count", "reason", descending=[True, False])
    wanted = found.group_by("reason", maintain_order=True).head(2)["source_row"].implode()
    raw = pl.col("raw").str.slice(0, charts.RAW + 1)
    examples = tables.scan(paths).filter(pl.col("source_row").is_in(wanted)).with_columns(raw).collect()
    examples = examples.join(reasons, on="reason")
    examples = examples.sort("count", "reason", "source_row", descending=[True, False, False])
    return charts.rejects(stage, dict(reasons.iter_rows()), meanings, whole, examples.to_dicts())


def run_times(folder: Path) -> pl.DataFrame:
    """Jobs, seconds in all and greatest memory of each rule but the report's own, the slowest first.

    A file is named <wildcards>.tsv or <wildcards>.<shard>.<shards>.tsv; files of a former number of shards are left
    out.
    """
    found = []
    for path in sorted(folder.glob("*/*.tsv")):
        job, shards = path.stem, ""
        if path.stem.count(".") >= 2:
            job, _, shards = path.stem.rsplit(".", 2)
        for line in tsv(path):
            numbers = to_float(line.get("s")), to_float(line.get("max_rss"))
            found.append((path.parent.name, job, shards, path.stat().st_mtime, *numbers))
    schema = {"rule": pl.String, "job": pl.String, "shards": pl.String, "time": pl.Float64}
    schema |= {"seconds": pl.Float64, "memory": pl.Float64}
    current = pl.col("shards") == pl.col("shards").sort_by("time").last().over("rule", "job")
    jobs = pl.DataFrame(found, schema, orient="row").filter(current, pl.col("rule") != "report_page")
    sums = jobs.group_by("rule").agg(pl.len().alias("jobs"), pl.col("seconds").sum(), pl.col("memory").max())
    return sums.sort("seconds", "rule", descending=[True, False])
