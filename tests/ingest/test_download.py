"""A file from the web is there whole or not at all, whatever the server does, and is not fetched twice."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from email.utils import formatdate
from pathlib import Path

import pytest
from wokflow.frame.job import Job, UserError
from wokflow.ingest import download
from wokflow.ingest.download import ingest_download
from wokflow.ingest.partial import taken

from tests.conftest import ROOT
from tests.ingest.defaults import download_settings
from tests.ingest.sites import (
    DATA,
    MODIFIED,
    SUM,
    Fault,
    Site,
    changes,
    cut,
    fetch,
    refused,
    resets,
    says,
    serving,
    watched,
)


@pytest.mark.parametrize("checksum", [None, SUM, SUM.upper()])
def test_a_file_is_fetched_and_nothing_else_is_left(site: Site, tmp_path: Path, checksum: str | None) -> None:
    fetched = fetch(site, tmp_path, sha256=checksum)
    assert fetched.path.read_bytes() == DATA and fetched.left == {"data.gz"}
    assert "data.gz: 2.9 MiB of 2.9 MiB (100 %" in fetched.log
    (request,) = site.requests
    assert "me@example.org" in request["user-agent"] and request["accept-encoding"] == "identity"


def test_a_file_with_the_right_checksum_is_not_fetched_again(site: Site, tmp_path: Path) -> None:
    fetch(site, tmp_path)
    fetch(site, tmp_path, sha256=SUM)
    assert len(site.requests) == 1
    fetch(site, tmp_path)
    assert len(site.requests) == 2


@pytest.mark.parametrize(
    ("etag", "modified"), [('"one"', MODIFIED), (None, MODIFIED), ('W/"weak"', MODIFIED)]
)
def test_a_download_that_breaks_off_each_time_goes_on_where_it_stopped(
    site: Site, tmp_path: Path, etag: str | None, modified: str
) -> None:
    site.etag, site.modified = etag, modified
    site.every = cut(300_000)
    fetched = fetch(site, tmp_path, sha256=SUM, attempts=20)
    assert fetched.path.read_bytes() == DATA and sum(site.sent) == len(DATA)
    assert site.ranges == [None, *(f"bytes={at}-" for at in range(300_000, 3_000_000, 300_000))]
    assert {request.get("if-range") for request in site.requests[1:]} == {
        etag if etag and etag[0] == '"' else modified
    }


def test_a_connection_that_is_reset_leaves_what_had_come(site: Site, tmp_path: Path) -> None:
    site.faults = [resets(700_000), resets(0), resets(900_000)]
    fetched = fetch(site, tmp_path, attempts=4)
    assert fetched.path.read_bytes() == DATA and fetched.left == {"data.gz"}
    assert fetched.log.count("the connection broke") == 3 and len(site.requests) == 4


def test_a_later_run_goes_on_where_an_earlier_one_gave_up(site: Site, tmp_path: Path) -> None:
    site.every = cut(300_000)
    folder = refused(
        site, tmp_path, r"the connection broke.*3 attempts in a row\).*run again to go on.*by hand"
    )
    assert {path.name for path in folder.iterdir()} == {"data.gz.part", "data.gz.part.json"}
    assert (folder / "data.gz.part").read_bytes() == DATA[:900_000]
    site.every = None
    assert fetch(site, tmp_path).left == {"data.gz"}
    assert site.ranges[-1] == "bytes=900000-" and sum(site.sent) == len(DATA)


def test_attempts_that_bring_the_file_forward_do_not_count(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "WORTH", 300_000)
    site.every = cut(300_000)
    fetch(site, tmp_path, attempts=2)
    assert len(site.requests) == 10
    site.resumes, site.requests = False, []
    refused(site, tmp_path / "new", "2 attempts in a row", attempts=2)
    assert len(site.requests) == 2  # the same beginning each time


def test_without_a_validator_or_with_another_url_it_begins_anew(site: Site, tmp_path: Path) -> None:
    site.etag = site.modified = None
    site.faults = [cut(1000)]
    assert fetch(site, tmp_path).path.read_bytes() == DATA
    assert site.ranges == [None, None]
    site.etag = '"one"'
    site.faults, other = [cut(1000)] * 3, tmp_path / "other"
    refused(site, other, "could not be fetched")
    fetch(site, other, url=f"{site.url}?other")
    assert site.ranges[2:] == [None, "bytes=1000-", "bytes=2000-", None]


@pytest.mark.parametrize("data", [DATA[::-1], DATA[:700_000], DATA[:500_000]])
@pytest.mark.parametrize("heeds", [True, False])
def test_a_file_that_changes_between_attempts_is_fetched_anew(
    site: Site, tmp_path: Path, data: bytes, heeds: bool
) -> None:
    site.heeds_if_range = heeds
    site.faults = [cut(700_000), changes(data, '"two"')]
    fetched = fetch(site, tmp_path, sha256=hashlib.sha256(data).hexdigest(), attempts=5)
    assert fetched.path.read_bytes() == data


def test_a_rest_of_another_file_is_known_by_its_validator(site: Site, tmp_path: Path) -> None:
    site.heeds_if_range = False
    site.faults = [cut(700_000), changes(DATA[::-1], '"two"')]
    assert fetch(site, tmp_path).path.read_bytes() == DATA[::-1]
    assert site.ranges == [None, "bytes=700000-", None]


def test_the_file_is_on_the_disk_before_it_has_its_name(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced, flush = [], os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(
            (Path(f"/proc/self/fd/{descriptor}").resolve().name, (tmp_path / "raw/data.gz").exists())
        )
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    fetch(site, tmp_path)
    assert synced[-2:] == [("data.gz.part", False), ("raw", True)]


def test_a_change_that_the_server_does_not_show_is_seen_by_the_checksum(site: Site, tmp_path: Path) -> None:
    site.faults = [cut(700_000), changes(DATA[::-1], '"one"')]
    fetched = fetch(site, tmp_path, sha256=hashlib.sha256(DATA[::-1]).hexdigest())
    assert fetched.path.read_bytes() == DATA[::-1]
    assert "do not fit together" in fetched.log and site.ranges == [None, "bytes=700000-", None]


def test_a_server_that_does_not_resume_sends_the_file_anew(site: Site, tmp_path: Path) -> None:
    site.resumes, site.faults = False, [cut(700_000)]
    fetched = fetch(site, tmp_path)
    assert fetched.path.read_bytes() == DATA and "begins again" in fetched.log
    assert site.sent == [700_000, 3_000_000]


@pytest.mark.parametrize(
    "answer",
    [
        says(416),
        says(416, Content_Range="bytes */5"),
        says(206, b"x" * 9, Content_Range="bytes 0-8/9"),
        says(206, b"x" * 9),
        says(206, b"x" * 9, Content_Range="bytes 700000-700008/700009"),
        says(206, b"x" * 9, Content_Range="bytes 700000-700008/3000000", Content_Encoding="gzip"),
    ],
)
def test_a_rest_that_does_not_fit_is_not_appended(site: Site, tmp_path: Path, answer: Fault) -> None:
    site.faults = [cut(700_000), answer]
    assert fetch(site, tmp_path).path.read_bytes() == DATA
    assert site.ranges == [None, "bytes=700000-", None]


def test_a_part_that_is_whole_already_is_only_checked(site: Site, tmp_path: Path) -> None:
    site.length = False
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw/data.gz.part").write_bytes(DATA)
    source = {
        "url": hashlib.sha256(site.url.encode()).hexdigest(),
        "etag": '"one"',
        "modified": None,
        "size": None,
    }
    (tmp_path / "raw/data.gz.part.json").write_text(json.dumps(source))
    assert fetch(site, tmp_path, sha256=SUM).path.read_bytes() == DATA
    assert site.ranges == ["bytes=3000000-"]  # which answers 416: there is no more


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_busy_server_is_asked_again_when_it_says(
    site: Site, tmp_path: Path, status: int, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = "1" if form == "seconds" else formatdate(time.time() + 2, usegmt=True)
    site.faults = [says(status, Retry_After=after)]
    start = time.monotonic()
    fetch(site, tmp_path)
    assert len(site.requests) == 2 and time.monotonic() - start > 0.99


def test_a_server_that_asks_for_too_much_patience_is_asked_another_day(site: Site, tmp_path: Path) -> None:
    site.every = says(429, Retry_After="86400")
    refused(site, tmp_path, "HTTP 429 and asks to wait for 86400 s")
    assert len(site.requests) == 1


@pytest.mark.parametrize("answer", [says(503), says(500), says(429, Retry_After="soon"), cut(0)])
def test_a_server_that_stays_busy_is_given_up(site: Site, tmp_path: Path, answer: Fault) -> None:
    site.every = answer
    folder = refused(site, tmp_path, r"could not be fetched: .*\(3 attempts in a row\)")
    assert len(site.requests) == 3 and not (folder / "data.gz.part").exists()


def test_a_server_that_is_not_there_is_given_up(site: Site, tmp_path: Path) -> None:
    with serving(Site()) as gone:
        pass
    refused(gone, tmp_path, "Connection refused.*3 attempts")


def test_a_connection_that_drips_is_given_up(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.every = lambda handler: handler.answer(pause=0.05, chunk=10) is None
    start = time.monotonic()
    refused(
        site, tmp_path, r"comes too slowly \(\d+ bytes in \d+ s\) \(2 attempts", attempts=2, timeout_s=0.4
    )
    assert 0.8 < time.monotonic() - start < 20  # the whole would take hours
    assert site.ranges[1] not in (None, "bytes=0-")


def test_a_connection_that_falls_silent_is_given_up(site: Site, tmp_path: Path) -> None:
    site.faults = [lambda handler: handler.answer(100_000, pause=3, chunk=100_000) is None] * 2
    assert "nothing came for 1 s" in fetch(site, tmp_path, timeout_s=1.0).log
    assert sum(site.sent) == len(DATA)


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from wokflow.frame.job import Job
from wokflow.ingest.download import ingest_download
from wokflow.ingest.settings import DownloadSettings
settings = DownloadSettings(url=sys.argv[2], sha256=None, contact="", attempts=1)
ingest_download(path=sys.argv[3], settings=settings, job=Job())
"""


def test_a_killed_download_leaves_no_half_file_and_is_gone_on_with(site: Site, tmp_path: Path) -> None:
    site.faults = [lambda handler: handler.answer(pause=0.05) is None] * 3
    path = tmp_path / "raw" / "data.gz"
    path.parent.mkdir()
    part, sizes = path.with_name("data.gz.part"), [0]
    with watched(path, set):
        for _ in range(3):
            command = [sys.executable, "-c", SCRIPT, ROOT / "scripts", site.url, path]
            with subprocess.Popen(command) as process:
                while not part.exists() or part.stat().st_size < sizes[-1] + 500_000:
                    assert process.poll() is None
                    time.sleep(0.01)
                with pytest.raises(UserError, match="is being fetched by another process"):
                    ingest_download(path=str(path), settings=download_settings(site.url), job=Job())
                process.send_signal(signal.SIGKILL)
                assert process.wait() == -signal.SIGKILL
            sizes.append(part.stat().st_size)
            assert part.read_bytes() == DATA[: sizes[-1]] and not path.exists()
    assert fetch(site, tmp_path, sha256=SUM).left == {"data.gz"}
    assert site.ranges == [None, *(f"bytes={size}-" for size in sizes[1:])]
    assert site.sent[-1] == len(DATA) - sizes[-1]


@pytest.mark.parametrize("kind", ["link", "pipe", "open to others", "another user's"])
def test_a_part_that_somebody_else_has_planted_is_refused_and_no_link_is_followed(
    kind: str, tmp_path: Path
) -> None:
    """A part is emptied where it is none of the file: a link would have emptied a file of the user's own."""
    own, part = tmp_path / "own", tmp_path / "data.gz.part"
    own.write_text("mine")
    if kind == "link":
        part.symlink_to(own)
    elif kind == "pipe":
        os.mkfifo(part)
    else:
        part.write_text("theirs")
        part.chmod(0o666 if kind == "open to others" else 0o644)
    if kind == "another user's":
        if os.geteuid():
            pytest.skip("takes root")
        os.chown(part, 54_321, 54_321)
    with (
        pytest.raises(UserError, match=r"data\.gz\.part.*\. Remove it, or"),
        taken(str(tmp_path / "data.gz")),
    ):
        pass
    assert own.read_text() == "mine"
