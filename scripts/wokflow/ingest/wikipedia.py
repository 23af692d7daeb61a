"""First paragraphs of a few of Wikipedia's articles, by its API. For many, read a dump: see wokflow.ingest.pages."""

import asyncio
import re
import time
import urllib.request
from collections.abc import Iterable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx

from wokflow.frame.job import Progress, UserError
from wokflow.frame.polite import Answers
from wokflow.frame.secrets import SAID, printable
from wokflow.frame.web import ENCODING, Again, Body, keep_urls_out_of_logs, retry_after, user_agent
from wokflow.frame.wikidata import QID
from wokflow.ingest.fetching import check_busy, retrying, shown
from wokflow.ingest.pages import Page, first_paragraph, may_exist

if TYPE_CHECKING:
    from wikipediaapi import Wikipedia, WikipediaPage

MOST = 64 << 20  # bytes of an answer, after decompression
FRAMING = ("content-encoding", "content-length", "transfer-encoding")  # headers of the bytes as they came
PAUSE = 0.1  # seconds between an answer and the next request
LANG = re.compile(r"[a-z]{2,6}(-[a-z]{2,10})*")
TRANSIENT = re.compile("maxlag|ratelimited|readonly|internal_api_error_.*")  # MediaWiki's codes
# One request brings all: paragraphs as lines of plain text, the revision, the item. maxlag lets a server that is
# behind ask for a pause; converttitles finds a Chinese title in either script.
ASKED = {"explaintext": 1, "exsectionformat": "wiki", "maxlag": 5, "converttitles": 1}
INTRODUCTION = {
    "prop": "extracts|info|pageprops",
    "inprop": "",
    "exintro": 1,
    "ppprop": "wikibase_item",
} | ASKED
WHOLE = {"prop": "extracts|info", "inprop": ""} | ASKED


def pages_of(
    titles: Iterable[str],
    lang: str,
    contact: str,
    transport: httpx.AsyncBaseTransport | None = None,
    *,
    cache: str | Path | None = None,
    longest: int,
    attempts: int,
    timeout: float,
    progress: Progress,
) -> dict[str, Page | None]:
    """The article of each title in the Wikipedia `lang`; None if there is none, or if it has no paragraph.

    Redirects are followed, and the page then has the target's title. One request is made at a time, a second one only
    for an article without an introduction; a failed one is retried, up to `attempts` attempts of `timeout` seconds
    each, from the connection to the last byte. Articles are kept as the API gives them in the folder `cache`, and are
    not asked for again; titles without one are. `contact`, an e-mail address or a web page, is sent to the server, as
    Wikimedia's User-Agent policy asks. `longest`: see first_paragraph. `transport` makes the connections; tests use
    it to reach another server.

    Raises UserError for an invalid contact or language, and where the API does not answer.
    """
    import wikipediaapi

    if not LANG.fullmatch(lang):
        raise UserError(f"{lang!r} is not the code of a Wikipedia, such as en, zh or simple.")
    if not contact:
        raise UserError("Wikipedia's API asks for a contact: an e-mail address or a web page.")
    keep_urls_out_of_logs()
    polite = _Polite(transport or _transport(), attempts, timeout)

    def client(asked: Mapping[str, object]) -> "Wikipedia":
        return wikipediaapi.Wikipedia(
            user_agent(contact),
            lang,
            extra_api_params=dict(asked),
            max_retries=0,  # _Polite makes them, also for what wikipedia-api takes for final
            timeout=timeout,
            transport=polite,
        )

    short, whole = (_Source(client(asked), _answers(cache, lang, asked)) for asked in (INTRODUCTION, WHOLE))
    asked = list(dict.fromkeys(titles))
    pages: dict[str, Page | None] = {}
    try:
        for title in asked:
            pages[title] = _page(short, whole, title, lang, longest) if may_exist(title) else None
            progress(len(pages), f"{len(pages)} of {len(asked)} titles asked for", of=len(asked))
    except Again as error:
        raise UserError(
            f"Wikipedia's API for {lang} does not answer: {error} ({attempts} attempts). Try again later, or read a "
            "dump."
        ) from None
    except wikipediaapi.WikipediaException as error:
        raise UserError(f"Wikipedia's API for {lang} does not answer as it should: {_said(error)}.") from None
    finally:
        polite.close()
    return pages


def _transport() -> httpx.AsyncBaseTransport:
    """Connections by the environment's proxy: by itself, wikipedia-api uses none."""
    proxy = urllib.request.getproxies().get("https")
    return httpx.AsyncHTTPTransport(proxy=proxy)


def _said(error: Exception) -> str:
    status = getattr(error, "status_code", None)
    return f"HTTP {status}" if status else f"{type(error).__name__}"


class _Article(NamedTuple):
    """What the API says of an article; `extract` is its introduction or its whole text."""

    page_id: int
    revision_id: int
    title: str
    qid: str | None
    extract: str


def _answers(cache: str | Path | None, lang: str, asked: Mapping[str, object]) -> Answers | None:
    return Answers(cache, {"wikipedia": lang, "fields": list(_Article._fields), **asked}) if cache else None


class _Source:
    """The articles by one kind of request, from the cache or else from the API."""

    def __init__(self, client: "Wikipedia", answers: Answers | None) -> None:
        self._client, self._answers = client, answers

    def __call__(self, title: str) -> _Article | None:
        """The article of a title. Raises wikipedia-api's exceptions, Again and UserError."""
        if self._answers and (kept := self._answers.get(title)):
            return _Article(*kept)
        page = self._client.page(title)
        try:
            if not page.exists() or page.namespace != 0:
                return None
        except KeyError:  # no page: a title of another wiki
            return None
        except (TypeError, ValueError, AttributeError) as error:
            raise UserError(
                f"Wikipedia's API gave an answer for {title!r} that is not understood."
            ) from error
        qid = _field(page, "pageprops", dict, {}).get("wikibase_item")
        article = _Article(
            _field(page, "pageid", int),
            _field(page, "lastrevid", int),
            _field(page, "title", str),
            qid if isinstance(qid, str) and QID.fullmatch(qid) else None,
            _field(page, "extract", str, ""),
        )
        if self._answers:
            self._answers.put(title, article)
        return article


def _page(short: _Source, whole: _Source, title: str, lang: str, longest: int) -> Page | None:
    """The page of a title, by one request or two."""
    article = short(title)
    if article is None:
        return None
    summary = first_paragraph(article.extract, longest)
    if not summary and (full := whole(article.title)):
        summary = first_paragraph(full.extract, longest)
    return Page(*article[:-1], summary, lang) if summary else None


def _field(page: "WikipediaPage", name: str, kind: type, default: Any = None) -> Any:
    """A field of the API's answer. Raises UserError where it has another type."""
    value = getattr(page, name, default)
    if not isinstance(value, kind):
        raise UserError(
            f"Wikipedia's API gave {name} of {page.title!r} as {value!r:.100}, which is not understood."
        )
    return value


class _Polite(httpx.BaseTransport):
    """Makes one request after the other, with a pause between them, and retries while no whole answer comes.

    Requests run in an event loop, where a deadline can end them wherever they are; wikipedia-api waits for them.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport, attempts: int, timeout: float) -> None:
        self._inner, self._attempts, self._timeout = inner, attempts, timeout
        self._loop = asyncio.Runner()
        self._next = 0.0  # when the next request may be made, by the monotonic clock

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer, read whole. Raises Again after the last attempt; UserError for an error that will not pass."""
        answer: httpx.Response = retrying(self._attempts)(self._attempt, request)
        return answer

    def _attempt(self, request: httpx.Request) -> httpx.Response:
        time.sleep(max(self._next - time.monotonic(), 0.0))
        request.headers["Accept-Encoding"] = ENCODING
        try:
            response = self._loop.run(self._read(request))
        except (TimeoutError, httpx.TimeoutException):
            raise Again("no whole answer came in time") from None
        except httpx.RequestError as error:
            raise Again(f"the connection broke: {error}") from None
        finally:
            self._next = time.monotonic() + PAUSE
        code = _error(response) if response.status_code == 200 else ""
        if TRANSIENT.fullmatch(code):
            raise Again(f"the error {code}", retry_after(response.headers))
        if code:
            raise UserError(f"{shown(request.url)} answered with an error: {response.text[:SAID]}")
        return response

    async def _read(self, request: httpx.Request) -> httpx.Response:
        """The answer with its body, decoded. Raises Again for a busy server, TimeoutError if it is late."""
        async with asyncio.timeout(self._timeout):
            response = await self._inner.handle_async_request(request)
            response.request = request
            async with aclosing(response):
                check_busy(response)
                body = Body(response, MOST)
                async for data in response.aiter_raw():
                    body.add(data)
        headers = [(name, value) for name, value in response.headers.multi_items() if name not in FRAMING]
        return httpx.Response(response.status_code, headers=headers, content=body.whole(), request=request)

    def close(self) -> None:
        self._loop.run(self._inner.aclose())
        self._loop.close()


def _error(response: httpx.Response) -> str:
    """The code of the error that an answer with status 200 tells of; empty if it is a result.

    Raises Again for what the API never says, such as a page for people or the beginning of a result.
    """
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Again(f"no JSON, but {printable(kind) or 'no type'}: {printable(response.text[:SAID])}")
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        raise Again(f"no whole answer: {printable(response.text[:SAID])}") from None
    if code := response.headers.get("MediaWiki-API-Error", ""):
        return str(code)
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, dict) and isinstance(error.get("code"), str):
        return str(error["code"])
    if not isinstance(answer, dict) or not isinstance(answer.get("query", {}), dict):
        raise Again(f"no result: {printable(response.text[:SAID])}")
    if "query" not in answer and "batchcomplete" not in answer:
        raise Again(f"no result: {printable(response.text[:SAID])}")
    return ""
