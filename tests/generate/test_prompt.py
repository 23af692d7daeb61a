"""Prompt runs: what is asked and kept, and what a second run does."""

import os
import re
import signal
from pathlib import Path
from threading import Barrier
from typing import Any

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.generate import schemas
from wokflow.generate.request import check

from tests.conftest import ROOT
from tests.generate.asking import PATIENCE, Run, prompt_settings
from tests.generate.servers import RECIPE, Behaviour, endpoint, error, of_text, response, says, well

pytestmark = pytest.mark.usefixtures("keyed")
PROMPTS = ROOT / "resources" / "prompts"
RECIPE_PROMPTS = sorted(
    path.name for path in PROMPTS.glob("*.txt") if not re.match("csi|append|replace|dialogue", path.name)
)
CHINESE = "Title: 蛋炒饭\nIngredients: 米饭，鸡蛋\nSteps: 炒鸡蛋。加米饭。\n"


def test_predictions_and_calls_are_what_the_endpoint_said(tmp_path: Path) -> None:
    run = Run(tmp_path, ["Title: 甲\n", "Title: 乙\n"], prompt="Cook: {source}|{title}")
    with endpoint(of_text(lambda text: RECIPE.replace("Egg rice", text[13]))) as server:
        found = run(server, price_in=10, price_out=20)
    assert sorted(asked.text for asked in server.asked) == [
        "Cook: Title: 乙\n|炒饭",
        "Cook: Title: 甲\n|炒饭",
    ]
    assert found["instance_id"].to_list() == ["silver:x:0", "silver:x:1"]
    assert found["run"].to_list() == ["gpt", "gpt"]
    assert found["prediction"][0] == "甲\nrice, egg\nFry the egg. Add the rice."
    row = found.row(0, named=True)
    assert row["cost"] == pytest.approx(0.002)  # 100 tokens at 10 a million, 50 at 20
    assert (row["status"], row["finish_reason"], row["reason"]) == ("ok", "stop", None)
    assert (row["prompt_tokens"], row["completion_tokens"]) == (100, 50)
    assert (row["in_language"], row["in_form"]) == (True, True)
    assert tables.read(tmp_path / "calls.parquet").to_arrow().cast(schemas.CALLS)


def test_a_second_run_asks_nothing_and_writes_the_same_bytes(tmp_path: Path) -> None:
    run = Run(tmp_path, [f"Title: {number}" for number in range(9)])
    with endpoint() as server:
        run(server)
        first = run.bytes()
        run(server, concurrency=1)
        assert len(server.asked) == 9
        assert run.bytes() == first
        run(server, temperature=0.5)
        assert len(server.asked) == 18


def test_runs_that_differ_in_their_seed_have_answers_of_their_own(tmp_path: Path) -> None:
    run = Run(tmp_path, ["a"])
    with endpoint(well(text="One."), well(text="Two.")) as server:
        first, second, again = (run(server, draw=seed)["prediction"].item() for seed in (1, 2, 1))
    assert (first, second, again) == ("One.", "Two.", "One.")
    assert server.asked[0].body == server.asked[1].body and "seed" not in server.asked[0].body


def test_equal_requests_are_asked_once_and_cost_once(tmp_path: Path) -> None:
    run = Run(tmp_path, ["Title: a", "Title: b", "Title: a"])
    with endpoint() as server:
        found = run(server, price_in=10, price_out=20)
    assert len(server.asked) == 2
    assert found["request"][0] == found["request"][2] != found["request"][1]
    assert found["cost"].to_list() == pytest.approx([0.002, 0.002, 0])
    assert found["prediction"].n_unique() == 1


def test_as_many_are_asked_at_once_as_settings_say_and_no_more(tmp_path: Path) -> None:
    three = Barrier(3, timeout=300)  # none of the first three is answered before all are there

    def meet(handler: Any, asked: Any) -> None:
        three.wait()
        well()(handler, asked)

    with endpoint(meet, meet, meet, well()) as server:
        Run(tmp_path, [str(number) for number in range(12)])(server, concurrency=3)
    assert server.most_at_once == 3


ANSWERS: dict[str, tuple[Behaviour, dict[str, Any]]] = {
    "refusal": (
        well(text=None, refusal="I cannot."),
        {"status": "refused", "reason": "I cannot.", "prediction": ""},
    ),
    "filter": (
        well(text="", reason="content_filter"),
        {"status": "refused", "finish_reason": "content_filter"},
    ),
    "half a text": (
        well(text="Title: Egg ri", reason="content_filter"),
        {"status": "refused", "answer": "Title: Egg ri", "prediction": ""},
    ),
    "filtered": (
        error(400, "bad", code="content_filter"),
        {"status": "refused", "reason": "HTTP 400: bad", "cost": None},
    ),
    "empty": (well(text=" \n"), {"status": "empty", "prediction": "", "in_language": None, "in_form": None}),
    "thought": (well(text="<think>Hm"), {"status": "empty", "prediction": ""}),
    "cut": (well(reason="length"), {"status": "cut", "finish_reason": "length", "in_form": True}),
    "language": (well(text=CHINESE), {"status": "ok", "in_language": False, "in_form": True}),
    "form": (well(text="Fry an egg."), {"status": "ok", "prediction": "Fry an egg.", "in_form": False}),
    "no usage": (well(usage=None), {"status": "ok", "prompt_tokens": None, "completion_tokens": None}),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_whatever_comes_is_kept_and_told(tmp_path: Path, kind: str) -> None:
    behaviour, expected = ANSWERS[kind]
    run = Run(tmp_path, ["Title: 炒饭\nIngredients: 蛋\nSteps: 炒。", "Title: 粥"])
    with endpoint(behaviour, well(), behaviour) as server:
        row = run(server, concurrency=1).row(0, named=True)
        first = run.bytes()
        run(server, concurrency=1)
    assert expected.items() <= row.items()
    assert run.bytes() == first
    assert len(server.asked) == (3 if kind == "filtered" else 2)  # an error is not kept
    assert f"{expected['status']}: {2 if expected['status'] == 'ok' else 1} of 2" in run.log()


def test_answers_that_are_not_as_asked_are_counted_in_the_log(tmp_path: Path) -> None:
    run = Run(tmp_path, ["Title: a", "Title: b", "Title: c"])
    with endpoint(well(text=CHINESE), well(text="Fry."), well()) as server:
        run(server)
    assert "not in the language asked for: 1 of 3 answers, which are kept" in run.log()
    assert "not in the form asked for: 1 of 3 answers, which are kept" in run.log()


def test_killed_in_the_middle_nothing_is_asked_twice_that_had_come(tmp_path: Path) -> None:
    def kill_at_20(handler: Any, asked: Any) -> None:
        if len(server.asked) == 20:
            os.kill(process.pid, signal.SIGKILL)
        well()(handler, asked)

    run = Run(tmp_path, [str(number) for number in range(60)])
    with endpoint(kill_at_20) as server:
        process = run.apart(server, concurrency=2)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGKILL
        before, kept = len(server.asked), run.kept()
        assert 18 <= kept <= before < 25
        found = run(server)
        assert len(server.asked) == before + 60 - kept
    assert found.height == 60


@pytest.mark.parametrize("name", RECIPE_PROMPTS)
def test_the_prompts_in_the_house_can_be_filled(tmp_path: Path, name: str) -> None:
    run = Run(tmp_path, ["Title: {title} {x}"], (PROMPTS / name).read_text(encoding="utf-8"))
    frame = tables.read(run.instances).with_columns(base=pl.lit("炒面"))
    tables.write(run.instances, schemas.INSTANCES, frame, {})
    with endpoint(says(200, response())) as server:
        run(server)
    (asked,) = server.asked
    places = {"{source}": "Title: {title} {x}", "{title}": "炒饭", "{base}": "炒面"}
    template = (PROMPTS / name).read_text(encoding="utf-8").rstrip("\n")
    assert all(value in asked.text for place, value in places.items() if place in template)
    assert len(asked.text) == len(template) + sum(
        template.count(place) * (len(value) - len(place)) for place, value in places.items()
    )
    assert name in (PROMPTS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "own",
    [
        {"budget": 1},
        {"price_in": 1},
        {"parameters": {"n": 3}},
        {"parameters": {"max_tokens": 3}},
        {"system": "Be brief.", "mode": "completion"},
    ],
)
def test_settings_that_contradict_one_another_are_refused(own: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"generate\.prompt\."):
        check(prompt_settings(**own))


def test_an_endpoint_or_a_server_is_needed(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"generate\.prompt\.endpoint"):
        Run(tmp_path, ["a"])(None)
