"""A few articles come from Wikipedia's API: from a double of it, and from a real MediaWiki where there is one."""

import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.ingest import wikipedia
from wokflow.ingest.pages import Page, ingest_pages
from wokflow.ingest.schemas import PAGES

from tests.ingest.defaults import pages_settings

CONTACT = "me@example.org"
MEDIAWIKI = Path("/usr/share/mediawiki")
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


@dataclass
class MediaWiki:
    """A wiki of this machine: how to reach its API, and the environment in which its scripts run."""

    transport: Elsewhere
    environment: dict[str, str]


@pytest.fixture(scope="module")
def mediawiki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MediaWiki]:
    """A MediaWiki of this machine's, with an SQLite database and four pages."""
    if not (MEDIAWIKI / "api.php").exists() or not shutil.which("php"):
        pytest.skip("MediaWiki is absent: apt-get install mediawiki php-cli php-sqlite3")
    folder = tmp_path_factory.mktemp("mediawiki")
    port = free_port()
    php(
        MEDIAWIKI / "maintenance/install.php",
        *(
            "--dbtype=sqlite",
            f"--dbpath={folder}/data",
            "--dbname=wiki",
            f"--confpath={folder}",
            "--scriptpath=",
        ),
        *(
            f"--server=http://127.0.0.1:{port}",
            "--pass=only-for-this-test",
            "--extensions=TextExtracts",
            "Test",
            "Admin",
        ),
    )
    settings = {**os.environ, "MW_CONFIG_FILE": f"{folder}/LocalSettings.php"}
    pages = {
        "Mapo tofu": "'''Mapo tofu''' is from [[Sichuan]].<!-- no -->\n\nIt is hot.\n\n== History ==\nOld.",
        "Mapo doufu": "#REDIRECT [[Mapo tofu]]",
        "Bare": "== History ==\nIt is ''old''.\n\nAnd so on.",
        "麻婆豆腐": "麻婆豆腐是川菜。\n\n很辣。",
    }
    for title, text in pages.items():
        php(MEDIAWIKI / "maintenance/edit.php", "--user=Admin", title, text=text, env=settings)
    with sqlite3.connect(folder / "data" / "wiki.sqlite") as database:
        database.execute(
            "INSERT INTO page_props (pp_page, pp_propname, pp_value) "
            "SELECT page_id, 'wikibase_item', 'Q15908' FROM page WHERE page_title = 'Mapo_tofu'"
        )
    command = ["php", "-S", f"127.0.0.1:{port}", "-t", MEDIAWIKI]
    with subprocess.Popen(
        command, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        yield MediaWiki(Elsewhere(f"http://127.0.0.1:{port}", "/api.php"), settings)
        server.kill()


def php(script: Path, *arguments: str, text: str = "", env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        ["php", script, *arguments],
        input=text,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def free_port() -> int:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        return server.server_port


def test_a_real_mediawiki_is_understood(mediawiki: MediaWiki) -> None:
    titles = [
        "mapo_doufu",
        "Bare",
        "麻婆豆腐",
        "Nope",
        "Special:Random",
        "wikipedia:Tofu",
        "Talk:Bare",
        "User:Admin",
    ]
    found = pages_of(titles, "en", CONTACT, mediawiki.transport, attempts=8)
    revisions = {title: page.revision_id for title, page in found.items() if page}
    assert list(revisions) == titles[:3] and len(set(revisions.values())) == 3
    tofu, bare, chinese = (page for page in found.values() if page)
    assert tofu == tofu._replace(title="Mapo tofu", qid="Q15908", summary="Mapo tofu is from Sichuan.")
    assert bare == bare._replace(title="Bare", qid=None, summary="It is old.")
    assert chinese == chinese._replace(title="麻婆豆腐", summary="麻婆豆腐是川菜。")


# Writes what MediaWiki itself gives to its search index, to which CirrusSearch adds version and namespace.
DOCUMENTS = """<?php
require_once '/usr/share/mediawiki/maintenance/Maintenance.php';
class Documents extends Maintenance {
    public function execute() {
        $services = MediaWiki\\MediaWikiServices::getInstance();
        foreach ( $services->getPageStore()->newSelectQueryBuilder()->fetchPageRecords() as $record ) {
            $page = $services->getWikiPageFactory()->newFromTitle( $record );
            $handler = $page->getContentHandler();
            $output = $handler->getParserOutputForIndexing( $page );
            $document = $handler->getDataForSearchIndex( $page, $output, $services->newSearchEngine() );
            $document['version'] = $page->getLatest();
            $document['namespace'] = $page->getTitle()->getNamespace();
            $document['title'] = $page->getTitle()->getText();
            $document['wikibase_item'] = $output->getPageProperty( 'wikibase_item' );
            print json_encode( [ 'index' => [ '_type' => '_doc', '_id' => (string)$page->getId() ] ] ) . "\\n";
            print json_encode( $document ) . "\\n";
        }
    }
}
$maintClass = Documents::class;
require_once RUN_MAINTENANCE_IF_MAIN;
"""


def test_a_real_mediawiki_s_search_documents_give_the_pages_of_its_api(
    mediawiki: MediaWiki, tmp_path: Path
) -> None:
    script, raw, source = tmp_path / "documents.php", tmp_path / "dump.json", tmp_path / "source.json"
    script.write_text(DOCUMENTS)
    raw.write_text(php(script, env=mediawiki.environment))
    source.write_text('{"sha256": "1a"}')
    assert '"opening_text":"Mapo tofu is from Sichuan. It is hot."' in raw.read_text()
    good, bad = str(tmp_path / "good.parquet"), str(tmp_path / "bad.parquet")
    ingest_pages(
        source=str(source),
        pages=[good],
        rejects=[bad],
        lang="en",
        settings=pages_settings(raw),
        job=Job(),
    )
    assert tables.read(bad)["reason"].to_list() == ["redirect"]
    dumped = {page["title"]: Page(**page) for page in tables.read(good).rows(named=True)}
    asked = pages_of(["Mapo tofu", "Bare", "麻婆豆腐"], "en", CONTACT, mediawiki.transport)
    assert dumped["Mapo tofu"]._replace(qid="Q15908") == asked["Mapo tofu"]  # which only the database knows
    assert dumped["麻婆豆腐"].summary == "麻婆豆腐是川菜。 很辣。"  # too short a paragraph to be searched for
    assert dumped["Bare"] == asked["Bare"]
