"""How Wokflow asks servers: its User-Agent, retries, the size of answers, and what may be logged."""

import email.utils
import ipaddress
import logging
import re
import time
import zlib
from collections.abc import Iterable, Mapping

import httpx

from wokflow.frame.job import UserError
from wokflow.frame.secrets import printable
from wokflow.frame.version import VERSION

LONGEST_WAIT = 600.0  # seconds; a server that wants more is asked another day
BUSY = (408, 425, 429)  # HTTP statuses that are worth another attempt, and 500 and above
ENCODING = "gzip"  # of answers, and the only one that is asked for
CONTACT = re.compile(r"[!-'*-~ ]{1,200}")


class Again(Exception):  # noqa: N818  (an outcome of one attempt, not a fault)
    """A failed attempt that should be retried, after `wait` seconds if the server has named a time."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class TooLargeError(httpx.RequestError):
    """An answer that is larger than its limit."""


class Body:
    """The body of an answer, decoded as it arrives; holds at most `most` bytes.

    httpx itself decodes each piece completely, however large it becomes, and nested encodings, too. Raises
    httpx.DecodingError for an encoding that was not asked for.
    """

    def __init__(self, response: httpx.Response, most: int) -> None:
        self.content = bytearray()
        self._server = f"{response.url.scheme}://{response.url.netloc.decode()}"
        self._most, self._came = most, 0
        self._encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if self._encoding not in (ENCODING, "identity", ""):
            raise httpx.DecodingError(f"it came as {printable(self._encoding)}, which was not asked for")
        self._decoder = zlib.decompressobj(wbits=31) if self._encoding == ENCODING else None

    def add(self, data: bytes) -> None:
        """Add bytes as received. Raises TooLargeError once `content` is full, and DecodingError for invalid gzip."""
        self._came += len(data)
        room = self._most - len(self.content)
        try:
            data = self._decoder.decompress(data, room + 1) if self._decoder else data
        except zlib.error as error:
            raise httpx.DecodingError(str(error)) from None
        self.content += data[:room]
        if len(data) > room:
            packed = f", as {self._came:,} bytes of gzip" if self._decoder else ""
            raise TooLargeError(
                f"{self._server} sent more than {self._most:,} bytes{packed}, the limit of an answer"
            )

    def read(self, pieces: Iterable[bytes], end: float) -> bytes:
        """The whole body, of its pieces as received. Raises httpx.ReadTimeout after `end`, by time.monotonic."""
        for data in pieces:
            self.add(data)
            if time.monotonic() > end:
                raise httpx.ReadTimeout("too slow")
        return self.whole()

    def whole(self) -> bytes:
        """The whole body, after the last byte. Raises DecodingError if gzip was cut off."""
        if self._decoder and self._came and not self._decoder.eof:
            raise httpx.DecodingError("it ends in the middle")
        return bytes(self.content)


def user_agent(contact: str) -> str:
    """The name that servers see; `contact` is an e-mail address or a web page, as Wikimedia's User-Agent policy asks.

    An empty one is left out. Raises UserError for a contact that is not valid in a header.
    """
    if not contact:
        return f"Wokflow/{VERSION} httpx/{httpx.__version__}"
    if not CONTACT.fullmatch(contact) or not re.search(r"\S[@/]\S", contact):
        raise UserError(
            f"contact: {contact!r} is neither an e-mail address nor a web page. Give one at which the administrators "
            "of servers can reach you."
        )
    return f"Wokflow/{VERSION} ({contact.strip()}) httpx/{httpx.__version__}"


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds to wait by the header Retry-After, a number of seconds or an HTTP date; None if it is neither.

    `now` is in seconds since 1970; the default is this machine's clock.
    """
    value = headers.get("Retry-After", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
        return float(value)
    try:
        date = email.utils.parsedate_to_datetime(value).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0.0, date - (time.time() if now is None else now))


def on_loopback(endpoint: str) -> bool:
    """Whether a URL's host is this machine itself."""
    host = httpx.URL(endpoint).host
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def plain_url(endpoint: str) -> bool:
    """Whether a text is a URL of a server without user name, password and query, which may be secret."""
    try:
        url = httpx.URL(endpoint)
    except httpx.InvalidURL:
        return False
    return (
        url.scheme in ("http", "https") and bool(url.host) and not (url.userinfo or url.query or url.fragment)
    )


def keep_urls_out_of_logs() -> None:
    """Keep httpx from logging whole URLs (level INFO), and httpcore from logging headers (level DEBUG)."""
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
