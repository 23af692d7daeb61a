"""How fast pairs become a release, and in how much memory: against bare polars, which writes the same rows."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.bench import measure
from tests.bench.measure import Call, Clock, Measured, at_most, isolated

TARGETS_EACH = 10  # recipes that a source is paired with
SIDES = 100  # groups of TARGETS_EACH recipes after which valid and test come again
SIZES = {"tiny": [20_000], "small": [300_000, 3_000_000], "full": [1_000_000, 10_000_000]}  # pairs
CORPORA = {"xiachufang": "zh", "recipenlg": "en"}
MODES = {"standoff": "stand-off", "full": "full"}
SUBSET = "pairs-zh-en"
SETTINGS: Mapping[str, Any] = {  # of export.dataset and export.gates
    "registry": "resources/sources.tsv",
    "licences": {corpus: {"licence": "CC0-1.0", "release": "text"} for corpus in CORPORA},
    "jsonl": False,
}
PEAK_MIB, RATIO = 4000, 4.0


def test_export(data: Path) -> None:
    measured = {pairs: contest(pairs, data / str(pairs)) for pairs in SIZES[measure.scale()]}
    largest = max(measured)
    ours = {name: results for name, results in measured[largest].items() if not name.startswith("polars")}
    ratios = {
        mode: measure.ratio(ours[f"{said}: rows and their checks"], measured[largest][f"polars, {said}"])
        for mode, said in MODES.items()
    }
    alone = measure.ratio(ours["full: rows alone"], measured[largest]["polars, full"])
    peak = max(result.peak for results in ours.values() for result in results)
    targets = at_most(alone, RATIO), at_most(peak, PEAK_MIB)
    counted = targets if measure.scale() != "tiny" else targets[1:]  # half a second is no time to compare
    header = ["step", "pairs", "s", "CPU s", "peak MiB", "without mapped files", "pairs/s", "times polars"]
    lines = [line for pairs, results in measured.items() for line in table_lines(pairs, results)]
    size = measured[largest]["full: rows alone"][0].outcome["bytes"] / 2**20
    measure.publish(
        "export",
        "Export of pairs",
        f"""Synthetic recipes, {TARGETS_EACH} targets for each source and as many recipes on each side as there are
        sources, become a release of pairs. "Rows alone" writes the shards. "Rows and their checks" is the rule
        export_dataset: it reads what it wrote once more, for ids that occur twice, personal data and damaged text.
        "Leaks and records" is the rule export_gates: near duplicates across splits, and a digest of each
        recipe. "Release" is export_release. polars reads the finished shards and writes their rows with sink_parquet
        and the same compression (zstd, level 1). Each may use {measure.THREADS} threads.
        {measure.repeat("test_export.py")}""",
        measure.machine("polars", "pyarrow"),
        measure.table(header, lines),
        f"""At {largest:,} pairs ({size:,.0f} MiB of shards in the full form) rows alone take {alone:.1f} times as
        long as polars ({targets[0]}); with their checks {ratios["full"]:.1f} times in the full form and
        {ratios["standoff"]:.1f} times in the stand-off form. No step holds more than {peak:,.0f} MiB, mapped files
        included ({targets[1]}).""",
        targets=counted,
    )


def contest(pairs: int, data: Path) -> dict[str, list[Measured]]:
    """Measure all steps on so many pairs; each must write them all."""
    print(f"\n{pairs:,} pairs", flush=True)
    isolated(Call(make_results, {"results": str(data), "pairs": pairs}))
    contenders = {
        f"{said}: {name}": Call(step, {"results": str(data), "mode": mode})
        for mode, said in MODES.items()
        for name, step in (("rows alone", rows_alone), ("rows and their checks", dataset))
    }
    contenders |= {
        f"polars, {said}": Call(bare_polars, {"results": str(data), "mode": mode})
        for mode, said in MODES.items()
    }
    contenders |= {
        "full: leaks and records": Call(gates, {"results": str(data), "mode": "full"}),
        "full: release": Call(release, {"results": str(data), "mode": "full"}),
    }
    measured = measure.in_turn(contenders, 1)
    for name, results in measured.items():
        assert {result.outcome["pairs"] for result in results} == {pairs}, name
    shutil.rmtree(data)
    return measured


def table_lines(pairs: int, measured: Mapping[str, Sequence[Measured]]) -> Iterator[list[str]]:
    for name, results in measured.items():
        wall = measure.middle(results, "wall")
        mode = "full" if "full" in name else "stand-off"
        yield [
            name,
            f"{pairs:,}",
            f"{wall:.1f}",
            f"{measure.middle(results, 'cpu'):.1f}",
            f"{measure.middle(results, 'peak'):,.0f}",
            f"{measure.middle(results, 'anonymous'):,.0f}",
            f"{pairs / wall:,.0f}",
            f"{measure.ratio(results, measured[f'polars, {mode}']):.2f}",
        ]


def make_results(clock: Clock, results: str, pairs: int) -> None:
    """Recipes of both corpora, and pairs of recipes drawn at random from one side of the split."""
    import numpy as np
    import polars as pl
    from wokflow.frame import tables
    from wokflow.frame.job import Job
    from wokflow.ingest.recipes import ingest_recipes
    from wokflow.ingest.settings import RecipesSettings
    from wokflow.ingest.source import ingest_source
    from wokflow.match.schemas import PAIRS

    from tests.bench import corpora

    folder, sources = Path(results), pairs // TARGETS_EACH
    ids = {}
    for corpus in CORPORA:
        raw, source = folder / f"{corpus}.raw", folder / f"ingest/source/{corpus}.json"
        recipes, rejects = (
            folder / f"ingest/{table}/{corpus}/part-00000.parquet" for table in ("recipes", "rejects")
        )
        for path in (source, recipes, rejects):
            path.parent.mkdir(parents=True, exist_ok=True)
        getattr(corpora, corpus)(raw, sources, dirt=0.0)
        job = Job(threads=measure.THREADS)
        ingest_source(raw=str(raw), data=str(source), job=job)
        ingest_recipes(
            source=str(source),
            recipes=[str(recipes)],
            rejects=[str(rejects)],
            corpus=corpus,
            settings=RecipesSettings(raw=str(raw)),
            job=job,
        )
        raw.unlink()
        ids[corpus] = tables.read(str(recipes), ["recipe_id"]).to_series()
    source = np.repeat(np.arange(sources), TARGETS_EACH)
    rank = np.tile(np.arange(TARGETS_EACH), sources)
    group = source // TARGETS_EACH
    turn = SIDES * TARGETS_EACH  # recipes after which the sides come again
    other = np.random.default_rng(0).integers(0, sources // turn, pairs) * turn
    target = (group * TARGETS_EACH + rank) % turn + other
    split = pl.Series(np.array(["valid", "test", *["train"] * (SIDES - 2)])[group % SIDES])
    made = pl.DataFrame(
        {
            "source_id": ids["xiachufang"][source],
            "target_id": ids["recipenlg"][target],
            "score": (0.99 - 0.01 * rank).astype(np.float32),
            "rank": (rank + 1).astype(np.int32),
            "split": split,
        }
    ).with_columns(pl.lit("a").alias(name) for name in PAIRS.names if "title" in name)
    path = folder / "match/pairs/zh-en/part-00000.parquet"
    path.parent.mkdir(parents=True)
    tables.write(str(path), PAIRS, made, {})


def rows_alone(clock: Clock, results: str, mode: str) -> dict[str, Any]:
    """The shards, as export_dataset and rehydrate write them."""
    from tempfile import TemporaryDirectory

    from wokflow.export import standoff
    from wokflow.export.dataset import write_subset
    from wokflow.export.forms import FORMS
    from wokflow.export.source_texts import open_texts
    from wokflow.match.split import SPLITS

    out = fresh(results, f"alone-{mode}")
    with clock, TemporaryDirectory(dir=results) as folder:
        rows = standoff.pairs(pairs_of(results))
        texts = open_texts(texts_of(results), Path(folder))
        write_subset(out, SUBSET, FORMS["pairs"], rows, texts, SPLITS, full=mode == "full", jsonl=False)
    return written(out, kept=False)


def dataset(clock: Clock, results: str, mode: str) -> dict[str, Any]:
    from wokflow.export.dataset import export_dataset
    from wokflow.export.settings import DatasetSettings
    from wokflow.frame.job import Job

    out = folder_of(results, mode)
    with clock:
        export_dataset(
            rows=pairs_of(results),
            texts=texts_of(results),
            sources=sources_of(results),
            dataset=str(out),
            settings=DatasetSettings(subset=subset(), gold=None, simplified=False, mode=mode, **SETTINGS),
            job=Job(),
        )
    return written(out)


def bare_polars(clock: Clock, results: str, mode: str) -> dict[str, Any]:
    import polars as pl

    out = fresh(results, f"bare-{mode}")
    shards = f"{folder_of(results, mode)}/data/{SUBSET}/*.parquet"
    with clock:
        pl.scan_parquet(shards).sink_parquet(out / "bare.parquet", compression="zstd", compression_level=1)
    return written(out, kept=False)


def gates(clock: Clock, results: str, mode: str) -> dict[str, Any]:
    from wokflow.export.gates import export_gates
    from wokflow.export.settings import GatesSettings
    from wokflow.frame.job import Job

    told = {
        "name": "bench",
        "version": "1",
        "contact": "",
        "home_page": "",
        "licence_of_annotations": "CC-BY-4.0",
    }
    ingest = {corpus: {"step": "recipes", "settings": {}} for corpus in CORPORA}
    with clock:
        export_gates(
            datasets=[str(folder_of(results, mode))],
            texts=texts_of(results),
            sources=sources_of(results),
            counted=[
                *texts_of(results),
                *sorted(map(str, Path(results).glob("ingest/rejects/*/*"))),
                *pairs_of(results),
            ],
            models=[],
            gates=f"{results}/export/gates",
            settings=GatesSettings(subsets=[subset()], ingest=ingest, mode=mode, **told, **SETTINGS),
            job=Job(),
        )
    return written(folder_of(results, mode))


def release(clock: Clock, results: str, mode: str) -> dict[str, Any]:
    from wokflow.export.gate_findings import GATES
    from wokflow.export.release import export_release
    from wokflow.export.settings import ReleaseSettings
    from wokflow.frame.job import Job

    allowed = frozenset(GATES) - {"schema", "counts"}
    out = Path(results, "export/release/bench-1")
    with clock:
        export_release(
            datasets=[str(folder_of(results, mode))],
            gates=f"{results}/export/gates",
            release=str(out),
            settings=ReleaseSettings(accept=allowed),
            job=Job(),
        )
    return written(out / "data" / SUBSET)


def subset() -> dict[str, Any]:
    """The pairs of Chinese recipes as the workflow describes them."""
    from wokflow.export.subsets import Subset

    found = Subset(
        SUBSET, "pairs", "pairs", "Pairs.", ("zh", "en"), "match/pairs/zh-en", texts=tuple(CORPORA)
    )
    return dict(json.loads(json.dumps(asdict(found))))


def folder_of(results: str, mode: str) -> Path:
    return Path(results, f"export/dataset-{mode}/{SUBSET}")


def fresh(results: str, name: str) -> Path:
    """A new folder in the place of what an earlier turn has left."""
    folder = Path(results, name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def pairs_of(results: str) -> list[str]:
    return [f"{results}/match/pairs/zh-en/part-00000.parquet"]


def texts_of(results: str) -> list[str]:
    return [f"{results}/ingest/recipes/{corpus}/part-00000.parquet" for corpus in CORPORA]


def sources_of(results: str) -> list[str]:
    return [f"{results}/ingest/source/{corpus}.json" for corpus in CORPORA]


def written(folder: Path, *, kept: bool = True) -> dict[str, Any]:
    """The pairs in a folder of Parquet files, and the bytes of these; the folder is removed if it is not kept."""
    import polars as pl

    shards = sorted(folder.rglob("*.parquet"))
    count = (
        pl.scan_parquet([str(shard) for shard in shards]).select(pl.col("scores").list.len().sum()).collect()
    )
    size = sum(shard.stat().st_size for shard in shards)
    if not kept:
        shutil.rmtree(folder)
    return {"pairs": int(count.item()), "bytes": size}
