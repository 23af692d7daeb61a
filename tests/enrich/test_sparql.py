"""Whatever an endpoint does, nothing is lost, nothing is asked twice, and no request is one too many."""

import gzip
import itertools
import json
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import httpx
import pytest
from wokflow.frame import polite
from wokflow.frame.job import UserError
from wokflow.frame.web import retry_after, user_agent

from tests.enrich.dishes import QIDS, Lookup, check, expected, store
from tests.enrich.endpoints import (
    QUERY,
    RESULTS,
    TRACE,
    Asked,
    Behaviour,
    Endpoint,
    cut,
    drip,
    fewer,
    hang,
    hang_up,
    later,
    reset,
    says,
    served,
    typed,
    well,
    without,
)
from tests.enrich.facts import HOSTILE, WD

BOMB = gzip.compress(bytes(8 << 20), 9)
EXCEPTION = '{"exception": "Not enough memory", "status": "ERROR"}'


@pytest.fixture
def lookup(tmp_path: Path) -> Lookup:
    return Lookup(tmp_path)


@pytest.fixture
def sent_early(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Counts the requests that were sent when the client knew that it had to wait, however many are under way."""
    sent: list[float] = []
    waits: list[tuple[float, float]] = []
    stream = httpx.AsyncClient.stream

    def send(*arguments: Any, **named: Any) -> Any:
        sent.append(time.monotonic())
        return stream(*arguments, **named)

    def read(headers: Mapping[str, str], now: float) -> float | None:
        wait = retry_after(headers, now)
        told = time.monotonic()
        waits.append((told, told + (wait or 0)))
        return wait

    monkeypatch.setattr(httpx.AsyncClient, "stream", send)
    monkeypatch.setattr(polite, "retry_after", read)
    return lambda: sum(told < at < until for at in sent for told, until in waits)


BAD: dict[str, tuple[Behaviour, ...]] = {
    "429 with seconds": (later(429, 0.3), later(429, 0.1)),
    "503 with seconds": (later(503, 0.2),),
    "429 without a time": (says(429, "slow down"),),
    "500 with a stack trace": (says(500, TRACE),) * 3,
    "502 with a page": (says(502, "<html>Bad gateway</html>", Content_Type="text/html"),),
    "503": (says(503, ""),) * 5,
    "204": (says(204, ""),),
    "timeout": (hang,),
    "slow drip": (drip, drip),
    "cut, and the connection with it": (cut(0.5, honest=False),),
    "cut": (cut(0.5), cut(0.99), cut(0.0)),
    "a stack trace behind half an answer": (cut(0.5, said=f"\n{TRACE}"),),
    "a stack trace behind an answer": (cut(1.0, said=f"\n{TRACE}"),),
    "a page with status 200": (says(200, "<!DOCTYPE html><p>Login", Content_Type="text/html"),),
    "a page that says it is JSON": (says(200, "<!DOCTYPE html><p>Login", Content_Type=RESULTS),),
    "an error with status 200": (says(200, EXCEPTION, Content_Type=RESULTS),),
    "JSON of another kind": (
        says(200, '{"head": {}, "boolean": true}', Content_Type=RESULTS),
        says(200, "[]", Content_Type=RESULTS),
        says(200, '{"results": {"bindings": [1]}}', Content_Type=RESULTS),
        says(200, '{"results": null}', Content_Type="application/json"),
        says(200, "[" * 100_000, Content_Type=RESULTS),
    ),
    "a wrong type": (typed("text/plain"), typed("application/sparql-results+xml"), typed("")),
    "reset": (reset, reset),
    "hung up": (hang_up, hang_up),
    "a body that is not compressed as it says": (
        says(200, b"\x00" * 99, Content_Type=RESULTS, Content_Encoding="gzip"),
    ),
    "compressed twice, in an answer and in an error": (
        says(200, gzip.compress(BOMB), Content_Type=RESULTS, Content_Encoding="gzip, gzip"),
        says(500, gzip.compress(BOMB), Content_Encoding="gzip, gzip"),
        says(500, BOMB, Content_Encoding="gzip"),
    ),
    "everything": (says(500, TRACE), hang_up, later(429, 0.1), cut(0.3), reset, typed("text/html")),
}


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("bad", BAD)
def test_an_endpoint_in_trouble_leads_to_the_same_table(
    bad: str, concurrency: int, lookup: Lookup, sent_early: Callable[[], int]
) -> None:
    behaviours = (well, *BAD[bad], well)
    times = {"timeout_s": 1, "backoff_s": 0.1} if bad in ("timeout", "slow drip") else {}
    with served(store(), *behaviours) as server:
        assert lookup(server, concurrency=concurrency, **times) == expected()
    check(server, concurrency=concurrency)
    assert not sent_early()
    assert len(server.asked) > len(behaviours)


def test_answers_may_be_compressed(lookup: Lookup) -> None:
    def packed(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        content = gzip.compress(endpoint.result(asked))
        says(200, content, Content_Type=RESULTS, Content_Encoding="gzip")(endpoint, handler, asked)

    with served(store(), packed) as server:
        assert lookup(server) == expected()


def test_a_date_to_wait_for_is_waited_for(lookup: Lookup) -> None:
    with served(store(), later(429, 0.5, date=True), well) as server:
        assert lookup(server) == expected()
    check(server)
    assert server.asked[1].at - server.asked[0].at > 0.4


def test_all_requests_wait_when_one_is_told_to(lookup: Lookup) -> None:
    together = threading.Barrier(3)

    def refuse(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        seconds = 0.1 * (1 + together.wait(timeout=10))
        later(429, seconds)(endpoint, handler, asked)

    with served(store(), refuse, refuse, refuse, well) as server:
        assert lookup(server, concurrency=3) == expected()
    assert min(asked.at for asked in server.asked[3:]) - server.asked[2].at > 0.25
    check(server, concurrency=3)


def test_no_request_is_sent_while_another_one_waits(lookup: Lookup) -> None:
    def slow(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        time.sleep(0.1)
        well(endpoint, handler, asked)

    with served(store(), says(503, ""), slow, well) as server:
        assert lookup(server, concurrency=2, backoff_s=0.4) == expected()
    assert server.asked[2].at - server.asked[0].at >= 0.4
    check(server, concurrency=2)


def test_a_429_without_a_time_is_waited_for_as_well(lookup: Lookup) -> None:
    with served(store(), says(429, ""), well) as server:
        lookup(server, backoff_s=0.01)
    assert server.asked[1].at - server.asked[0].at > 0.01 * polite.UNSAID_WAIT - 0.01


def test_an_endpoint_that_asks_for_no_wait_is_given_one(lookup: Lookup) -> None:
    with served(store(), says(503, "", Retry_After="0"), well) as server:
        assert lookup(server, backoff_s=0.1) == expected()
    assert server.asked[1].at - server.asked[0].at >= 0.1


def test_waits_grow_and_the_whole_request_has_one_deadline(lookup: Lookup) -> None:
    with served(store(), *[says(503, "")] * 4, drip, well) as server:
        lookup(server, backoff_s=0.05, timeout_s=0.4)
    at = [asked.at for asked in server.asked]
    waits = [later - earlier for earlier, later in itertools.pairwise(at)]
    assert all(wait >= 0.05 * 2**number for number, wait in enumerate(waits[:4]))
    assert waits[4] < 10  # the drip alone would take a minute


@pytest.mark.parametrize(
    "trouble", [says(500, TRACE), cut(0.6), says(413, ""), hang], ids=["error", "cut", "too large", "hang"]
)
def test_a_query_that_is_too_much_is_made_smaller(trouble: Behaviour, lookup: Lookup) -> None:
    with served(store(), fewer(3, trouble)) as server:
        assert lookup(server, batch=24, timeout_s=1 if trouble is hang else 5, backoff_s=0.05) == expected()
    check(server)
    assert [len(asked.qids) for asked in server.asked[:5]] == [24, 12, 6, 3, 3]
    assert len(server.asked) <= 3 + 8 + 1


def test_queries_grow_again(lookup: Lookup) -> None:
    with served(store(), says(500, TRACE), says(500, TRACE), well) as server:
        assert lookup(server, batch=4) == expected()
    check(server)
    sizes = [len(asked.qids) for asked in server.asked]
    assert sizes == [4, 2, *[1] * polite.GROWTH, *[2] * 8, 1]


def test_answers_without_an_end_are_cut_off(lookup: Lookup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polite, "MOST", 6000)
    with served(store()) as server:
        assert lookup(server, batch=24) == expected()
    assert [len(asked.qids) for asked in server.asked[:3]] == [24, 12, 6]


def test_an_endpoint_that_leaves_out_rows_is_asked_for_fewer_items(lookup: Lookup) -> None:
    def limited(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        answer = json.loads(endpoint.result(asked))
        rows = answer["results"]["bindings"][:20]
        answer["results"]["bindings"] = rows
        says(200, json.dumps(answer), Content_Type=RESULTS, X_SPARQL_MaxRows="20")(endpoint, handler, asked)

    with served(store(), limited) as server:
        assert lookup(server) == expected()


def test_an_item_that_is_never_answered_is_an_error_and_all_others_are_kept(lookup: Lookup) -> None:
    with served(store(), without("Q1006", says(500, TRACE))) as server:
        with pytest.raises(UserError) as error:
            lookup(server, attempts=5)
        for part in (
            server.url,
            "no answer for Q1006 in 5 attempts",
            "HTTP 500",
            "TimeoutException",
            "cache",
        ):
            assert part in str(error.value)
        before = set(server.answered)
        assert before >= {"Q1000", "Q1004", "Q1005"}
        server._behaviours = (well,)
        assert lookup(server) == expected()
    check(server)


def test_an_error_names_few_of_many_items_and_shows_no_more_than_a_line(lookup: Lookup) -> None:
    said = "\x1b[2J\r\n" + "no " * 10_000
    with served(store(), says(429, said)) as server, pytest.raises(UserError) as error:
        lookup(server, batch=24, attempts=2, backoff_s=0.001)
    assert "Q1000, Q1001, Q1002, Q1003, Q1004 and 19 more" in str(error.value)
    assert len(str(error.value)) < 1000
    assert "\x1b" not in str(error.value) + lookup.log.getvalue()


def test_an_endpoint_that_is_not_there_is_an_error(lookup: Lookup) -> None:
    with served(store()) as server:
        pass
    with pytest.raises(UserError, match=r"no answer for Q1000.*no connection"):
        lookup(server, attempts=2)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (says(301, "", Location="https://elsewhere.example.org/sparql"), r"elsewhere\.example\.org"),
        (says(400, "MalformedQueryException"), "Malformed"),
        (says(403, "Too many requests from this client"), "HTTP 403"),
        (says(404, "<html>"), "Is enrich.lookup.endpoint right"),
        (says(429, "", Retry_After="86400"), "asks to wait for 86400 s"),
        (says(503, "", Retry_After="Fri, 31 Dec 2999 23:59:59 GMT"), "asks to wait"),
    ],
)
def test_what_no_other_attempt_would_change_is_an_error_at_once(
    answer: Behaviour, said: str, lookup: Lookup
) -> None:
    with served(store(), well, answer) as server, pytest.raises(UserError, match=said):
        lookup(server)
    assert len(server.asked) == 2


def test_the_endpoint_learns_who_asks_and_nothing_else(lookup: Lookup) -> None:
    with served(store()) as server:
        lookup(server)
    for asked in server.asked:
        assert asked.headers["User-Agent"] == user_agent("cook@example.org")
        assert asked.headers["Accept"] == RESULTS
        assert "Authorization" not in asked.headers
        assert QUERY.fullmatch(asked.query.strip())


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_answers_reach_no_query(value: str, lookup: Lookup) -> None:
    def hostile(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        rows = [
            {
                "item": {"value": WD + asked.qids[0]},
                "kind": {"value": kind},
                "value": {"value": WD + value if kind == "origin" else value, "xml:lang": "en"},
            }
            for kind in ("label", "alias", "origin")
        ]
        says(200, json.dumps({"results": {"bindings": rows}}), Content_Type=RESULTS)(endpoint, handler, asked)

    with served(store(), hostile) as server:
        lookup(server)
    assert all(QUERY.fullmatch(asked.query.strip()) for asked in server.asked)
    assert {qid for asked in server.asked for qid in asked.qids} == set(QIDS)
