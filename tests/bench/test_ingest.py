"""How fast corpora become recipes: against bare polars (read, write), and against a script with pandas."""

import json
import re
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.bench import measure
from tests.bench.measure import Call, Clock, Measured, at_least, at_most, isolated

PARTS = 4
DIRT = 0.005
ROUNDS = {"tiny": 1, "small": 4, "full": 4}
SIZES: dict[tuple[str, str], list[int]] = {
    ("tiny", "recipenlg"): [60_000],  # more than a chunk of pandas
    ("tiny", "xiachufang"): [60_000],
    ("small", "recipenlg"): [10_000, 100_000, 300_000],
    ("small", "xiachufang"): [10_000, 100_000, 300_000],
    ("full", "recipenlg"): [10_000, 100_000, 1_000_000, 2_200_000],
    ("full", "xiachufang"): [10_000, 100_000, 1_000_000, 1_500_000],
}
TITLES = {"recipenlg": "RecipeNLG", "xiachufang": "XiaChuFang"}
WOKFLOW, DIRTY, PANDAS = "Wokflow", "Wokflow, 0.5 % dirty", "pandas"
POLARS, NEEDED = "polars, bare", "polars, bare, 4 columns"

# The cleaning as a short script has it. In the generated corpora it does what Wokflow's does.
EMOJI = re.compile("[\U0001f000-\U0001faff\u2607-\u27bf\ufe0e\ufe0f\u200d\u20e3]")
SYMBOLS = re.compile("[\u2190-\u21ff\u2300-\u23ff\u2500-\u2606\ufffd]")
INVISIBLE = re.compile("[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2060\ufeff©®™]")
SPACES = re.compile(r"\s+")
# What of a corpus is kept, and under which name.
CSV_COLUMNS = {"title": "title", "ingredients": "ingredients", "directions": "steps", "link": "more"}
JSON_COLUMNS = {
    "name": "title",
    "recipeIngredient": "ingredients",
    "recipeInstructions": "steps",
    "dish": "more",
}
CHUNK = 50_000  # rows that pandas holds at once


@pytest.mark.parametrize("corpus", list(TITLES))
def test_ingest(corpus: str, data: Path) -> None:
    measured = {rows: contest(corpus, rows, data) for rows in SIZES[measure.scale(), corpus]}
    lines = [line for rows, results in measured.items() for line in table_lines(rows, results)]
    header = ["contender", "rows", "s", "CPU s", "peak MiB", "rows/s", "times bare polars"]
    largest = measured[max(measured)]
    publish_corpus(corpus, max(measured), largest, measure.table(header, lines))


def contest(corpus: str, rows: int, data: Path) -> dict[str, list[Measured]]:
    """Measure all contenders on a corpus of so many rows; all must find the same recipes."""
    print(f"\n{corpus}, {rows:,} rows", flush=True)
    clean, dirty, out = data / "clean", data / "dirty", data / "out"
    for raw, dirt in ((clean, 0.0), (dirty, DIRT)):
        isolated(Call(make_corpus, {"corpus": corpus, "raw": str(raw), "rows": rows, "dirt": dirt}))
    out.mkdir()
    options = {"corpus": corpus, "out": str(out)}
    contenders = {
        WOKFLOW: Call(wokflow_ingest, options | {"raw": str(clean)}),
        POLARS: Call(bare_polars, options | {"raw": str(clean), "every_column": True}),
        NEEDED: Call(bare_polars, options | {"raw": str(clean), "every_column": False}),
        DIRTY: Call(wokflow_ingest, options | {"raw": str(dirty)}),
        PANDAS: Call(pandas_script, options | {"raw": str(clean)}),
    }
    measured = measure.in_turn(contenders, ROUNDS[measure.scale()])
    shutil.rmtree(out)
    for results in zip(*measured.values(), strict=True):
        ours, bare, needed, spoilt, script = (result.outcome for result in results)
        assert ours["recipes"] + ours["rejects"] == bare["recipes"] == needed["recipes"] == rows
        assert spoilt["recipes"] + spoilt["rejects"] == rows
        assert (ours["recipes"], ours["digest"]) == (script["recipes"], script["digest"])
    return measured


def table_lines(rows: int, measured: dict[str, list[Measured]]) -> Iterator[list[str]]:
    for name, results in measured.items():
        wall = measure.middle(results, "wall")
        yield [
            name,
            f"{rows:,}",
            f"{wall:.2f}",
            f"{measure.middle(results, 'cpu'):.2f}",
            f"{measure.middle(results, 'peak'):,.0f}",
            f"{rows / wall:,.0f}",
            f"{measure.ratio(results, measured[POLARS]):.2f}",
        ]


def publish_corpus(corpus: str, rows: int, measured: dict[str, list[Measured]], table: str) -> None:
    bare = measure.ratio(measured[WOKFLOW], measured[POLARS])
    pairs = zip(measured[WOKFLOW], measured[POLARS], strict=True)
    turns = [ours.wall / theirs.wall for ours, theirs in pairs]
    script = measure.ratio(measured[PANDAS], measured[WOKFLOW])
    peak = max(result.peak for name in (WOKFLOW, DIRTY) for result in measured[name])
    targets = at_most(bare, 2.5), at_least(script, 3), at_most(peak, 2048)
    measure.publish(
        f"ingest-{corpus}",
        f"Ingest of {TITLES[corpus]}",
        f"""A made-up corpus of {TITLES[corpus]}'s shape becomes recipes and rejects: checked, cleaned,
        without duplicates. Bare polars only reads the clean file and writes it as Parquet with zstd, with
        all its columns, and with the four that Wokflow keeps; a list in a CSV field stays text. The
        script with pandas reads it in chunks of {CHUNK:,} rows with `json.loads` and does the same
        cleaning with `re`; Wokflow must find the same recipes, to the letter. Each may use
        {measure.THREADS} threads; the files are in the page cache. {measure.repeat("test_ingest.py")}""",
        measure.machine("polars", "pandas"),
        table,
        f"""At {rows:,} rows Wokflow takes {bare:.2f} times as long as bare polars with all columns
        (single turns: {min(turns):.2f} to {max(turns):.2f}; {targets[0]}), is {script:.1f} times as
        fast as the script ({targets[1]}), and holds at most {peak:,.0f} MiB ({targets[2]}).""",
        targets=targets,
    )


def make_corpus(clock: Clock, corpus: str, raw: str, rows: int, dirt: float) -> None:
    from tests.bench import corpora

    getattr(corpora, corpus)(Path(raw), rows, dirt=dirt)


def wokflow_ingest(clock: Clock, corpus: str, raw: str, out: str) -> dict[str, Any]:
    from wokflow.frame import tables
    from wokflow.frame.job import Job
    from wokflow.ingest.recipes import ingest_recipes
    from wokflow.ingest.settings import RecipesSettings

    recipes, rejects = ([f"{out}/{name}-{part}.parquet" for part in range(PARTS)] for name in ("good", "bad"))
    source = Path(out, "source.json")
    source.write_text('{"sha256": "not asked for"}', encoding="utf-8")
    measure.cached(raw)
    with clock:
        ingest_recipes(
            source=str(source),
            recipes=recipes,
            rejects=rejects,
            corpus=corpus,
            settings=RecipesSettings(raw=raw),
            job=Job(threads=measure.THREADS),
        )
    return {"recipes": tables.rows(recipes), "rejects": tables.rows(rejects), "digest": digest(recipes)}


def bare_polars(clock: Clock, corpus: str, raw: str, out: str, every_column: bool) -> dict[str, Any]:
    import polars as pl

    path = f"{out}/bare.parquet"
    texts = ("name", "dish", "description", "author")
    lists = ("recipeIngredient", "recipeInstructions", "keywords")
    fields = dict.fromkeys(texts, pl.String()) | dict.fromkeys(lists, pl.List(pl.String()))
    measure.cached(raw)
    with clock:
        if corpus == "recipenlg":
            frame = pl.scan_csv(raw, infer_schema=False)
            frame = frame if every_column else frame.select(CSV_COLUMNS.keys())
        else:
            wanted = fields if every_column else JSON_COLUMNS
            frame = pl.scan_ndjson(raw, schema={name: fields[name] for name in wanted})
        frame.sink_parquet(path, compression="zstd")
    return {"recipes": pl.scan_parquet(path).select(pl.len()).collect().item()}


def pandas_script(clock: Clock, corpus: str, raw: str, out: str) -> dict[str, Any]:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = f"{out}/pandas.parquet"
    texts = pa.list_(pa.string())
    schema = pa.schema(
        [("title", pa.string()), ("ingredients", texts), ("steps", texts), ("more", pa.string())]
    )
    seen: set[int] = set()
    measure.cached(raw)
    with clock, pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for chunk in csv_chunks(raw) if corpus == "recipenlg" else json_chunks(raw):
            assert isinstance(chunk, pd.DataFrame)
            chunk["title"] = chunk["title"].map(cleaned)
            for column in ("ingredients", "steps"):
                chunk[column] = chunk[column].map(cleaned_list)
            chunk = chunk[
                (chunk["title"] != "") & (chunk["ingredients"].str.len() > 0) & (chunk["steps"].str.len() > 0)
            ]
            chunk = chunk[[not known(seen, row) for row in chunk.itertuples(index=False)]]
            writer.write_table(pa.Table.from_pandas(chunk, schema, preserve_index=False))
    return {"recipes": pq.read_metadata(path).num_rows, "digest": digest([path])}


def csv_chunks(raw: str) -> Iterator[Any]:
    import pandas as pd

    for chunk in pd.read_csv(raw, usecols=list(CSV_COLUMNS), chunksize=CHUNK, keep_default_na=False):
        chunk = chunk.rename(columns=CSV_COLUMNS)
        for column in ("ingredients", "steps"):
            chunk[column] = chunk[column].map(json.loads)
        yield chunk


def json_chunks(raw: str) -> Iterator[Any]:
    import pandas as pd

    with Path(raw).open(encoding="utf-8") as file:
        while records := [json.loads(line) for line in islice(file, CHUNK)]:
            frame = pd.DataFrame.from_records(records, columns=list(JSON_COLUMNS))
            yield frame.rename(columns=JSON_COLUMNS)


def cleaned(text: str) -> str:
    text = INVISIBLE.sub("", SYMBOLS.sub(" ", EMOJI.sub("", text)))
    return SPACES.sub(" ", text).strip()


def cleaned_list(texts: list[str]) -> list[str]:
    return [text for text in map(cleaned, texts) if text]


def known(seen: set[int], row: Any) -> bool:
    content = hash((row.title, tuple(row.ingredients), tuple(row.steps)))
    if content in seen:
        return True
    seen.add(content)
    return False


def digest(parts: list[str]) -> str:
    """A digest of the recipes in Parquet files, in order, wherever the files are cut."""
    import hashlib

    import polars as pl
    import pyarrow.parquet as pq

    total = hashlib.sha256()
    content = pl.struct("title", "ingredients", "steps")
    for part in parts:
        for batch in pq.ParquetFile(part).iter_batches(16_384, columns=["title", "ingredients", "steps"]):
            total.update(pl.DataFrame(batch).select(content.hash(0)).to_series().to_numpy().tobytes())
    return total.hexdigest()
