"""What it costs to write checksums of pages and to compare them: against pyarrow and polars alone, in one run."""

import json
from itertools import islice
from pathlib import Path

from tests.bench import measure
from tests.bench.measure import Call, Clock, isolated

ROUNDS = {"tiny": 1, "small": 5, "full": 5}
SIZES = {"tiny": 5_000, "small": 200_000, "full": 1_500_000}  # recipes
EACH = {  # contender: columns that are read (None: all), and whether their checksums are compared
    "all columns, polars alone": (None, False),
    "all columns, compared": (None, True),
    "titles, polars alone": (["title"], False),
    "titles, compared": (["title"], True),
}
WRITE, WRITE_PLAIN = "written with checksums", "written without"


def test_tables(data: Path) -> None:
    part = data / "recipes.parquet"
    isolated(Call(make, {"part": str(part), "rows": SIZES[measure.scale()]}))
    measure.cached(part)
    reading = {
        name: Call(read, {"part": str(part), "columns": columns, "compared": compared})
        for name, (columns, compared) in EACH.items()
    }
    writing = {
        name: Call(write, {"part": str(part), "out": str(data / "out.parquet"), "checksums": checksums})
        for name, checksums in ((WRITE_PLAIN, False), (WRITE, True))
    }
    measured = measure.in_turn({**reading, **writing}, ROUNDS[measure.scale()])
    assert len({results[0].outcome for results in measured.values()}) == 1, "all see the same rows"
    names = [*EACH, WRITE_PLAIN, WRITE]
    rows = [
        [
            name,
            f"{measure.middle(measured[name], 'wall'):.2f}",
            f"{measure.middle(measured[name], 'cpu'):.2f}",
            f"{measure.middle(measured[name], 'peak'):,.0f}",
            f"{measure.ratio(measured[name], measured[names[at - at % 2]]):.2f}",
        ]
        for at, name in enumerate(names)
    ]
    measure.publish(
        "tables",
        "Checksums of tables",
        f"""A table of {SIZES[measure.scale()]:,} recipes ({part.stat().st_size / 2**20:,.0f} MiB, in the page
        cache) is read by polars, without and with comparing the checksums of the pages before, and
        written without and with them. The last column is the ratio to the row without.
        {measure.repeat("test_tables.py")}""",
        measure.machine("polars", "pyarrow"),
        measure.table(["contender", "s", "CPU s", "peak MiB", "ratio"], rows),
    )


def make(clock: Clock, part: str, rows: int) -> None:
    """Write a table of the recipes of a made-up corpus."""
    import polars as pl
    from wokflow.frame import tables
    from wokflow.ingest.schemas import RECIPES

    from tests.bench import corpora

    raw = Path(part).with_suffix(".raw")
    corpora.xiachufang(raw, rows, dirt=0)
    with raw.open(encoding="utf-8") as file:
        found = [json.loads(line) for line in islice(file, rows)]
    raw.unlink()
    recipes = {
        "recipe_id": [f"xiachufang:{row}" for row in range(len(found))],
        "title": [one["name"] for one in found],
        "ingredients": [one["recipeIngredient"] for one in found],
        "steps": [one["recipeInstructions"] for one in found],
    }
    schema = RECIPES.empty_table().select(list(recipes)).schema
    tables.write(part, schema, pl.DataFrame(recipes), {})


def read(clock: Clock, part: str, columns: list[str] | None, compared: bool) -> int:
    import polars as pl
    from wokflow.frame import tables

    with clock:
        frame = tables.read(part, columns) if compared else pl.read_parquet(part, columns=columns)
    return len(frame)


def write(clock: Clock, part: str, out: str, checksums: bool) -> int:
    import polars as pl
    import pyarrow.parquet as pq
    from wokflow.frame import tables

    frame, schema, writer = pl.read_parquet(part), pq.read_schema(part), pq.ParquetWriter
    pq.ParquetWriter = lambda *given, **named: writer(*given, **{**named, "write_page_checksum": checksums})
    with clock:
        tables.write(out, schema.remove_metadata(), frame, {})
    return len(pl.read_parquet(out))
