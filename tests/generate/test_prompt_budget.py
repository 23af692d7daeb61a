"""A budget holds for a run of a name, over all its starts and however they end."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.generate.asking import PATIENCE, Run
from tests.generate.servers import endpoint, error, hang, well

pytestmark = pytest.mark.usefixtures("keyed")
MONEY: dict[str, Any] = {"max_tokens": 42, "price_in": 1, "price_out": 1}  # two letters: 300 tokens at most


def test_without_usage_an_answer_counts_as_the_most_it_can_have_cost(tmp_path: Path) -> None:
    run = Run(tmp_path, ["four", "five5"])
    with endpoint(well(usage=None)) as server:
        found = run(server, price_in=1, price_out=1, max_tokens=100)
    assert found["cost"].to_list() == pytest.approx([360e-6, 361e-6])  # 4 and 5 bytes, 256 of a template, 100
    assert run.log().count("does not count tokens") == 1


def test_the_budget_holds_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    run = Run(
        tmp_path, [f"{number:02}" for number in range(10)]
    )  # 2 + 256 + 42 = 300 tokens at most, 150 in fact
    with endpoint(hang(0.01)) as server:
        with pytest.raises(SystemExit) as caught:
            run(server, **MONEY, budget=0.001)
        # 150 after 150 until 750 is spent and 300 more would be 1050
        assert len(server.asked) == run.kept() == 5
        assert str(caught.value).startswith(
            "generate.prompt.budget: 0.00075 (750 tokens) of 0.001 spent, and the next request may cost 0.0003 "
            "(300 tokens). Of 10 requests 5 were answered now and 5 are left."
        )
        with pytest.raises(SystemExit, match="of it before this start"):
            run(server, **MONEY, budget=0.001)
        assert len(server.asked) == 5
        assert not (tmp_path / "out.parquet").exists()
        found = run(server, **MONEY, budget=0.0016501)
    assert len(server.asked) == 10
    assert found["cost"].sum() == pytest.approx(0.0015)


def test_a_budget_of_tokens_holds_with_many_at_once(tmp_path: Path) -> None:
    run = Run(tmp_path, [f"{number:02}" for number in range(40)])
    with endpoint(hang(0.005)) as server, pytest.raises(SystemExit, match="of 3000 tokens spent"):
        run(server, max_tokens=42, budget_tokens=3000, concurrency=8)
    assert len(server.asked) == 19  # the 19th is asked at 2700 spent, the 20th would be at 2850


def test_five_starts_that_time_out_spend_one_budget(tmp_path: Path) -> None:
    """Nobody knows what a try that timed out did cost: it counts in full, at the next start as well."""
    run = Run(tmp_path, ["aa", "bb"])
    slow: dict[str, Any] = {"timeout_s": 0.2, "tries": 1, "concurrency": 1}
    with endpoint(hang(1)) as server:
        for _ in range(5):
            with pytest.raises(SystemExit, match=r"budget|no answer"):
                run(server, **MONEY, **slow, budget=0.001)
        assert len(server.asked) == 3  # 900 of 1,000 tokens; a fourth try does not fit
        with pytest.raises(SystemExit, match=r"0\.0009 \(900 tokens\) of it before"):
            run(server, **MONEY, **slow, budget=0.001)
    assert len(server.asked) == 3


def test_a_try_whose_process_was_killed_counts_in_full(tmp_path: Path) -> None:
    def kill(handler: Any, asked: Any) -> None:
        os.kill(process.pid, signal.SIGKILL)

    run = Run(tmp_path, [f"{number:02}" for number in range(10)])
    with endpoint(well(), kill, well()) as server:
        process = run.apart(server, **MONEY, budget=0.001, concurrency=1)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGKILL
        with (tmp_path / "ledger.jsonl").open("a") as file:
            file.write('\n{"try": "torn", "pro')  # as a line that was being written
        with pytest.raises(SystemExit, match=r"0\.00045 \(450 tokens\) of it before this start"):
            run(server, **MONEY, budget=0.001, concurrency=1)
        # 150 and 300 before; two more bring it to 750, and a third could end at 1050
        assert len(server.asked) == 4


def test_an_answer_that_another_run_paid_for_costs_nothing(tmp_path: Path) -> None:
    run = Run(tmp_path, ["aa"])
    with endpoint() as server:
        run(server, **MONEY, budget=1)
        (tmp_path / "ledger.jsonl").unlink()
        found = run(server, **MONEY, budget=0)
    assert len(server.asked) == 1 and found["cost"].item() == pytest.approx(150e-6)


def test_what_was_turned_down_costs_nothing_at_any_start(tmp_path: Path) -> None:
    run = Run(tmp_path, ["aa"])
    with endpoint(error(429), error(500), well()) as server:
        with pytest.raises(SystemExit, match="no answer"):
            run(server, **MONEY, budget=0.0003)
        run(server, **MONEY, budget=0.0003)
    assert len(server.asked) == 3
