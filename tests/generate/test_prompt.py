"""Prompt runs: what is asked and kept, what a second run does, and that the key is in no file."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError, job
from wokflow.generate import schemas
from wokflow.generate.arguments import CLIENT
from wokflow.generate.prompt import generate_prompt
from wokflow.generate.request import Settings

from tests.conftest import ROOT
from tests.generate.servers import (
    RECIPE,
    Behaviour,
    Endpoint,
    echo_key,
    endpoint,
    error,
    hang,
    of_text,
    response,
    says,
    well,
)

SECRET = "sk-test-8f3a6c1d9b"
PROMPTS = ROOT / "resources" / "prompts"
CHINESE = "Title: 蛋炒饭\nIngredients: 米饭，鸡蛋\nSteps: 炒鸡蛋。加米饭。\n"


@pytest.fixture(autouse=True)
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", SECRET)


def written(folder: Path, sources: Sequence[str]) -> str:
    """Instances with these sources, in reverse order."""
    path = folder / "instances.parquet"
    rows = [
        {
            "instance_id": f"silver:x:{n}",
            "dataset": "silver",
            "source_id": f"x:{n}",
            "title": "炒饭",
            "source": source,
        }
        for n, source in enumerate(sources)
    ]
    schema = pl.DataFrame(schemas.INSTANCES.empty_table()).schema
    tables.write(path, schemas.INSTANCES, pl.DataFrame(rows[::-1], schema=schema), {})
    return str(path)


class Run:
    """A prompt run in a folder, whose settings are small."""

    def __init__(self, folder: Path, sources: Sequence[str], prompt: str = "{source}") -> None:
        self.folder = folder
        self.instances = written(folder, sources)
        self.prompt = folder / "prompt.txt"
        self.prompt.write_text(prompt, encoding="utf-8")

    def __call__(self, url: str | None, lang: str = "en", **settings: Any) -> pl.DataFrame:
        """Run it as a job does; gives predictions and calls side by side."""
        chosen: dict[str, Any] = {
            "backoff_s": 0.01,
            "timeout_s": 5,
            "tries": 2,
            "key_variable": "TEST_KEY",
            "endpoint": url,
        }
        with job(str(self.folder / "log.txt")) as progress:
            self.ask(chosen | settings, lang, progress)
        return self.table("out").join(self.table("calls"), on=["instance_id", "run"], validate="1:1")

    def ask(self, settings: Mapping[str, Any], lang: str, progress: Progress) -> None:
        generate_prompt(
            instances=self.instances,
            server=[],
            predictions=str(self.folder / "out.parquet"),
            calls=str(self.folder / "calls.parquet"),
            run="gpt",
            model="m",
            prompt=str(self.prompt),
            lang=lang,
            request_settings={name: value for name, value in settings.items() if name not in CLIENT},
            client_settings={name: value for name, value in settings.items() if name in CLIENT},
            command=None,
            cache=str(self.folder / "cache"),
            metadata={"key": "k"},
            progress=progress,
        )

    def table(self, name: str) -> pl.DataFrame:
        return tables.read(self.folder / f"{name}.parquet")

    def log(self) -> str:
        return (self.folder / "log.txt").read_text(encoding="utf-8")

    def kept(self) -> int:
        """Answers in the cache."""
        return len(list((self.folder / "cache").rglob("*.json")))

    def bytes(self) -> list[bytes]:
        return [(self.folder / f"{name}.parquet").read_bytes() for name in ("out", "calls")]


def test_predictions_and_calls_are_what_the_endpoint_said(tmp_path: Path) -> None:
    run = Run(tmp_path, ["Title: 甲\n", "Title: 乙\n"], prompt="Cook: {source}|{title}")
    with endpoint(of_text(lambda text: RECIPE.replace("Egg rice", text[13]))) as server:
        found = run(server.url, price_in=10, price_out=20)
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
        run(server.url)
        first = run.bytes()
        run(server.url, concurrency=1)
        assert len(server.asked) == 9
        assert run.bytes() == first
        run(server.url, temperature=0.5)
        assert len(server.asked) == 18


def test_equal_requests_are_asked_once_and_cost_once(tmp_path: Path) -> None:
    run = Run(tmp_path, ["Title: a", "Title: b", "Title: a"])
    with endpoint() as server:
        found = run(server.url, price_in=10, price_out=20)
    assert len(server.asked) == 2
    assert found["request"][0] == found["request"][2] != found["request"][1]
    assert found["cost"].to_list() == pytest.approx([0.002, 0.002, 0])
    assert found["prediction"].n_unique() == 1


def test_no_more_are_asked_at_once_than_settings_say(tmp_path: Path) -> None:
    with endpoint(hang(0.05)) as server:
        Run(tmp_path, [str(number) for number in range(12)])(server.url, concurrency=3)
    assert server.most_at_once <= 3


ANSWERS: dict[str, tuple[Behaviour, dict[str, Any]]] = {
    "refusal": (
        well(text=None, refusal="I cannot."),
        {"status": "refused", "reason": "I cannot.", "prediction": ""},
    ),
    "filter": (
        well(text="", reason="content_filter"),
        {"status": "refused", "finish_reason": "content_filter"},
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
    run = Run(tmp_path, ["Title: 炒饭\nIngredients: 蛋\nSteps: 炒。"])
    with endpoint(behaviour) as server:
        (row,) = run(server.url).to_dicts()
        first = run.bytes()
        run(server.url)
    assert expected.items() <= row.items()
    assert run.bytes() == first
    assert len(server.asked) == (2 if kind == "filtered" else 1)  # an error is not kept
    assert f"{expected['status']}: 1 of 1" in run.log()


def test_answers_that_are_not_as_asked_are_counted_in_the_log(tmp_path: Path) -> None:
    run = Run(tmp_path, ["Title: a", "Title: b", "Title: c"])
    with endpoint(well(text=CHINESE), well(text="Fry."), well()) as server:
        run(server.url)
    assert "not in the language asked for: 1 of 3 answers, which are kept" in run.log()
    assert "not in the form asked for: 1 of 3 answers, which are kept" in run.log()


def test_without_usage_an_answer_counts_as_the_most_it_can_have_cost(tmp_path: Path) -> None:
    run = Run(tmp_path, ["four", "five5"])
    with endpoint(well(usage=None)) as server:
        found = run(server.url, price_in=1, price_out=1, max_tokens=100)
    assert found["cost"].to_list() == pytest.approx([360e-6, 361e-6])  # 4 and 5 bytes, 256 of a template, 100
    assert run.log().count("does not count tokens") == 1


def test_a_run_goes_on_past_requests_that_are_rejected(tmp_path: Path) -> None:
    run = Run(tmp_path, ["a", "b"])
    with endpoint(error(400, "too long"), well()) as server:
        found = run(server.url, concurrency=1)
    assert Counter(found["status"]) == {"rejected": 1, "ok": 1}
    assert found.filter(status="rejected")["reason"].item() == "HTTP 400: too long"


def test_a_run_whose_requests_are_all_rejected_fails(tmp_path: Path) -> None:
    run = Run(tmp_path, ["a", "b"])
    with endpoint(error(400, "unknown field")) as server, pytest.raises(SystemExit) as caught:
        run(server.url)
    assert "2 of 2 requests got no answer:\n  2 times: HTTP 400: unknown field" in str(caught.value)
    assert not (tmp_path / "out.parquet").exists()


def test_requests_that_fail_stop_the_run_after_the_others_or_are_let_go(tmp_path: Path) -> None:
    run = Run(tmp_path, ["a", "b", "c"])
    with endpoint(error(500), error(500), well(), well(), error(500)) as server:
        with pytest.raises(
            SystemExit, match=r"1 of 3 requests got no answer:\n  1 times: HTTP 500: no \(2 tries"
        ):
            run(server.url, concurrency=1)
        assert run.kept() == 2
        found = run(server.url, failures=1)
    assert len(server.asked) == 6  # two tries, two answers; and two tries for what was missing
    assert found["status"].to_list() == ["failed", "ok", "ok"]
    assert found["prediction"][0] == ""


def test_an_endpoint_that_is_down_is_left_alone(tmp_path: Path) -> None:
    run = Run(tmp_path, [str(number) for number in range(200)])
    with endpoint(error(503)) as server, pytest.raises(SystemExit, match="got no answer"):
        run(server.url, tries=1, concurrency=2)
    assert 20 <= len(server.asked) < 200


def test_the_budget_holds_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    run = Run(
        tmp_path, [f"{number:02}" for number in range(10)]
    )  # 2 + 256 + 42 = 300 tokens at most, 150 in fact
    money: dict[str, Any] = {"max_tokens": 42, "price_in": 1, "price_out": 1}
    with endpoint(hang(0.01)) as server:
        with pytest.raises(SystemExit) as caught:
            run(server.url, **money, budget=0.001)
        # 150 after 150 until 750 is spent and 300 more would be 1050
        assert len(server.asked) == run.kept() == 5
        assert str(caught.value).startswith(
            "generate.prompt.budget: 0.00075 (750 tokens) of 0.001 spent, and the next request may cost 0.0003 "
            "(300 tokens). Of 10 requests 5 were answered now and 5 are left."
        )
        with pytest.raises(SystemExit, match="of it before this run"):
            run(server.url, **money, budget=0.001)
        assert len(server.asked) == 5
        assert not (tmp_path / "out.parquet").exists()
        found = run(server.url, **money, budget=0.0016501)
    assert len(server.asked) == 10
    assert found["cost"].sum() == pytest.approx(0.0015)


def test_a_budget_of_tokens_holds_with_many_at_once(tmp_path: Path) -> None:
    run = Run(tmp_path, [f"{number:02}" for number in range(40)])
    with endpoint(hang(0.005)) as server, pytest.raises(SystemExit, match="of 3000 tokens spent"):
        run(server.url, max_tokens=42, budget_tokens=3000, concurrency=8)
    assert len(server.asked) == 19  # the 19th is asked at 2700 spent, the 20th would be at 2850


@pytest.mark.parametrize(
    "settings",
    [
        {"budget": 1},
        {"price_in": 1},
        {"parameters": {"n": 3}},
        {"parameters": {"max_tokens": 3}},
        {"system": "Be brief.", "mode": "completion"},
    ],
)
def test_settings_that_contradict_one_another_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"generate\.prompt\."):
        Settings(**settings)


def test_an_endpoint_or_a_server_is_needed(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"generate\.prompt\.endpoint"):
        Run(tmp_path, ["a"])(None)


def test_a_broken_answer_in_the_cache_is_asked_for_again(tmp_path: Path) -> None:
    run = Run(tmp_path, ["a"])
    with endpoint() as server:
        run(server.url)
        (file,) = (tmp_path / "cache").rglob("*.json")
        file.write_text("{", encoding="utf-8")
        run(server.url)
    assert len(server.asked) == 2
    assert f"{file} is broken and is asked for again" in run.log()


KILLED = """
import sys
from pathlib import Path
from tests.generate.test_prompt import Run
run = Run(Path(sys.argv[1]), [str(number) for number in range(60)])
run(sys.argv[2], concurrency=2)
"""


def test_killed_in_the_middle_nothing_is_asked_twice_that_had_come(tmp_path: Path) -> None:
    def kill_at_20(handler: Any, asked: Any) -> None:
        if len(server.asked) == 20:
            os.kill(process.pid, signal.SIGKILL)
        well()(handler, asked)

    with endpoint(kill_at_20) as server:
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path), server.url],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'scripts'}"},
        )
        process.wait(60)
        run = Run(tmp_path, [str(number) for number in range(60)])
        before, kept = len(server.asked), run.kept()
        assert 18 <= kept <= before < 25
        found = run(server.url)
        assert len(server.asked) == before + 60 - kept
    assert found.height == 60


def leaks(server: Endpoint, run: Run, capsys: pytest.CaptureFixture[str], **settings: Any) -> list[str]:
    """Where the key is found after a run, which may fail: files, what was printed, the error."""
    try:
        run(server.url, **settings)
        said = ""
    except (SystemExit, Exception) as error:
        said = f"{error!r} {error} {error.__cause__!r} {error.__context__!r}"
    printed = capsys.readouterr()
    texts = {"error": said, "out": printed.out, "err": printed.err}
    found = [name for name, text in texts.items() if SECRET in text]
    files = [path for path in run.folder.rglob("*") if path.is_file()]
    assert any(path.name == "log.txt" for path in files)
    return found + [
        str(path) for path in files if SECRET.encode() in path.read_bytes() or SECRET in path.name
    ]


@pytest.mark.parametrize("status", [200, 302, 400, 401, 403, 429, 500])
def test_the_key_is_in_no_file_and_in_no_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    run = Run(tmp_path, ["a", "b"])
    with endpoint(echo_key(status)) as server:
        assert not leaks(server, run, capsys)
        assert not leaks(server, run, capsys, failures=9)
    assert SECRET in server.asked[0].headers["Authorization"]
    if status == 200:  # tables are compressed: what they hold is looked at as well
        assert "[key]" in run.table("out")["prediction"][0]
    for name in ("out", "calls"):
        if (tmp_path / f"{name}.parquet").exists():
            assert SECRET not in run.table(name).write_json()


def test_the_key_is_not_told_where_a_bug_ends_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(tmp_path, ["a"])
    (tmp_path / "cache").write_text("in the way", encoding="utf-8")
    with endpoint() as server:
        assert not leaks(server, run, capsys)
    assert "Traceback" in run.log()


@pytest.mark.parametrize("name", sorted(path.name for path in PROMPTS.glob("*.txt")))
def test_the_prompts_in_the_house_can_be_filled(tmp_path: Path, name: str) -> None:
    run = Run(tmp_path, ["Title: {title} {x}"], (PROMPTS / name).read_text(encoding="utf-8"))
    frame = tables.read(run.instances).with_columns(base=pl.lit("炒面"))
    tables.write(run.instances, schemas.INSTANCES, frame, {})
    with endpoint(says(200, response())) as server:
        run(server.url)
    (asked,) = server.asked
    places = {"{source}": "Title: {title} {x}", "{title}": "炒饭", "{base}": "炒面"}
    template = (PROMPTS / name).read_text(encoding="utf-8").rstrip("\n")
    assert all(value in asked.text for place, value in places.items() if place in template)
    assert len(asked.text) == len(template) + sum(
        template.count(place) * (len(value) - len(place)) for place, value in places.items()
    )
    assert name in (PROMPTS / "README.md").read_text(encoding="utf-8")
