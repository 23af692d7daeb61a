"""Results small enough to check by hand, and releases of them."""

import filecmp
import io
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from wokflow.enrich import schemas as enrich
from wokflow.evaluate import schemas as evaluate
from wokflow.export.arguments import gold_by_people
from wokflow.export.dataset import export_dataset
from wokflow.export.gates import export_gates
from wokflow.export.release import export_release
from wokflow.export.settings import DatasetSettings, GatesSettings, ReleaseSettings
from wokflow.export.subsets import DATASETS, WIKIDATA, WIKIPEDIA, Available, Subset, subsets
from wokflow.frame.job import Job, Progress
from wokflow.frame.records import keep_inputs, keep_keys
from wokflow.frame.wikidata import ENTITIES
from wokflow.generate import schemas as generate
from wokflow.ingest.recipes import ingest_recipes
from wokflow.ingest.schemas import REJECTS
from wokflow.ingest.sentences import ingest_sentences
from wokflow.ingest.settings import RecipesSettings, SentencesSettings
from wokflow.ingest.source import ingest_source
from wokflow.match import schemas as match
from wokflow.parse import schemas as parse
from wokflow.pivot import schemas as pivot

from tests.conftest import ROOT
from tests.workflow.conftest import write_corpora, write_sentences

PROGRESS = Progress(io.StringIO())
JOB = Job({"key": "{}"})
RECIPES = {
    **dict.fromkeys(("entities", "emoji", "symbols", "spaces", "empty_fields", "duplicates"), True),
    "simplified": False,
    "truncated": "refuse",
    "mostly_rejected": "refuse",
}
SENTENCES = {
    "kind": "moses",
    "pair": "en-zh",
    "entities": True,
    "spaces": True,
    "identical": True,
    "ratio": None,
    "longest": None,
    "language": False,
    "duplicates": True,
    "truncated": "refuse",
    "mostly_rejected": "refuse",
}
RAW = {"recipenlg": "data/en.csv", "xiachufang": "data/zh.json", "lines": "data/lines"}
FREE = {name: {"licence": "Apache-2.0", "release": "text"} for name in RAW}
REAL = {  # what the licences of the real corpora allow
    "recipenlg": {"licence": "terms", "release": "ids"},
    "xiachufang": {"licence": "all rights reserved", "release": "ids"},
    "lines": {"licence": "CC0-1.0", "release": "text"},
}
Pair = tuple[str, str, float, str]
PAIRS: Sequence[Pair] = [
    ("xiachufang:0", "recipenlg:1", 0.96875, "train"),
    ("xiachufang:0", "recipenlg:0", 0.9, "train"),
    ("xiachufang:1", "recipenlg:2", 0.875, "valid"),
    ("xiachufang:2", "recipenlg:0", 0.90625, "train"),
]
HAVE = Available(
    directions={"zh-en": ("xiachufang", "recipenlg")},
    langs={"recipenlg": "en", "xiachufang": "zh"},
    parsed=["xiachufang"],
    dish_corpus="xiachufang",
    sentences={"lines": "en-zh"},
    item_languages=["en", "zh"],
    gold=["zh-en"],
    silver=[],
    predicted=["xiachufang", "recipenlg"],
    wikipedia=True,
)


SCORE = {"run": "tiny", "dataset": "zh-en", "metric": "bleu", "value": 12.5, "signature": "s"}


def write(path: Path, schema: pa.Schema, rows: Sequence[Sequence[Any]]) -> None:
    """Rows as one part of a table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    empty = pl.from_arrow(schema.empty_table())
    assert isinstance(empty, pl.DataFrame)
    pl.DataFrame(rows, empty.schema, orient="row").write_parquet(path)


def make_results(folder: Path, pairs: Sequence[Pair] = PAIRS, *, chinese: str | None = None) -> Path:
    """Tables of a small run in `folder`/results, of the corpora in `folder`/data; `chinese` is what zh.json holds."""
    write_corpora(folder / "data")
    write_sentences(folder / "data")
    if chinese is not None:
        (folder / RAW["xiachufang"]).write_text(chinese, encoding="utf-8")
    results = folder / "results"
    for corpus in ("recipenlg", "xiachufang"):
        source, raw = results / f"ingest/source/{corpus}.json", str(folder / RAW[corpus])
        source.parent.mkdir(parents=True, exist_ok=True)
        ingest_source(raw=raw, data=str(source), job=JOB)
        parts = {
            table: [str(results / f"ingest/{table}/{corpus}/part-0000{number}.parquet") for number in (0, 1)]
            for table in ("recipes", "rejects")
        }
        settings = RecipesSettings.of_job({**RECIPES, "raw": raw})
        ingest_recipes(source=str(source), corpus=corpus, settings=settings, job=JOB, **parts)
    _make_sentences(folder, results)
    title = "宫保鸡丁", "Kung Pao", "Chicken", None
    write(
        results / "match/pairs/zh-en/part-00000.parquet",
        match.PAIRS,
        [(source, target, score, 1, *title, split) for source, target, score, split in pairs],
    )
    _make_actions(results)
    empty = [("pivots", pivot.PIVOTS), ("orders", pivot.ORDERS)]
    for name, schema in empty:
        write(results / f"pivot/{name}/part-00000.parquet", schema, [])
    write(
        results / "pivot/instances/part-00000.parquet",
        pivot.INSTANCES,
        [("i", "宫保鸡丁", "蛋炒饭", "xiachufang:0", "豆腐", "饭", "is made anew")],
    )
    for run in ("tiny", "near"):
        write(
            results / f"generate/predictions/{run}/part-00000.parquet",
            generate.PREDICTIONS,
            [("silver:xiachufang:0", run, f"dish by {run}")],
        )
    write(
        results / "evaluate/scores/part-00000.parquet",
        evaluate.SCORES,
        [tuple(SCORE.get(name, 1 if name == "instances" else None) for name in evaluate.SCORES.names)],
    )
    (folder / "gold.tsv").write_text(
        "source_id\tsource_title\ttitle\tingredients\tsteps\n"
        f"xiachufang:4\t{_title(results)}\tMapo\tTofu|Salt\tCut.|Fry.\n",
        encoding="utf-8",
    )
    return results


def _title(results: Path) -> str:
    rows = pl.read_parquet(results / "ingest/recipes/xiachufang")
    return str(rows.filter(pl.col("recipe_id") == "xiachufang:4")["title"].item())


def _make_sentences(folder: Path, results: Path) -> None:
    raw = [str(folder / f"data/lines.{lang}") for lang in ("en", "zh")]
    source = results / "ingest/source/lines.json"
    ingest_source(raw=raw, data=str(source), job=JOB)
    parts = {
        table: [str(results / f"ingest/{table}/lines/part-00000.parquet")]
        for table in ("sentences", "rejects")
    }
    settings = SentencesSettings.of_job({**SENTENCES, "raw": raw})
    ingest_sentences(source=str(source), corpus="lines", settings=settings, job=JOB, **parts)
    rows = pl.read_parquet(parts["sentences"][0])
    sentence = rows.filter(pl.col("source").str.contains("hot pot")).row(0, named=True)
    start = sentence["source"].index("hot pot")
    item = {
        "qid": "Q90000002",
        "start": start,
        "end": start + 7,
        "mention": "hot pot",
        "category": "Material culture",
    }
    write(
        results / "enrich/sentences/lines/part-00000.parquet",
        enrich.SENTENCES,
        [(sentence["sentence_id"], sentence["source"], sentence["target"], [item])],
    )
    others = rows.filter(pl.col("sentence_id") != sentence["sentence_id"]).select("sentence_id", "source_row")
    write(
        results / "enrich/rejects/lines/part-00000.parquet",
        REJECTS,
        [("lines", row, "no_item", None, name) for name, row in others.rows()],
    )
    write(
        results / "enrich/items/part-00000.parquet",
        enrich.ITEMS,
        [
            (
                "Q90000002",
                "zh",
                "火锅",
                None,
                [],
                "Material culture",
                [],
                "China",
                "Q148",
                ["火锅"],
                "一种菜。",
            )
        ],
    )


def _make_actions(results: Path) -> None:
    """Each step's first character as the verb, its first line of ingredients as the ingredient."""
    with_actions, without = (
        pl.read_parquet(results / f"ingest/recipes/xiachufang/part-0000{number}.parquet") for number in (0, 1)
    )
    rejected = [
        ("xiachufang", row, "no_action", None, name)
        for name, row in without.select("recipe_id", "source_row").rows()
    ]
    write(results / "parse/rejects/xiachufang/part-00000.parquet", REJECTS, rejected)
    rows = []
    for recipe in with_actions.iter_rows(named=True):
        for position, step in enumerate(recipe["steps"]):
            named = [recipe["ingredients"][0], "没有这个"]
            rows.append(
                (
                    recipe["recipe_id"],
                    position,
                    position,
                    0,
                    1,
                    step,
                    step[0],
                    "切",
                    named,
                    ["a", "b"],
                    [],
                    [],
                    False,
                    False,
                )
            )
    write(results / "parse/actions/xiachufang/part-00000.parquet", parse.ACTIONS, rows)


def wanted(*datasets: str, by_people: Sequence[str] = ()) -> dict[str, Subset]:
    have = replace(HAVE, by_people=by_people)
    return subsets(datasets or [name for name in DATASETS if name != "silver"], have)


def rows(release: Path, subset: str) -> pl.DataFrame:
    return pl.read_parquet(release / f"data/{subset}/*.parquet")


def export(
    results: Path,
    *datasets: str,
    mode: str = "standoff",
    licences: dict[str, Any] | None = None,
    version: str = "1.0",
    to: str = "release",
    accept: Sequence[str] = (),
    meddle: Callable[[Path], None] = lambda datasets: None,
    **more: Any,
) -> Path:
    """Export datasets of the results, and the release of them; `meddle` is called with the datasets in between."""
    licences = FREE if licences is None else licences
    chosen = wanted(*datasets, by_people=gold_by_people(licences))
    both: dict[str, Any] = {
        "registry": str(ROOT / "resources/sources.tsv"),
        "licences": licences,
        "mode": mode,
        "jsonl": False,
    } | more
    key = json.dumps({"step": "", "settings": {"mode": mode}, "resources": {}, "packages": {}, "code": {}})
    job = Job({"key": key}, PROGRESS)
    folders = []
    for subset in chosen.values():
        folder = results / f"export/dataset/{subset.name}"
        sources = _sources(results, subset.sources)
        keep_inputs(sources, [str(folder)])
        export_dataset(
            rows=_parts(results, subset),
            texts=texts_of(results, subset.texts),
            sources=sources,
            dataset=str(folder),
            settings=DatasetSettings(
                subset=json.loads(json.dumps(asdict(subset))),
                gold=str(results.parent / "gold.tsv") if subset.form == "gold" else None,
                simplified=False,
                **both,
            ),
            job=job,
        )
        keep_keys(key, [str(folder)])
        folders.append(str(folder))
    meddle(results / "export/dataset")
    release = results / "export" / to / f"recipes-{version}"
    corpora = dict.fromkeys(corpus for subset in chosen.values() for corpus in subset.texts)
    gates = str(results / "export/gates")
    export_gates(
        datasets=folders,
        texts=texts_of(results, corpora),
        sources=_sources(results, [name for subset in chosen.values() for name in subset.sources]),
        counted=counted(results, chosen.values()),
        models=[
            str(path)
            for table in ("train/examples", "generate/instances")
            for path in sorted((results / table).rglob("*.parquet"))
        ],
        gates=gates,
        settings=GatesSettings(
            subsets=[json.loads(json.dumps(asdict(subset))) for subset in chosen.values()],
            ingest={
                corpus: {"step": "sentences", "settings": SENTENCES}
                if corpus == "lines"
                else {"step": "recipes", "settings": RECIPES}
                for corpus in corpora
            },
            name="recipes",
            version=version,
            contact="cook@example.org",
            home_page="https://example.org/recipes",
            licence_of_annotations="CC-BY-4.0",
            **both,
        ),
        job=job,
    )
    settings = ReleaseSettings(accept=frozenset(accept))
    export_release(datasets=folders, gates=gates, release=str(release), settings=settings, job=job)
    return release


def _parts(results: Path, subset: Subset) -> list[str]:
    if not subset.table:
        return []
    folder = results / subset.table
    return sorted(map(str, folder.glob("*/*.parquet" if subset.form == "predictions" else "*.parquet")))


def texts_of(results: Path, corpora: Any) -> list[str]:
    return [
        str(path)
        for corpus in corpora
        for table in ("recipes", "sentences")
        for path in sorted((results / f"ingest/{table}/{corpus}").glob("*.parquet"))
    ]


def counted(results: Path, subsets: Collection[Subset]) -> list[str]:
    """The tables of the subsets, and those between them and their sources."""
    tables = [f"ingest/{table}" for table in ("recipes", "sentences", "rejects")]
    tables += ["parse/rejects", "enrich/rejects"]
    corpora = sorted({corpus for subset in subsets for corpus in subset.texts})
    between = [results / table / corpus for table in tables for corpus in corpora]
    return [
        *(path for subset in subsets for path in _parts(results, subset)),
        *(str(path) for folder in between for path in sorted(folder.glob("*.parquet"))),
    ]


def _sources(results: Path, names: Sequence[str]) -> list[str]:
    described = [ENTITIES if name == WIKIDATA else name for name in dict.fromkeys(names)]
    paths = [results / f"ingest/source/{name}.json" for name in described]
    paths += sorted(results.glob("ingest/source/pages_*.json")) if WIKIPEDIA in names else []
    return [str(path) for path in paths if path.exists()]


def raw(results: Path, *corpora: str) -> dict[str, str]:
    """The user's own copies."""
    return {corpus: str(results.parent / RAW[corpus]) for corpus in corpora or RAW}


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def same(left: Path, right: Path) -> bool:
    """Whether two folders hold the same files with the same bytes."""
    names = files(left)
    return names == files(right) and filecmp.cmpfiles(left, right, names, shallow=False)[0] == names


def edit(release: Path, change: Any) -> None:
    manifest = json.loads((release / "release.json").read_text())
    change(manifest)
    (release / "release.json").write_text(json.dumps(manifest))
    again(release)


def again(release: Path) -> None:
    """Checksums of what there is now, as somebody who means harm would write them."""
    from wokflow.export.release import file_digest, files_in

    sums = [f"{file_digest(release / path)}  {path}\n" for path in files_in(release) if path != "SHA256SUMS"]
    (release / "SHA256SUMS").write_text("".join(sums))
