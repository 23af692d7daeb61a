"""Under which name servers are asked, how long they are waited for, and which URLs are plain."""

from email.utils import formatdate

import httpx
import pytest
from wokflow.frame.code import code_digests
from wokflow.frame.job import UserError
from wokflow.frame.version import VERSION
from wokflow.frame.web import on_loopback, plain_url, printable, retry_after, user_agent

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
        "wokflow.frame.version",
    }


def test_servers_learn_who_asks() -> None:
    assert user_agent("me@example.org") == f"Wokflow/{VERSION} (me@example.org) httpx/{httpx.__version__}"
    assert "(" not in user_agent(None)
    for contact in ("me", "me@example.org\r\nX-Evil: 1", "me@exämple.org", "", "(@)", "x" * 300 + "@y"):
        with pytest.raises(UserError, match="contact"):
            user_agent(contact)


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
