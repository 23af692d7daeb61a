"""Explanations from Wikipedia's API, whatever it does: nothing is lost, and nothing asked twice or early."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from wokflow.enrich.pages import enrich_pages
from wokflow.enrich.schemas import LOOKUPS
from wokflow.enrich.settings import PagesSettings
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.ingest import fetching, wikipedia

from tests.enrich.endpoints import (
    TRACE,
    Asked,
    Behaviour,
    Endpoint,
    cut,
    drip,
    hang,
    hang_up,
    later,
    reset,
    says,
    served,
    typed,
    well,
)
from tests.ingest.test_wikipedia import Double, Elsewhere

JSON = "application/json"
TITLES = {"Q1": "Mapo tofu", "Q2": "Mapo doufu", "Q3": "Nope", "Q4": "Bare", "Q5": "Odd"}
# What is asked: an article without an introduction is asked for a second time, as a whole.
ONCE = Counter([*TITLES.values(), "Bare, whole"])
MISSING = Counter(["Nope"])  # which is asked for in each run: there may be an article by then
BOMB = gzip.compress(bytes(80 << 20), 9)


class Wiki(Endpoint):
    """MediaWiki's action API; `store` is the Double that knows its answers."""

    kind = JSON
    path = "/w/api.php"

    def read(self, body: str, headers: Any) -> Asked:
        asked = {name: values[0] for name, values in parse_qs(body).items()}
        return Asked([asked["titles"] + ("" if "exintro" in asked else ", whole")], body, headers)

    def result(self, asked: Asked) -> bytes:
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        return json.dumps(self._store.answer(query)).encode()


class Pages:
    """Makes the table enrich/pages of TITLES, and gives its bytes."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder, self._patch = folder, patch
        rows = [
            dict.fromkeys(LOOKUPS.names) | {"qid": qid, "lang": "en", "title": title, "aliases": []}
            for qid, title in TITLES.items()
        ]
        tables.write(folder / "lookups", LOOKUPS, rows, {"key": "{}"})

    def __call__(self, server: Endpoint, **given: Any) -> bytes:
        self._patch.setattr(wikipedia, "_transport", lambda: Elsewhere(server.url))
        settings = PagesSettings(
            **{
                "contact": "cook@example.org",
                "attempts": 20,
                "timeout_s": 5,
                "cache": str(self._folder / "cache"),
            }
            | given
        )
        path = self._folder / "pages"
        enrich_pages(
            lookups=str(self._folder / "lookups"),
            given=[],
            pages=str(path),
            settings=settings,
            job=Job({"key": "{}"}),
        )
        return path.read_bytes()


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pages:
    for name, seconds in {"BACKOFF": 0.01, "LONGEST_BACKOFF": 0.02, "JITTER": 0.01}.items():
        monkeypatch.setattr(fetching, name, seconds)
    monkeypatch.setattr(wikipedia, "PAUSE", 0.01)
    return Pages(tmp_path, monkeypatch)


def test_pages_are_asked_for_once(pages: Pages, tmp_path: Path) -> None:
    with served(Double(), kind=Wiki) as server:
        made = pages(server)
        assert pages(server) == made
    assert server.answered == ONCE + MISSING
    rows = tables.read(tmp_path / "pages").select("qid", "title", "summary").rows()
    assert rows == [
        ("Q1", "Mapo tofu", "Mapo tofu is a dish from Sichuan."),
        ("Q2", "Mapo tofu", "Mapo tofu is a dish from Sichuan."),
        ("Q4", "Bare", "It is old."),
        ("Q5", "Odd", "Odd."),
    ]


def odd(*contents: str) -> tuple[Behaviour, ...]:
    return tuple(says(200, content, Content_Type=JSON) for content in contents)


BAD: dict[str, tuple[Behaviour, ...]] = {
    "429 with seconds": (later(429, 0.3), later(429, 0.1)),
    "429 with a date": (later(429, 0.5, date=True),),
    "429 without a time": (says(429, "slow down"),),
    "503 with seconds": (later(503, 0.2),),
    "500 with a stack trace": (says(500, TRACE),) * 3,
    "502 with a page": (says(502, "<html>Bad gateway</html>", Content_Type="text/html"),),
    "timeout": (hang,),
    "slow drip": (drip, drip),
    "cut": (cut(0.5), cut(0.0), cut(0.5, honest=False)),
    "a stack trace behind an answer": (cut(1.0, said=f"\n{TRACE}"),),
    "a page with status 200": (says(200, "<!DOCTYPE html><p>Login", Content_Type="text/html"),),
    "a page that says it is JSON": odd("<!DOCTYPE html><p>Login"),
    "a wrong type": (typed("text/plain"), typed("")),
    "other JSON": odd("[]", "null", "{}", "1", '{"query": []}', "[" * 100_000),
    "an error with status 200": odd(
        '{"error": {"code": "maxlag"}}', '{"error": {"code": "ratelimited"}}', '{"error": 1}'
    ),
    "reset": (reset, reset),
    "hung up": (hang_up, hang_up),
    "a body that is not compressed as it says": (
        says(200, b"\x00" * 99, Content_Type=JSON, Content_Encoding="gzip"),
    ),
    "too much": (says(200, BOMB, Content_Type=JSON, Content_Encoding="gzip"),),
}


@pytest.mark.parametrize("bad", BAD)
def test_an_api_in_trouble_leads_to_the_same_table(bad: str, pages: Pages) -> None:
    with served(Double(), kind=Wiki) as good:
        expected = pages(good, cache=str(pages._folder / "another"))
    slow = {"timeout_s": 0.5} if bad in ("timeout", "slow drip") else {}
    with served(Double(), well, *BAD[bad], well, kind=Wiki) as server:
        assert pages(server, **slow) == expected
    assert server.answered == ONCE
    assert len(server.asked) == ONCE.total() + len(BAD[bad])
    assert server.most_at_once == 1 and not server.early


def test_a_run_that_was_stopped_asks_for_the_rest_alone(pages: Pages) -> None:
    with served(Double(), well, well, well, says(403, ""), well, kind=Wiki) as server:
        with pytest.raises(UserError, match="HTTP 403"):
            pages(server)
        pages(server)
    assert server.answered == ONCE + MISSING


def test_articles_are_kept_as_the_api_gives_them(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(Double(), kind=Wiki) as server:
        pages(server)
        monkeypatch.setattr(wikipedia, "first_paragraph", lambda text, _: text.strip().rpartition("\n")[2])
        pages(server)
        assert server.answered == ONCE + MISSING
        summaries = tables.read(tmp_path / "pages")["summary"].to_list()
        assert summaries == ["It is hot.", "It is hot.", "And so on.", "Odd."]
        monkeypatch.setitem(wikipedia.INTRODUCTION, "maxlag", 6)
        pages(server)
    assert server.answered == ONCE + MISSING + Counter(TITLES.values())
