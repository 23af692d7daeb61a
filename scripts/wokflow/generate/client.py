"""A client of OpenAI-compatible endpoints: OpenAI's SDK, within a budget, and without showing the key.

The SDK (package openai) tries again what timed out, broke or was turned down with 408, 409, 429, 500 or above, unless
the server says `x-should-retry: false`: after the wait that it asks for (Retry-After) if that is two minutes at most,
else after half a second, then twice as long, up to eight seconds. This module does what the SDK does not. It bounds
the whole time of a try (the SDK bounds each read), refuses redirects, counts costs, and tries again after responses
without an answer. It also keeps the SDK from sending organisation, project and other headers from the environment to
any host.

The first try of a request goes past the SDK, which takes longer for its part of a request than all the rest of this
machine's work on it: only if that try brings no answer is the SDK asked, and is given its outcome as that of its own
first one.
"""

import json
import queue
import threading
import time
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from urllib.request import getproxies

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

SENT = ("accept", "content-type", "user-agent")  # of the SDK's headers
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
    """A request, what is sent, how often it was, and what the first try brought that the SDK has not seen yet."""

    request: Request
    content: bytes
    tries: int = 0
    first: httpx.Response | httpx.RequestError | None = None


class _Response(httpx.Response):
    """A response whose body is parsed already, and is made a text only for whoever reads it as one."""

    def __init__(self, status: int, body: Any, headers: dict[str, str], request: httpx.Request) -> None:
        super().__init__(status, headers=headers, request=request)
        self.body = body

    def json(self, **_: Any) -> Any:
        return self.body

    @property
    def text(self) -> str:
        return json.dumps(self.body)


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
        trusts = not on_loopback(endpoint)  # no proxy between this machine and itself
        context = httpx.create_ssl_context(trust_env=trusts)
        super().__init__(
            transport=transport(socket),
            verify=context,
            timeout=httpx.Timeout(seconds, connect=min(seconds, 15), pool=None),
            limits=httpx.Limits(max_connections=concurrency),
            trust_env=trusts,
        )
        self._endpoint, self._key, self._ledger = endpoint.rstrip("/"), key, ledger
        self._seconds, self._tries, self._stop = seconds, tries, threading.Event()
        # The SDK wants some key; it never has the real one.
        self._sdk = openai.OpenAI(
            api_key="none", base_url=self._endpoint, max_retries=tries - 1, http_client=self
        )
        sent = {name.lower(): str(value) for name, value in self._sdk.default_headers.items()}
        self._sent = {name: value for name, value in sent.items() if name in SENT}
        # Of each request that may be on its way at once, the connection, so that none has to look through all; None
        # where a proxy may stand between, as only httpx knows which.
        self._slots: queue.LifoQueue[httpx.HTTPTransport | None] = queue.LifoQueue()
        proxied = trusts and not socket and getproxies()
        for _ in range(concurrency):
            own = transport(socket) or httpx.HTTPTransport(verify=context, trust_env=trusts)
            self._slots.put(None if proxied else own)

    def close(self) -> None:
        super().close()
        while not self._slots.empty():
            if slot := self._slots.get_nowait():
                slot.close()

    def stop(self) -> None:
        """Let requests in flight end, and start no others."""
        self._stop.set()

    def ask(self, request: Request) -> Any:
        """The response to a request, as parsed from JSON, without the key; it is whole and has an answer.

        Raises NoAnswer for a request that gets none; UserError where no other would get one either; BudgetError where
        it does not fit; Stopped.
        """
        asked = _Asked(request, json.dumps(request.body, ensure_ascii=False).encode())
        _ASKED.set(asked)
        try:
            try:
                response = self._try(asked)
                if response.is_success:
                    return response.json()
                asked.first = response
            except httpx.RequestError as error:
                asked.first = error
            return self._sdk.post(request.path, cast_to=httpx.Response, body=request.body).json()
        except _Final as error:
            raise error.__cause__ or error from None
        except openai.APIStatusError as error:
            raise self._turned_down(error.response, asked.tries) from None
        except openai.APIConnectionError as error:
            raise self._unanswered(error.__cause__, asked.tries) from None

    def send(self, request: httpx.Request, **_: Any) -> httpx.Response:
        """What the SDK sees of one try; of the first one, its outcome is known. Raises httpx.RequestError."""
        asked = _ASKED.get()
        first, asked.first = asked.first, None
        if isinstance(first, httpx.RequestError):
            raise first
        return self._try(asked) if first is None else first

    def _try(self, asked: _Asked) -> httpx.Response:
        """The response to one try, read to its end and without the key. Raises httpx.RequestError for no answer."""
        slot, used = self._slots.get(), None
        try:
            try:
                if self._stop.is_set():
                    raise Stopped
                name = self._ledger.reserve(asked.request.most)
            except (Stopped, BudgetError) as error:
                raise _Final from error
            asked.tries += 1
            try:
                response = self._exchange(asked, slot)
                answer = _answer(response.json()) if response.is_success else None
                used = answer.tokens or asked.request.most if answer else NOTHING
                return response
            except UNREACHED:
                used = NOTHING
                raise
            finally:
                self._ledger.settle(name, used)
        finally:
            self._slots.put(slot)

    def _exchange(self, asked: _Asked, slot: httpx.HTTPTransport | None) -> httpx.Response:
        """The response, of whose headers those in READ are kept; it may take no longer than a try in all.

        It comes by the connection of a slot or, without, as httpx finds it, which knows of proxies.
        """
        request = httpx.Request(
            "POST",
            self._endpoint + asked.request.path,
            headers=self._key.headers() | self._sent | {"accept-encoding": ENCODING},
            content=asked.content,
            extensions={"timeout": self.timeout.as_dict()},
        )
        end = time.monotonic() + self._seconds
        if slot:
            raw = slot.handle_request(request)
            raw.request = request
        else:
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
        return _Response(raw.status_code, body, headers, request)

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
            (one["error"] for one in response["choices"] if isinstance(one, dict) and "error" in one), error
        )
    code = None
    if isinstance(error, dict):
        code = error.get("code")
        error = error.get("message") or error.get("detail") or error
    return code if isinstance(code, str) else None, " ".join(str(error).split())[:SAID]
