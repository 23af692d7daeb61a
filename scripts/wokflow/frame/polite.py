"""A polite client of public services that answer questions about many things, and a cache of their answers."""

import asyncio
import hashlib
import json
import time
import uuid
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import httpx
import tenacity

from wokflow.frame.job import Progress, UserError
from wokflow.frame.owned import read_own
from wokflow.frame.secrets import SAID, printable
from wokflow.frame.web import (
    BUSY,
    ENCODING,
    LONGEST_WAIT,
    Again,
    Body,
    TooLargeError,
    keep_urls_out_of_logs,
    on_loopback,
    plain_url,
    retry_after,
    user_agent,
)

MOST = 64 << 20  # bytes of an answer, after decompression
UNSAID_WAIT = 30  # times backoff_s: the wait after a 429 without Retry-After
GROWTH = 8  # answers after which the number of things in a request doubles again, up to `batch`
ERROR_BODY = 2  # seconds for the text of an error; its status and headers are known by then
TOO_LARGE = (413, 414)

Answer = TypeVar("Answer")  # what a service says of a thing


class _Smaller(Again):
    """A failed attempt to be retried with fewer things."""


class Service(Protocol):
    """Which service is asked, in whose name, and how."""

    @property
    def endpoint(self) -> str | None: ...
    @property
    def contact(self) -> str: ...
    @property
    def concurrency(self) -> int: ...
    @property
    def timeout_s(self) -> float: ...
    @property
    def attempts(self) -> int: ...
    @property
    def backoff_s(self) -> float: ...


class Client(ABC, Generic[Answer]):
    """A client of one service.

    At most `concurrency` requests are under way at once, each for at most `timeout_s` seconds in all. A request is
    about `batch` things, or fewer if the service is too slow for that. A failed request is sent again, up to
    `attempts` times in a row. Before that all requests wait for as long as the service asks (Retry-After), or
    `backoff_s` seconds, then twice as many, and so on, with jitter. Redirects are not followed.
    """

    types: Sequence[str] = ("application/json",)  # of answers; the first one is asked for
    example = ""  # of an endpoint
    advice = "Run again later."  # where the service gives no answer

    def __init__(self, settings: Service, *, step: str, batch: int = 1, say: Callable[[str], None]) -> None:
        """`step` names the block of the config in messages. Raises UserError for a setting that is not valid."""
        endpoint, backoff = settings.endpoint, settings.backoff_s
        if endpoint is None or not settings.contact:
            raise UserError(
                f"set {step}.endpoint to the URL of the service, and contact to an e-mail address or URL at which "
                "its operators can reach you."
            )
        if not plain_url(endpoint):
            raise UserError(
                f"{step}.endpoint must be a URL, such as {self.example}, without a name, a password or a query."
            )
        keep_urls_out_of_logs()
        self.endpoint, self._step, self._say = endpoint, step, say
        self._headers = {
            "User-Agent": user_agent(settings.contact),
            "Accept": self.types[0],
            "Accept-Encoding": ENCODING,
        }
        self._batch = self._size = batch
        self._concurrency, self._timeout = settings.concurrency, settings.timeout_s
        self._attempts, self._backoff = settings.attempts, backoff
        self._usual_wait = tenacity.wait_exponential_jitter(backoff, LONGEST_WAIT, jitter=backoff)
        self._resume = 0.0  # by the monotonic clock; no request is sent before
        self._answers = 0

    @abstractmethod
    def request(self, asked: Sequence[str]) -> dict[str, Any]:
        """The body of a request about some things, as httpx takes it (data, json)."""

    @abstractmethod
    def read(self, content: bytes, headers: Mapping[str, str], asked: Sequence[str]) -> Mapping[str, Answer]:
        """The answer about each thing, from a response. Raises ValueError if it does not answer the whole request."""

    def turned_down(self, asked: Sequence[str], status: int) -> Mapping[str, Answer] | None:
        """The answers that an HTTP status other than 200 implies; None if the request is to be retried or to fail."""
        return None

    def ask(self, wanted: Sequence[str], keep: Callable[[Mapping[str, Answer]], None]) -> None:
        """Ask about things, and pass the answers to `keep`, one response after the other.

        Raises UserError if the service refuses, or if one request failed too often.
        """
        try:
            asyncio.run(self._ask(deque(wanted), keep))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None

    async def _ask(self, waiting: deque[str], keep: Callable[[Mapping[str, Answer]], None]) -> None:
        async with (
            httpx.AsyncClient(
                headers=self._headers,
                timeout=None,  # see _post
                limits=httpx.Limits(max_connections=self._concurrency),
                trust_env=not on_loopback(self.endpoint),  # no proxy between this machine and itself
            ) as http,
            asyncio.TaskGroup() as workers,
        ):
            for _ in range(self._concurrency):
                workers.create_task(self._work(http, waiting, keep))

    async def _work(
        self, http: httpx.AsyncClient, waiting: deque[str], keep: Callable[[Mapping[str, Answer]], None]
    ) -> None:
        """Send requests while things are waiting; those that a smaller request leaves out wait again."""
        while waiting:
            asked = [waiting.popleft() for _ in range(min(self._size, len(waiting)))]
            try:
                async for attempt in tenacity.AsyncRetrying(
                    stop=tenacity.stop_after_attempt(self._attempts),
                    retry=tenacity.retry_if_exception_type(Again),
                    wait=self._wait,
                    sleep=self._pause,
                    reraise=True,
                ):
                    with attempt:
                        try:
                            answers = await self._post(http, asked)
                        except _Smaller:
                            if len(asked) > 1:
                                half = len(asked) // 2
                                waiting.extendleft(reversed(asked[half:]))
                                del asked[half:]
                                self._size, self._answers = half, 0
                            raise
            except Again as error:
                raise self._given_up(asked, error) from None
            keep(answers)
            self._answers += 1
            if self._answers % GROWTH == 0:
                self._size = min(self._batch, 2 * self._size)

    def _wait(self, state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        wanted = error.wait if isinstance(error, Again) else None
        seconds = self._usual_wait(state) if wanted is None else max(wanted, self._backoff)
        about = f", {self._size} items at once" if self._batch > 1 else ""
        self._say(f"{self.endpoint}: {error}; again in {seconds:.1f} s{about}")
        return seconds

    async def _pause(self, seconds: float) -> None:
        """Hold back the requests of all workers for some seconds."""
        self._resume = max(self._resume, time.monotonic() + seconds)
        await self._gate()

    async def _gate(self) -> None:
        while (left := self._resume - time.monotonic()) > 0:
            await asyncio.sleep(left)

    async def _post(self, http: httpx.AsyncClient, asked: Sequence[str]) -> Mapping[str, Answer]:
        """Send a request and return its answers. Raises Again for a retry, UserError where no retry would help."""
        await self._gate()
        try:
            async with (
                asyncio.timeout(self._timeout),
                http.stream("POST", self.endpoint, **self.request(asked)) as response,
            ):
                if response.status_code != 200:
                    wait = self._asked_to_wait(response)
                    content = await _error_body(response)
                    if (answers := self.turned_down(asked, response.status_code)) is not None:
                        return answers
                    raise self._refused(response, content, wait)
                body = Body(response, MOST)
                async for data in response.aiter_raw():
                    body.add(data)
                content = body.whole()
        except TimeoutError:
            raise _Smaller(f"no whole answer in {self._timeout:g} s") from None
        except httpx.ConnectError as error:
            raise Again(f"no connection: {printable(str(error))}") from None
        except TooLargeError as error:
            raise _Smaller(str(error)) from None
        except httpx.RequestError as error:
            broken = printable(str(error)) or type(error).__name__
            raise _Smaller(f"the connection broke: {broken}") from None
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind not in self.types:
            raise _Smaller(f"no result, but {printable(kind) or 'no type'}: {_shown(content)}")
        try:
            return self.read(content, response.headers, asked)
        except ValueError as error:
            raise _Smaller(f"{error}: {_shown(content)}") from None

    def _asked_to_wait(self, response: httpx.Response) -> float | None:
        """Seconds that the service asks to wait, which holds for all requests from now on; None if it does not."""
        wait = retry_after(response.headers, time.time())
        if wait is None and response.status_code == 429:
            wait = min(UNSAID_WAIT * self._backoff, LONGEST_WAIT)
        self._resume = max(self._resume, time.monotonic() + min(wait or 0, LONGEST_WAIT))
        return wait

    def _refused(self, response: httpx.Response, content: bytes, wait: float | None) -> Exception:
        """The exception for an HTTP status that is no success."""
        status = response.status_code
        reason = f"HTTP {status}: {_shown(content)}"
        if status in (*BUSY, *TOO_LARGE) or status >= 500 or status < 300:
            if wait is not None and wait > LONGEST_WAIT:
                return UserError(
                    f"{self.endpoint} asks to wait for {wait:.0f} s ({reason}). Run again later: answers are kept in "
                    f"{self._step}.cache."
                )
            return (Again if status == 429 else _Smaller)(reason, wait)
        if status < 400:
            to = printable(response.headers.get("Location", "nowhere"))
            return UserError(
                f"{self.endpoint} redirects to {to}, which is not followed. If that is right, set "
                f"{self._step}.endpoint to it."
            )
        return UserError(
            f"{self.endpoint} takes no such request: {reason}\nIs {self._step}.endpoint right? Wikimedia's is "
            f"{self.example}. It also refuses clients that asked too much."
        )

    def _given_up(self, asked: Sequence[str], error: Again) -> UserError:
        about = ", ".join(asked[:5]) + (f" and {len(asked) - 5} more" if len(asked) > 5 else "")
        return UserError(
            f"{self.endpoint} gave no answer for {about} in {self._attempts} attempts; the last time: {error}\n"
            f"Answers so far are kept in {self._step}.cache. {self.advice}"
        )


async def _error_body(response: httpx.Response) -> bytes:
    """The beginning of an error's text, as much of it as comes soon."""
    content = bytearray()
    with suppress(TimeoutError, httpx.RequestError):
        async with asyncio.timeout(ERROR_BODY):
            body = Body(response, 4 * SAID)
            content = body.content
            async for data in response.aiter_raw():
                body.add(data)
    return bytes(content)


def _shown(content: bytes) -> str:
    """The beginning of a response that is no result; if a stack trace follows part of a result, the trace."""
    at = max(content.find(b"Exception") - 80, 0)
    return printable(content[at : at + 4 * SAID].decode("utf-8", "replace")) or "nothing"


class Answers:
    """A cache of a service's answers: a folder with a file for each thing.

    `question` says what was asked about each thing: answers to other questions do not count. Several jobs may read
    and write at once. Files are whole or not there; one that is damaged, or another user's, counts as not there.
    """

    def __init__(self, folder: str | Path, question: Mapping[str, Any]) -> None:
        self._folder, self._question = Path(folder), question

    def get(self, name: str) -> Any:
        """The cached answer about a thing, as parsed from JSON; None if there is none."""
        try:
            stored = json.loads(read_own(self.path(name)))
            if stored["asked"] == self._asked(name) and stored["sha256"] == _digest(stored["answer"]):
                return stored["answer"]
        except (OSError, UserError, ValueError, KeyError, TypeError, RecursionError):
            pass
        return None

    def put(self, name: str, answer: Any) -> None:
        """Cache the answer about a thing. It is not flushed to disk: what a crash damages is asked for again."""
        stored = {"asked": self._asked(name), "answer": answer, "sha256": _digest(answer)}
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
        try:
            temporary.write_text(json.dumps(stored), encoding="utf-8")
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def path(self, name: str) -> Path:
        """The file of a thing; its name is a digest."""
        digest = hashlib.sha256(json.dumps(self._asked(name), sort_keys=True).encode()).hexdigest()
        return self._folder / digest[:2] / f"{digest}.json"

    def _asked(self, name: str) -> dict[str, Any]:
        return {**self._question, "about": name}


def _digest(answer: Any) -> str:
    return hashlib.sha256(json.dumps(answer).encode()).hexdigest()


def known(
    client: Client[Answer], answers: Answers, wanted: Sequence[str], progress: Progress
) -> dict[str, Any]:
    """The answers about all things `wanted`, from the cache or else from the service, as parsed from JSON.

    An answer of None is not cached: it is asked for again next time.
    """
    by_name = {name: answer for name in wanted if (answer := answers.get(name)) is not None}
    missing = [name for name in wanted if name not in by_name]
    progress.say(f"{len(by_name)} items are in the cache, {len(missing)} are asked for")

    def keep(new: Mapping[str, Answer]) -> None:
        for name, answer in new.items():
            if answer is not None:
                answers.put(name, answer)
        by_name.update(new)
        progress(len(by_name), f"{len(by_name)} of {len(wanted)} items", of=len(wanted))

    client.ask(missing, keep)
    return by_name
