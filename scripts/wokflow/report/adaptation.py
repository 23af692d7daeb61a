"""Section of the page: scores of adapted recipes by data and test set, the published ones beside."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from wokflow.report import inputs
from wokflow.report.charts import Html, esc, folded, noted, number, paragraph, table
from wokflow.report.inputs import Tables

METRICS = {
    "bleu": "BLEU",
    "bleu_jieba": "BLEU, jieba",
    "chrf": "chrF",
    "rouge_l": "ROUGE-L",
    "bertscore": "BERTScore",
    "smatch": "Smatch",
    "comet": "COMET",
    "tokens": "Words",
}
SETS = {
    "silver": "Silver: matched recipes as references",
    "gold": "Gold: adaptations of the same sources as references",
}
LENGTH = "tokens"  # measured, but neither more nor less of it is better
PUBLISHED = "published"
WORDING = (
    "Each run adapts the source recipes of the test sets, and its predictions are compared with the references. "
    "Scores are in percent, words the mean of a prediction; below each is its bootstrap interval ({level:g} %). "
    "References of the silver set are recipes of the same dish by other cooks: no run can "
    "be near 100, and a good adaptation may score low. Read some predictions as well."
)
SIGNS = (
    "▲ and ▼: better or worse than the baseline by paired bootstrap (p < {alpha:g}, not corrected for the number of "
    "comparisons)."
)
BESIDE = (
    "Rows in grey are published (Cultural Adaptation of Recipes, tables 3 and 4). They are of other test sets: they "
    "show which values to expect, and cannot be ranked with the runs above them."
)
BLEUS = (
    "BLEU cuts Chinese into characters; its jieba variant cuts it into words, as the paper does, and is the one "
    "to read beside the published BLEU."
)


class Scores(NamedTuple):
    """Scores of a test set by run and metric, differences to the baseline likewise, and the published scores."""

    runs: dict[str, dict[str, dict[str, Any]]]
    differences: dict[str, dict[str, dict[str, Any]]]
    published: list[dict[str, Any]]


def section(parts: Tables, names: Mapping[str, str], level: float) -> str:
    """Tables of runs by metric for each test set of each of `names`, with intervals of the given level."""
    found = of_data(inputs.rows(parts, "evaluate/scores"), names)
    if found.is_empty():
        return paragraph("No run was evaluated: no run of these data is in the table of runs.")
    comparisons, summary = (
        of_data(inputs.rows(parts, f"evaluate/{name}"), names) for name in ("comparisons", "summary")
    )
    alpha = round(1 - level, 6)
    page: str = paragraph(WORDING.format(level=100 * level))
    page += "" if comparisons.is_empty() else paragraph(SIGNS.format(alpha=alpha))
    page += paragraph(BESIDE) if _published(summary) else ""
    last = ""
    for dataset in ordered(found, names):
        data, _, name = dataset.partition("/")
        if data != last:
            page += f"<h3>{esc(names[data])}</h3>\n" + (paragraph(BLEUS) if data.endswith("-zh") else "")
        rows = scores(dataset, found, comparisons, summary)
        page += f"<h4>{esc(SETS.get(name, name))}</h4>\n" + _table(rows, alpha) + _differences(rows)
        last = data
    return page + missing(found, names) + signatures(found)


def of_data(rows: pl.DataFrame, names: Mapping[str, str]) -> pl.DataFrame:
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

    return sorted(set(rows["dataset"]), key=place)


def scores(dataset: str, found: pl.DataFrame, comparisons: pl.DataFrame, summary: pl.DataFrame) -> Scores:
    """The scores of one test set."""
    runs, differences = (
        _by_run([row for row in frame.to_dicts() if row["dataset"] == dataset])
        for frame in (found, comparisons)
    )
    return Scores(runs, differences, [row for row in _published(summary) if row["dataset"] == dataset])


def _by_run(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, dict[str, Any]]]:
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["run"], {})[row["metric"]] = row
    return found


def _table(rows: Scores, alpha: float) -> Html:
    """A row for each run, then one for each published method; a column for each metric that some row has."""
    scored = [{name: row["value"] for name, row in found.items()} for found in rows.runs.values()]
    metrics = [
        name for name in METRICS if any(row.get(name) is not None for row in (*scored, *rows.published))
    ]
    baselines = {row["baseline"] for run in rows.differences.values() for row in run.values()}
    instances = {run: max(row["instances"] for row in found.values()) for run, found in rows.runs.items()}
    cells: list[tuple[object, ...]] = []
    for run, found in rows.runs.items():
        note = f"{number(instances[run])} instances"
        if run in baselines:
            note += ", the baseline"
        differences = rows.differences.get(run, {})
        cells.append(
            (
                noted(run, note),
                *(_score(found.get(name), differences.get(name), alpha) for name in metrics),
            )
        )
    for row in rows.published:
        first = Html(f'<span class="published">{esc(row["run"])}</span><small>published</small>')
        cells.append((first, *(number(row.get(name), 1) for name in metrics)))
    return table(["Run", *(f"#{METRICS[name]}" for name in metrics)], cells)


def _score(row: Mapping[str, Any] | None, difference: Mapping[str, Any] | None, alpha: float) -> str:
    if row is None or row["value"] is None:
        return "–"
    return noted(
        f"{_sign(row['metric'], difference, alpha)}{row['value']:.1f}",
        f"{row['low']:.1f} to {row['high']:.1f}",
    )


def _sign(metric: str, difference: Mapping[str, Any] | None, alpha: float) -> str:
    """A sign if the score is significantly better or worse than the baseline's."""
    p_value = None if difference is None else difference["p_value"]
    if metric == LENGTH or difference is None or p_value is None or p_value >= alpha:
        return ""
    return "▲ " if difference["difference"] > 0 else "▼ "


def _differences(rows: Scores) -> Html:
    """The evidence for the signs, folded: differences to the baseline, their intervals and p."""
    metrics = [name for name in METRICS if any(name in run for run in rows.differences.values())]
    cells = [
        (run, *(_difference(found.get(name)) for name in metrics)) for run, found in rows.differences.items()
    ]
    if not cells:
        return Html()
    baseline = next(row["baseline"] for run in rows.differences.values() for row in run.values())
    head = ["Run", *(f"#{METRICS[name]}" for name in metrics)]
    return folded(f"Differences to {baseline}", table(head, cells))


def _difference(row: Mapping[str, Any] | None) -> str:
    if row is None or row["difference"] is None:
        return "–"
    p_value = "p < 0.001" if row["p_value"] < 0.001 else f"p {row['p_value']:.3f}"
    return noted(f"{row['difference']:+.1f}", f"{row['low']:+.1f} to {row['high']:+.1f}, {p_value}")


def missing(rows: pl.DataFrame, names: Mapping[str, str]) -> str:
    """Why metrics were not measured: each reason once, with its data and runs unless it holds for all."""
    rows = rows.with_columns(data=pl.col("dataset").str.split("/").list.first())
    absent = rows.filter(pl.col("value").is_null())
    page = ""
    for (note,), group in absent.group_by("note", maintain_order=True):
        data, runs = set(group["data"]), set(group["run"])
        metrics = [METRICS.get(name, name) for name in group["metric"].unique(maintain_order=True)]
        where = [name for key, name in names.items() if key in data] if data < set(rows["data"]) else []
        where += sorted(runs) if runs < set(rows.filter(pl.col("data").is_in(data))["run"]) else []
        of = f" ({', '.join(where)})" if where else ""
        page += paragraph(f"– {'; '.join(metrics)}{of}: {note}", "note")
    return page


def signatures(rows: pl.DataFrame) -> Html:
    """Versions and settings of each metric, folded; a row for each setting if test sets differ."""
    known = rows.filter(pl.col("value").is_not_null(), pl.col("signature") != "")
    grouped = known.group_by("metric", "signature", maintain_order=True).agg(
        pl.col("dataset").unique().sort()
    )
    cells = [
        (noted(METRICS.get(metric, metric), ", ".join(sets)), signature)
        for metric, signature, sets in grouped.iter_rows()
    ]
    return (
        folded("How the scores were computed", table(["Metric", "Version and settings"], cells))
        if cells
        else Html()
    )
