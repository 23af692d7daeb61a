"""Endpoints that misbehave are asked again, given up or told of; the key stays where it belongs."""

import gzip
import socket
import traceback
from collections.abc import Callable
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import openai
import pytest
from wokflow.frame.job import UserError
from wokflow.frame.secrets import variable_for
from wokflow.generate import client as generate_client
from wokflow.generate.answers import Answer, read_answer
from wokflow.generate.client import Client, NoAnswer
from wokflow.generate.costs import NOTHING, Ledger, Prices, Tokens
from wokflow.generate.endpoints import Key, check_endpoint
from wokflow.generate.request import Request, request

from tests.generate.asking import SECRET, prompt_settings
from tests.generate.servers import (
    RECIPE,
    USAGE,
    Behaviour,
    Endpoint,
    cut_body,
    cut_chunks,
    echo_key,
    endpoint,
    error,
    hang,
    hang_up,
    reset,
    says,
    trickle,
    well,
)

pytestmark = pytest.mark.usefixtures("keyed")
USED = Tokens(USAGE["prompt_tokens"], USAGE["completion_tokens"])
MOST = Tokens(1000, 100)
ENDLESS = b" " * 1_000_000 + b"{}"


def client(
    url: str, ledger: Ledger | None = None, *, variable: str | None = "TEST_KEY", **settings: Any
) -> Client:
    chosen = {"seconds": 5, "tries": 3, "concurrency": 1} | settings
    return Client(url, Key(variable), ledger or Ledger(Prices()), **chosen)


def ask(server: Endpoint | str, ledger: Ledger | None = None, **settings: Any) -> Answer:
    """The answer to one request."""
    url = server if isinstance(server, str) else server.url
    with client(url, ledger, **settings) as asking:
        return read_answer(
            asking.ask(Request(url, "/chat/completions", {"model": "m", "messages": []}, 13, MOST))
        )


def test_a_request_is_what_the_protocol_says() -> None:
    chosen = prompt_settings(system="Be brief.", temperature=0.5, max_tokens=9, parameters={"top_p": 0.9})
    with endpoint() as server:
        one = request(chosen, server.url, "Cook 鱼")
        with client(server.url + "/") as asking:
            assert read_answer(asking.ask(one)).text == RECIPE
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["Authorization"] == f"Bearer {SECRET}"
    assert asked.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Cook 鱼"}],
        "temperature": 0.5,
        "max_tokens": 9,
        "stream": False,
        "top_p": 0.9,
    }
    assert one.most == Tokens(len("Cook ") + 3 + len("Be brief.") + len('{"top_p": 0.9}') + 256, 9)


def test_completions_have_a_prompt_and_the_limit_its_name() -> None:
    chosen = prompt_settings(mode="completion", max_tokens_name="max_completion_tokens", seed=3)
    one = request(chosen, "x", "Cook")
    assert one.path == "/completions"
    assert one.body == {
        "model": "m",
        "prompt": "Cook",
        "seed": 3,
        "max_completion_tokens": 1024,
        "stream": False,
    }


FAULTS: dict[str, Behaviour] = {
    **{str(status): error(status) for status in (408, 409, 429, 500, 502, 529)},
    "503 with a page": says(503, b"<html>busy</html>"),
    "a body cut": cut_body,
    "chunks cut": cut_chunks,
    "hung up": hang_up,
    "reset": reset,
    "JSON cut": says(200, b'{"choices": [{"mess'),
    "no JSON": says(200, b"<html>login</html>"),
    "nothing": says(200, b""),
    "a stream": says(200, b'data: {"choices": []}\n\ndata: [DONE]\n\n', Content_Type="text/event-stream"),
    "an error that is no error": says(200, {"error": {"message": "overloaded"}}),
    "no choice": says(200, {"choices": []}),
    "null": says(200, None),
    "a broken encoding": says(200, b"junk", Content_Encoding="gzip"),
    "deep nesting": says(200, b"[" * 100_000),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_tried_again(fault: str) -> None:
    with endpoint(FAULTS[fault], FAULTS[fault], well()) as server:
        assert ask(server).text == RECIPE
    assert len(server.asked) == 3


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_stays_leaves_the_request_without_an_answer(fault: str) -> None:
    with endpoint(FAULTS[fault]) as server, pytest.raises(NoAnswer, match="2 tries") as caught:
        ask(server, tries=2)
    assert caught.value.answer.status == "failed"
    assert len(server.asked) == 2


@pytest.mark.parametrize("content", [ENDLESS, gzip.compress(ENDLESS)], ids=["plain", "gzip"])
def test_a_response_without_end_leaves_the_request_without_an_answer(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it is JSON, and small as it comes; an error's beginning is shown as ever."""
    monkeypatch.setattr(generate_client, "LARGEST", 10_000)
    encoding = {"Content_Encoding": "gzip"} if content[:1] == b"\x1f" else {}
    ledger = Ledger(Prices())
    with endpoint(says(200, content, **encoding)) as server, pytest.raises(NoAnswer) as caught:
        ask(server, tries=2, ledger=ledger)
    assert f"{server.url.removesuffix('/v1')} sent more than 10,000 bytes" in str(caught.value)
    assert caught.value.answer.status == "failed"
    assert ledger.spent == ledger.lost == MOST.plus(MOST)  # nobody knows what they did cost
    with endpoint(says(401, content, **encoding)) as server, pytest.raises(UserError, match="HTTP 401"):
        ask(server)


@pytest.mark.parametrize("slow", [hang(2), trickle(60)])
def test_a_server_that_takes_too_long_is_asked_again(slow: Behaviour) -> None:
    ledger = Ledger(Prices())
    with endpoint(slow, well()) as server:
        assert ask(server, seconds=0.3, ledger=ledger).text == RECIPE
    assert len(server.asked) == 2
    assert (ledger.spent, ledger.lost) == (MOST.plus(USED), MOST)  # nobody knows what the first did cost


def test_the_server_says_how_long_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    # Of the SDK alone: in `time` itself, it would be that of every other thread.
    monkeypatch.setattr(openai._base_client, "time", SimpleNamespace(sleep=waits.append))
    with endpoint(error(429, Retry_After="77"), well()) as server:
        ask(server)
    assert waits == [77]


def test_a_server_that_says_so_is_not_asked_again() -> None:
    with endpoint(error(500, x_should_retry="false")) as server, pytest.raises(NoAnswer, match="1 tries"):
        ask(server)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (error(401, "bad key"), r"HTTP 401: bad key\n.*\$?TEST_KEY"),
        (error(402), "credit"),
        (error(403, "not you"), "HTTP 403: not you\n.*may not use"),
        (error(404, "no model m"), "HTTP 404: no model m\n.*ends in /v1"),
        (error(429, code="insufficient_quota"), "credit"),
        (error(429, Retry_After="3600"), "asks to wait for 3600 s"),
        (error(503, Retry_After="121"), "asks to wait for 121 s"),
        (
            says(302, b"", Location="https://elsewhere.example/v1"),
            "sends requests on to https://elsewhere.example/v1",
        ),
    ],
)
def test_what_no_request_can_mend_stops_the_run(behaviour: Behaviour, said: str) -> None:
    with endpoint(behaviour) as server, pytest.raises(UserError, match=said):
        ask(server)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("behaviour", "status"),
    [
        (error(400, "too long"), "rejected"),
        (says(422, {"detail": "too long"}), "rejected"),
        (says(413, b"too long"), "rejected"),
        (error(400, "too long", code="content_filter"), "refused"),
    ],
)
def test_what_is_wrong_with_one_request_leaves_it_without_an_answer(
    behaviour: Behaviour, status: str
) -> None:
    with endpoint(behaviour) as server, pytest.raises(NoAnswer, match=r"HTTP 4\d\d: too long$") as caught:
        ask(server)
    assert caught.value.answer.status == status
    assert len(server.asked) == 1


def test_an_endpoint_that_nobody_listens_at_stops_the_run() -> None:
    with closing(socket.socket()) as bound:
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/v1"
        ledger = Ledger(Prices())
        with pytest.raises(UserError, match=rf"{url} cannot be reached .* 2 tries.*endpoint"):
            ask(url, tries=2, ledger=ledger)
    assert ledger.spent == NOTHING


def test_no_proxy_stands_between_this_machine_and_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    with endpoint() as proxy, endpoint() as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        ask(server)
    assert not proxy.asked


def test_another_machine_is_asked_by_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with endpoint() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        assert ask("http://api.example/v1", variable=None).text == RECIPE
    (asked,) = proxy.asked
    assert {name.lower(): value for name, value in asked.headers.items()}["host"] == "api.example"


def told(attempt: Callable[[], object]) -> str:
    """All that an error says of itself, with its chain."""
    try:
        return repr(attempt())
    except Exception as error:
        return "".join(traceback.format_exception(error)) + repr(error.args)


@pytest.mark.parametrize("status", [200, 302, 400, 401, 403, 404, 429, 500])
def test_the_key_is_in_no_error_and_no_answer_though_the_server_says_it(status: int) -> None:
    with endpoint(echo_key(status)) as server:
        said = told(lambda: ask(server, tries=1))
    assert SECRET not in said
    if status != 302:
        assert "[key]" in said
    assert server.asked[0].headers["Authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize(
    "body",
    [
        f"<p>{SECRET}".encode(),
        b'{"a": "\\u0073' + SECRET[1:].encode() + b'"}',
        b"x" * 290 + SECRET.encode(),
    ],
)
@pytest.mark.parametrize("status", [200, 400, 500])
def test_the_key_is_hidden_in_whatever_form_it_comes(status: int, body: bytes) -> None:
    with endpoint(says(status, body)) as server:
        said = told(lambda: ask(server, tries=1))
    assert SECRET[:6] not in said


def test_a_key_shows_itself_nowhere() -> None:
    key = Key("TEST_KEY")
    assert SECRET not in f"{key} {key!r}"
    with client("https://a.example/v1") as asking:
        assert SECRET not in repr(vars(asking))


@pytest.mark.parametrize("value", ["sk-test\nsecret-part", "sk-tést-secret-part", "sk test-secret-part"])
def test_a_key_that_no_header_can_carry_is_told_of_without_it(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("TEST_KEY", value)
    said = told(lambda: Key("TEST_KEY"))
    assert "TEST_KEY" in said and "secret-part" not in said


def test_a_key_in_place_of_a_variables_name_is_not_repeated() -> None:
    assert SECRET not in told(lambda: Key(SECRET))
    with pytest.raises(UserError, match="name of an environment variable"):
        Key(SECRET)


def test_without_a_key_no_header_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_KEY")
    with endpoint() as server:
        ask(server)
        ask(server, variable=None)
    assert not any("Authorization" in asked.headers for asked in server.asked)


def test_a_word_too_short_for_a_key_is_left_in_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "egg")
    with endpoint() as server:
        assert ask(server).text == RECIPE


def test_characters_that_cannot_be_stored_become_question_marks() -> None:
    body = b'{"choices": [{"message": {"content": "a\\ud800b"}, "finish_reason": "stop"}]}'
    with endpoint(says(200, body)) as server:
        assert ask(server).text == "a?b"


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example/v1",
        "http://10.0.0.1:8000/v1",
        "api.example/v1",
        "ftp://api.example",
        "",
        "https://me:secret-part@api.example/v1",
        "https://api.example/v1?key=secret-part",
        "http://[::1/v1",
    ],
)
def test_an_endpoint_that_the_key_must_not_go_to_is_refused(url: str) -> None:
    with pytest.raises(UserError, match=r"generate\.prompt\.endpoint") as caught:
        check_endpoint(url, Key("TEST_KEY"))
    assert "secret-part" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["https://api.example/v1", "http://localhost:8000/v1", "http://127.0.0.1/v1", "http://[::1]:8/v1"]
)
def test_an_endpoint_that_is_encrypted_or_here_may_have_the_key(url: str) -> None:
    check_endpoint(url, Key("TEST_KEY"))


@pytest.mark.parametrize(
    ("url", "named", "variable"),
    [
        ("https://api.openai.com/v1", None, "OPENAI_API_KEY"),
        ("https://api.openai.com/v1", "MINE", "MINE"),
        ("https://api.example/v1", None, None),
        ("https://api.openai.com.example/v1", None, None),
        ("https://api.openai.com@api.example/v1", None, None),
        ("http://[::1/v1", None, None),
        ("https://api.example/v1", "MINE", "MINE"),
    ],
)
def test_openai_s_key_goes_to_openai_alone(url: str, named: str | None, variable: str | None) -> None:
    assert variable_for(url, named) == variable


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("TEST_KEY", "Is the key right? It is read from the environment variable TEST_KEY"),
        ("NO_KEY", "the environment variable NO_KEY is not set"),
        (None, "name the environment variable that holds it in generate.prompt.key_variable"),
    ],
)
def test_a_refused_key_is_said_to_be_wrong_or_absent(variable: str | None, said: str) -> None:
    with endpoint(error(401)) as server:
        assert said in told(lambda: ask(server, variable=variable))


def test_without_a_key_an_endpoint_need_not_be_encrypted() -> None:
    check_endpoint("http://10.0.0.1:8000/v1", Key(None))
