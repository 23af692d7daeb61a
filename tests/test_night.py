"""The night goes to its end, runs what failed once more, and says what is flaky."""

from collections.abc import Sequence
from pathlib import Path
from threading import Barrier, Event

import pytest

from tests import night
from tests.conftest import ROOT
from tests.night import Outcome, Ran, Tier

ONE = Tier(("-m", "one"), {})
PATIENCE = 60  # seconds, against hanging


def phase(test: str, outcome: str, seconds: float = 1.0) -> str:
    return f'{{"test": "{test}", "outcome": "{outcome}", "seconds": {seconds}}}'


def test_a_test_ended_as_the_worst_of_its_phases() -> None:
    lines = [phase("a", "passed"), phase("a", "failed"), phase("a", "passed", 0.5), phase("b", "skipped")]
    assert night.read(lines) == {"a": Outcome("a", "failed", 2.5), "b": Outcome("b", "skipped", 1.0)}


class Runs:
    """What pytest says of each tier; of tests that run alone it says `alone`. Each run takes a minute."""

    def __init__(
        self, answers: dict[str, tuple[int, dict[str, str]]], alone: dict[str, str], status: int = 1
    ) -> None:
        self.answers, self.alone, self.status = answers, alone, status
        self.others_end = Barrier(len(answers), timeout=PATIENCE)
        self.order: list[str] = []

    def __call__(self, name: str, tier: Tier, tests: Sequence[str]) -> Ran:
        alone = (self.status, {test: self.alone[test] for test in tests})
        status, found = alone if tests else self.answers[name]
        if not tests:
            self.others_end.wait()
        self.order.append(f"{name} again" if tests else name)
        return Ran(status, {test: Outcome(test, outcome, 2.0) for test, outcome in found.items()}, 1.0)


def test_what_failed_runs_once_more_and_other_tiers_go_on() -> None:
    """Tiers of two lanes run beside one another, or they would wait here; what failed runs when both have ended."""
    first = {"good": "passed", "sometimes": "failed", "never": "failed", "absent": "skipped"}
    answers = {"slow": (1, first), "slurm": (0, {"last": "passed"})}
    runs = Runs(answers, alone={"sometimes": "passed", "never": "failed"})
    found = night.night({"slow": ONE, "slurm": ONE}, runs)
    assert (found.failed, found.flaky) == (["never"], ["sometimes"])
    assert {*runs.order[:2]} == {"slow", "slurm"} and runs.order[2:] == ["slow again"]
    lines = [line.split() for line in found.table.splitlines()]
    assert ["slow", "1", "1", "1", "1", "2.0"] in lines and ["slurm", "1", "0", "0", "0", "1.0"] in lines
    assert "flaky: failed, and passed when run alone:\n  sometimes\n" in found.table


def test_what_ends_the_process_when_it_runs_alone_is_not_flaky() -> None:
    runs = Runs({"slow": (1, {"aborts": "failed"})}, alone={"aborts": "passed"}, status=-6)
    assert night.night({"slow": ONE}, runs).failed == ["aborts"]


def test_ctrl_c_begins_no_further_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    over, begun, told = Event(), list[str](), list[bool]()

    def interrupted(lanes: object) -> None:
        raise KeyboardInterrupt

    def run(name: str, tier: Tier, tests: Sequence[str]) -> Ran:
        begun.append(name)
        told.append(over.wait(PATIENCE))
        return Ran(2, {}, 1.0)

    monkeypatch.setattr(night, "Event", lambda: over)
    monkeypatch.setattr(night, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        night.night({"slow": ONE, "random examples": ONE}, run)
    assert begun == ["slow"] and told == [True]


@pytest.mark.parametrize("status", [1, 2, 3, 4, 5, -9])
def test_a_tier_that_breaks_off_is_no_success(status: int) -> None:
    found = night.night({"slow": ONE}, Runs({"slow": (status, {"good": "passed"})}, alone={}))
    assert found.failed == [f"slow: pytest ended with status {status}, see above"]


def test_each_test_is_asked_in_the_night_or_in_the_gate() -> None:
    """The tiers of the night are the markers that the gate leaves out."""
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ngate:")[2].partition("\n\n")[0]
    left_out = {word for word in ("slow", "cluster", "bench", "gate") if f"not {word}" in recipe}
    asked = {tier.options[tier.options.index("-m") + 1] for tier in night.tiers(2).values()}
    assert {tier for lane in night.LANES for tier in lane} == {*night.tiers(2)}
    assert left_out == asked & {"slow", "cluster", "bench"} == {"slow", "cluster", "bench"}


def test_pytest_tells_of_each_test_whatever_runs_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("WOKFLOW_NIGHT", str(pytester.path / "outcomes"))
    pytester.makepyfile(test_it="def test_good(): pass\ndef test_bad(): assert False")
    for workers in ((), ("-n", "2")):
        Path(pytester.path / "outcomes").unlink(missing_ok=True)
        pytester.runpytest_subprocess("-p", "tests.night", "-p", "no:hypothesispytest", *workers)
        found = night.read((pytester.path / "outcomes").read_text().splitlines())
        assert {test: one.outcome for test, one in found.items()} == {
            "test_it.py::test_good": "passed",
            "test_it.py::test_bad": "failed",
        }
