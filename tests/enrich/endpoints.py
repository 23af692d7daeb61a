"""Services on loopback that answer well or badly: a SPARQL endpoint, and Wikimedia's topic model."""

import email.utils
import json
import math
import re
import select
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pyoxigraph as ox

from tests.generate.servers import abort, send

RESULTS = "application/sparql-results+json"
TRACE = (
    "SPARQL-QUERY: queryStr=SELECT\njava.util.concurrent.TimeoutException: Query deadline is expired.\n"
    "\tat com.bigdata.journal.AbstractJournal.run(AbstractJournal.java:1)\n"
)
QUERY = re.compile(  # all that a query may be made of
    r'(PREFIX \w+: <http://[\w./#-]+>\n)+SELECT \?item \?kind \?value \?wiki WHERE \{\n'
    r'(?:[\s{}.;,()?]|VALUES|BIND|FILTER|LCASE|LANG|UNION|IN|AS|item|kind|value|wiki|page|wd:Q[0-9]+|'
    r'NOT EXISTS|statement|end|a wikibase:BestRank|(?:wdt|ps?):P(?:495|17)\b|pq:P582\b|'
    r'rdfs:label|skos:altLabel|owl:sameAs|schema:(?:description|about|isPartOf|name)|"[a-z0-9_-]+"|'
    r'<https://[a-z0-9-]+\.wikipedia\.org/>)+'
)  # fmt: skip


@dataclass
class Asked:
    """A query, or any other request, as it came; `qids` are what it is about."""

    qids: list[str]
    query: str
    headers: Mapping[str, str]
    at: float = field(default_factory=time.monotonic)


Behaviour = Callable[["Endpoint", BaseHTTPRequestHandler, Asked], None]


class Endpoint:
    """A SPARQL endpoint whose n-th request meets the n-th behaviour, and all further ones the last.

    It counts requests under way at once, items that were answered, and requests that came before they might.
    """

    kind = RESULTS
    path = "/sparql"

    def __init__(self, store: Any, *behaviours: Behaviour) -> None:
        self.asked: list[Asked] = []
        self.answered: Counter[str] = Counter()
        self.most_at_once = self.at_once = self.early = 0
        self.waits: list[tuple[float, float]] = []  # when a client was told to wait, and until when
        self._store, self._behaviours = store, behaviours or (well,)
        self._lock = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                endpoint.meet(self, endpoint.read(body, dict(self.headers)))

            def do_GET(self) -> None:
                endpoint.meet(self, endpoint.read(urlsplit(self.path).query, dict(self.headers)))

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}{self.path}"

    def read(self, body: str, headers: Mapping[str, str]) -> Asked:
        query = parse_qs(body)["query"][0]
        return Asked(list(dict.fromkeys(re.findall(r"wd:(Q\d+)", query))), query, headers)

    def meet(self, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        with self._lock:
            behaviour = self._behaviours[min(len(self.asked), len(self._behaviours) - 1)]
            self.asked.append(asked)
            self.early += any(told < asked.at < until for told, until in self.waits)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        handler.left = False  # type: ignore[attr-defined]
        try:
            behaviour(self, handler, asked)
        except OSError:
            handler.close_connection = True  # the client has hung up
        finally:
            self.leave(handler)

    def leave(self, handler: BaseHTTPRequestHandler) -> None:
        """A request is no longer under way: its answer's last byte is about to be sent, or its client is gone."""
        with self._lock:
            self.at_once -= not handler.left  # type: ignore[attr-defined]
            handler.left = True  # type: ignore[attr-defined]

    def result(self, asked: Asked) -> bytes:
        solutions = self._store.query(asked.query)
        assert isinstance(solutions, ox.QuerySolutions)
        return solutions.serialize(format=ox.QueryResultsFormat.JSON) or b""

    def run(self) -> None:
        self._server.serve_forever(poll_interval=0.02)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class TopicService(Endpoint):
    """Wikimedia's topic model: `store` has the topics of pages, by language and title, with their scores."""

    kind = "application/json"
    path = "/v1/models/outlink-topic-model:predict"

    def read(self, body: str, headers: Mapping[str, str]) -> Asked:
        request = json.loads(body)
        assert request.keys() == {"page_title", "lang", "threshold"} and isinstance(
            request["threshold"], float
        )
        return Asked([f"{request['lang']}:{request['page_title']}"], body, headers)

    def result(self, asked: Asked) -> bytes:
        (page,) = asked.qids
        least = json.loads(asked.query)["threshold"]
        results = [
            {"topic": topic, "score": score} for topic, score in self._store.get(page, []) if score >= least
        ]
        url = "https://{}.wikipedia.org/wiki/{}".format(*page.split(":", 1))
        return json.dumps({"prediction": {"article": url, "results": results}}).encode()


@contextmanager
def served(store: Any, *behaviours: Behaviour, kind: type[Endpoint] = Endpoint) -> Iterator[Endpoint]:
    """An endpoint that runs as long as the block."""
    server = kind(store, *behaviours)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


def well(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    content = endpoint.result(asked)
    endpoint.leave(handler)
    send(handler, 200, content, Content_Type=f"{endpoint.kind}; charset=utf-8")
    endpoint.answered.update(asked.qids)


def says(status: int, body: str | bytes, **headers: str) -> Behaviour:
    content = body if isinstance(body, bytes) else body.encode()

    def behave(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        endpoint.leave(handler)
        send(handler, status, content, **headers)

    return behave


def later(status: int, seconds: float, *, date: bool = False) -> Behaviour:
    """Ask to wait: for some seconds, or until the full second after that."""

    def behave(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        now = time.time()
        wait = math.ceil(now + seconds) - now if date else seconds
        said = email.utils.formatdate(now + wait + 0.001, usegmt=True) if date else str(seconds)
        told = time.monotonic()
        endpoint.waits.append((told, told + wait))
        says(status, "Too many requests", Retry_After=said)(endpoint, handler, asked)

    return behave


def typed(kind: str) -> Behaviour:
    """A right answer of a wrong type."""
    return lambda endpoint, handler, asked: says(200, endpoint.result(asked), Content_Type=kind)(
        endpoint, handler, asked
    )


def cut(share: float, *, said: str = "", honest: bool = True) -> Behaviour:
    """The beginning of an answer, with an error's text behind it; `honest` about its length, or not."""

    def behave(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        content = endpoint.result(asked)
        part = content[: int(len(content) * share)] + said.encode()
        endpoint.leave(handler)
        handler.close_connection = not honest
        length = len(part) if honest else len(content)
        send(handler, 200, part, Content_Type=endpoint.kind, Content_Length=str(length))

    return behave


def fewer(most: int, otherwise: Behaviour) -> Behaviour:
    """Answer queries for at most so many items."""
    return lambda endpoint, handler, asked: (well if len(asked.qids) <= most else otherwise)(
        endpoint, handler, asked
    )


def without(qid: str, otherwise: Behaviour) -> Behaviour:
    """Answer queries for all items but one."""
    return lambda endpoint, handler, asked: (otherwise if qid in asked.qids else well)(
        endpoint, handler, asked
    )


def hang(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Say nothing until the client hangs up."""
    select.select([handler.connection], [], [], 10)
    handler.close_connection = True


def drip(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Send an answer byte by byte: no single read is slow."""
    content = endpoint.result(asked)
    handler.send_response(200)
    handler.send_header("Content-Type", endpoint.kind)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    for byte in content:
        handler.wfile.write(bytes([byte]))
        if select.select([handler.connection], [], [], 0.02)[0]:
            break
    handler.close_connection = True


def reset(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Break the connection off in the middle of an answer."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: " + endpoint.kind.encode() + b"\r\nContent-Le")
    handler.wfile.flush()
    endpoint.leave(handler)
    abort(handler)


def hang_up(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Close the connection without a word."""
    endpoint.leave(handler)
    handler.close_connection = True
