"""Section of the page: scores of adapted recipes by data and test set, the published ones beside."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import polars as pl

from wokflow.report import doubts, inputs
from wokflow.report.charts import Charts, intervals
from wokflow.report.inputs import Tables
from wokflow.report.render import Cell, Table, interval, p_value

METRICS = {
    "bleu": "BLEU",
    "bleu_jieba": "BLEU, jieba",
    "spbleu": "spBLEU",
    "chrf": "chrF",
    "rouge_l": "ROUGE-L",
    "rouge_l_blanks": "ROUGE-L, blanks",
    "bertscore": "BERTScore",
    "smatch": "Smatch",
    "comet": "COMET",
    "bleurt": "BLEURT",
    "csi_match": "CSI-Match",
    "csi_exact": "Exact Match",
    "tokens": "Words",
}
SETS = {
    "silver": "Silver: matched recipes as references",
    "gold": "Gold: adaptations of the same sources as references",
}
LENGTH = "tokens"  # measured, but neither more nor less of it is better
ASKED = ("bertscore", "smatch", "comet", "bleurt")  # metrics that the config must ask for
PUBLISHED = "published"

Scored = tuple[str, str]  # a data set, and a run
ByRun = dict[str, dict[str, dict[str, Any]]]  # rows of scores by run and metric


class Scores(NamedTuple):
    """Scores of a test set by run and metric, differences to the baseline likewise, and the published scores."""

    runs: ByRun
    differences: ByRun
    published: list[dict[str, Any]]


def section(parts: Tables, names: Mapping[str, str], level: float, draw: Charts) -> dict[str, Any]:
    """Tables of runs by metric for each test set of each of `names`, with intervals of the given level."""
    scored, seen = of_data(inputs.rows(parts, "evaluate/scores"), names), doubts.outputs(parts, names)
    smoke = doubts.smoke_tests(seen)
    if not scored.is_empty():
        scored = scored.filter(~pl.col("run").is_in(smoke))
    comparisons, summary = (
        of_data(inputs.rows(parts, f"evaluate/{name}"), names) for name in ("comparisons", "summary")
    )
    sets: dict[str, list[dict[str, Any]]] = {}
    for dataset in ordered(scored, names):
        data, _, name = dataset.partition("/")
        rows = scores(dataset, scored, comparisons, summary)
        shown = {
            "name": SETS.get(name, name),
            "table": _table(rows, doubts.warnings(seen, dataset)),
            "notes": doubts.notes(rows.published),
            "charts": [*pictures(rows, f"{names[data]}, {name}", draw)],
            "baseline": next(
                (row["baseline"] for run in rows.differences.values() for row in run.values()), ""
            ),
            "differences": _differences(rows),
        }
        sets.setdefault(data, []).append(shown)
    return {
        "level": 100 * level,
        "signs": {"alpha": doubts.ALPHA, "least": doubts.LEAST},
        "smoke": smoke,
        "sets": {names[data]: shown for data, shown in sets.items()},
        "chinese": [names[data] for data in sets if data.endswith("-zh")],
        "compared": not comparisons.is_empty(),
        "published": bool(_published(summary)),
        "missing": missing(scored, names, METRICS),
        "off": [
            METRICS[name] for name in ASKED if not scored.is_empty() and name not in set(scored["metric"])
        ],
        "signatures": signatures(scored),
    }


def pictures(rows: Scores, label: str, draw: Charts) -> Iterator[tuple[str, Any]]:
    """The runs with their intervals, a picture a metric."""
    for metric, title in METRICS.items():
        scored = [
            row[metric] for row in rows.runs.values() if metric in row and row[metric]["value"] is not None
        ]
        if scored:
            best = None if metric == LENGTH else max(scored, key=lambda row: row["value"])["run"]
            yield title, draw.draw(intervals(scored, title, best), f"{title}: {label}")


def of_data(rows: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """The rows of the test sets of these data, such as zh-en/silver; an empty frame may lack the columns."""
    if rows.is_empty():
        return rows
    return rows.filter(pl.col("dataset").str.split("/").list.first().is_in(list(names)))


def _published(summary: pl.DataFrame) -> list[dict[str, Any]]:
    return [row for row in summary.to_dicts() if row["origin"] == PUBLISHED]


def ordered(rows: pl.DataFrame, names: Mapping[str, str]) -> list[str]:
    """The test sets, by data as `names` has them, silver and gold first."""

    def place(dataset: str) -> tuple[int, int, str]:
        data, _, name = dataset.partition("/")
        return list(names).index(data), (*SETS, name).index(name), name

    return sorted(set(rows["dataset"]), key=place) if "dataset" in rows.columns else []


def scores(dataset: str, scored: pl.DataFrame, comparisons: pl.DataFrame, summary: pl.DataFrame) -> Scores:
    """The scores of one test set."""
    published = [row for row in _published(summary) if row["dataset"] == dataset]
    return Scores(by_run(scored, dataset), by_run(comparisons, dataset), published)


def by_run(rows: pl.DataFrame, dataset: str) -> ByRun:
    """Rows of a data set by run and metric."""
    by_metric: ByRun = {}
    for row in rows.to_dicts():
        if row["dataset"] == dataset:
            by_metric.setdefault(row["run"], {})[row["metric"]] = row
    return by_metric


def _table(rows: Scores, warnings: Mapping[str, str]) -> Table:
    """A row for each run, then one for each published method; a column for each metric that some row has."""
    scored = [{name: row["value"] for name, row in by_metric.items()} for by_metric in rows.runs.values()]
    metrics = [
        name for name in METRICS if any(row.get(name) is not None for row in (*scored, *rows.published))
    ]
    baselines = {row["baseline"] for run in rows.differences.values() for row in run.values()}
    cells: list[list[Cell]] = []
    for run, by_metric in rows.runs.items():
        instances = max(row["instances"] for row in by_metric.values())
        note = f"{instances:,} instance{'' if instances == 1 else 's'}"
        note += ", the baseline" if run in baselines else ""
        note += f". Warning: {warnings[run]}" if run in warnings else ""
        differences = rows.differences.get(run, {})
        shown = [score(by_metric.get(name), _sign(differences.get(name))) for name in metrics]
        cells.append([Cell(run, note), *shown])
    for row in rows.published:
        shown = [Cell(row.get(name), digits=1) for name in metrics]
        cells.append(
            [Cell(row["run"] + (" †" if row["note"] else ""), "published", kind="published"), *shown]
        )
    return Table(["Run", *(METRICS[name] for name in metrics)], cells)


def score(row: Mapping[str, Any] | None, sign: str = "") -> Cell:
    """A score with its interval."""
    if row is None or row["value"] is None:
        return Cell(None)
    return Cell(f"{sign}{row['value']:.1f}", interval(row["low"], row["high"]), number=True)


def _sign(difference: Mapping[str, Any] | None) -> str:
    """A sign if a score is significantly better or worse than the baseline's."""
    if difference is None or not difference["significant"]:
        return ""
    return "▲ " if difference["difference"] > 0 else "▼ "


def _differences(rows: Scores) -> Table:
    """The evidence for the signs: differences to the baseline, and their p-values."""
    metrics = [name for name in METRICS if any(name in run for run in rows.differences.values())]
    cells = [
        [run, *(_difference(by_metric.get(name)) for name in metrics)]
        for run, by_metric in rows.differences.items()
    ]
    return Table(["Run", *(METRICS[name] for name in metrics)], cells)


def _difference(row: Mapping[str, Any] | None) -> Cell:
    if row is None or row["difference"] is None:
        return Cell(None)
    p_values = [row[name] for name in ("p_value", "adjusted_p", "bootstrap_p")]
    note = f"{row['differing']} differ: no test"
    if None not in p_values:
        note = "p " + ", ".join(map(p_value, p_values))
    return Cell(f"{row['difference']:+.1f}", note, number=True)


def missing(rows: pl.DataFrame, names: Mapping[str, str], metrics: Mapping[str, str]) -> list[str]:
    """Why metrics were not measured: each reason with its data sets and runs, unless it holds for all.

    Metrics that the same runs lack on the same data sets, for the same reason, are named together.
    """
    if rows.is_empty():
        return []
    together: dict[tuple[str, frozenset[Scored]], list[str]] = {}
    lacking = rows.filter(pl.col("value").is_null())
    for (note, metric), some in lacking.group_by("note", "metric", maintain_order=True):
        scored = frozenset(some.select("dataset", "run").iter_rows())
        together.setdefault((str(note), scored), []).append(metrics.get(str(metric), str(metric)))
    every = {*rows.select("dataset", "run").iter_rows()}
    return [
        f"{'; '.join(absent)}{f' ({where})' if (where := _where(scored, every, names)) else ''}: {note}"
        for (note, scored), absent in together.items()
    ]


def _where(some: Collection[Scored], every: Collection[Scored], names: Mapping[str, str]) -> str:
    """The data sets and runs of some scores among those of all; only the data sets, or runs, if that says it."""
    datasets, runs = ({one[place] for one in some} for place in (0, 1))
    here = {one for one in every if one[0] in datasets}
    if len(some) < len([one for one in here if one[1] in runs]):
        return ", ".join(f"{run} on {_named(dataset, names)}" for dataset, run in sorted(some))
    others = {dataset for dataset, _ in every} - datasets
    halved = {_data(dataset) for dataset in datasets} & {_data(dataset) for dataset in others}
    where = {
        _named(dataset if _data(dataset) in halved else _data(dataset), names)
        for dataset in datasets
        if others
    }
    return ", ".join([*sorted(where), *(sorted(runs) if len(some) < len(here) else [])])


def _data(dataset: str) -> str:
    return dataset.partition("/")[0]


def _named(dataset: str, names: Mapping[str, str]) -> str:
    data, _, part = dataset.partition("/")
    return " ".join(filter(None, (names.get(data, data), SETS.get(part, part).partition(":")[0].lower())))


def signatures(rows: pl.DataFrame) -> Table:
    """Versions and settings of each metric; a row for each setting if test sets differ."""
    if rows.is_empty():
        return Table([], [])
    known = rows.filter(pl.col("value").is_not_null(), pl.col("signature") != "")
    grouped = known.group_by("metric", "signature", maintain_order=True).agg(
        pl.col("dataset").unique().sort()
    )
    cells = [
        (Cell(METRICS.get(metric, metric), ", ".join(sets)), signature)
        for metric, signature, sets in grouped.iter_rows()
    ]
    return Table(["Metric", "Version and settings"], cells)
