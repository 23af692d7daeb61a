"""Prompt runs whose requests get no answer: rejects with their reason, and asked again on demand."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.generate import schemas

from tests.conftest import ROOT
from tests.generate.asking import Run, asks
from tests.generate.servers import Behaviour, endpoint, error, of_text, well
from tests.generate.translated import instances

pytestmark = pytest.mark.usefixtures("keyed")
SE = str(ROOT / "resources" / "prompts" / "csi_se.txt")
REFUSES = well(text=None, refusal="I cannot.")


def test_requests_that_are_rejected_stop_the_run_unless_they_are_let_go(tmp_path: Path) -> None:
    run = Run(tmp_path, ["a", "b"])
    with endpoint(error(400, "too long"), well(), error(400, "too long")) as server:
        with pytest.raises(
            SystemExit,
            match=r"1 of 2 requests got no answer:\n  1 times: HTTP 400: too long\nAnswers are kept.* rejected again",
        ):
            run(server, concurrency=1)
        found = run(server, concurrency=1, failures=1)
    assert Counter(found["status"]) == {"rejected": 1, "ok": 1}
    assert found.filter(status="rejected")["reason"].item() == "HTTP 400: too long"


@pytest.mark.parametrize("reason", ["error", "abort", None])
def test_an_answer_that_is_not_whole_is_asked_again_and_never_kept(
    reason: str | None, tmp_path: Path
) -> None:
    run = Run(tmp_path, ["a"])
    half = well(text="Title: ha", reason=reason)
    with endpoint(half, well(), half) as server:
        assert run(server)["status"].to_list() == ["ok"]
        assert "ha" not in run.table("out")["prediction"].to_list()
    (tmp_path / "other").mkdir()
    other = Run(tmp_path / "other", ["a"])
    with endpoint(half) as server, pytest.raises(SystemExit, match=f"finish_reason {reason!r} does not say"):
        other(server)
    assert other.kept() == 0


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (
            [{"text": None, "reason": "length"}],
            "2 are empty and 0 are cut. All ended at max_tokens (99). A",
        ),
        (
            [{"text": "<think>Hm", "reason": "length"}, {"reason": "length"}],
            "1 are empty and 1 are cut. All",
        ),
        ([{"reason": "length"}], "All ended at max_tokens (99). Raise generate.prompt.max_tokens."),
        (
            [{"text": " "}],
            "2 are empty and 0 are cut. Look at the run's prompt, at its model, and at",
        ),
    ],
)
def test_a_run_of_which_no_answer_can_be_used_fails(
    answers: list[dict[str, Any]], said: str, tmp_path: Path
) -> None:
    run = Run(tmp_path, ["a", "b"])
    with endpoint(*(well(**one) for one in answers)) as server, pytest.raises(SystemExit) as caught:
        run(server, concurrency=1, max_tokens=99)
    assert "None of 2 answers can be used: " in str(caught.value) and said in str(caught.value)
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("failures", [0, 9])
def test_a_run_whose_requests_are_all_rejected_fails(failures: int, tmp_path: Path) -> None:
    """And is told where to look, since the same requests would be rejected again."""
    run = Run(tmp_path, ["a", "b"])
    with endpoint(error(400, "unknown field")) as server, pytest.raises(SystemExit) as caught:
        run(server, failures=failures)
    said = "2 of 2 requests got no answer:\n  2 times: HTTP 400: unknown field\nLook at the run's model and at mode, "
    assert said in str(caught.value) and "Run again" not in str(caught.value)
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("answer", [error(500), well(text="Title: Egg", reason="error")])
def test_a_run_whose_requests_all_fail_fails_whatever_may_stay_without_an_answer(
    answer: Any, tmp_path: Path
) -> None:
    run = Run(tmp_path, ["a", "b"])
    with endpoint(answer) as server, pytest.raises(SystemExit, match=r"2 of 2 requests got no answer"):
        run(server, failures=9)
    assert run.kept() == 0 and not (tmp_path / "out.parquet").exists()


def test_what_came_beside_requests_that_were_let_go_must_be_of_use(tmp_path: Path) -> None:
    run = Run(tmp_path, ["a", "b", "c"])
    with (
        endpoint(error(400), well(reason="length")) as server,
        pytest.raises(SystemExit, match=r"None of 2 answers can be used: 0 are empty and 2 are cut"),
    ):
        run(server, concurrency=1, failures=1)


def test_requests_that_fail_stop_the_run_after_the_others_or_are_let_go(tmp_path: Path) -> None:
    run = Run(tmp_path, ["a", "b", "c"])
    with endpoint(error(500), error(500), well(), well(), error(500)) as server:
        with pytest.raises(
            SystemExit,
            match=r"1 of 3 .*:\n  1 times: HTTP 500: no \(2 tries\)\nRun again .* without an answer\.\n",
        ):
            run(server, concurrency=1)
        assert run.kept() == 2
        found = run(server, failures=1)
    assert len(server.asked) == 6  # two tries, two answers; and two tries for what was missing
    assert found["status"].to_list() == ["failed", "ok", "ok"]
    assert found["prediction"].is_null().to_list() == [True, False, False]


def test_an_endpoint_that_is_down_is_left_alone(tmp_path: Path) -> None:
    run = Run(tmp_path, [str(number) for number in range(200)])
    with endpoint(error(503)) as server, pytest.raises(SystemExit, match="got no answer"):
        run(server, tries=1, concurrency=2)
    assert 20 <= len(server.asked) < 200


def test_every_instance_has_a_prediction_or_is_a_reject(tmp_path: Path) -> None:
    run = Run(tmp_path, ["a", "b", "c", "d", "e"])
    faults = (error(400, "too long"), error(500), error(500), REFUSES, well(text=" "), well())
    with endpoint(*faults) as server:
        run(server, concurrency=1, failures=2)
    out, rejects = run.table("out"), run.table("rejects")
    assert rejects.select("instance_id", "turn", "reason", "detail", "raw").rows() == [
        ("silver:x:0", 1, "rejected", "HTTP 400: too long", "a"),
        ("silver:x:1", 1, "failed", "HTTP 500: no (2 tries)", "b"),
    ]
    assert out["instance_id"].to_list() == [f"silver:x:{n}" for n in (2, 3, 4)]
    assert out["prediction"].to_list()[:2] == ["", ""] and out["prediction"][2]
    assert set(rejects["reason"]) <= schemas.REASONS.keys()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (REFUSES, "refused"),
        (well(text="<think>Hm"), "empty"),
        (error(400, "no", code="content_filter"), "refused"),
        (error(413, "no"), "rejected"),
        (error(500), "failed"),
    ],
)
def test_without_an_explanation_no_translation_is_asked_for(
    tmp_path: Path, fault: Behaviour, reason: str
) -> None:
    """Strategy SE: a first turn that fails makes the instance a reject, and no prediction."""
    instances(tmp_path)
    with endpoint(fault, of_text(lambda text: f"It is no. {len(text)}")) as server:
        asked = {"languages": ("en", "zh"), "lang": "zh", "prompt": SE, "endpoint": server.url}
        asks(tmp_path, asked | {"tries": 1, "concurrency": 1, "failures": 1})
    assert len(server.asked) == 7  # 4 sentences, and the translation of 3
    out, rejects = (tables.read(tmp_path / f"{name}.parquet") for name in ("out", "rejects"))
    assert out["instance_id"].to_list() == [f"camt:{n}" for n in (1, 2, 3)] and all(out["prediction"])
    assert rejects.select("instance_id", "turn", "reason").rows() == [("camt:0", 1, reason)]
    calls = tables.read(tmp_path / "calls.parquet")
    assert calls.filter(instance_id="camt:0")["status"].to_list() == [reason]


def test_what_was_refused_is_asked_again_on_demand_and_nothing_else(tmp_path: Path) -> None:
    run = Run(tmp_path, ["a", "b", "c"])
    with endpoint(REFUSES, error(400), well(), REFUSES, well(), well()) as server:
        found = run(server, concurrency=1, failures=1)
        assert Counter(found["status"]) == {"refused": 1, "rejected": 1, "ok": 1}
        found = run(server, concurrency=1, again=1)
        assert Counter(found["status"]) == {"refused": 1, "ok": 2} and len(server.asked) == 5
        run(server, concurrency=1, again=1)  # a second start of the same round asks nothing
        assert len(server.asked) == 5
        found = run(server, concurrency=1, again=2)
    assert set(found["status"]) == {"ok"} and len(server.asked) == 6
    assert run.table("rejects").is_empty()


def test_failures_are_counted_over_both_questions(tmp_path: Path) -> None:
    instances(tmp_path)
    good, bad = of_text(lambda text: f"It is no. {len(text)}"), error(400, "no")
    with endpoint(bad, good, good, good, bad, good) as server:
        asked = {"languages": ("en", "zh"), "lang": "zh", "prompt": SE, "endpoint": server.url}
        with pytest.raises(UserError, match=r"1 of 3 requests got no answer, and 1 before:"):
            asks(tmp_path, asked | {"tries": 1, "concurrency": 1, "failures": 1})
