"""A release holds every pair once, in files that others can read and check."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.export import schemas
from wokflow.export.pairs import _line, export_pairs
from wokflow.frame import tables
from wokflow.ingest.schemas import RECIPES
from wokflow.match.schemas import PAIRS

SPLITS = ("train", "valid", "test")
Pair = tuple[int, int, str]
FOUND: list[Pair] = [(2, 0, "train"), (2, 1, "train"), (0, 1, "valid"), (1, 3, "train"), (1, 0, "train")]


def recipes(path: Path, lang: str, rows: range) -> str:
    corpus = {"zh": "xiachufang", "en": "recipenlg"}[lang]
    dish = {"zh": "红烧肉", "en": None}[lang]
    found = [
        [f"{corpus}:{row}", corpus, lang, f"{lang} {row}", [f"盐 {row}"], ["“一”", "two"], dish, None, row]
        for row in rows
    ]
    columns = pl.DataFrame(RECIPES.empty_table()).schema
    pl.DataFrame(found, columns, orient="row").write_parquet(path)
    return str(path)


def released(folder: Path, pairs: list[Pair], *, shards: int = 1) -> Path:
    """Export pairs of (source row, target row, split); scores fall from pair to pair."""
    rows = []
    for number, (source, target, split) in enumerate(pairs):
        titles = (f"zh {source}", f"in English {source}", f"en {target}", None)
        rows.append((f"xiachufang:{source}", f"recipenlg:{target}", 1 - number / 64, 1, *titles, split))
    columns = pl.DataFrame(PAIRS.empty_table()).schema
    pl.DataFrame(rows, columns, orient="row").write_parquet(folder / "pairs")
    statistics = [(direction, split, 5) for direction in ("zh-en", "en-zh") for split in SPLITS]
    pl.DataFrame(statistics, ["direction", "split", "pairs"], orient="row").write_csv(
        folder / "table1.tsv", separator="\t"
    )
    export_pairs(
        pairs=str(folder / "pairs"),
        source_recipes=[
            recipes(folder / "zh-0", "zh", range(2)),
            recipes(folder / "zh-1", "zh", range(2, 9)),
        ],
        target_recipes=[recipes(folder / "en-0", "en", range(9))],
        statistics=str(folder / "table1.tsv"),
        release=str(folder / "release" / "zh-en"),
        direction="zh-en",
        shards=shards,
        metadata={"key": "a key", "sources": '{"xiachufang": "1a"}'},
    )
    return folder / "release" / "zh-en"


def lines(release: Path, split: str) -> list[dict[str, Any]]:
    """The JSON lines of a split, shard after shard."""
    files = sorted((release / "jsonl").glob(f"{split}-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def names(release: Path) -> list[str]:
    return sorted(str(path.relative_to(release)) for path in release.rglob("*") if path.is_file())


def test_a_line_holds_a_recipe_and_its_matches_best_first(tmp_path: Path) -> None:
    train = lines(released(tmp_path, FOUND), "train")
    assert [[row["source"]["id"], *(target["id"] for target in row["targets"])] for row in train] == [
        ["xiachufang:2", "recipenlg:0", "recipenlg:1"],
        ["xiachufang:1", "recipenlg:3", "recipenlg:0"],
    ]
    assert list(train[0]) == ["source", "targets", "scores"]
    assert list(train[0]["source"].items()) == [
        ("id", "xiachufang:2"),
        ("title", "zh 2"),
        ("title_translated", "in English 2"),
        ("ingredients", ["盐 2"]),
        ("steps", ["“一”", "two"]),
        ("dish", "红烧肉"),
    ]
    assert list(train[0]["targets"][1].items()) == [
        ("id", "recipenlg:1"),
        ("title", "en 1"),
        ("title_translated", None),
        ("ingredients", ["盐 1"]),
        ("steps", ["“一”", "two"]),
        ("dish", None),
    ]


def test_json_is_written_in_plain_characters(tmp_path: Path) -> None:
    data = (released(tmp_path, FOUND) / "jsonl" / "train-00000-of-00001.jsonl").read_bytes()
    assert "红烧肉".encode() in data and b"\\u" not in data and b"\r" not in data and data.endswith(b"\n")


@pytest.mark.parametrize("score", [0.1, 0.9142042, 1 - 2**-24, 1.0])
def test_scores_in_json_are_short_and_read_again_as_the_same_numbers(score: float) -> None:
    line = _line({"source": {}, "targets": [], "scores": [float(np.float32(score))]})
    [text] = re.findall(r'"scores": \[(.*)\]', line)
    assert np.float32(json.loads(text)) == np.float32(score) and len(text) <= 10


def test_parquet_holds_the_same(tmp_path: Path) -> None:
    release = released(tmp_path, FOUND)
    for split in SPLITS:
        table = pq.read_table(release / "data" / f"{split}-00000-of-00001.parquet")
        rows = table.to_pylist()
        assert rows == lines(release, split)
        assert table.schema.equals(schemas.PAIRS)
        assert table.schema.metadata[b"key"] == b"a key"
        assert table.schema.metadata[b"sources"] == b'{"xiachufang": "1a"}'
        if split == "train":
            assert [row["scores"] for row in rows] == [[1.0, 1 - 1 / 64], [1 - 3 / 64, 1 - 4 / 64]]


def test_files_have_the_names_that_dataset_readers_know(tmp_path: Path) -> None:
    one = [f"{split}-00000-of-00001" for split in ("test", "train", "valid")]
    assert names(released(tmp_path, FOUND)) == [
        "SHA256SUMS",
        *(f"data/{name}.parquet" for name in one),
        *(f"jsonl/{name}.jsonl" for name in one),
        "statistics.tsv",
    ]
    three = names(released(tmp_path, FOUND, shards=3))
    assert [name for name in three if name.startswith("data/train")] == [
        f"data/train-0000{shard}-of-00003.parquet" for shard in range(3)
    ]
    assert len(three) == 2 + 2 * 3 * 3


def test_datasets_reads_a_release(tmp_path: Path) -> None:
    import datasets

    data = str(released(tmp_path, FOUND) / "data")  # its test split is empty, which datasets refuses to load
    found = datasets.load_dataset(data, split="train", cache_dir=str(tmp_path / "cache"))
    assert found.num_rows == 2
    assert found[0]["targets"][1]["id"] == "recipenlg:1"


def test_checksums_verify(tmp_path: Path) -> None:
    release = released(tmp_path, FOUND, shards=2)
    sums = (release / "SHA256SUMS").read_text(encoding="utf-8")
    assert all(re.fullmatch(r"[0-9a-f]{64}  \S+", line) for line in sums.splitlines())
    assert [line.split("  ")[1] for line in sums.splitlines()] == [
        name for name in names(release) if name != "SHA256SUMS"
    ]
    if not shutil.which("sha256sum"):
        pytest.skip("there is no sha256sum")
    done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=release, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


def test_statistics_are_those_of_the_direction(tmp_path: Path) -> None:
    statistics = (released(tmp_path, FOUND) / "statistics.tsv").read_text()
    assert statistics.splitlines() == ["direction\tsplit\tpairs", *(f"zh-en\t{split}\t5" for split in SPLITS)]


@settings(deadline=None, max_examples=15)
@given(
    drawn=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=25, unique=True),
    shards=st.integers(1, 5),
)
def test_every_pair_is_released_once_in_its_split(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[int, int]], shards: int
) -> None:
    pairs = [(source, target, SPLITS[source % 3]) for source, target in sorted(drawn)]
    release = released(tmp_path_factory.mktemp("export"), pairs, shards=shards)
    found = [
        (int(row["source"]["id"].split(":")[1]), int(target["id"].split(":")[1]), split)
        for split in SPLITS
        for row in lines(release, split)
        for target in row["targets"]
    ]
    assert sorted(found) == sorted(pairs)
    sources = [row["source"]["id"] for split in SPLITS for row in lines(release, split)]
    assert len(sources) == len(set(sources)), "a source is one line"
    sizes = [
        tables.rows([release / "data" / f"train-{shard:05}-of-{shards:05}.parquet"])
        for shard in range(shards)
    ]
    assert max(sizes) - min(sizes) <= 1


def test_an_empty_split_is_an_empty_file(tmp_path: Path) -> None:
    release = released(tmp_path, [])
    assert all(lines(release, split) == [] for split in SPLITS)
    for path in (release / "data").iterdir():
        assert pq.read_table(path).num_rows == 0 and pq.read_schema(path).equals(schemas.PAIRS)
    assert "SHA256SUMS" in names(release)


def test_a_release_is_replaced_as_a_whole(tmp_path: Path) -> None:
    release = released(tmp_path, FOUND, shards=3)
    (release / "notes.txt").write_text("left by somebody")
    before = names(released(tmp_path, FOUND))
    assert not any("of-00003" in name or name == "notes.txt" for name in before)
    assert [path.name for path in release.parent.iterdir()] == ["zh-en"], "nothing half-done lies beside it"


def test_a_release_that_fails_leaves_the_one_before(tmp_path: Path) -> None:
    release = released(tmp_path, FOUND)
    before = (release / "SHA256SUMS").read_bytes()
    with pytest.raises(
        ValueError, match=r"test-00000.* rows do not fit the table's schema: field 'title' .* has nulls"
    ):
        released(tmp_path, [*FOUND, (77, 0, "test")])
    assert (release / "SHA256SUMS").read_bytes() == before


def test_the_same_pairs_are_the_same_bytes(tmp_path: Path) -> None:
    release = released(tmp_path, FOUND)
    before = (release / "SHA256SUMS").read_bytes()
    assert (released(tmp_path, FOUND) / "SHA256SUMS").read_bytes() == before


def test_each_corpus_is_read_once_and_nothing_of_it_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan, read = tables.scan, []

    def counted(parts: Any, columns: Any = None) -> pl.LazyFrame:
        read.append([Path(part).name for part in parts] if isinstance(parts, list) else Path(parts).name)
        return scan(parts, columns)

    monkeypatch.setattr(tables, "scan", counted)
    monkeypatch.setattr("wokflow.export.pairs.BATCH", 1)
    release = released(tmp_path, FOUND, shards=3)
    assert read == ["pairs", ["zh-0", "zh-1"], ["en-0"]]
    assert sorted(path.name for path in release.iterdir()) == [
        "SHA256SUMS",
        "data",
        "jsonl",
        "statistics.tsv",
    ]


def test_recipes_are_joined_a_few_at_a_time_with_the_same_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = released(tmp_path, FOUND)
    before = [lines(release, split) for split in SPLITS]
    monkeypatch.setattr("wokflow.export.pairs.BATCH", 1)
    assert [lines(released(tmp_path, FOUND), split) for split in SPLITS] == before
