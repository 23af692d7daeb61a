"""Under which name servers are asked, how long they are waited for, and which URLs are plain."""

import tracemalloc
import zlib
from email.utils import formatdate

import httpx
import pytest
from wokflow.frame.code import code_digests
from wokflow.frame.job import UserError
from wokflow.frame.secrets import printable
from wokflow.frame.version import VERSION
from wokflow.frame.web import Body, TooLargeError, on_loopback, plain_url, retry_after, user_agent

from tests.conftest import ROOT


def test_the_version_is_the_project_s() -> None:
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'\nversion = "{VERSION}"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_a_new_version_reruns_what_writes_it_and_nothing_else() -> None:
    modules = [
        f"wokflow.{path.parent.name}.{path.stem}" for path in (ROOT / "scripts/wokflow").glob("*/*.py")
    ]
    assert {one for one in modules if "wokflow.frame.version" in code_digests(one)} == {
        "wokflow.export.gates",
        "wokflow.export.rehydrate",  # a command, which no rule runs
        "wokflow.frame.version",
    }


def test_servers_learn_who_asks() -> None:
    assert user_agent("me@example.org") == f"Wokflow/{VERSION} (me@example.org) httpx/{httpx.__version__}"
    assert "(" not in user_agent("")
    for contact in ("me", "me@example.org\r\nX-Evil: 1", "me@exämple.org", "(@)", "x" * 300 + "@y"):
        with pytest.raises(UserError, match="contact"):
            user_agent(contact)


def body(encoding: str, most: int) -> Body:
    request = httpx.Request("GET", "https://a.example/about?key=secret")
    return Body(httpx.Response(200, headers={"Content-Encoding": encoding}, request=request), most)


def packed(data: bytes, repeats: int = 1) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(data) for _ in range(repeats)) + packer.flush()


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_an_answer_is_taken_up_to_its_limit_and_not_one_byte_further(encoding: str) -> None:
    for size in (0, 1, 999, 1000, 1001, 70_000):
        data = bytes(size)
        sent = packed(data) if encoding == "gzip" else data
        read = body(encoding, 1000)
        if size <= 1000:
            for byte in sent:
                read.add(bytes([byte]))
            assert read.whole() == data
        else:
            with pytest.raises(
                TooLargeError, match=r"^https://a\.example sent more than 1,000 bytes.* the limit"
            ):
                read.add(sent)
            assert read.content == bytes(1000)


def test_what_unpacks_to_a_hundred_mebibytes_takes_no_more_than_the_limit() -> None:
    sent, read = packed(bytes(1 << 20), 100), body("gzip", 1 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError, match=f"as {len(sent):,} bytes of gzip"):
            read.add(sent)
        assert tracemalloc.get_traced_memory()[1] < 6 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "deflate"])
def test_an_encoding_that_was_not_asked_for_is_refused(encoding: str) -> None:
    with pytest.raises(httpx.DecodingError, match=encoding):
        body(encoding, 1000)


def test_what_was_cut_or_is_no_gzip_is_no_answer() -> None:
    read = body("gzip", 1000)
    read.add(packed(b"salt")[:-1])
    with pytest.raises(httpx.DecodingError, match="ends in the middle"):
        read.whole()
    with pytest.raises(httpx.DecodingError):
        body("gzip", 1000).add(b"salt")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        (" 0.5 ", 0.5),
        (formatdate(1_000_030, usegmt=True), 30),
        (formatdate(999_000, usegmt=True), 0),
        ("", None),
        ("-1", None),
        ("nan", None),
        ("soon", None),
        ("9" * 400, None),
        ("Thu, 01 Jan 99999 00:00:00 GMT", None),
    ],
)
def test_times_to_wait(value: str, seconds: float | None) -> None:
    assert retry_after({"Retry-After": value}, 1_000_000) == seconds
    assert retry_after({}) is None


@pytest.mark.parametrize(
    ("url", "plain", "own"),
    [
        ("https://query.wikidata.org/sparql", True, False),
        ("http://127.0.0.1:8000/v1", True, True),
        ("http://localhost/", True, True),
        ("http://[::1]/", True, True),
        ("ftp://example.org/", False, False),
        ("https://me:secret@example.org/", False, False),
        ("https://example.org/?key=secret", False, False),
        ("https://example.org/#key", False, False),
        ("example.org", False, False),
    ],
)
def test_urls(url: str, plain: bool, own: bool) -> None:
    assert (plain_url(url), on_loopback(url)) == (plain, own)
    assert not plain_url("http://a\x00")


def test_what_servers_say_is_one_short_line() -> None:
    shown = printable("\x1b[2J a\r\n\tb" + " no" * 10_000)
    assert shown.startswith("?[2J a b no") and len(shown) <= 300


def test_a_socks_proxy_in_the_environment_is_one_that_clients_can_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    with httpx.Client() as client, pytest.raises(httpx.ConnectError):
        client.get("http://a.example/")
