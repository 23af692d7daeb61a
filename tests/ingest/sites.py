"""Servers on this machine that misbehave as those of large files do, and what the tests of downloads share."""

import hashlib
import io
import random
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from wokflow.frame.job import Job, Progress, UserError
from wokflow.ingest.download import ingest_download

from tests.generate.servers import abort
from tests.ingest.defaults import download_settings

DATA = random.Random(1).randbytes(3_000_000)
SUM = hashlib.sha256(DATA).hexdigest()
MODIFIED = formatdate(1_700_000_000, usegmt=True)
Fault = Callable[["Handler"], bool]


@dataclass
class Site:
    """What a server has and how it misbehaves: each request takes the next of `faults`, which may answer it."""

    data: bytes = DATA
    etag: str | None = '"one"'
    modified: str | None = MODIFIED
    resumes: bool = True
    heeds_if_range: bool = True
    length: bool = True
    headers: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    every: Fault | None = None
    requests: list[dict[str, str]] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    url: str = ""

    @property
    def ranges(self) -> list[str | None]:
        return [request.get("range") for request in self.requests]


class Handler(BaseHTTPRequestHandler):
    site: Site
    number: int

    def log_message(self, *_: object) -> None:
        """Nothing goes to the screen."""

    def do_GET(self) -> None:
        site = self.site
        site.requests.append(
            {"path": self.path, **{name.lower(): value for name, value in self.headers.items()}}
        )
        self.number = len(site.sent)  # the thread of a request may outlive its client
        site.sent.append(0)
        fault = site.faults.pop(0) if site.faults else site.every
        if not (fault and fault(self)):
            self.answer()

    def answer(self, limit: int | None = None, pause: float = 0.0, chunk: int = 1 << 16) -> None:
        """The file, or the rest that is asked for; cut after `limit` bytes, with pauses between chunks."""
        site, start = self.site, 0
        wanted = self.headers["Range"]
        if wanted and site.resumes and not (site.heeds_if_range and self._differs()):
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(site.data):
                self.begin(416, {"Content-Range": f"bytes */{len(site.data)}"})
                return
        body = site.data[start:]
        headers = {"Content-Length": str(len(body))} if site.length else {}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(site.data) - 1}/{len(site.data)}"
        self.begin(206 if start else 200, headers)
        for at in range(0, len(body[:limit]), chunk):
            piece = body[:limit][at : at + chunk]
            try:
                self.wfile.write(piece)
                self.wfile.flush()
            except OSError:
                return
            site.sent[self.number] += len(piece)
            time.sleep(pause)

    def _differs(self) -> bool:
        return self.headers["If-Range"] not in (self.site.etag, self.site.modified)

    def begin(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        about = {"ETag": self.site.etag, "Last-Modified": self.site.modified, **self.site.headers, **headers}
        for name, value in about.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()


def cut(limit: int) -> Fault:
    """The connection breaks after so many bytes."""
    return lambda handler: handler.answer(limit) is None


def resets(limit: int) -> Fault:
    """The connection is reset after so many bytes: what is on its way is lost."""

    def fault(handler: Handler) -> bool:
        handler.answer(limit)
        abort(handler)
        return True

    return fault


def says(status: int, body: bytes = b"", **headers: str) -> Fault:
    """Another answer than the file; underscores in the names of headers stand for hyphens."""

    def fault(handler: Handler) -> bool:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        handler.begin(status, {"Content-Length": str(len(body)), **named})
        handler.wfile.write(body)
        return True

    return fault


def changes(data: bytes, etag: str) -> Fault:
    """The file is another one from now on."""

    def fault(handler: Handler) -> bool:
        handler.site.data, handler.site.etag = data, etag
        return False

    return fault


@contextmanager
def serving(site: Site, context: ssl.SSLContext | None = None) -> Iterator[Site]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Handler,), {"site": site}))
    server.daemon_threads = True
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    site.url = f"http{'s' if context else ''}://127.0.0.1:{server.server_port}/data.gz"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def watched(path: Path, sizes: Callable[[], set[int]]) -> Iterator[None]:
    """Whatever size a file has while the block runs is one of these, as known in the end."""
    seen, done = set(), threading.Event()

    def watch() -> None:
        while not done.wait(0.001):
            if path.exists():
                seen.add(path.stat().st_size)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
    assert seen <= sizes()


@dataclass
class Fetched:
    path: Path
    log: str

    @property
    def left(self) -> set[str]:
        """The names in the folder."""
        return {path.name for path in self.path.parent.iterdir()}


def fetch(site: Site, folder: Path, *, name: str = "data.gz", url: str = "", **settings: Any) -> Fetched:
    """Fetch the file; it has no other bytes at any time than the server's whole file."""
    path, log = folder / "raw" / name, io.StringIO()
    asked = {"contact": "me@example.org", "attempts": 3, "timeout_s": 5.0, **settings}
    before = {path.stat().st_size} if path.exists() else set()
    with watched(path, lambda: {len(site.data), *before}):
        job = Job(progress=Progress(log, seconds=0))
        ingest_download(path=str(path), settings=download_settings(url or site.url, **asked), job=job)
    return Fetched(path, log.getvalue())


def refused(site: Site, folder: Path, message: str, **settings: Any) -> Path:
    """A file that is not fetched: the error names it and its URL; returns the folder."""
    with pytest.raises(UserError, match=message) as error:
        fetch(site, folder, **settings)
    assert "data.gz" in str(error.value)
    assert not (folder / "raw" / "data.gz").exists()
    return folder / "raw"


def chunked(handler: Handler, last: bytes = b"0\r\n\r\n") -> bool:
    """The file in chunks, with no word on its length; without the last one, its end is missing."""
    handler.protocol_version = "HTTP/1.1"
    handler.begin(200, {"Transfer-Encoding": "chunked", "Connection": "close"})
    for at in range(0, len(DATA), 100_000):
        handler.wfile.write(b"%x\r\n%b\r\n" % (100_000, DATA[at : at + 100_000]))
    handler.wfile.write(last)
    handler.close_connection = True
    return True


def leads(to: str) -> Fault:
    return says(302, Location=to)
