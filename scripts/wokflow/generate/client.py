"""A client of OpenAI-compatible endpoints: with retries, within a budget, and without showing the key."""

import email.utils
import json
import random
import re
import threading
import time
from collections.abc import Mapping
from typing import Any, Literal

import httpx

from wokflow.frame.job import UserError
from wokflow.generate.answers import Answer, read_answer
from wokflow.generate.costs import NOTHING, Ledger, Tokens
from wokflow.generate.endpoints import Key, check_endpoint, on_loopback
from wokflow.generate.request import Request
from wokflow.generate.served import transport

LONGEST_WAIT = 600  # seconds; an endpoint that wants more is asked another day
SAID = 300  # characters of a server's message that are told
AGAIN = (408, 409, 425, 429)  # and 500 and above
ADVICE = {
    401: "Is the key right? {key}",
    402: "The account has no credit left.",
    403: "The key may not use this model or endpoint. {key}",
    404: "Is the endpoint right (it usually ends in /v1), and does it have the model?",
    405: "Is the endpoint right (it usually ends in /v1)?",
}


class NoAnswer(Exception):  # noqa: N818  (an outcome of one request, not a fault)
    """A request that gets no answer: `rejected` or `refused` by the server, or `failed` after all tries."""

    def __init__(self, status: Literal["rejected", "refused", "failed"], reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Stopped(Exception):  # noqa: N818
    """The run ends before this request is sent."""


class _Again(Exception):  # noqa: N818
    """A failed try that is worth another; after `wait` seconds, if the server says so."""

    def __init__(self, reason: str, *, wait: float | None = None, reached: bool = True) -> None:
        super().__init__(reason)
        self.wait = wait
        self.reached = reached


class Client:
    """A client of one endpoint, for any number of threads. Use as a context manager.

    A request is tried `tries` times, each for `timeout` seconds at most; between tries it waits for as long as the
    server asks (Retry-After), or `backoff` seconds, then twice as many, and so on. Tries that the server turned
    down cost nothing; one that timed out or was cut counts as the most it can have cost. Redirects are not followed.
    """

    def __init__(
        self,
        endpoint: str,
        key: Key,
        ledger: Ledger,
        *,
        timeout: float,
        tries: int,
        backoff: float,
        concurrency: int,
        socket: str = "",
    ) -> None:
        """With `socket`, the endpoint is reached by that Unix socket.

        Raises UserError if the endpoint is not valid, or must not get the key.
        """
        check_endpoint(endpoint, key)
        self._endpoint, self._key, self._ledger = endpoint.rstrip("/"), key, ledger
        self._timeout, self._tries, self._backoff = timeout, tries, backoff
        self._stop = threading.Event()
        self._http = httpx.Client(
            transport=transport(socket),
            headers=key.headers(),
            timeout=httpx.Timeout(timeout, connect=min(timeout, 15), pool=None),
            limits=httpx.Limits(max_connections=concurrency),
            trust_env=not on_loopback(endpoint),  # no proxy between this machine and itself
        )

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def stop(self) -> None:
        """Let requests in flight end, and start no others."""
        self._stop.set()

    def ask(self, request: Request) -> Any:
        """The response to a request, as parsed from JSON, without the key; it is whole and has an answer.

        Raises NoAnswer for a request that gets none; UserError where no other would get one either; BudgetError where
        it does not fit; Stopped.
        """
        attempt = 1
        while not self._stop.is_set():
            try:
                return self._try(request)
            except _Again as error:
                if attempt == self._tries and not error.reached:
                    raise UserError(
                        f"{self._endpoint} cannot be reached ({error}; {attempt} tries). Is generate.prompt.endpoint "
                        "right, does the server run, and may this machine reach it?"
                    ) from None
                if attempt == self._tries:
                    raise NoAnswer("failed", f"{error} ({attempt} tries)") from None
                pause = error.wait or self._backoff * 2 ** (attempt - 1) * random.uniform(1, 1.5)
                self._stop.wait(min(pause, LONGEST_WAIT))
            attempt += 1
        raise Stopped

    def _try(self, request: Request) -> Any:
        self._ledger.reserve(request.most)
        used: Tokens | None = None
        try:
            status, headers, content = self._post(request)
            if not 200 <= status < 300:
                used = NOTHING
                raise self._turned_down(status, headers, self._hidden(content))
            response = self._hidden(content)
            used = _read(response).tokens or request.most
            return response
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            used = NOTHING
            raise _Again(self._key.hide(str(error)) or "no connection", reached=False) from None
        except httpx.TimeoutException:
            raise _Again(f"no answer in {self._timeout:g} s") from None
        except httpx.RequestError as error:
            raise _Again(f"the connection broke: {self._key.hide(str(error))}") from None
        finally:
            self._ledger.settle(request.most, used)

    def _post(self, request: Request) -> tuple[int, httpx.Headers, bytes]:
        """Status, headers and whole body. Raises httpx.RequestError; a body may take no longer than a try."""
        end = time.monotonic() + self._timeout
        content = bytearray()
        with self._http.stream("POST", self._endpoint + request.path, json=request.body) as response:
            for chunk in response.iter_bytes():
                content += chunk
                if time.monotonic() > end:
                    raise httpx.ReadTimeout("too slow")
        return response.status_code, response.headers, bytes(content)

    def _hidden(self, content: bytes) -> Any:
        """A body without the key: parsed JSON, or text if it is no JSON."""
        try:
            return self._key.hide(json.loads(content))
        except (ValueError, RecursionError):
            return self._key.hide(content.decode("utf-8", "replace"))

    def _turned_down(self, status: int, headers: httpx.Headers, response: Any) -> Exception:
        """The exception for an HTTP status that is no success."""
        code, message = _error(response)
        said = f"HTTP {status}: {message}"
        if code == "content_filter":
            return NoAnswer("refused", said)
        if status in AGAIN + tuple(range(500, 600)) and code != "insufficient_quota":
            wait = retry_after(headers)
            if wait is None or wait <= LONGEST_WAIT:
                return _Again(said, wait=wait)
            return UserError(
                f"{self._endpoint} asks to wait for {wait:.0f} s ({said}). Run again later: answers are kept."
            )
        if status // 100 == 3:
            to = self._key.hide(headers.get("Location", "nowhere"))[:SAID]
            return UserError(
                f"{self._endpoint} sends requests on to {to}, which is not followed: the key is for the former. "
                "If the latter is right, set generate.prompt.endpoint to the new base URL."
            )
        if status in ADVICE or code == "insufficient_quota":
            advice = ADVICE.get(status, ADVICE[402]).format(key=self._key.origin)
            return UserError(f"{self._endpoint} does not answer: {said}\n{advice}")
        return NoAnswer("rejected", said)


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds to wait by the header Retry-After, a number of seconds or an HTTP date; None where it has neither.

    `now` is the time in seconds since 1970, by this machine's clock unless told.
    """
    value = headers.get("Retry-After", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value)
    try:
        date = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(0.0, date.timestamp() - (time.time() if now is None else now))


def _read(response: Any) -> Answer:
    """The answer in a response; a response without one may have been cut, and is worth another try."""
    try:
        return read_answer(response)
    except ValueError as error:
        raise _Again(f"{error}: {_error(response)[1]}") from None


def _error(response: Any) -> tuple[str | None, str]:
    """Code and message of an error's body, in any of the forms that servers use."""
    error = response.get("error", response) if isinstance(response, dict) else response
    code = None
    if isinstance(error, dict):
        code = error.get("code")
        error = error.get("message") or error.get("detail") or error
    return code if isinstance(code, str) else None, " ".join(str(error).split())[:SAID]
