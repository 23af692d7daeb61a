"""The night tier: everything that the gate leaves out, to its end, whatever fails.

`make night` runs each tier, those of different LANES beside one another; at the end what failed runs once more, in
one process by itself. It ends with one table: passed, failed, flaky (failed once, passed then), the slowest tests,
minutes by tier. A tier's output goes to logs/night, and is printed when it ends, with what is known so far. As a
pytest plugin (-p tests.night) this module writes a line for each phase of each test to the file that $WOKFLOW_NIGHT
names.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock

import pytest

SLOWEST = 20
# Tests on Slurm wait for much of their time, and no benchmark of a tiny size is judged by its rate.
LANES = (("slow", "random examples"), ("slurm", "bench"))
LOGS = Path("logs/night")
RANDOM = ("--hypothesis-profile", "night")


@dataclass(frozen=True)
class Tier:
    """What pytest is told, and what is added to the environment."""

    options: tuple[str, ...]
    environment: Mapping[str, str]


def tiers(cores: int) -> dict[str, Tier]:
    """The tiers of the night by name. Tests on Slurm share one cluster of each kind: they have one worker."""
    workers = ("-n", str(cores), "--dist", "worksteal")
    quick = "hypothesis and not slow and not cluster and not bench"
    return {
        "slow": Tier((*workers, "-m", "slow", *RANDOM), {}),
        "random examples": Tier((*workers, "-m", quick, *RANDOM), {}),
        "slurm": Tier(("-m", "cluster", "tests/slurm"), {}),
        "bench": Tier(("-m", "bench", "tests/bench"), {"WOKFLOW_BENCH": "tiny"}),
    }


@dataclass(frozen=True)
class Outcome:
    """How a test ended: passed, failed or skipped; seconds, its fixtures included."""

    test: str
    outcome: str
    seconds: float


@pytest.hookimpl
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write down each phase of each test; where workers run them, only the one that hears of all writes."""
    if (file := os.environ.get("WOKFLOW_NIGHT")) and "PYTEST_XDIST_WORKER" not in os.environ:
        line = {"test": report.nodeid, "outcome": report.outcome, "seconds": report.duration}
        with Path(file).open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")


def read(lines: Iterable[str]) -> dict[str, Outcome]:
    """The outcome of each test from those of its phases: the worst of them, and all their seconds."""
    found: dict[str, Outcome] = {}
    for line in lines:
        now = Outcome(**json.loads(line))
        before = found.get(now.test, Outcome(now.test, "passed", 0.0))
        worst = next(
            each for each in ("failed", "skipped", "passed") if each in (now.outcome, before.outcome)
        )
        found[now.test] = Outcome(now.test, worst, before.seconds + now.seconds)
    return found


@dataclass(frozen=True)
class Ran:
    """How pytest ended, and each test; how long it took, and what it printed."""

    status: int
    outcomes: dict[str, Outcome]
    minutes: float
    output: str = ""


ENDED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)  # else a test's set-up may be all that passed
Run = Callable[[str, Tier, Sequence[str]], Ran]  # the tier's name, the tier, some tests of it or none for all


def run_pytest(name: str, tier: Tier, tests: Sequence[str]) -> Ran:
    """Run a tier, or some tests alone in one process; the output goes to a log, too.

    A test that is skipped and not listed in tests/skips.txt fails the tier.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    log, start = LOGS / f"{name.replace(' ', '_')}{'_again' if tests else ''}.log", time.monotonic()
    with tempfile.TemporaryDirectory() as folder, log.open("w", encoding="utf-8") as output:
        file = Path(folder) / "outcomes"
        file.touch()
        # Tests by their names: the options that choose and spread them out are left out.
        options = [*RANDOM, *tests] if tests else [*tier.options]
        command = [sys.executable, "-m", "pytest", "-p", "tests.night", *options]
        environment = {**os.environ, **tier.environment, "WOKFLOW_CI": "1", "WOKFLOW_NIGHT": str(file)}
        done = subprocess.run(
            command, env=environment, stdout=output, stderr=subprocess.STDOUT, check=False
        ).returncode
        outcomes = read(file.read_text(encoding="utf-8").splitlines())
    minutes = (time.monotonic() - start) / 60
    return Ran(done, outcomes, minutes, log.read_text(encoding="utf-8", errors="replace"))


@dataclass
class Night:
    """What has been found so far."""

    outcomes: dict[str, dict[str, Outcome]]  # by tier
    minutes: dict[str, float]
    flaky: list[str]
    failed: list[str]

    def add(self, tier: str, ran: Ran) -> None:
        """Take in how a tier ended. One that ends with an error and no failed test counts as failed itself."""
        self.outcomes[tier], self.minutes[tier] = ran.outcomes, ran.minutes
        told = not ran.status or self.failed_in(tier)
        if ran.status not in ENDED or not told:
            self.failed.append(f"{tier}: pytest ended with status {ran.status}, see above")

    def failed_in(self, tier: str) -> list[str]:
        return [test for test, one in self.outcomes[tier].items() if one.outcome == "failed"]

    @property
    def table(self) -> str:
        """Tiers with their numbers and minutes; what failed, what is flaky, and what is slow, by name."""
        rows = ["tier                 passed  failed  flaky  skipped  minutes"]
        for tier, outcomes in sorted(self.outcomes.items(), key=lambda one: [*tiers(1)].index(one[0])):
            count = Counter(self._verdict(one) for one in outcomes.values())
            numbers = "".join(
                f"{count[name]:>{width}}"
                for name, width in (("passed", 8), ("failed", 8), ("flaky", 7), ("skipped", 9))
            )
            rows.append(f"{tier:<19}{numbers}{self.minutes[tier]:>9.1f}")
        every = sorted(
            (one for found in self.outcomes.values() for one in found.values()), key=lambda one: -one.seconds
        )
        for head, lines in (
            ("failed twice", self.failed),
            ("flaky: failed, and passed when run alone", self.flaky),
            (f"slowest {SLOWEST}", [f"{one.seconds:7.1f} s  {one.test}" for one in every[:SLOWEST]]),
        ):
            rows += ["", f"{head}: {'' if lines else 'none'}".rstrip(), *(f"  {line}" for line in lines)]
        return "\n".join(rows)

    def _verdict(self, one: Outcome) -> str:
        return "flaky" if one.test in self.flaky else one.outcome


def night(wanted: Mapping[str, Tier], run: Run) -> Night:
    """Run the tiers of each lane one after the other, the lanes beside one another; then what failed, once more."""
    found, lock, over = Night({}, {}, [], []), Lock(), Event()

    def run_lane(names: Iterable[str]) -> None:
        for name in names:
            if over.is_set():
                return
            ran = run(name, wanted[name], ())
            with lock:
                print(ran.output)
                found.add(name, ran)
                print(f"\n{found.table}", flush=True)  # so far: the night may be broken off

    with ThreadPoolExecutor(len(LANES)) as pool:
        lanes = [pool.submit(run_lane, [name for name in lane if name in wanted]) for lane in LANES]
        try:
            wait(lanes)
        except KeyboardInterrupt:  # which ends what runs, too
            over.set()
            raise
    for lane in lanes:
        lane.result()
    for name, failed in {name: found.failed_in(name) for name in wanted}.items():
        if failed:
            again = run(name, wanted[name], failed)
            print(again.output)
            found.minutes[name] += again.minutes
            for test in failed:
                passed = test in again.outcomes and again.outcomes[test].outcome == "passed"
                (found.flaky if passed and again.status in ENDED else found.failed).append(test)
    print(f"\n{found.table}", flush=True)
    return found


def main() -> int:
    """0 where nothing failed twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--tier", action="append", choices=[*tiers(1)], help="only these")
    given = parser.parse_args()
    chosen = {name: tier for name, tier in tiers(given.cores).items() if name in (given.tier or tiers(1))}
    with tempfile.TemporaryDirectory() as folder:  # for the house that tests share
        os.environ["WOKFLOW_BUILT"] = folder
        return int(bool(night(chosen, run_pytest).failed))


if __name__ == "__main__":
    sys.exit(main())
