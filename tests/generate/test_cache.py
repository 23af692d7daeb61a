"""Answers are kept whole, by all that they depend on."""

import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from wokflow.generate.cache import Cache
from wokflow.generate.costs import Tokens
from wokflow.generate.request import Request

from tests.generate.servers import RECIPE, response

REQUEST = Request(
    "https://a.example/v1", "/completions", {"model": "m", "prompt": "鱼", "seed": 1}, 13, Tokens(9, 9)
)


def test_an_answer_is_found_by_its_request(tmp_path: Path) -> None:
    said: list[str] = []
    cache = Cache(tmp_path, said.append)
    assert cache.get(REQUEST) is None
    cache.put(REQUEST, response())
    answer = Cache(tmp_path, said.append).get(REQUEST)
    assert answer and answer.text == RECIPE
    assert not said
    (file,) = tmp_path.rglob("*.json")
    assert file == tmp_path / REQUEST.digest[:2] / f"{REQUEST.digest}.json"
    assert json.loads(file.read_text(encoding="utf-8")) == {
        "request": REQUEST.as_json(),
        "round": 0,
        "response": response(),
    }


@pytest.mark.parametrize(
    "change",
    [
        {"endpoint": "https://b.example/v1"},
        {"path": "/chat/completions"},
        {"body": REQUEST.body | {"model": "n"}},
        {"body": REQUEST.body | {"seed": 2}},
        {"body": REQUEST.body | {"top_p": 0.5}},
        {"draw": 14},
    ],
)
def test_another_request_has_another_answer(tmp_path: Path, change: dict[str, Any]) -> None:
    cache = Cache(tmp_path, print)
    cache.put(REQUEST, response())
    assert cache.get(replace(REQUEST, **change)) is None


def test_the_order_of_fields_and_the_bound_are_no_part_of_a_request() -> None:
    other = Request(REQUEST.endpoint, REQUEST.path, dict(reversed(REQUEST.body.items())), 13, Tokens(1, 1))
    assert other.digest == REQUEST.digest


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"request": {',
        b"\xff\xfe",
        b"null",
        b'{"request": {}, "response": {}}',
        json.dumps({"request": REQUEST.as_json(), "round": 0, "response": {"choices": []}}).encode(),
        json.dumps({"request": REQUEST.as_json()}).encode(),
    ],
)
def test_a_broken_file_is_no_answer_and_is_told_of(tmp_path: Path, content: bytes) -> None:
    said: list[str] = []
    cache = Cache(tmp_path, said.append)
    cache.put(REQUEST, response())
    (file,) = tmp_path.rglob("*.json")
    file.write_bytes(content)
    assert cache.get(REQUEST) is None
    assert len(said) == 1 and str(file) in said[0]
    cache.put(REQUEST, response())
    assert cache.get(REQUEST)


def work(folder: Path) -> int:
    cache, seen = Cache(folder, print), 0
    for _ in range(20):
        cache.put(REQUEST, response("x" * 20_000))
        seen += cache.get(REQUEST) is not None
    return seen


def test_many_that_write_the_same_answer_leave_one_whole_file(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(work, [tmp_path] * 4)) == [20] * 4
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [f"{REQUEST.digest}.json"]


def test_nothing_is_left_of_an_answer_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        Cache(tmp_path, print).put(REQUEST, object())
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
