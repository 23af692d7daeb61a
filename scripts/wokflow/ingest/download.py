"""Downloads of files: a file gets its name only once it is whole and checked."""

import errno
import hashlib
import json
import os
import re
import shutil
import time
from dataclasses import asdict
from io import FileIO
from pathlib import Path

import httpx

from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.tables import write_text
from wokflow.frame.web import Again, keep_urls_out_of_logs, user_agent
from wokflow.ingest.fetching import MOUNTS, RedirectError, check_busy, followed, retrying, shown
from wokflow.ingest.partial import ENDING, SOURCE, Source, finish, taken, validators
from wokflow.ingest.settings import DownloadSettings

SLOWEST = 1 << 10  # bytes per second; a connection slower than that for `timeout_s` seconds is given up
WORTH = 1 << 20  # bytes; an attempt that brings so many new ones restarts the count of failures
MARGIN = 64 << 20  # bytes of the disk that must stay free
STRIDE = 64 << 20  # bytes after which free space is checked again, if the length is unknown
HEAD = 512  # bytes that show whether a file is a web page
WEB_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head)\b", re.IGNORECASE)
RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)")
UNSATISFIED = re.compile(r"bytes \*/(\d{1,18})")
MEANING = {
    401: "it asks for a user and a password",
    403: "it does not give the file to this client",
    404: "it has no such file",
    410: "it has no such file any more",
}


def ingest_download(*, path: str, settings: DownloadSettings, job: Job) -> None:
    """Fetch a `url` (http or https) to `path`, which exists only once the file is whole and on the disk.

    The part fetched so far lies in `path`.part. A later attempt, also in a later run, asks only for the rest if ETag
    or Last-Modified show that the file is the same; otherwise it begins anew. The file is whole if its SHA-256 is
    `sha256`, or without one, if it has the length that the server says. A `path` that already has this SHA-256 is
    left as it is. User and password may stand in the URL; they are shown nowhere. `contact` is sent to the server, as
    Wikimedia asks.

    An attempt fails if nothing, or less than SLOWEST bytes per second, arrives for `timeout_s` seconds. Raises
    UserError after `attempts` failures in a row (an attempt that fetched a MiB restarts the count), and at once if
    the server refuses the file, redirects from https to http or sends a web page instead of the file, if the disk is
    too full, or if the SHA-256 is wrong.
    """
    keep_urls_out_of_logs()
    asked, sha256 = _checked(settings.url), settings.sha256
    if sha256 is not None and not re.fullmatch("[0-9a-fA-F]{64}", sha256):
        raise UserError(f"{sha256!r} is not the SHA-256 of {shown(asked)}: that has 64 hexadecimal digits.")
    target = Path(path)
    if sha256 and target.is_file() and _digest(target) == sha256.lower():
        job.progress.say(f"{path} is there already")
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    timeouts = httpx.Timeout(settings.timeout_s, connect=min(settings.timeout_s, 15.0))
    headers = {"User-Agent": user_agent(settings.contact), "Accept": "*/*", "Accept-Encoding": "identity"}
    with taken(path) as file, httpx.Client(headers=headers, timeout=timeouts, mounts=MOUNTS) as client:
        fetch = _Fetch(client, asked, file, target, settings, job.progress)
        try:
            retrying(settings.attempts, lambda _: fetch.failures)(fetch.attempt)
        except Again as error:
            raise UserError(
                f"{target.name}: {shown(asked)} could not be fetched: {error} ({settings.attempts} attempts in a "
                f"row). What came is kept in {path}{ENDING}: run again to go on from there. {_by_hand(path)}"
            ) from None
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            raise UserError(f"{path}: {error.strerror}. Make room there and run again to go on.") from error
        finish(file, target)


def _checked(url: str) -> httpx.URL:
    try:
        asked = httpx.URL(url)
    except (httpx.InvalidURL, TypeError):
        raise UserError("The URL of a file to be fetched is not valid. It must begin with https://") from None
    if asked.scheme not in ("http", "https") or not asked.host:
        raise UserError(f"{shown(asked)} cannot be fetched: an address must begin with http:// or https://.")
    return asked.copy_with(fragment=None)


def _by_hand(path: str) -> str:
    return f"Or fetch it by hand, with a browser or curl --location, and put it at {path}"


class _Fetch:
    """The attempts to fetch one file.

    `failures` counts failures in a row; an attempt that fetches WORTH bytes restarts it.
    """

    def __init__(
        self,
        client: httpx.Client,
        url: httpx.URL,
        file: FileIO,
        target: Path,
        settings: DownloadSettings,
        progress: Progress,
    ) -> None:
        self._client, self._file, self._target = client, file, target
        self._auth = (url.username, url.password) if url.userinfo else None
        self._url = url.copy_with(username="", password="")
        self._sha256 = settings.sha256.lower() if settings.sha256 else None
        self._timeout, self._progress = settings.timeout_s, progress
        self._state = Path(f"{target}{SOURCE}")
        self._size = self._first = self._furthest = os.fstat(file.fileno()).st_size
        self._whole: int | None = None  # bytes of the whole file
        self._pieced = False  # whether the part came in more than one response
        self.failures = 0

    def attempt(self) -> None:
        """Fetch the rest and check the whole file. Raises Again, or UserError where a retry would not help."""
        before = self._furthest
        try:
            try:
                self._fetch()
                self._check()
            except RedirectError as error:
                raise UserError(f"{self._name} {error}. {self._by_hand}") from None
            except httpx.TimeoutException:
                raise Again(f"nothing came for {self._timeout:g} s") from None
            except httpx.TransportError as error:
                if "CERTIFICATE_VERIFY_FAILED" in str(error):
                    raise UserError(
                        f"{self._name}: the server's certificate is not valid ({error}). If this network has its own "
                        "certificates, set SSL_CERT_FILE to them."
                    ) from None
                raise Again(f"the connection broke: {error}") from None
        except Again as error:
            self.failures = 1 if self._furthest - before >= WORTH else self.failures + 1
            self._progress.say(f"{self._target.name}: {error}, after {_mib(self._size)}")
            raise

    @property
    def _name(self) -> str:
        return f"{self._target.name}: {shown(self._url)}"

    def _fetch(self) -> None:
        source = self._part()
        if source and source.size == self._size:
            return
        headers = {}
        if source and source.validator:
            headers = {"Range": f"bytes={self._size}-", "If-Range": source.validator}
        with followed(self._client, self._url, self._auth, headers) as response:
            check_busy(response)
            if source and response.status_code == 416:
                self._take_as_whole(response, source)
                return
            if source and response.status_code == 206:
                self._go_on(response, source)
            else:
                self._begin(response)
            self._write(response)

    def _part(self) -> Source | None:
        """The description of the part's file; None without a part. A part that cannot be completed is dropped."""
        source = Source.read(self._state)
        if self._size and source and source.validator and source.url == self._digest_of_url():
            return source
        self._drop()
        return None

    def _digest_of_url(self) -> str:
        return hashlib.sha256(str(self._url).encode()).hexdigest()

    def _drop(self) -> None:
        """Begin anew. The part is emptied before its description is removed: without one it is of no use."""
        self._file.truncate(0)
        self._size = self._first = 0
        self._pieced = False
        self._state.unlink(missing_ok=True)

    def _go_on(self, response: httpx.Response, source: Source) -> None:
        """Accept the rest of the file. Raises Again if it is of another file than the part."""
        sent = RANGE.fullmatch(response.headers.get("Content-Range", ""))
        whole = int(sent[2]) if sent and sent[2] != "*" else source.size
        fits = sent and int(sent[1]) == self._size and source.size in (None, whole)
        if not fits or not source.is_that_of(response) or _encoding(response):
            self._drop()
            raise Again("the file has changed since a part of it was fetched")
        self._whole, self._pieced = whole, True
        self._check_room()

    def _take_as_whole(self, response: httpx.Response, source: Source) -> None:
        """Accept the part as the whole file (HTTP 416). Raises Again if the server has another file or length."""
        sent = UNSATISFIED.fullmatch(response.headers.get("Content-Range", ""))
        if (
            not sent
            or int(sent[1]) != self._size
            or not source.is_that_of(response)
            or source.size is not None
        ):
            self._drop()
            raise Again("the file is another one than that of which a part was fetched")

    def _begin(self, response: httpx.Response) -> None:
        """Accept the file from its beginning. Raises UserError for a response without the file."""
        status, headers = response.status_code, response.headers
        if status != 200:
            meaning = MEANING.get(status, "which is not understood")
            raise UserError(f"{self._name} answered HTTP {status}: {meaning}. {self._by_hand}")
        if self._wants_no_page and headers.get("Content-Type", "").lower().startswith("text/html"):
            raise UserError(self._is_page)
        encoding = _encoding(response)
        if encoding and not (encoding.endswith("gzip") and self._target.suffix == ".gz"):
            raise UserError(
                f"{self._name} was sent with an encoding that was not asked for ({encoding}). {self._by_hand}"
            )
        length = headers.get("Content-Length", "")
        whole = int(length) if re.fullmatch(r"[0-9]{1,18}", length) else None
        if whole is None and not self._sha256 and headers.get("Transfer-Encoding", "").lower() != "chunked":
            raise UserError(
                f"{self._name} does not say how long the file is, so a part of it could not be told from the whole. "
                f"Give its SHA-256. {self._by_hand}"
            )
        if self._size:
            self._progress.say(f"{self._target.name}: begins again: the server does not send the rest alone")
        self._drop()
        self._whole = whole
        self._check_room()
        source = Source(self._digest_of_url(), *validators(response), whole)
        write_text(self._state, json.dumps(asdict(source)) + "\n")

    def _write(self, response: httpx.Response) -> None:
        """Append the response to the part. Raises Again if it comes too slowly."""
        self._file.seek(self._size)
        since, came, looked = time.monotonic(), 0, self._size
        for data in response.iter_raw():
            rest = memoryview(data)
            while rest:
                written = self._file.write(rest)
                self._size, rest = self._size + written, rest[written:]
            self._furthest = max(self._furthest, self._size)
            came += len(data)
            if (seconds := time.monotonic() - since) > self._timeout:
                if came < SLOWEST * seconds:
                    raise Again(f"it comes too slowly ({came} bytes in {seconds:.0f} s)")
                since, came = time.monotonic(), 0
            if self._whole is None and self._size - looked >= STRIDE:
                looked = self._size
                self._check_room()
            self._say()

    def _say(self) -> None:
        of = f" of {_mib(self._whole)}" if self._whole else ""
        left = self._whole - self._first if self._whole else None
        self._progress(self._size - self._first, f"{self._target.name}: {_mib(self._size)}{of}", of=left)

    def _check_room(self) -> None:
        """Raise UserError if the disk has no room for the rest of the file."""
        need = max((self._whole or 0) - self._size, 0)
        free = shutil.disk_usage(self._target.parent).free
        if free < need + MARGIN:
            room = f"{_mib(need)} more" if self._whole else "more room, of unknown size"
            raise UserError(
                f"{self._name} needs {room}, and {_mib(MARGIN)} are to be left; {self._target.parent} has "
                f"{_mib(free)} free. Make room there, or give another path."
            )

    def _check(self) -> None:
        """Raise Again or UserError if what was fetched is not the file."""
        if not self._size or self._whole not in (None, self._size):
            raise Again(f"it ended after {self._size} bytes{f' of {self._whole}' if self._whole else ''}")
        self._file.seek(0)
        if self._wants_no_page and WEB_PAGE.match(self._file.read(HEAD)):
            self._drop()
            raise UserError(self._is_page)
        if not self._sha256 or (given := _digest(Path(f"{self._target}{ENDING}"))) == self._sha256:
            return
        pieced = self._pieced
        self._drop()
        if pieced:
            raise Again("the parts do not fit together by their SHA-256")
        raise UserError(
            f"{self._name} has the SHA-256 {given}, not {self._sha256}. Either it was damaged on its way: try again. "
            "Or the server has another version by now: if you want that one, give its SHA-256."
        )

    @property
    def _wants_no_page(self) -> bool:
        return self._target.suffix.lower() not in (".html", ".htm")

    @property
    def _is_page(self) -> str:
        return (
            f"{self._name} gave a web page in place of the file, as servers and networks do that one has to log in "
            f"to. {self._by_hand}"
        )

    @property
    def _by_hand(self) -> str:
        return _by_hand(str(self._target))


def _encoding(response: httpx.Response) -> str:
    """The content encoding of a response; "" for none."""
    encoding = str(response.headers.get("Content-Encoding", "")).strip().lower()
    return "" if encoding == "identity" else encoding


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.1f} MiB" if size < 10 << 20 else f"{size >> 20} MiB"
