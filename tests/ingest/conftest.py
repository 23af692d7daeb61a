"""What the tests of ingest share: two small corpora, and a way to ingest bytes and see what comes out."""

import gzip
import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from backports import zstd
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.ingest import fetching
from wokflow.ingest.recipes import ingest_recipes
from wokflow.ingest.schemas import REASONS, RECIPES, REJECTS
from wokflow.ingest.settings import RecipesSettings

from tests.ingest.defaults import OFF
from tests.ingest.sites import Site, serving


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README", b"read me")
        archive.writestr("recipes", data)
    return file.getvalue()


def halves(pack: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    return lambda data: pack(data[: len(data) // 2]) + pack(data[len(data) // 2 :])


PACKED = {
    "gz": (".gz", gzip.compress),
    "gz of two members": (".gz", halves(gzip.compress)),
    "zst": (".zst", zstd.compress),
    "zst of two frames": (".zst", halves(zstd.compress)),
    "zip": (".zip", zipped),
}
MAGIC = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd", ".zip": b"PK\3\4"}


def quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"' if set(field) & set(',"\n') else field


def recipenlg_row(
    number: int,
    title: str = "Fried Rice",
    ingredients: object = ("2 eggs", "1 c. rice"),
    steps: object = ("Boil the rice.", "Fry it."),
    **other: str,
) -> bytes:
    """A line as RecipeNLG has it; a field given as text stands as it is."""
    lists = [value if isinstance(value, str) else json.dumps(value) for value in (ingredients, steps)]
    fields = [str(number), title, *lists, other.get("link", "www.x.org/1"), "Gathered", '["rice"]']
    return ",".join(quoted(field) for field in fields).encode()


def xiachufang_row(
    number: int,
    title: object = "蛋炒饭",
    ingredients: object = ("鸡蛋2个", "米饭1碗"),
    steps: object = ("打散鸡蛋", "下锅翻炒"),
    **other: object,
) -> bytes:
    """A line as XiaChuFang has it."""
    record = {
        "name": title,
        "dish": other.get("dish", "Unknown"),
        "description": "家常",
        "recipeIngredient": ingredients,
        "recipeInstructions": steps,
        "author": f"author_{number}",
        "keywords": ["饭"],
    }
    return json.dumps(record, ensure_ascii=False).encode()


@dataclass(frozen=True)
class Corpus:
    """How to write files of a corpus: `row` makes the line of a recipe from its number and fields."""

    name: str
    header: bytes
    row: Callable[..., bytes]

    def file(self, rows: Sequence[bytes]) -> bytes:
        return b"".join(line + b"\n" for line in [*([self.header] if self.header else []), *rows])

    def titles(self, count: int) -> list[bytes]:
        """Rows that differ in their titles: Dish 0, Dish 1, ..."""
        return [self.row(number, f"Dish {number}") for number in range(count)]


RECIPENLG = Corpus("recipenlg", b",title,ingredients,directions,link,source,NER", recipenlg_row)
XIACHUFANG = Corpus("xiachufang", b"", xiachufang_row)


@dataclass(frozen=True)
class Ingested:
    recipes: pl.DataFrame
    rejects: pl.DataFrame
    log: str
    parts: list[bytes]

    @property
    def titles(self) -> list[str]:
        return self.recipes["title"].to_list()

    @property
    def reasons(self) -> list[str]:
        return self.rejects["reason"].to_list()


def ingested(
    corpus: str,
    data: bytes,
    *,
    ending: str = "",
    threads: int = 1,
    parts: int = 1,
    cleaning: RecipesSettings = OFF,
    truncated: str = "keep",
    mostly_rejected: str = "keep",
    seconds: float = 10.0,
) -> Ingested:
    """Ingest a file that holds `data`; what must hold of every ingest is checked on the way."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder, "raw" + ending)
        raw.write_bytes(data)
        recipes, rejects = (
            [f"{folder}/{table}/part-{part:05}.parquet" for part in range(parts)] for table in ("good", "bad")
        )
        Path(folder, "source.json").write_text('{"bytes": 1, "sha256": "1a"}')
        log = io.StringIO()
        ingest_recipes(
            source=f"{folder}/source.json",
            recipes=recipes,
            rejects=rejects,
            corpus=corpus,
            settings=cleaning.model_copy(
                update={"raw": str(raw), "truncated": truncated, "mostly_rejected": mostly_rejected}
            ),
            job=Job({"key": "a key"}, Progress(log, seconds=seconds), threads),
        )
        good, bad = tables.read(recipes), tables.read(rejects)
        assert tables.rows_read([*recipes, *rejects]) == good.height + bad.height
        content = [Path(part).read_bytes() for part in (*recipes, *rejects)]
    assert good.columns == RECIPES.names and bad.columns == REJECTS.names
    assert sorted([*good["source_row"], *bad["source_row"]]) == list(range(good.height + bad.height))
    assert good["source_row"].is_sorted() and bad["source_row"].is_sorted()
    assert good["recipe_id"].to_list() == [f"{corpus}:{row}" for row in good["source_row"]]
    assert set(bad["reason"]) <= set(REASONS)
    return Ingested(good, bad, log.getvalue(), content)


@pytest.fixture(scope="session")
def ingest() -> Callable[..., Ingested]:
    return ingested


@pytest.fixture(scope="session", params=[RECIPENLG, XIACHUFANG], ids=lambda corpus: corpus.name)
def corpus(request: pytest.FixtureRequest) -> Any:
    """Each of the corpora in turn."""
    return request.param


@pytest.fixture(scope="session")
def recipenlg_corpus() -> Corpus:
    return RECIPENLG


@pytest.fixture(scope="session")
def xiachufang_corpus() -> Corpus:
    return XIACHUFANG


@pytest.fixture(scope="session")
def dirty(corpus: Corpus) -> bytes:
    """Sixty rows, good ones among bad ones of every sort."""
    row = corpus.row
    bad = [
        row(0, "bad \xe9").decode().encode("latin-1", errors="replace"),
        row(0, "nul \0").replace(b"\\u0000", b"\0"),
        b"garbage",
        b"",
        b"   ",
        b'7,"open',
        b'{"name": "half',
        b"12,1,2",
        row(0, "😋"),
        row(0, ""),
        row(0, "no list", ingredients="salt"),
        row(0, "numbers", ingredients=[1, 2.5]),
        row(0, "empty", steps=[]),
        row(0, "deep") + b"[" * 3000,
        row(0, "half", steps=["HALF"]).replace(b"HALF", b"\\ud83d"),
        row(0, "crlf") + b"\r",
        b"\r",
        row(0, "over\ntwo lines"),
        row(0, "over\n2,5 lines\n\n"),
        b"\xff\xfe\x00",
    ]
    rows = []
    for number in range(20):
        rows += [
            row(number, f"Dish {number}"),
            bad[number],
            row(number, f"Second {number % 7}", ["\u00e9\u4e00"]),
        ]
    return corpus.file(rows)


@pytest.fixture(scope="session")
def real(shared: Path) -> Path:
    return shared / "real" / "recipes"


@pytest.fixture
def site(hasty: None) -> Iterator[Site]:
    """A server of one file."""
    with serving(Site()) as running:
        yield running


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short pauses between attempts."""
    monkeypatch.setattr(fetching, "BACKOFF", 0.01)
    monkeypatch.setattr(fetching, "LONGEST_BACKOFF", 0.02)
    monkeypatch.setattr(fetching, "JITTER", 0.01)
