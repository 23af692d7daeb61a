"""Top of the page: counts of the results, and the best run on each data set."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wokflow.match.split import SPLITS
from wokflow.report import doubts, inputs
from wokflow.report.adaptation import METRICS, SETS
from wokflow.report.charts import Charts, intervals
from wokflow.report.evaluation import DATASET, HARD
from wokflow.report.inputs import Tables
from wokflow.report.recipe_pairs import DIRECTIONS, NAMES, Pairs
from wokflow.report.render import interval

# What ranks runs here, by data, or else items: chrF needs no words, and so treats both languages alike.
MAIN = dict.fromkeys(DIRECTIONS, "chrf") | {DATASET: "hard_f1"}
ITEMS = "csi_match"
TITLES = METRICS | {"hard_f1": f"Actions, hard {HARD['hard_f1']}", ITEMS: "CSI-Match"}
REFERENCE = "reference"  # what people wrote, scored like a run


def counts(pairs: Pairs, rows: Mapping[str, Mapping[str, int]]) -> Iterator[tuple[str, int, str]]:
    """The pairs of each direction by split, and the recipes of each corpus: a label, a number, a note."""
    for direction, frame in pairs.items():
        splits = dict(frame["split"].value_counts().iter_rows())
        note = ", ".join(f"{split} {splits.get(split, 0):,}" for split in SPLITS)
        yield f"pairs, {DIRECTIONS[direction]}", frame.height, note
    for corpus, name in NAMES.items():
        count = rows[corpus]
        yield f"recipes in {name}", count["ingest/recipes"], f"{count['ingest/rejects']:,} rows rejected"


def best(parts: Tables, names: Mapping[str, str], draw: Charts) -> Iterator[dict[str, Any]]:
    """The best run on each data set by its main metric, and a chart of all runs but smoke tests.

    `names` are of data, sources of sentences among them.
    """
    seen = doubts.outputs(parts, [*DIRECTIONS, *names])
    for name, dataset, rows in scored(parts, names):
        ranked = sorted(rows, key=lambda row: -row["value"])
        ranked = [row for row in ranked if row["run"] not in doubts.smoke_tests(seen)]
        runs = [row for row in ranked if row["run"] != REFERENCE]
        if runs:
            first, metric, part = runs[0], TITLES[runs[0]["metric"]], dataset.partition("/")[2]
            title = f"{names[name]}, {SETS[part].partition(':')[0]}" if part in SETS else names[name]
            yield {
                "title": title,
                "metric": metric,
                "first": first,
                "rivals": rivals(runs),
                "interval": interval(first["low"], first["high"]),
                "doubts": [*doubted(runs, doubts.warnings(seen, dataset))],
                "chart": draw.draw(intervals(ranked, metric, first["run"]), f"{metric} of each run: {title}"),
            }


def doubted(runs: Sequence[Mapping[str, Any]], warnings: Mapping[str, str]) -> Iterator[str]:
    """Why not to trust that the first of some runs is the best."""
    if runs[0]["run"] in warnings:
        yield f"Warning: {warnings[runs[0]['run']]}."
    instances = [row["instances"] for row in runs]
    if len(set(instances)) > 1:
        yield f"Runs were not scored on the same instances: {min(instances):,} to {max(instances):,}."
    if instances[0] < doubts.LEAST:
        which = "which run is better" if len(runs) > 1 else "how good it is; no other run was scored"
        yield f"Too few instances to tell {which}."


def scored(parts: Tables, names: Mapping[str, str]) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Data, data set, and rows of scores by its main metric, in the order of `names`.

    Runs on sentences are scored on data sets such as en-zh/items, which go by the source of sentences.
    """
    by_data: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for table in ("evaluate/scores", "evaluate/csi_match"):
        for row in inputs.rows(parts, table).iter_rows(named=True):
            task, _, part = row["dataset"].partition("/")
            name = part if part in names else task
            whole = part in ("", name) or name in DIRECTIONS  # no dish pairs, no regions
            if (
                whole
                and name in names
                and row["metric"] == MAIN.get(name, ITEMS)
                and row["value"] is not None
            ):
                by_data.setdefault((name, row["dataset"]), []).append(row)

    def place(key: tuple[str, str]) -> tuple[int, int]:
        part = key[1].partition("/")[2]
        return list(names).index(key[0]), [*SETS, part].index(part)

    for name, dataset in sorted(by_data, key=place):
        yield name, dataset, by_data[name, dataset]


def rivals(ranked: Sequence[Mapping[str, Any]]) -> list[str]:
    """Other runs whose interval overlaps that of the first, so that neither is clearly better."""
    low = ranked[0]["low"]
    return [row["run"] for row in ranked[1:] if None not in (low, row["high"]) and row["high"] >= low]
