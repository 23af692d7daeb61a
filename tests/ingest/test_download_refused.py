"""What is not fetched: files that are not given, web pages, what the disk has no room for, and unsafe addresses."""

import base64
import logging
import resource
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from wokflow.frame.job import UserError
from wokflow.ingest import download

from tests.ingest.sites import (
    DATA,
    SUM,
    Fault,
    Site,
    chunked,
    cut,
    fetch,
    leads,
    refused,
    says,
    serving,
)


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (401, "user and a password"),
        (403, "to this client"),
        (404, "no such file"),
        (410, "more"),
        (204, "not underst"),
    ],
)
def test_a_file_that_is_not_given_is_asked_for_once(
    site: Site, tmp_path: Path, status: int, meaning: str
) -> None:
    site.every = says(status)
    folder = refused(
        site,
        tmp_path,
        rf"data.gz: {site.url} answered HTTP {status}: .*{meaning}.*by hand.*put it at {tmp_path}",
    )
    assert len(site.requests) == 1 and not list(folder.iterdir())


@pytest.mark.parametrize(
    "answer",
    [
        says(200, b"<html><body>log in", Content_Type="text/html; charset=utf-8"),
        says(200, b"\xef\xbb\xbf\n <!DOCTYPE HTML>\n<html>"),
        says(200, b"<HEAD>"),
    ],
)
def test_a_web_page_in_place_of_the_file_is_refused(site: Site, tmp_path: Path, answer: Fault) -> None:
    site.every = answer
    folder = refused(site, tmp_path, "gave a web page in place of the file")
    assert len(site.requests) == 1 and not list(folder.iterdir())


def test_a_page_to_log_in_at_costs_no_part_and_a_page_that_is_asked_for_is_fetched(
    site: Site, tmp_path: Path
) -> None:
    site.faults = [cut(700_000), says(200, b"<html>", Content_Type="text/html")]
    folder = refused(site, tmp_path, "web page")
    assert (folder / "data.gz.part").stat().st_size == 700_000
    site.data, site.headers = b"<html>", {"Content-Type": "text/html"}
    assert fetch(site, tmp_path, name="page.html").path.read_bytes() == b"<html>"


def test_a_wrong_checksum_is_refused(site: Site, tmp_path: Path) -> None:
    folder = refused(site, tmp_path, f"has the SHA-256 {SUM}, not {'0' * 64}", sha256="0" * 64)
    assert len(site.requests) == 1 and not list(folder.iterdir())
    refused(site, tmp_path, "'abc' is not the SHA-256 of .*data.gz", sha256="abc")


def test_a_file_of_unknown_length_needs_a_checksum(site: Site, tmp_path: Path) -> None:
    site.length = False
    refused(site, tmp_path, "does not say how long the file is.*Give its SHA-256")
    assert fetch(site, tmp_path, sha256=SUM).path.read_bytes() == DATA
    site.every = says(200)
    refused(site, tmp_path / "empty", "it ended after 0 bytes")


def test_an_encoding_that_was_not_asked_for_is_refused(site: Site, tmp_path: Path) -> None:
    site.headers = {"Content-Encoding": "br"}
    refused(site, tmp_path, r"with an encoding that was not asked for \(br\)")
    site.headers = {"Content-Encoding": "x-gzip"}  # as some servers say of a .gz file
    assert fetch(site, tmp_path).path.read_bytes() == DATA


def test_a_disk_without_room_is_not_filled(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = download.MARGIN + len(DATA) - 1
    monkeypatch.setattr(download.shutil, "disk_usage", lambda _: type("Usage", (), {"free": free}))
    folder = refused(site, tmp_path, r"needs 2.9 MiB more, and 64 MiB are to be left; .* has 66 MiB free")
    assert not list(folder.iterdir())
    free += 1
    fetch(site, tmp_path)


def test_a_file_of_unknown_length_does_not_fill_the_disk(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "STRIDE", 1 << 20)
    part = tmp_path / "raw/data.gz.part"
    free = lambda _: type("Usage", (), {"free": download.MARGIN + (2 << 20) - part.stat().st_size})  # noqa: E731
    monkeypatch.setattr(download.shutil, "disk_usage", free)
    site.every = chunked
    refused(site, tmp_path, "needs more room, of unknown size, and 64 MiB are to be left")
    monkeypatch.undo()
    assert fetch(site, tmp_path, attempts=1).path.read_bytes() == DATA
    site.every = lambda handler: chunked(handler, last=b"")
    refused(site, tmp_path / "new", "the connection broke", attempts=1)


def test_a_disk_that_is_full_keeps_what_came(site: Site, tmp_path: Path) -> None:
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, former[1]))
    try:
        refused(site, tmp_path, "File too large. Make room there and run again")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
    assert fetch(site, tmp_path).path.read_bytes() == DATA
    assert site.ranges == [None, "bytes=1000000-"]


def test_redirects_are_followed_and_bounded(site: Site, tmp_path: Path) -> None:
    site.faults = [cut(700_000), leads("/mirror/data.gz"), leads("?key=sesame")]
    assert fetch(site, tmp_path).path.read_bytes() == DATA
    assert [request["path"] for request in site.requests[1:]] == [
        "/data.gz",
        "/mirror/data.gz",
        "/mirror/data.gz?key=sesame",
    ]
    assert site.ranges[-1] == "bytes=700000-"
    site.every, site.requests = leads("/data.gz?key=sesame"), []
    folder = refused(
        site, tmp_path / "new", r"redirects more than 5 times, last to http\S+/data.gz\?\.\.\.\. Or"
    )
    assert len(site.requests) == 6 and not list(folder.iterdir())


@pytest.mark.parametrize(
    "to", ["", "ftp://example.org/data.gz", "file:///etc/passwd", "http://[:::1]/", "http://h:secret/"]
)
def test_redirects_to_elsewhere_than_the_web_are_not_followed(site: Site, tmp_path: Path, to: str) -> None:
    site.every = leads(to)
    refused(site, tmp_path, "redirects to what is no http or https address")


@pytest.mark.parametrize(
    "url", ["ftp://a/data.gz", "file:///data.gz", "data.gz", "/data.gz", "https:///data.gz"]
)
def test_only_the_web_is_fetched_from(site: Site, tmp_path: Path, url: str) -> None:
    refused(site, tmp_path, "an address must begin with http:// or https://", url=url)
    with pytest.raises(UserError, match="is not valid"):
        fetch(site, tmp_path, url="http://a:port/data.gz")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for this machine, which signs itself."""
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=127.0.0.1",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            path,
            "-out",
            f"{path}.crt",
        ],
        check=True,
        capture_output=True,
    )
    path.write_bytes(path.read_bytes() + Path(f"{path}.crt").read_bytes())
    return path


def test_https_is_checked_and_never_left(
    site: Site, tmp_path: Path, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with serving(Site(), context) as secure:
        refused(secure, tmp_path, "certificate is not valid.*SSL_CERT_FILE")
        monkeypatch.setenv("SSL_CERT_FILE", f"{certificate}.crt")
        site.faults = [leads(secure.url)]
        assert fetch(site, tmp_path).path.read_bytes() == DATA
        secure.every = leads(site.url + "?key=sesame")
        refused(secure, tmp_path / "new", rf"redirects from https to {site.url}\?\.\.\., where anybody")
    assert len(site.requests) == 1


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those that a traceback shows before it."""
    while error:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_what_is_secret_in_a_url_is_shown_to_its_server_alone(
    site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(Site()) as other:
        url = site.url.replace("//", "//me:hush%40@") + "?key=sesame"
        site.faults = [cut(9), leads(other.url.replace("//", "//you:hush@") + "?key=sesame")]
        log = fetch(site, tmp_path, url=url).log
        asked = [request.get("authorization") for request in (*site.requests, *other.requests)]
        assert asked == [f"Basic {base64.b64encode(b'me:hush@').decode()}"] * 2 + [None]
    errors = []
    for fault in (
        says(404),
        says(503),
        cut(9),
        leads("http://you:hush@127.0.0.1/?key=sesame"),
        says(200, b"<html>"),
    ):
        site.every = fault
        with pytest.raises(UserError) as error:
            fetch(site, tmp_path / "new", url=url)
        errors += [f"{shown!r} {shown}" for shown in chain(error.value)]
        state = tmp_path / "new/raw/data.gz.part.json"
        errors.append(state.read_text() if state.exists() else "")
    for text in (log, caplog.text, *capfd.readouterr(), *errors):
        assert "hush" not in text and "sesame" not in text


@pytest.mark.parametrize("contact", ["me", "me@example.org\r\nX: y", "a (b) @c", "mé@example.org"])
def test_a_contact_that_is_none_is_refused(site: Site, tmp_path: Path, contact: str) -> None:
    with pytest.raises(UserError, match="neither an e-mail address nor a web page"):
        fetch(site, tmp_path, contact=contact)
    assert not site.requests
    fetch(site, tmp_path, contact="")
    assert site.requests[0]["user-agent"].startswith("Wokflow/")
