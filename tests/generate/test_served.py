"""What the workflow's own server may answer to the questions whether it is ready."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from wokflow.generate import served
from wokflow.generate.served import Server

MODELS = b'{"data": [{"id": "m"}]}'


@contextmanager
def answering(write: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.close_connection = True
            self.send_response(200)
            write(self)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        Thread(target=http.serve_forever, daemon=True).start()
        yield Server(f"http://127.0.0.1:{http.server_port}/v1", 1, "secret")
        http.shutdown()


def body(content: bytes, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def write(handler: BaseHTTPRequestHandler) -> None:
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(content)

    return write


@pytest.mark.parametrize(
    "write", [body(MODELS), body(gzip.compress(MODELS), Content_Encoding="gzip")], ids=["plain", "gzip"]
)
def test_a_server_says_its_models(write: Callable[[BaseHTTPRequestHandler], None]) -> None:
    with answering(write) as server:
        assert server.models() == ["m"] and server.healthy()


LARGE = MODELS + b" " * (served.MOST + 1)


@pytest.mark.parametrize(
    "write",
    [
        body(LARGE),
        body(gzip.compress(LARGE), Content_Encoding="gzip"),
        body(b"[" * 50_000),
        body(b"\xff"),
        body(b"none", Content_Encoding="gzip"),
        body(MODELS, Content_Encoding="br"),
    ],
    ids=["large", "bomb", "deep", "bytes", "no gzip", "not asked for"],
)
def test_an_answer_that_is_none_is_none(write: Callable[[BaseHTTPRequestHandler], None]) -> None:
    with answering(write) as server:
        assert server.models() is None


def test_an_answer_that_never_ends_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "PATIENCE", 0.2)
    monkeypatch.setattr(served, "MOST", 1 << 40)  # so that only its time ends it

    def trickle(handler: BaseHTTPRequestHandler) -> None:
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b" ")
        except OSError:
            pass

    with answering(trickle) as server:
        assert not server.healthy()
