"""All stages that train and prompt no model, from raw corpora of the real ones' size to the release."""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import yaml

from tests.bench import corpora, measure
from tests.bench.corpora import EN, KINDS, ZH
from tests.bench.measure import at_least, at_most
from tests.conftest import copy_house, snakemake
from tests.workflow.planner import plan_once

ROWS = {"tiny": (2_000, 1_500), "small": (44_000, 31_000), "full": (2_200_000, 1_550_000)}  # English, Chinese
COMPANY = 0.05  # share of titles with a second food: 1.4 and 1.0 million distinct titles at full size
DISHES = 100  # compared in pairs, the commonest of the corpus
MATCH_HOURS, PEAK_MIB = 2, 4096
TARGETS = ("match", "pivot", "export")
CONFIG: Mapping[str, Any] = {
    "match": {"embed": {"precision": "bfloat16"}},
    "pivot": {"pairs": {"path": "data/pairs.tsv"}},
}


@dataclass
class Step:
    """What the jobs of a rule took: sums, but the peak is that of the largest job."""

    jobs: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    peak: float = 0.0
    size: int = 0


def test_real_size(data: Path) -> None:
    english, chinese = ROWS[measure.scale()]
    house = copy_house(data / "house")
    (house / "data").mkdir()
    corpora.recipenlg(house / "data" / "en.csv", english, company=COMPANY)
    corpora.xiachufang(house / "data" / "zh.json", chinese, company=COMPANY)
    write_dishes(house / "data" / "pairs.tsv", chinese)
    config = {
        **CONFIG,
        "sources": {"recipenlg": {"path": "data/en.csv"}, "xiachufang": {"path": "data/zh.json"}},
    }
    (house / "mine.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    run = measure.timed(
        lambda: snakemake(house, *TARGETS, "--configfile", "mine.yaml", cores=measure.THREADS)
    )
    steps = taken(house)
    found = account(house, {"recipenlg": english, "xiachufang": chinese})
    publish(run, steps, found)


def write_dishes(path: Path, rows: int) -> None:
    """The commonest dishes without a second food, each beside the next."""
    kinds, concepts = corpora.draws(ZH, rows, company=COMPANY)
    common = Counter(concepts[(kinds == 0) & (concepts < corpora.CONCEPTS)].tolist()).most_common(DISHES)
    dishes = [
        (corpora.titles(concept), corpora.FOODS[concept % len(corpora.FOODS)][0]) for concept, _ in common
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(
            (
                "base_dish",
                "target_dish",
                "ingredient_removed",
                "ingredient_added",
                "base_english",
                "target_english",
            )
        )
        for ((zh, en), food), ((other_zh, other_en), other) in zip(dishes[::2], dishes[1::2], strict=True):
            writer.writerow((zh, other_zh, food, other, en, other_en))


def taken(house: Path, targets: Iterable[str] = TARGETS) -> dict[str, Step]:
    """The steps in the order of their ends, with the bytes of the files that each wrote."""
    steps: dict[str, Step] = {}
    logs = sorted((house / "results" / "benchmarks").rglob("*.tsv"), key=lambda path: path.stat().st_mtime)
    for log in logs:
        row = pl.read_csv(log, separator="\t").row(0, named=True)
        step = steps.setdefault(log.relative_to(house / "results" / "benchmarks").parts[0], Step())
        step.jobs += 1
        step.wall += row["s"]
        step.cpu += number(row["cpu_time"])
        step.peak = max(step.peak, number(row["max_rss"]))
    planned = plan_once(house, *targets, "--configfile", "mine.yaml")
    assert planned.rules == set(), planned.rules
    for path, rule in planned.outputs.items():
        if rule in steps:
            steps[rule].size += sum(file.stat().st_size for file in files(house / path))
    return steps


def number(value: Any) -> float:
    """A cell of Snakemake's benchmark: a job that ended before it was looked at has a dash."""
    return float(value) if str(value).replace(".", "").isdigit() else 0.0


def files(path: Path) -> Iterable[Path]:
    return (file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def account(house: Path, rows: Mapping[str, int]) -> dict[str, Any]:
    """Rows in = rows out + rejects at every step, and the share of planted pairs that were found."""
    results = house / "results"

    def table(*names: str) -> pl.LazyFrame:
        return pl.scan_parquet(results.joinpath(*names) / "**" / "*.parquet")

    def height(*names: str) -> int:
        return int(table(*names).select(pl.len()).collect().item())

    found: dict[str, Any] = {}
    for corpus, language in (("recipenlg", EN), ("xiachufang", ZH)):
        recipes, rejects = height("ingest", "recipes", corpus), height("ingest", "rejects", corpus)
        kinds, concepts = corpora.draws(language, rows[corpus], company=COMPANY)
        some = table("ingest", "recipes", corpus).select("source_row", "title").collect().sample(1000, seed=0)
        for row, title in some.rows():
            if kinds[row] == 0:
                assert corpora.titles(int(concepts[row]))[language == EN].casefold() in title.casefold()
        spoilt = table("ingest", "rejects", corpus).select("source_row", "reason").collect()
        broken = spoilt.filter(pl.col("reason") != "duplicate").height
        assert recipes + spoilt.height == recipes + rejects >= int((kinds != KINDS.index("newline")).sum())
        eligible = height("match", "eligible", corpus)
        assert eligible + height("match", "rejects", corpus) == recipes
        distinct = table("match", "eligible", corpus).select(pl.col("title").n_unique()).collect().item()
        translated = height("match", "translations", corpus)
        assert height("match", "titles", corpus) == distinct == translated
        texts = height("match", "texts", corpus)
        shards = sorted((results / "match" / "vectors" / corpus).glob("*.npy"))
        assert sum(len(np.load(shard, mmap_mode="r")) for shard in shards) == texts <= distinct
        found[corpus] = {
            "rows": recipes + rejects,
            "recipes": recipes,
            "rejects": rejects,
            "broken": broken,
            "planted": int((kinds > 0).sum()),
            "titles": distinct,
            "texts": texts,
        }
    parsed = table("parse", "actions", "xiachufang").select(pl.col("recipe_id").n_unique()).collect().item()
    unread = height("parse", "rejects", "xiachufang")
    assert parsed <= found["xiachufang"]["recipes"] and parsed + unread >= found["xiachufang"]["recipes"]
    for direction, source, target in (
        ("zh-en", "xiachufang", "recipenlg"),
        ("en-zh", "recipenlg", "xiachufang"),
    ):
        pairs = table("match", "pairs", direction).select("source_id", "target_id", "score").collect()
        found[direction] = {"pairs": pairs.height} | planted(pairs, rows, source, target)
        exported = pl.scan_parquet(
            results / "export" / "release" / "recipes-0.1.0" / "data" / f"pairs-{direction}" / "*.parquet"
        )
        assert exported.select(pl.col("target_ids").list.len().sum()).collect().item() == pairs.height
    return found


def planted(pairs: pl.DataFrame, rows: Mapping[str, int], source: str, target: str) -> dict[str, float]:
    """Of the sources whose dish is in the other corpus, the share with a pair, and with a pair of that dish."""
    zh, en = corpora.true_pairs(rows["xiachufang"], rows["recipenlg"], company=COMPANY)
    sides = {"xiachufang": zh, "recipenlg": en}
    concept = {}
    for corpus, column in ((source, "source_id"), (target, "target_id")):
        row = pairs[column].str.split(":").list.last().cast(pl.Int64).to_numpy()
        concept[column] = sides[corpus][row]
    known = np.isin(sides[source], sides[target][sides[target] >= 0]) & (sides[source] >= 0)
    row = pairs["source_id"].str.split(":").list.last().cast(pl.Int64).to_numpy()
    right = np.zeros(len(sides[source]), bool)
    right[row[concept["source_id"] == concept["target_id"]]] = True
    any_pair = np.zeros(len(sides[source]), bool)
    any_pair[row] = True
    return {"paired": float(any_pair[known].mean()), "right": float(right[known].mean())}


def publish(run: measure.Measured, steps: Mapping[str, Step], found: Mapping[str, Any]) -> None:
    every = steps.values()
    whole = Step(
        *(sum(getattr(step, name) for step in every) for name in ("jobs", "wall", "cpu")),
        max(step.peak for step in every),
        sum(step.size for step in every),
    )
    rows = [
        [
            *(name, f"{step.jobs}", f"{step.wall:,.0f}", f"{step.cpu:,.0f}", f"{step.peak:,.0f}"),
            f"{step.size / 2**20:,.1f}",
        ]
        for name, step in {**steps, "all": whole}.items()
    ]
    match = sum(step.wall for name, step in steps.items() if name.startswith(("match_", "ingest_")))
    sizes = [
        [corpus, *(f"{found[corpus][name]:,}" for name in ("rows", "recipes", "rejects", "titles", "texts"))]
        for corpus in ("recipenlg", "xiachufang")
    ]
    share = ROWS[measure.scale()][0] / ROWS["full"][0]
    right = {direction: found[direction]["right"] for direction in ("zh-en", "en-zh")}
    measure.publish(
        "real-size",
        "A whole run at real size" if share == 1 else f"A whole run at {share:.1%} of real size",
        f"""Made-up corpora with {share:.1%} of the rows of the real ones, and distinct titles as they have, 0.5 % of
        the rows dirty, go from raw files through match (both directions), parse (rules), pivot ({DISHES // 2} pairs
        of dishes) and export, with `match.embed.precision: bfloat16` and otherwise the default config, on
        {measure.THREADS} cores, in {run.wall / 60:,.0f} minutes. {measure.repeat("test_real_size.py")}""",
        measure.machine("snakemake", "polars", "torch"),
        measure.table(["corpus", "rows", "recipes", "rejects", "distinct titles", "distinct texts"], sizes),
        """At every step rows in are rows out plus rejects. Seconds and CPU seconds are sums over jobs, of which
        some ran side by side; the peak is that of the largest job, mapped files included, seen by a look every 30
        seconds.""",
        measure.table(["step", "jobs", "s", "CPU s", "peak MiB", "MiB on disk"], rows),
        f"""Ingest and match together take {match / 3600:.2f} hours of jobs (target: at most {MATCH_HOURS}). The
        largest job has {whole.peak:,.0f} MiB (target: at most {PEAK_MIB:,}), mapped files included. Of the
        recipes whose dish is in the other corpus too, {right["zh-en"]:.1%} (zh-en) and {right["en-zh"]:.1%} (en-zh)
        have a pair that is that dish: {found["zh-en"]["pairs"]:,} and {found["en-zh"]["pairs"]:,} pairs.""",
        targets=[
            at_most(match / 3600, MATCH_HOURS),
            at_most(whole.peak, PEAK_MIB),
            *(at_least(value, 0.5) for value in right.values()),
        ],
    )
