"""Every row of a source ends as one recipe or one reject, whatever it holds and however it is read."""

import errno
import gzip
import io
import json
import random
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.tables import PartWriter
from wokflow.ingest import raw_records, recipes

from tests.ingest.conftest import PACKED
from tests.ingest.defaults import CLEAN, OFF, recipes_settings

Ingest = Callable[..., Any]
BINARY = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + random.Random(1).randbytes(20_000)


def assert_same(one: Any, other: Any) -> None:
    assert one.recipes.equals(other.recipes) and one.rejects.equals(other.rejects)


def test_recipes_have_all_their_fields(ingest: Ingest, recipenlg_corpus: Any, xiachufang_corpus: Any) -> None:
    row = recipenlg_corpus.row(0, "Fried Rice", ["2 eggs"], ["Fry."], link="x.org")
    found = ingest("recipenlg", recipenlg_corpus.file([row])).recipes.row(0, named=True)
    common = {"source_row": 0, "dish": None, "url": None}
    assert found == common | {
        "recipe_id": "recipenlg:0",
        "corpus": "recipenlg",
        "lang": "en",
        "title": "Fried Rice",
        "ingredients": ["2 eggs"],
        "steps": ["Fry."],
        "url": "x.org",
    }
    row = xiachufang_corpus.row(0, "蛋炒饭", ["鸡蛋2个"], ["炒"], dish="炒饭")
    found = ingest("xiachufang", xiachufang_corpus.file([row])).recipes.row(0, named=True)
    assert found == common | {
        "recipe_id": "xiachufang:0",
        "corpus": "xiachufang",
        "lang": "zh",
        "title": "蛋炒饭",
        "ingredients": ["鸡蛋2个"],
        "steps": ["炒"],
        "dish": "炒饭",
    }


def test_a_dirty_file_gives_every_good_row_and_a_reason_for_each_bad_one(
    ingest: Ingest, corpus: Any, dirty: bytes
) -> None:
    found = ingest(corpus.name, dirty, cleaning=CLEAN)
    assert {f"Dish {number}" for number in range(20)} <= set(found.titles)
    assert [title for title in found.titles if title.startswith("Second")] == [
        f"Second {n}" for n in range(7)
    ]
    reasons = set(found.reasons)
    assert reasons >= {"broken_record", "invalid_utf8", "nul_byte", "bad_list", "duplicate"}
    assert reasons >= {"empty_title", "empty_steps"}
    assert all(found.rejects["raw"].str.len_bytes() > 0)


def test_rows_are_counted_before_they_are_sorted_into_recipes_and_rejects(
    xiachufang_corpus: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the gate of a release sees that some were lost there."""
    monkeypatch.setattr(recipes._Seen, "mark", lambda seen, records: records[1:])
    raw, good, bad = tmp_path / "raw", tmp_path / "good.parquet", tmp_path / "bad.parquet"
    raw.write_bytes(xiachufang_corpus.file([xiachufang_corpus.row(number) for number in range(3)]))
    (tmp_path / "source.json").write_text('{"bytes": 1, "sha256": "1a"}')
    settings = CLEAN.model_copy(update={"raw": str(raw)})
    recipes.ingest_recipes(
        source=str(tmp_path / "source.json"),
        recipes=[str(good)],
        rejects=[str(bad)],
        corpus="xiachufang",
        settings=settings,
        job=Job({"key": "a key"}),
    )
    assert tables.rows_read([good, bad]) == 3 and tables.rows([good, bad]) == 2


@pytest.mark.parametrize("packed", list(PACKED))
def test_packed_files_give_the_same_tables(packed: str, ingest: Ingest, corpus: Any, dirty: bytes) -> None:
    ending, pack = PACKED[packed]
    assert_same(ingest(corpus.name, dirty), ingest(corpus.name, pack(dirty), ending=ending))


def test_nothing_depends_on_threads_parts_or_blocks(
    ingest: Ingest, corpus: Any, dirty: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = ingest(corpus.name, dirty, cleaning=CLEAN)
    for size in (1, 100, 3000, 1 << 20):
        monkeypatch.setattr(recipes, "BLOCK", size)
        for threads, parts in ((1, 1), (4, 3)):
            found = ingest(corpus.name, dirty, threads=threads, parts=parts, cleaning=CLEAN)
            assert_same(expected, found)


def test_endless_garbage_gives_the_same_rows_whatever_the_blocks(
    ingest: Ingest, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_records, "LIMIT", 2000)
    bad = [b'7,"open', b"garbage", b"8,a", b"", b"x" * 100, b'9,"', b"{", b"\xff"] * 20
    data = corpus.file([*corpus.titles(15), *bad, *corpus.titles(15)])
    expected = ingest(corpus.name, data)
    assert len(expected.titles) == 30
    for size in (99, 1999, 20_000):
        monkeypatch.setattr(recipes, "BLOCK", size)
        assert_same(expected, ingest(corpus.name, data, threads=2))
        assert_same(expected, ingest(corpus.name, gzip.compress(data), ending=".gz"))


def test_the_same_input_gives_the_same_bytes(
    ingest: Ingest, corpus: Any, dirty: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "BLOCK", 1000)
    one, other = (ingest(corpus.name, dirty, parts=3, threads=threads).parts for threads in (1, 4))
    assert one == other and len(one) == 6


def test_parts_are_of_about_equal_size_and_carry_the_metadata(ingest: Ingest, corpus: Any) -> None:
    found = ingest(corpus.name, corpus.file(corpus.titles(5000)), parts=4)
    metadata = [pq.read_metadata(io.BytesIO(part)) for part in found.parts]
    assert all(500 < part.num_rows < 2000 for part in metadata[:4])
    assert all(part.metadata[b"key"] == b"a key" for part in metadata)
    assert all(json.loads(part.metadata[b"sources"]) == {corpus.name: "1a"} for part in metadata)


@pytest.mark.parametrize("share", [0.01, 0.7, 0.99])
@pytest.mark.parametrize("packed", ["gz", "zst", "zip"])
def test_a_cut_archive_gives_the_rows_before_the_cut(
    share: float, packed: str, ingest: Ingest, recipenlg_corpus: Any
) -> None:
    corpus = recipenlg_corpus  # archives are read alike for all
    letters = random.Random(1)
    titles = [f"Dish {letters.getrandbits(64)}" for _ in range(3000)]
    ending, pack = PACKED[packed]
    data = pack(corpus.file([corpus.row(number, title) for number, title in enumerate(titles)]))
    data = data[: int(len(data) * share)]
    found = ingest(corpus.name, data, ending=ending)
    assert found.titles == titles[: len(found.titles)]
    assert len(found.titles) > 3000 * share - 1000
    assert found.reasons[-1] == "truncated_archive" and found.rejects["detail"][-1]
    rows = found.recipes.height + found.rejects.height - 1
    problem = re.escape(
        f"raw{ending} is cut off or damaged after {rows} rows: {found.rejects['detail'][-1]}. Fetch"
    )
    assert re.search(problem.removesuffix(r"\.\ Fetch"), found.log)
    with pytest.raises(UserError, match=problem):
        ingest(corpus.name, data, ending=ending, truncated="refuse")


@pytest.mark.parametrize("packed", ["gz", "zst", "zip"])
def test_a_damaged_archive_is_a_reject(packed: str, ingest: Ingest, recipenlg_corpus: Any) -> None:
    corpus = recipenlg_corpus
    ending, pack = PACKED[packed]
    data = bytearray(pack(corpus.file(corpus.titles(2000))))
    data[len(data) // 2 : len(data) // 2 + 50] = b"\xff" * 50
    assert ingest(corpus.name, bytes(data), ending=ending).reasons[-1] == "truncated_archive"
    with pytest.raises(UserError, match=r"cut off or damaged after \d+ rows: damaged .*Fetch the file"):
        ingest(corpus.name, bytes(data), ending=ending, truncated="refuse")


@pytest.mark.parametrize("packed", ["plain", "gz"])
def test_a_file_that_ends_within_a_record_is_refused_or_kept(
    packed: str, ingest: Ingest, corpus: Any
) -> None:
    ending, pack = PACKED["gz"] if packed == "gz" else ("", bytes)
    last = corpus.row(2, "蛋炒饭")
    whole = corpus.file(corpus.titles(2)) + last
    for lost in range(1, len(last) - 2, 7):  # also at each byte of a character (of three)
        data = pack(whole[:-lost])
        with pytest.raises(UserError, match="cut off or damaged after 2 rows: it ends within "):
            ingest(corpus.name, data, ending=ending, truncated="refuse")
        found = ingest(corpus.name, data, ending=ending, truncated="keep")
        assert found.titles[:2] == ["Dish 0", "Dish 1"]
        assert found.reasons or found.titles[2:] == ["蛋炒饭"]
        assert "cut off or damaged after 2 rows" in found.log
    assert ingest(corpus.name, pack(whole), ending=ending, truncated="refuse").titles[-1] == "蛋炒饭"


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\n\n \n  "])
def test_a_broken_last_line_that_is_complete_is_a_reject(end: bytes, ingest: Ingest, corpus: Any) -> None:
    found = ingest(corpus.name, corpus.file(corpus.titles(2)) + b"garbage" + end, truncated="refuse")
    assert found.titles == ["Dish 0", "Dish 1"] and found.reasons == ["broken_record"]


def test_a_broken_line_at_the_end_of_a_block_is_a_reject(
    ingest: Ingest, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "LEAST", 1)
    monkeypatch.setattr(recipes, "BLOCK", 400)
    monkeypatch.setattr(raw_records, "LIMIT", 1000)
    data = corpus.file([*corpus.titles(5), b"x" * 10_000, *corpus.titles(5)])
    assert ingest(corpus.name, data, truncated="refuse").recipes.height > 5


@pytest.mark.parametrize("begin", [b"\x1f\x8b", b"x\x01", b"x\x9c", b"x\xda", b"\x28\xb5\x2f\xfd", b"PK\3\4"])
def test_lines_that_begin_as_archives_do_are_rejects(begin: bytes, ingest: Ingest, corpus: Any) -> None:
    found = ingest(
        corpus.name, b"\n".join([b"\xef\xbb\xbf" + begin + b"?", begin + b"!", corpus.row(1, "a")])
    )
    assert found.titles == ["a"] and len(found.reasons) == 2


@pytest.mark.parametrize("tail", [b"\0" * 1000, b"\xff" * 1000])
def test_a_file_whose_end_was_never_written_is_refused(tail: bytes, ingest: Ingest, corpus: Any) -> None:
    with pytest.raises(UserError, match="it ends within a record"):
        ingest(corpus.name, corpus.file(corpus.titles(2)) + tail, truncated="refuse")


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n", b"\xef\xbb\xbf", b"\n" * 1_000_000, b" \n\t\n" * 1000])
def test_a_blank_file_has_no_rows(data: bytes, ingest: Ingest, corpus: Any) -> None:
    found = ingest(corpus.name, data)
    assert found.titles == found.reasons == []
    assert "0 rows = 0 recipes + 0 rejects" in found.log


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n\n"])
@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf"])
def test_the_header_alone_is_no_row(end: bytes, begin: bytes, ingest: Ingest, recipenlg_corpus: Any) -> None:
    found = ingest("recipenlg", begin + recipenlg_corpus.header + end)
    assert found.titles == found.reasons == []


def test_line_ends_and_byte_order_marks_do_not_matter(ingest: Ingest, corpus: Any) -> None:
    plain = corpus.file(corpus.titles(5))
    expected = ingest(corpus.name, plain)
    assert expected.titles == [f"Dish {number}" for number in range(5)]
    windows = plain.replace(b"\n", b"\r\n")
    blank = plain.replace(b"\n", b"\n" * 20_000)
    for other in (windows, b"\xef\xbb\xbf" + plain, b"\xef\xbb\xbf" + windows, plain.rstrip(b"\n"), blank):
        assert_same(expected, ingest(corpus.name, other))


def test_a_header_is_known_only_at_the_beginning(ingest: Ingest, recipenlg_corpus: Any) -> None:
    data = recipenlg_corpus.file([*recipenlg_corpus.titles(1), recipenlg_corpus.header])
    assert ingest("recipenlg", data).reasons == ["broken_record"]
    assert ingest("recipenlg", data.split(b"\n", 1)[1]).titles == ["Dish 0"]


def test_a_wrong_file_is_rejected_row_by_row(
    ingest: Ingest, recipenlg_corpus: Any, xiachufang_corpus: Any
) -> None:
    csv = recipenlg_corpus.file(recipenlg_corpus.titles(10))
    jsons = xiachufang_corpus.file(xiachufang_corpus.titles(10))
    for name, data in (("recipenlg", jsons), ("xiachufang", csv)):
        found = ingest(name, data)
        assert set(found.reasons) == {"broken_record"}
        assert found.rejects["raw"].to_list() == data.decode().splitlines()
        assert f"is it the file that {name} publishes?" in found.log
    for name in ("recipenlg", "xiachufang"):
        text = ingest(name, b"Dear cook,\n\nthis is a letter.\nYours")
        assert text.titles == [] and len(text.reasons) == 3
        binary = ingest(name, BINARY)
        assert binary.titles == [] and set(binary.reasons) >= {"invalid_utf8"}


def test_a_long_recipe_is_a_recipe(ingest: Ingest, corpus: Any) -> None:
    step = "Stir well. " * 950_000
    row = corpus.row(1, "Long", steps=[step])
    assert len(row) > 10_000_000
    found = ingest(corpus.name, corpus.file([corpus.row(0), row, corpus.row(2)]))
    assert found.recipes["steps"].list.first()[1] == step and found.recipes.height == 3


@pytest.mark.parametrize("garbage", [b"x", b'1,"', b"[", b"\xff", b"\0"])
def test_an_endless_line_is_one_reject(garbage: bytes, ingest: Ingest, corpus: Any) -> None:
    bad = (garbage * (20 << 20))[: 20 << 20]
    for rows in (
        [corpus.row(0, "a"), bad, corpus.row(1, "b")],
        [bad, corpus.row(1, "a"), corpus.row(2, "b"), bad],
    ):
        found = ingest(corpus.name, corpus.file(rows))
        assert found.titles == ["a", "b"] and set(found.reasons) == {"oversized_row"}
        assert len(found.reasons) == len(rows) - 2
        assert max(found.rejects["raw"].str.len_bytes()) <= 4000
    end = ingest(corpus.name, corpus.file(corpus.titles(2)) + bad)
    assert end.titles == ["Dish 0", "Dish 1"] and end.reasons == ["oversized_row"]


def test_empty_fields_may_be_kept(ingest: Ingest, corpus: Any) -> None:
    rows = [corpus.row(0, "", [], []), corpus.row(1, "😋", [""], ["★", "s"])]
    kept = ingest(corpus.name, corpus.file(rows), cleaning=recipes_settings(empty_fields=False))
    assert kept.recipes.select("title", "ingredients", "steps").rows() == [
        ("", [], []),
        ("", [""], ["", "s"]),
    ]
    dropped = ingest(corpus.name, corpus.file(rows), cleaning=CLEAN)
    assert dropped.reasons == ["empty_title", "empty_title"]


def test_progress_and_the_sum_are_in_the_log(
    ingest: Ingest, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "BLOCK", 2000)
    rows = [*corpus.titles(30), b"garbage", *corpus.titles(30)]
    log = ingest(corpus.name, corpus.file(rows), seconds=0).log
    assert f"{corpus.name}: 61 rows = 60 recipes + 1 rejects" in log
    assert re.search(rf"{corpus.name}: \d+ rows, [01] rejects \(\d+ %, \d+ s left\)", log)
    assert "is it the file" not in log


def test_the_log_says_when_more_than_half_was_rejected(ingest: Ingest, corpus: Any) -> None:
    asked = f"is it the file that {corpus.name} publishes?"
    assert asked not in ingest(corpus.name, corpus.file([corpus.row(0), b"x"])).log
    assert f"1 of 3 rows of {asked}" in re.sub(
        r"of \S+ are recipes: ", "of ", ingest(corpus.name, corpus.file([corpus.row(0), b"x", b"y"])).log
    )


def test_where_the_disk_is_full_it_ends_and_leaves_nothing(
    corpus: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "BLOCK", 2000)
    written = iter(range(3))

    def write(writer: object, rows: object) -> None:
        if next(written) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(PartWriter, "write", write)
    (tmp_path / "raw").write_bytes(corpus.file(corpus.titles(300)))
    (tmp_path / "source.json").write_text('{"sha256": "1a"}')
    good, bad = ([f"{tmp_path}/{table}/0.parquet"] for table in ("good", "bad"))
    with pytest.raises(OSError, match="No space left"):
        recipes.ingest_recipes(
            source=f"{tmp_path}/source.json",
            recipes=good,
            rejects=bad,
            corpus=corpus.name,
            settings=OFF.model_copy(update={"raw": f"{tmp_path}/raw"}),
            job=Job(threads=2),
        )
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["raw", "source.json"]
    assert not [thread.name for thread in threading.enumerate() if "ThreadPool" in thread.name]


def test_the_real_recipenlg_has_no_rejects(ingest: Ingest, real: Path) -> None:
    found = ingest("recipenlg", (real / "full_dataset.csv").read_bytes(), cleaning=CLEAN)
    assert (found.recipes.height, found.rejects.height) == (302, 0)


def test_the_real_xiachufang_has_one_duplicate(ingest: Ingest, real: Path) -> None:
    data = (real / "recipe_corpus_full.json").read_bytes()
    found = ingest("xiachufang", data, cleaning=CLEAN)
    assert (found.recipes.height, found.reasons) == (262, ["duplicate"])
    names = [json.loads(line)["name"] for line in data.splitlines()]
    assert set(ingest("xiachufang", data).titles) == set(names)
    assert found.recipes.schema["source_row"] == pl.Int64
