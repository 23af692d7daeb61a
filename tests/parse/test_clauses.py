import hashlib
import sys
import tracemalloc
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.parse import clauses as module
from wokflow.parse.clauses import LIMIT, clause_at, clauses, parse_clauses


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in clauses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("锅中放油，烧热。", ["锅中放油", "烧热"]),
        ("加盐、糖和醋翻炒", ["加盐、糖和醋翻炒"]),
        ("1、洗净；2.切片", ["1", "洗净", "2", "切片"]),
        ("加1.5克盐，5:30关火", ["加1.5克盐", "5:30关火"]),
        ("放油（橄榄油）烧热", ["放油", "橄榄油", "烧热"]),
        ("好了😍出锅～开吃", ["好了", "出锅", "开吃"]),
        ("", []),
        ("。。 ，", []),
    ],
)
def test_clauses(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_long_stretches_are_cut() -> None:
    assert [len(clause) for clause in cut("盐" * (2 * LIMIT + 1))] == [LIMIT, LIMIT, 1]


@given(st.text())
def test_clauses_are_in_order_and_lose_no_letter(text: str) -> None:
    spans = clauses(text)
    assert all(start < end <= len(text) and end - start <= LIMIT for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    inside = {at for start, end in spans for at in range(start, end)}
    assert all(at in inside for at, sign in enumerate(text) if sign.isalnum())


def write_steps(path: Path, steps: list[list[str]]) -> str:
    frame = pl.DataFrame({"steps": steps}, schema={"steps": pl.List(pl.String)})
    frame.write_parquet(path)
    return str(path)


def distinct(folder: Path, *parts: str) -> tuple[list[str], str]:
    """The clauses that the step writes, and their digest."""
    data, digest = folder / "clauses.parquet", folder / "clauses.sha256"
    parse_clauses(recipes=parts, data=str(data), digest=str(digest), job=Job())
    return tables.read(data)["clause"].to_list(), digest.read_text()


def test_each_distinct_clause_is_written_once_whatever_the_order_of_recipes(tmp_path: Path) -> None:
    steps = [["切丝，下锅。", "翻炒"], ["下锅；切丁"], [], ["翻炒\n装盘\u2028切丝"], ["\u3000盐\t油 "]]
    one = write_steps(tmp_path / "one", steps)
    two, three = write_steps(tmp_path / "two", steps[:1:-1]), write_steps(tmp_path / "three", steps[1::-1])
    found, digest = distinct(tmp_path, one)
    assert sorted(found) == sorted(["切丝", "下锅", "翻炒", "切丁", "装盘", "盐\t油"])
    assert distinct(tmp_path, two, three) == (found, digest)
    assert digest.strip() == tables.strings_digest(found)
    assert {path.name for path in tmp_path.iterdir()} == {
        *("one", "two", "three", "clauses.parquet", "clauses.sha256")
    }
    assert distinct(tmp_path, write_steps(tmp_path / "none", [])) == ([], hashlib.sha256().hexdigest() + "\n")


def test_memory_holds_a_batch_a_bucket_and_a_row_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All at once, these clauses take twice as much and more, as strings alone."""
    monkeypatch.setattr(module, "BATCH", 20)
    monkeypatch.setattr(module, "BUCKETS", 16)
    monkeypatch.setattr(tables, "ROW_GROUP", 500)
    count = 20_000
    numbers = [range(start, start + 20) for start in range(0, count, 20)]
    path = write_steps(
        tmp_path / "recipes", [[f"{number}克盐{number}勺油" for number in some] for some in numbers]
    )
    distinct(tmp_path, path)  # imports, caches
    tracemalloc.start()
    try:
        data = tmp_path / "clauses.parquet"
        parse_clauses(recipes=[path], data=str(data), digest=str(tmp_path / "digest"), job=Job())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert pq.read_metadata(data).num_rows == count
    assert peak < count * sys.getsizeof("10000克盐10000勺油") / 2


class Spans(list[tuple[int, int]]):
    """Spans that count how often one is looked at."""

    looked = 0

    def __getitem__(self, index: Any) -> Any:
        self.looked += 1
        return super().__getitem__(index)


def test_a_position_s_clause_is_found_without_reading_all() -> None:
    text = "切丝，" * 20_000
    spans = Spans(clauses(text))
    for position in range(0, len(text), 3_000):
        assert clause_at(spans, position) == (position, position + 2)
        assert clause_at(spans, position + 2) is None
    assert spans.looked <= 2 * 20 * 20
    assert clause_at([], 0) is None and clause_at([(2, 4)], 0) is None
