"""A few articles come from Wikipedia's API, here from a double of it; a real MediaWiki is in test_mediawiki."""

import gzip
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError
from wokflow.ingest import wikipedia
from wokflow.ingest.pages import Page
from wokflow.ingest.schemas import PAGES

CONTACT = "me@example.org"
LEAD = "Mapo tofu is a dish from Sichuan.\nIt is hot."
TOFU = Page(2, 7, "Mapo tofu", "Q15908", "Mapo tofu is a dish from Sichuan.", "en")
Answer = tuple[int, dict[str, str], object]


def pages_of(
    titles: list[str], lang: str, contact: str, transport: httpx.AsyncBaseTransport, **limits: float
) -> dict[str, Page | None]:
    known = {"longest": 2000, "attempts": 5, "timeout": 30} | limits
    return wikipedia.pages_of(titles, lang, contact, transport, **known, progress=Progress())  # type: ignore[arg-type]


class Elsewhere(httpx.AsyncHTTPTransport):
    """Takes what is for Wikipedia to a server on this machine, and notes what was asked for."""

    def __init__(self, base: str, path: str = "/w/api.php") -> None:
        super().__init__()
        self.base, self.path = httpx.URL(base), path
        self.asked: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        assert request.url.scheme == "https" and request.url.path == "/w/api.php"
        url = request.url.copy_with(scheme="http", host=self.base.host, port=self.base.port, path=self.path)
        headers = httpx.Headers(request.headers)
        headers["Host"] = f"{self.base.host}:{self.base.port}"
        return await super().handle_async_request(
            httpx.Request(request.method, url, headers=headers, extensions=request.extensions)
        )


class Double:
    """Answers as the action API does: three pages, and one answer after the other of `first` before those."""

    def __init__(self) -> None:
        self.first: list[Answer | Callable[[BaseHTTPRequestHandler], None]] = []
        self.pages: dict[str, dict[str, Any]] = {
            "Mapo tofu": {"pageid": 2, "extract": LEAD, "pageprops": {"wikibase_item": "Q15908"}},
            "Bare": {"pageid": 3, "extract": "", "whole": "\n== History ==\nIt is old.\nAnd so on."},
            "Empty": {"pageid": 4, "extract": "", "whole": ""},
            "Category:Tofu": {"pageid": 5, "ns": 14, "extract": "Tofu."},
            "Odd": {"pageid": 6, "extract": "Odd.", "pageprops": {"wikibase_item": "P9"}},
            "Wrong": {"pageid": "x7", "extract": ["Odd."]},
        }

    def answer(self, asked: dict[str, str]) -> object:
        title = asked["titles"].replace("_", " ")
        if title.startswith("fr:"):
            return {"batchcomplete": "", "query": {"interwiki": [{"title": title, "iw": "fr"}]}}
        query: dict[str, Any] = {}
        if title == "Mapo doufu":
            query["redirects"] = [{"from": title, "to": "Mapo tofu"}]
            title = "Mapo tofu"
        page = dict(self.pages.get(title, {}))
        if not page:
            return {"query": {**query, "pages": {"-1": {"ns": 0, "title": title, "missing": ""}}}}
        whole = page.pop("whole", page["extract"])
        page |= {"ns": page.get("ns", 0), "title": title, "lastrevid": 7, "contentmodel": "wikitext"}
        if "exintro" not in asked:
            page["extract"] = whole
        if "pageprops" not in asked["prop"].split("|"):
            page.pop("pageprops", None)
        return {"batchcomplete": "", "query": {**query, "pages": {str(page["pageid"]): page}}}


@pytest.fixture
def double() -> Double:
    return Double()


@pytest.fixture
def transport(double: Double, hasty: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Elsewhere]:
    monkeypatch.setattr(wikipedia, "PAUSE", 0.01)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Nothing goes to the screen."""

        def do_GET(self) -> None:
            asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
            first = double.first.pop(0) if double.first else (200, {}, double.answer(asked))
            if callable(first):
                first(self)
                return
            status, headers, answer = first
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            usual = {"Content-Length": str(len(body)), "Content-Type": "application/json; charset=utf-8"}
            for name, value in {**usual, **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield Elsewhere(f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    server.server_close()


def test_a_page_comes_with_one_request_as_wikimedia_asks_for_it(transport: Elsewhere) -> None:
    assert pages_of(["Mapo tofu"], "en", CONTACT, transport) == {"Mapo tofu": TOFU}
    (request,) = transport.asked
    asked = dict(request.url.params)
    assert request.url.host == "en.wikipedia.org" and asked["titles"] == "Mapo tofu"
    assert set(asked["prop"].split("|")) == {"extracts", "info", "pageprops"} and asked["maxlag"] == "5"
    assert re.match(rf"Wokflow/\S+ \({CONTACT}\) .*Wikipedia-API/", request.headers["User-Agent"])


def test_titles_that_have_no_article_or_no_paragraph_have_none(transport: Elsewhere) -> None:
    titles = ["Mapo_doufu", "Nope", "Bare", "Empty", "Category:Tofu", "fr:Tofu", "Odd", "Bare"]
    found = pages_of(titles, "en", CONTACT, transport)
    assert list(found) == titles[:-1]
    assert found["Mapo_doufu"] == TOFU
    assert found["Bare"] == Page(3, 7, "Bare", None, "It is old.", "en")
    assert found["Odd"] == Page(6, 7, "Odd", None, "Odd.", "en")
    assert [title for title, page in found.items() if not page] == [
        "Nope",
        "Empty",
        "Category:Tofu",
        "fr:Tofu",
    ]
    assert len(transport.asked) == 9  # two titles have no introduction
    rows = [page for page in found.values() if page]
    assert tables.frame(PAGES, rows).columns == PAGES.names


@pytest.mark.parametrize(
    "title", ["", " ", "a|b", "a\x1fb", "a#b", "[a]", "{a}", "<a>", "a\nb", "豆" * 86, "\ufffd"]
)
def test_what_can_be_no_title_is_not_asked_for(transport: Elsewhere, title: str) -> None:
    assert pages_of([title], "en", CONTACT, transport) == {title: None}
    assert not transport.asked


@pytest.mark.parametrize("lang", ["", "en.evil.org/", "EN", "e", "en@", "../en", "-en"])
def test_a_language_becomes_part_of_a_host_only_if_it_is_one(transport: Elsewhere, lang: str) -> None:
    with pytest.raises(UserError, match="is not the code of a Wikipedia"):
        pages_of(["Tofu"], lang, CONTACT, transport)


@pytest.mark.parametrize("contact", ["", "me", "me@a\r\nX: y"])
def test_a_contact_is_required(transport: Elsewhere, contact: str) -> None:
    with pytest.raises(UserError, match="contact"):
        pages_of(["Tofu"], "en", contact, transport)
    assert not transport.asked


BOMB = gzip.compress(bytes(80 << 20), 9)


def cut(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b"{")


def error(code: str, **headers: str) -> Answer:
    return 200, {"MediaWiki-API-Error": code, **headers}, {"error": {"code": code, "info": "why not"}}


@pytest.mark.parametrize(
    "first",
    [
        (429, {"Retry-After": "1"}, b""),
        (503, {"Retry-After": "1"}, b""),
        error("maxlag", **{"Retry-After": "1"}),
        (500, {}, b""),
        error("ratelimited"),
        error("internal_api_error_DBQueryError"),
        cut,
    ],
)
def test_a_request_that_fails_for_now_is_made_again(double: Double, transport: Elsewhere, first: Any) -> None:
    double.first, start = [first], time.monotonic()
    assert pages_of(["Mapo tofu"], "en", CONTACT, transport)["Mapo tofu"] == TOFU
    assert len(transport.asked) == 2
    assert not isinstance(first, tuple) or "Retry-After" not in first[1] or time.monotonic() - start >= 1


@pytest.mark.parametrize(
    ("first", "message", "requests"),
    [
        ((429, {}, b""), r"does not answer: HTTP 429 \(3 attempts\)", 3),
        ((429, {"Retry-After": "90000"}, b""), "asks to wait for 90000 s", 1),
        (cut, "does not answer: the connection broke", 3),
        ((403, {}, b""), "does not answer as it should: HTTP 403", 1),
        ((301, {"Location": "https://example.org/"}, b""), "HTTP 301", 1),
        ((200, {}, b"<html>"), "does not answer: no whole answer: <html>", 3),
        ((200, {"Content-Encoding": "gzip"}, BOMB), "does not answer: .*sent more than 67,108,864 bytes", 3),
        (
            (200, {"Content-Type": "text/html"}, b"<p>Login"),
            "does not answer: no JSON, but text/html: <p>Login",
            3,
        ),
        ((200, {}, {"query": []}), "does not answer: no result", 3),
        (error("badvalue"), "w/api.php.* answered with an error: .*why not", 1),
    ],
)
def test_an_api_that_does_not_answer_is_said_to(
    double: Double, transport: Elsewhere, first: Any, message: str, requests: int
) -> None:
    double.first = [first] * 9
    with pytest.raises(UserError, match=message):
        pages_of(["Mapo tofu"], "en", CONTACT, transport, attempts=3)
    assert len(transport.asked) == requests


def test_an_answer_with_other_types_is_refused(transport: Elsewhere) -> None:
    with pytest.raises(UserError, match="not understood"):
        pages_of(["Wrong"], "en", CONTACT, transport)


def test_a_silent_server_is_given_up(double: Double, transport: Elsewhere) -> None:
    given_up = Event()
    double.first = [lambda _: given_up.wait()] * 2
    with pytest.raises(UserError, match="no whole answer came in time"):
        pages_of(["Mapo tofu"], "en", CONTACT, transport, attempts=2, timeout=0.2)
    given_up.set()


def test_a_server_whose_headers_drip_is_given_up_before_they_end(
    double: Double, transport: Elsewhere
) -> None:
    given_up, ended = Event(), Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        with suppress(OSError):
            for byte in b"HTTP/1.0 200 OK\r\nX-Long: %b\r\n\r\n" % (b"x" * 200):
                handler.wfile.write(bytes([byte]))
                if given_up.wait(0.1):
                    return
            ended.set()

    double.first = [drip]
    with pytest.raises(UserError, match="no whole answer came in time"):
        pages_of(["Mapo tofu"], "en", CONTACT, transport, attempts=1, timeout=0.3)
    assert not ended.is_set()
    given_up.set()


def test_requests_come_one_after_the_other(transport: Elsewhere, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wikipedia, "PAUSE", 0.2)
    start = time.monotonic()
    pages_of(["Mapo tofu", "Nope", "Odd"], "en", CONTACT, transport)
    assert time.monotonic() - start >= 0.4
