"""All stages that train and prompt no model, from raw corpora of the real ones' size to the release.

Where $WOKFLOW_BENCH_DATA names a folder, the run stays there, and a second start goes on with it. A start ends after
$WOKFLOW_BENCH_MINUTES, where that is set, and the section tells of the steps that the run has reached by then.
"""

import csv
import hashlib
import math
import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from tests.bench import accounts, corpora, measure
from tests.bench import steps as composed
from tests.bench.corpora import ZH
from tests.bench.measure import at_least, at_most
from tests.conftest import copy_house, start_snakemake
from tests.workflow.planner import plan_once

ROWS = {"tiny": (2_000, 1_500), "small": (44_623, 31_003), "full": (2_231_142, 1_550_151)}  # English, Chinese
REAL_TITLES = {"recipenlg": 1_200_000, "xiachufang": 700_000}  # distinct, about
COMPANY = 0.05  # share of titles with a second food
DISHES = 100  # compared in pairs, the commonest of the corpus
MATCH_HOURS, PEAK_MIB, TIMES = 2, 4096, 1.5
TARGETS = ("match", "pivot", "export")
# At real size many jobs: a start that is stopped loses no more than those that were running.
PARTS, SHARDS = 16, {"embed": 16, "search": 4, "contents": 4, "compare": 8}
TITLES = tuple(f"match_{name}" for name in ("translate", "texts", "embed", "vectors", "search", "pair"))
# Pairs by what is cooked, beside those by titles.
RECIPES = ("match_contents", "match_compare", "match_rerank")
ACCEPTED = ["shared_titles", "near_duplicates"]
CHECKED_SO_FAR = """Checked, and the same to the row, as far as the run came: of the rows of each file, which are
recipes and which are rejects, for which reason; that each recipe is eligible or a reject of match; that each distinct
title, translation and text is there once, with a vector; that each Chinese recipe has actions or is a reject of
parse; that each recipe with a dish keeps it. Where there are pairs: that each text has its neighbours, and that
accepted pairs are as many as neighbours and recipes make."""
RERANKED = [f"results/match/reranked/{direction}/part-00000.parquet" for direction in accounts.DIRECTIONS]


def config() -> dict[str, Any]:
    full = measure.scale() == "full"
    match: dict[str, dict[str, Any]] = {name: {"shards": count} for name, count in SHARDS.items() if full}
    match.setdefault("embed", {})["precision"] = precision()
    return {
        "sources": {"recipenlg": {"path": "data/en.csv"}, "xiachufang": {"path": "data/zh.json"}},
        "ingest": {"recipes": {"parts": PARTS}} if full else {},
        "match": match,
        "pivot": {"pairs": {"path": "data/pairs.tsv"}},
        # Texts of both splits are alike, as titles of made-up dishes are: with and without an exclamation mark.
        "export": {"release": {"accept": ACCEPTED}},
    }


def precision() -> str:
    """The arithmetic in which this processor encodes fastest."""
    return "bfloat16" if measure.processor() & {"avx512_bf16", "amx_bf16"} else "float32"


@dataclass
class Step:
    """What the jobs of a rule took: sums, but the peak is that of the largest job."""

    jobs: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    peak: float = 0.0
    size: int = 0


def test_real_size(kept: Path) -> None:
    rows = dict(zip(accounts.CORPORA, ROWS[measure.scale()], strict=True))
    house = renewed(kept)
    write_corpora(house / "data", rows)
    given = config()
    end = time.time() + 60 * float(os.environ.get("WOKFLOW_BENCH_MINUTES", "inf"))
    with start(kept):
        run(house, TARGETS, "mine.yaml", given, end)
        given["match"]["rerank"] = {"by": "recipes"}
        run(house, RERANKED, "recipes.yaml", given, end)
    steps, missing = taken(house)
    reranked, more = taken(house, RERANKED, "recipes.yaml")
    steps |= {name: step for name, step in reranked.items() if name in RECIPES}
    missing |= more & {*RECIPES}
    if early := sorted(missing & {"match_vectors", "parse_proto", "pivot_instances"}):
        print(f"stopped before {', '.join(early)}: nothing is published yet, and another start goes on")
        return
    truths = accounts.truths(rows, COMPANY)
    found = accounts.Account(house / "results", truths, house / "data" / "pairs.tsv").checked(missing)
    publish(spent(kept), steps, found, missing)


def run(house: Path, targets: Iterable[str], name: str, given: Mapping[str, Any], end: float) -> None:
    """Make the targets with the config `given`, which is written to a file with that name, as far as time goes."""
    (house / name).write_text(yaml.safe_dump(dict(given)), encoding="utf-8")
    if time.time() >= end:
        return
    command = ["snakemake", "--cores", str(measure.THREADS), *targets, "--configfile", name, "--nolock"]
    with (house / "said.txt").open("wb") as said:
        process = start_snakemake(house, command, sys.executable, said.fileno(), {**os.environ})
        process.join(None if end == math.inf else end - time.time())
        if process.exitcode is None:
            os.killpg(process.pid, signal.SIGINT)
            process.join()
        else:
            assert process.exitcode == 0, (house / "said.txt").read_text(encoding="utf-8")


def renewed(folder: Path) -> Path:
    """A house with the code as it is now; results of an earlier start stay, for Snakemake to judge."""
    house, fresh = folder / "house", folder / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    for item in copy_house(fresh).iterdir():
        old = house / item.name
        if old.is_dir():
            shutil.rmtree(old)
        house.mkdir(exist_ok=True)
        item.replace(old)
    return house


def write_corpora(folder: Path, rows: Mapping[str, int]) -> None:
    """Write both corpora and the pairs of dishes, unless an earlier start has written the same to their end."""
    code = Path(corpora.__file__), Path(composed.__file__), composed.FOODS_FILE
    text = b"".join(path.read_bytes() for path in code) + repr((rows, COMPANY)).encode()
    made = hashlib.sha256(text).hexdigest()
    whole = folder / "whole"
    if whole.exists() and whole.read_text() == made:
        return
    folder.mkdir(exist_ok=True)
    whole.unlink(missing_ok=True)
    corpora.recipenlg(folder / "en.csv", rows["recipenlg"], company=COMPANY)
    corpora.xiachufang(folder / "zh.json", rows["xiachufang"], company=COMPANY)
    write_dishes(folder / "pairs.tsv", rows["xiachufang"])
    whole.write_text(made)


@contextmanager
def start(folder: Path) -> Iterator[None]:
    """Note when a start of the run began and when it ended, whatever ended it."""
    (folder / "starts").mkdir(exist_ok=True)
    number = len(list((folder / "starts").glob("*.began")))
    (folder / "starts" / f"{number:03}.began").write_text(f"{time.time()} {measure.commit()}")
    try:
        yield
    finally:
        (folder / "starts" / f"{number:03}.ended").write_text(f"{time.time()}")


def spent(folder: Path) -> list[tuple[float, str]]:
    """Seconds and commit of each start; one that was killed counts until the end of its last job that ended."""
    notes = [path.read_text().split(maxsplit=1) for path in sorted((folder / "starts").glob("*.began"))]
    began = [float(at) for at, _ in notes]
    jobs = [path.stat().st_mtime for path in (folder / "house" / "results" / "benchmarks").rglob("*.tsv")]
    starts = []
    for number, (first, then) in enumerate(zip(began, [*began[1:], time.time()], strict=True)):
        ended = folder / "starts" / f"{number:03}.ended"
        last = max([first, *(at for at in jobs if at < then)])
        seconds = (float(ended.read_text()) if ended.exists() else last) - first
        starts.append((seconds, notes[number][1]))
    return starts


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


def taken(
    house: Path, targets: Iterable[str] = TARGETS, name: str = "mine.yaml"
) -> tuple[dict[str, Step], set[str]]:
    """The steps in the order of their ends, with the bytes of the files that each wrote: hard links count once; and
    the rules that have jobs which are to run yet.
    """
    steps: dict[str, Step] = {}
    logs = sorted((house / "results" / "benchmarks").rglob("*.tsv"), key=lambda path: path.stat().st_mtime)
    for log in logs:
        row = pl.read_csv(log, separator="\t").row(0, named=True)
        step = steps.setdefault(log.relative_to(house / "results" / "benchmarks").parts[0], Step())
        step.jobs += 1
        step.wall += row["s"]
        step.cpu += number(row["cpu_time"])
        step.peak = max(step.peak, number(row["max_rss"]))
    planned = plan_once(house, *targets, "--configfile", name)
    missing = {rule for rule in planned.rules | {*planned.waiting} if "_" in rule}  # not the stages
    of_rule = {rule: [path for path, of in planned.outputs.items() if of == rule] for rule in steps}
    counted: set[tuple[int, int]] = set()
    for rule, paths in of_rule.items():
        steps[rule].size = sum(new_bytes(house / path, counted) for path in paths if (house / path).exists())
    return steps, missing


def new_bytes(path: Path, counted: set[tuple[int, int]]) -> int:
    """Bytes of a file, or of all files of a folder, without those that are counted already; counts them."""
    size = 0
    for file in files(path):
        status = file.stat()
        inode = status.st_dev, status.st_ino
        size += 0 if inode in counted else status.st_size
        counted.add(inode)
    return size


def number(value: Any) -> float:
    """A cell of Snakemake's benchmark: a job that ended before it was looked at has a dash."""
    return float(value) if str(value).replace(".", "").isdigit() else 0.0


def files(path: Path) -> Iterable[Path]:
    return (file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def seconds(steps: Mapping[str, Step], rules: Iterable[str]) -> float:
    return sum(steps[rule].wall for rule in rules)


def publish(
    starts: list[tuple[float, str]],
    steps: Mapping[str, Step],
    found: Mapping[str, Any],
    missing: Collection[str],
) -> None:
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
    match = sum(
        step.wall
        for name, step in steps.items()
        if name.startswith(("match_", "ingest_")) and name not in RECIPES
    )
    targets = [at_most(match / 3600, MATCH_HOURS), at_most(whole.peak, PEAK_MIB)]
    compared = ""
    if not {*RECIPES} & {*missing}:
        targets.append(at_most(seconds(steps, RECIPES) / seconds(steps, TITLES), TIMES))
        compared = f"""Pairs by what is cooked ({", ".join(RECIPES)}; docs/match.md) come from the same candidates by
        titles, and take as a multiple of the steps behind these {targets[-1]}."""
    judged = [direction for direction in accounts.DIRECTIONS if direction in found]
    stopped = (
        f"The run was stopped before its end: to run yet are {', '.join(sorted(missing))}." if missing else ""
    )
    columns = ("rows", "recipes", "rejects", "too_long", "titles", "texts")
    sizes = [[corpus, *(f"{found[corpus][name]:,}" for name in columns)] for corpus in accounts.CORPORA]
    spoilt: Counter[str] = sum((Counter(found[corpus]["spoilt"]) for corpus in accounts.CORPORA), Counter())
    share = ROWS[measure.scale()][0] / ROWS["full"][0]
    shards = f"`ingest.recipes.parts: {PARTS}`, " if share == 1 else ""
    shards += "".join(f"`match.{name}.shards: {count}`, " for name, count in SHARDS.items() if share == 1)
    titles = " and ".join(f"{found[corpus]['titles']:,}" for corpus in accounts.CORPORA)
    real = " and ".join(f"{count:,}" for count in REAL_TITLES.values())
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(spoilt.items()))
    commits = " and ".join(dict.fromkeys(commit for _, commit in starts))
    said = "one start" if len(starts) == 1 else f"the sum over {len(starts)} starts, at {commits}"
    matched = [
        [
            name,
            f"{of['pairs']:,}",
            *(f"{of[share]:.1%}" for share in ("precision", "paired", "right")),
        ]
        for name, of in found.items()
        if name not in accounts.CORPORA
    ]
    measure.publish(
        "real-size",
        f"{'Steps of a run' if missing else 'A whole run'} at {'' if share == 1 else f'{share:.1%} of '}real size",
        f"""Made-up corpora with {share:.1%} of the rows of the real ones (2,231,142 and 1,550,151) and {titles}
        distinct titles (all of the real ones have about {real}), 0.5 % of the rows dirty, go from raw files through
        match (both directions), parse (rules), pivot ({DISHES // 2} pairs of dishes) and export, with
        {shards}`match.embed.precision: {precision()}`, `export.release.accept: [{", ".join(ACCEPTED)}]`
        and otherwise the default config, on {measure.THREADS} cores, in
        {sum(each for each, _ in starts) / 60:,.0f} minutes ({said}). Clauses of steps repeat as those of
        real recipes do, as far as there are real ones to compare. {stopped}
        {measure.repeat("test_real_size.py")}""",
        measure.machine("snakemake", "polars", "torch"),
        measure.table(
            ["corpus", "rows", "recipes", "rejects", "too long", "distinct titles", "distinct texts"],
            sizes,
        ),
        CHECKED_SO_FAR if missing else accounts.CHECKED,
        f"""Rows that were spoilt, and are rejects: {kinds}.
        Seconds and CPU seconds are sums over jobs, of which some ran side by side; a job that was stopped counts in
        its last start alone. The peak is that of the largest job, mapped files included, seen by a look every 30
        seconds. A file with several names (hard links) counts once.""",
        measure.table(["step", "jobs", "s", "CPU s", "peak MiB", "MiB on disk"], rows),
        f"""Ingest and match{" so far" if missing else ""} take {match / 3600:.2f} hours of jobs (target: at most
        {MATCH_HOURS}). The largest job has {whole.peak:,.0f} MiB (target: at most {PEAK_MIB:,}), mapped files
        included. {compared}""",
        *(pairs_found(matched) if judged else ()),
        targets=[*targets, *(at_least(found[direction]["right"], 0.5) for direction in judged)],
    )


def pairs_found(matched: list[list[str]]) -> tuple[str, str]:
    columns = ["direction", "pairs", "of one dish", "sources with a pair", "with a pair of their dish"]
    return (
        measure.table(columns, matched),
        """Of one dish are the pairs whose sides were written as the same dish; sources are the recipes whose dish is
        in the other corpus, too. By recipes: match.rerank.by, with the shipped model.""",
    )
