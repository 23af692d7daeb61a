"""A client of OpenAI-compatible endpoints: OpenAI's SDK, within a budget, and without showing the key.

The SDK (package openai) tries again what timed out, broke or was turned down with 408, 409, 429, 500 or above, unless
the server says `x-should-retry: false`: after the wait that it asks for (Retry-After) if that is two minutes at most,
else after half a second, then twice as long, up to eight seconds. This module does what the SDK does not. It bounds
the whole time of a try (the SDK bounds each read), refuses redirects, counts costs, and tries again after responses
without an answer. It also keeps the SDK from sending organisation, project and other headers from the environment to
any host.
"""

import json
import threading
import time
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpx
import openai

from wokflow.frame.job import UserError
from wokflow.frame.secrets import SAID
from wokflow.frame.web import ENCODING, Body, TooLargeError, on_loopback
from wokflow.generate.answers import Answer, Failure, read_answer
from wokflow.generate.costs import NOTHING, BudgetError, Ledger
from wokflow.generate.endpoints import Key, check_endpoint
from wokflow.generate.request import Request
from wokflow.generate.served import transport

SENT = ("host", "accept", "content-type", "content-length", "user-agent")  # and the key
READ = ("retry-after", "retry-after-ms", "x-should-retry", "location")  # headers of a response
LARGEST = 16 << 20  # bytes of a response, after decompression
UNREACHED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)
ADVICE = {
    401: "Is the key right? {key}",
    402: "The account has no credit left.",
    403: "The key may not use this model or endpoint. {key}",
    404: "Is the endpoint right (it usually ends in /v1), and does it have the model?",
    405: "Is the endpoint right (it usually ends in /v1)?",
}


class NoAnswer(Exception):  # noqa: N818  (an outcome of one request, not a fault)
    """A request that gets no answer: `rejected` or `refused` by the server, or `failed` after all tries."""

    def __init__(self, failure: Failure, reason: str) -> None:
        super().__init__(reason)
        self.answer = Answer("", refusal=reason, failure=failure)


class Stopped(Exception):  # noqa: N818
    """The run ends before this request is sent."""


class _Final(openai.OpenAIError):
    """Ends a request at once, since the SDK never retries its own errors; the cause is then raised."""


@dataclass
class _Asked:
    """A request, and how often it was sent."""

    request: Request
    tries: int = 0


_ASKED: ContextVar[_Asked] = ContextVar("asked")


class Client(httpx.Client):
    """A client of one endpoint for any number of threads, and the transport of the SDK's tries. Use as a context
    manager.

    A request is tried `tries` times, each for `seconds` at most. Tries that the server turned down cost nothing; a
    try that timed out or was cut off counts with the most that it can have cost. Redirects are not followed.
    """

    def __init__(
        self,
        endpoint: str,
        key: Key,
        ledger: Ledger,
        *,
        seconds: float,
        tries: int,
        concurrency: int,
        socket: str = "",
    ) -> None:
        """With `socket`, the endpoint is reached by that Unix socket.

        Raises UserError if the endpoint is not valid, or must not get the key.
        """
        check_endpoint(endpoint, key)
        super().__init__(
            transport=transport(socket),
            timeout=httpx.Timeout(seconds, connect=min(seconds, 15), pool=None),
            limits=httpx.Limits(max_connections=concurrency),
            trust_env=not on_loopback(endpoint),  # no proxy between this machine and itself
        )
        self._endpoint, self._key, self._ledger = endpoint.rstrip("/"), key, ledger
        self._seconds, self._tries, self._stop = seconds, tries, threading.Event()
        # The SDK wants some key; it never has the real one.
        self._sdk = openai.OpenAI(
            api_key="none", base_url=self._endpoint, max_retries=tries - 1, http_client=self
        )

    def stop(self) -> None:
        """Let requests in flight end, and start no others."""
        self._stop.set()

    def ask(self, request: Request) -> Any:
        """The response to a request, as parsed from JSON, without the key; it is whole and has an answer.

        Raises NoAnswer for a request that gets none; UserError where no other would get one either; BudgetError where
        it does not fit; Stopped.
        """
        asked = _Asked(request)
        _ASKED.set(asked)
        try:
            return self._sdk.post(request.path, cast_to=httpx.Response, body=request.body).json()
        except _Final as error:
            raise error.__cause__ or error from None
        except openai.APIStatusError as error:
            raise self._turned_down(error.response, asked.tries) from None
        except openai.APIConnectionError as error:
            raise self._unanswered(error.__cause__, asked.tries) from None

    def send(self, request: httpx.Request, **_: Any) -> httpx.Response:
        """The response to one try, read to its end and without the key. Raises httpx.RequestError for no answer."""
        asked, used = _ASKED.get(), None
        try:
            if self._stop.is_set():
                raise Stopped
            name = self._ledger.reserve(asked.request.most)
        except (Stopped, BudgetError) as error:
            raise _Final from error
        asked.tries += 1
        try:
            response = self._exchange(request)
            answer = _answer(response.json()) if response.is_success else None
            used = answer.tokens or asked.request.most if answer else NOTHING
            return response
        except UNREACHED:
            used = NOTHING
            raise
        finally:
            self._ledger.settle(name, used)

    def _exchange(self, request: httpx.Request) -> httpx.Response:
        """The response, of whose headers those in READ are kept; it may take no longer than a try in all."""
        sent = {name: value for name, value in request.headers.items() if name in SENT}
        request.headers = httpx.Headers(self._key.headers() | sent | {"accept-encoding": ENCODING})
        end = time.monotonic() + self._seconds
        raw = super().send(request, stream=True)
        with closing(raw):
            content = self._read(raw, end)
        try:
            body = self._key.hide(json.loads(content))
        except (ValueError, RecursionError):
            body = self._key.hide(content.decode("utf-8", "replace"))
        headers = {name: self._key.hide(raw.headers[name]) for name in READ if name in raw.headers}
        if _error(body)[0] == "insufficient_quota":
            headers["x-should-retry"] = "false"
        return httpx.Response(raw.status_code, headers=headers, content=json.dumps(body), request=request)

    @staticmethod
    def _read(raw: httpx.Response, end: float) -> bytes:
        """The body, or the first LARGEST bytes of an error's."""
        body = Body(raw, LARGEST)
        try:
            return body.read(raw.iter_raw(), end)
        except TooLargeError:
            if raw.is_success:
                raise
            return bytes(body.content)

    def _unanswered(self, error: BaseException | None, tries: int) -> Exception:
        """The exception for a request whose last try brought no response that could be used."""
        reason = self._key.hide(str(error)) or "no connection"
        if isinstance(error, UNREACHED):
            return UserError(
                f"{self._endpoint} cannot be reached ({reason}; {tries} tries). Is generate.prompt.endpoint right, "
                "does the server run, and may this machine reach it?"
            )
        if isinstance(error, httpx.TimeoutException):
            reason = f"no answer in {self._seconds:g} s"
        return NoAnswer("failed", f"{reason} ({tries} tries)")

    def _turned_down(self, response: httpx.Response, tries: int) -> Exception:
        """The exception for an HTTP status that is no success."""
        code, message = _error(response.json())
        status, said = response.status_code, f"HTTP {response.status_code}: {message}"
        if code == "content_filter":
            return NoAnswer("refused", said)
        if status in ADVICE or code == "insufficient_quota":
            advice = ADVICE.get(status, ADVICE[402]).format(key=self._key.origin)
            return UserError(f"{self._endpoint} does not answer: {said}\n{advice}")
        if status // 100 == 3:
            to = response.headers.get("location", "nowhere")[:SAID]
            return UserError(
                f"{self._endpoint} sends requests on to {to}, which is not followed: the key is for the former. "
                "If the latter is right, set generate.prompt.endpoint to the new base URL."
            )
        if status not in (408, 409, 425, 429) and status < 500:
            return NoAnswer("rejected", said)
        if (wait := response.headers.get("retry-after")) and tries < self._tries:
            return UserError(
                f"{self._endpoint} asks to wait for {wait[:SAID]} s ({said}). Run again later: answers are kept."
            )
        return NoAnswer("failed", f"{said} ({tries} tries)")


def _answer(response: Any) -> Answer:
    """The answer in a response; a response without one may have been cut, and is worth another try."""
    try:
        return read_answer(response)
    except ValueError as error:
        raise httpx.RemoteProtocolError(f"{error}: {_error(response)[1]}") from None


def _error(response: Any) -> tuple[str | None, str]:
    """Code and message of an error's body, or of one in its first choice, in any of the forms that servers use."""
    error = response.get("error", response) if isinstance(response, dict) else response
    if error is response and isinstance(response, dict) and isinstance(response.get("choices"), list):
        error = next(
            (one["error"] for one in response["choices"] if isinstance(one, dict) and "error" in one),
            "no error is told",  # what it holds may be texts of corpora, and belongs into no log
        )
    code = None
    if isinstance(error, dict):
        code = error.get("code")
        error = error.get("message") or error.get("detail") or error
    return code if isinstance(code, str) else None, " ".join(str(error).split())[:SAID]
