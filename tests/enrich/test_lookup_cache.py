"""What an endpoint said is kept, and not asked for again."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from wokflow.enrich.lookup import answers_of

from tests.conftest import ROOT
from tests.enrich.dishes import LANGUAGES, Lookup, check, expected, store
from tests.enrich.endpoints import Asked, Endpoint, served, well
from tests.enrich.facts import categorised


@pytest.fixture
def lookup(tmp_path: Path) -> Lookup:
    return Lookup(tmp_path)


def test_nothing_is_asked_twice(lookup: Lookup) -> None:
    with served(store()) as server:
        lookup(server)
        asked = len(server.asked)
        assert lookup(server, batch=24) == expected()
        assert len(server.asked) == asked
        assert "24 items are in the cache, 0 are asked for" in lookup.log.getvalue()
        lookup(server, languages=["zh", "en", "hi"])  # is another question
        assert len(server.asked) == 2 * asked


def test_an_item_that_is_unknown_is_not_asked_for_again(lookup: Lookup, tmp_path: Path) -> None:
    unknown = categorised(tmp_path / "unknown.parquet", ["Q5", "Q6"])
    with served(store()) as server:
        first = lookup(server, categories=unknown)
        assert lookup(server, categories=unknown) == first
    assert len(server.asked) == 1


KILLED = """
import json, sys
from wokflow.enrich.lookup import enrich_lookup
from wokflow.enrich.settings import LookupSettings
from wokflow.frame.job import Job
files, settings = json.loads(sys.argv[1])
enrich_lookup(**files, settings=LookupSettings(**settings), job=Job())
"""


def test_a_killed_run_goes_on_from_what_it_has(lookup: Lookup, tmp_path: Path) -> None:
    processes: list[subprocess.Popen[bytes]] = []

    def kill(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        os.kill(processes[0].pid, signal.SIGKILL)
        processes[0].wait()
        endpoint.leave(handler)
        handler.close_connection = True

    with served(store(), well, well, well, kill, well) as server:
        own = {"endpoint": server.url, "regions": str(ROOT / "resources" / "enrich" / "regions.tsv")}
        given = [lookup.files(), lookup.usual() | own]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
        processes.append(subprocess.Popen([sys.executable, "-c", KILLED, json.dumps(given)], env=environment))
        assert processes[0].wait(60) == -signal.SIGKILL
        assert not (tmp_path / "lookups.parquet").exists()
        while server.at_once:
            time.sleep(0.01)
        assert len(server.asked) == 4
        assert lookup(server) == expected()
    check(server)
    assert len(server.asked) == 4 + 3 + 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: content.replace(b"dish 1003", b"dish 1OO3"),
        lambda content: content.replace(b"Q1003", b"Q1004"),
        lambda content: b"\xff\xfe\x00" + content,
        lambda content: b"[" * 100_000,
        lambda content: b'{"answer": 1}',
        lambda content: b'{"answer": [["label", "en"]]}',
        lambda content: b"null",
    ],
)
def test_a_damaged_answer_in_the_cache_is_asked_for_again(
    damage: Callable[[bytes], bytes], lookup: Lookup, tmp_path: Path
) -> None:
    with served(store()) as server:
        lookup(server)
        path = answers_of(tmp_path / "cache", server.url, LANGUAGES).path("Q1003")
        content = path.read_bytes()
        assert damage(content) != content
        path.write_bytes(damage(content))
        before = len(server.asked)
        assert lookup(server) == expected()
        assert [asked.qids for asked in server.asked[before:]] == [["Q1003"]]
        assert path.read_bytes() == content
