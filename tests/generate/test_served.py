"""What the workflow's own server may answer to the questions whether it is ready."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from wokflow.frame.digests import path_digest
from wokflow.generate import served
from wokflow.generate.arguments import server_files
from wokflow.generate.costs import Ledger, Prices
from wokflow.generate.prompt import connection
from wokflow.generate.served import Server, server_identity

from tests.generate.asking import prompt_settings

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


def identity(model: str, folder: Path, commit: str = "", command: str = "serve") -> str:
    """What answers of a server with a model are kept by."""
    path_digest.cache_clear()  # as in a process of its own
    Server("http://localhost/v1", 1, "secret", ready=True, commit=commit).write(folder / "server.json")
    settings = prompt_settings(model=model, backend="command", command=[command])
    return connection(settings, str(folder / "server.json"), Ledger(Prices()))[0]


def test_answers_are_kept_by_the_content_of_a_model_s_folder(tmp_path: Path) -> None:
    (folder := tmp_path / "model").mkdir()
    (folder / "weights").write_bytes(b"a")
    before = identity(str(folder), tmp_path)
    assert identity(str(folder), tmp_path) == before
    (folder / "weights").write_bytes(b"b")
    assert identity(str(folder), tmp_path) != before


def test_answers_are_kept_by_the_content_of_files_that_a_command_names(tmp_path: Path) -> None:
    weights = tmp_path / "model.gguf"
    words, names = ["llama-server", "--model", str(weights), "{model}"], set()
    for text in ("A", "B"):
        weights.write_text(text)
        path_digest.cache_clear()
        names.add(server_identity(words, "m", None))
        assert server_files({"backend": "command", "command": words}) and not server_files(
            {"backend": "vllm", "command": words}
        )
    assert len(names) == 2


def test_answers_are_kept_by_the_commit_of_a_model_of_the_hub(tmp_path: Path) -> None:
    """Its name alone says nothing of its weights, which change when main moves."""
    before = identity("lab/m", tmp_path, "a" * 40)
    assert identity("lab/m", tmp_path, "a" * 40) == before
    others = [("lab/m", "b" * 40), ("lab/m", ""), ("lab/n", "a" * 40), ("lab/m", "a" * 40, "other")]
    assert len({before, *(identity(one[0], tmp_path, *one[1:]) for one in others)}) == 5


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
