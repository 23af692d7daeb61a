"""HTTP for stage ingest: redirects and retries."""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import httpx

from wokflow.frame.job import UserError
from wokflow.frame.web import BUSY, LONGEST_WAIT, Again, retry_after

if TYPE_CHECKING:
    from tenacity import RetryCallState, Retrying

REDIRECTS = 5  # followed for one request
BACKOFF = 1.0  # seconds before the second attempt; twice as many before each further one
LONGEST_BACKOFF = 60.0  # seconds
JITTER = 1.0  # seconds, at most, after the time that a server asks for, lest all clients come at once
NOWHERE = "redirects to what is no http or https address"
# No proxy between this machine and itself.
MOUNTS = {f"all://{host}": None for host in ("127.0.0.1", "localhost", "[::1]")}


class RedirectError(Exception):
    """A redirect that is not followed; the message says why and continues "the server"."""


def shown(url: httpx.URL) -> str:
    """A URL for logs and messages: without user, password and query, which may hold a key."""
    place = url.copy_with(username="", password="", query=None, fragment=None)
    return f"{place}{'?...' if url.query else ''}"


@contextmanager
def followed(
    client: httpx.Client, url: httpx.URL, auth: tuple[str, str] | None, headers: Mapping[str, str]
) -> Iterator[httpx.Response]:
    """The response to GET after at most REDIRECTS redirects, never from https to http. Raises RedirectError.

    User and password, `auth`, go only to the server of `url`.
    """
    at = url
    for _ in range(REDIRECTS + 1):
        own = auth if _server(at) == _server(url) else None
        request = client.build_request("GET", at, headers=headers)
        response = _sent(client, request, own)
        with closing(response):
            if response.status_code not in (301, 302, 303, 307, 308):
                yield response
                return
            at = _redirected(at, response.headers.get("Location", ""))
    raise RedirectError(f"redirects more than {REDIRECTS} times, last to {shown(at)}")


def _sent(client: httpx.Client, request: httpx.Request, auth: tuple[str, str] | None) -> httpx.Response:
    """The response, with its body unread. Raises RedirectError for a redirect to an invalid URL."""
    try:
        return client.send(request, stream=True, auth=auth, follow_redirects=False)
    except httpx.RemoteProtocolError as error:
        if "location header" in str(error):  # httpx looks at it even where it does not follow
            raise RedirectError(NOWHERE) from None
        raise


def _server(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _redirected(url: httpx.URL, location: str) -> httpx.URL:
    """The URL that a redirect leads to. Raises RedirectError if it must not be followed."""
    try:
        to = url.join(location).copy_with(username="", password="", fragment=None)
    except httpx.InvalidURL:
        to = httpx.URL("")
    if not location or to.scheme not in ("http", "https") or not to.host:
        raise RedirectError(NOWHERE)
    if url.scheme == "https" and to.scheme == "http":
        raise RedirectError(
            f"redirects from https to {shown(to)}, where anybody could change the file on its way; not followed"
        )
    return to


def check_busy(response: httpx.Response) -> None:
    """Raise Again for a server that cannot answer now, or UserError if it asks to wait longer than LONGEST_WAIT."""
    if response.status_code not in BUSY and response.status_code < 500:
        return
    wait = retry_after(response.headers)
    if wait is not None and wait > LONGEST_WAIT:
        raise UserError(
            f"{shown(response.url)} answered HTTP {response.status_code} and asks to wait for {wait:.0f} s. Run "
            "again later."
        )
    raise Again(f"HTTP {response.status_code}", wait)


def retrying(attempts: int, failures: "Callable[[RetryCallState], int] | None" = None) -> "Retrying":
    """Retries a function while it raises Again, which is passed on after `attempts` failures.

    `failures` counts them; by default all count. Between attempts it waits for as long as the server asks, or about
    BACKOFF seconds, twice as many after each failure, with jitter.
    """
    import tenacity

    def counted(state: "RetryCallState") -> int:
        return failures(state) if failures else state.attempt_number

    def pause(state: "RetryCallState") -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, Again) and error.wait is not None:
            return error.wait + random.uniform(0, JITTER)
        return min(BACKOFF * 2.0 ** (counted(state) - 1), LONGEST_BACKOFF) * random.uniform(0.5, 1.5)

    return tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(Again),
        stop=lambda state: counted(state) >= attempts,
        wait=pause,
        reraise=True,
    )
