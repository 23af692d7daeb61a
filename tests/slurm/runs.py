"""Runs of Snakemake with the cluster profile, in small houses, on a private cluster."""

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar

from tests.conftest import ROOT, start_snakemake
from tests.quick_python import quick_python
from tests.slurm.cluster import PATIENCE, Cluster
from tests.workflow.conftest import digests

QUICK = ROOT / "tests" / "cluster" / "quick_snakemake.py"
SITE = "account: {account}\nqos: null\nconstraint: null\npartitions: {partitions}\n"
ENDED = (
    "COMPLETING",
    "COMPLETED",
    "FAILED",
    "CANCELLED",
    "TIMEOUT",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
)
TIMED = ("report/page/index.html", "report/page/.index.html.inputs")  # they hold run times


def house_without(built: Path, to: Path, *folders: str, account: str | None = "lab") -> Path:
    """A copy of a house whose results are all there, without some folders of results; its site has an account."""
    shutil.copytree(built, to, symlinks=True)
    for folder in folders:
        shutil.rmtree(to / "results" / folder)
    write_site(to, account=account)
    return to


def write_site(house: Path, *, account: str | None, partitions: str = "{}") -> None:
    """Write a house's slurm/site.yaml; `partitions` as YAML."""
    text = SITE.format(account=account or "null", partitions=partitions)
    (house / "slurm" / "site.yaml").write_text(text, encoding="utf-8")


def results(house: Path) -> dict[str, str]:
    """SHA-256 of each file of results, as far as it does not show run times."""
    return {path: digest for path, digest in digests(house).items() if path not in TIMED}


class Run:
    """`snakemake --profile slurm`, started, which asks for states three times a second; its output goes to a file.

    The jobs of a `quick` one run in forks (tests/quick_python.py), which are no processes of Slurm's.
    """

    alive: ClassVar[set["Run"]] = set()  # those that nobody has waited for

    def __init__(
        self,
        house: Path,
        cluster: Cluster,
        *options: str,
        latency: int = 10,
        quick: bool = False,
    ) -> None:
        self.house, self.cluster = house, cluster
        self.log = house.with_suffix(f".{time.monotonic_ns()}.log")
        self.ended_before = {job["id"] for job in cluster.jobs(*ENDED)}  # those of tests before this one
        command = ["snakemake", "--profile", "slurm", "--latency-wait", str(latency)]
        command += ["--slurm-robust-init-seconds-before-status-checks", "1", *options]
        python = quick_python() if quick else sys.executable
        with self.log.open("w") as log:
            self.process = start_snakemake(house, command, python, log.fileno(), cluster.environment, QUICK)
        self.alive.add(self)

    @property
    def runs(self) -> bool:
        return self.process.exitcode is None

    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def ends(self, seconds: float = PATIENCE) -> str:
        """Wait for its end, which must be a success; give the output."""
        assert self.wait(seconds) == 0, self.output()
        return self.output()

    def fails(self, seconds: float = PATIENCE) -> str:
        """Wait for its end, which must be a failure; give the output."""
        assert self.wait(seconds) != 0, self.output()
        return self.output()

    def wait(self, seconds: float = PATIENCE) -> int:
        """Wait for its end and give its exit status; killed, and an AssertionError raised, where it takes longer."""
        self.process.join(seconds)
        if (status := self.process.exitcode) is None:
            self.kill()
            raise AssertionError(f"still runs after {seconds} s\n{self.output()}\n{self.cluster.state()}")
        self.alive.discard(self)
        return int(status)

    def says(self, text: str, seconds: float = PATIENCE) -> None:
        """Wait until its output has a text in it."""
        end = time.monotonic() + seconds
        while text not in self.output():
            assert self.runs and time.monotonic() < end, f"never said: {text}\n{self.output()}"
            time.sleep(0.1)

    def job(self, rule: str, *states: str, seconds: float = PATIENCE) -> dict[str, str]:
        """Wait for a job of a rule in one of the states (RUNNING unless told), no job that had ended before."""
        return self.cluster.job(rule, *states, seconds=seconds, but=self.ended_before)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """The run while it does nothing, and asks nothing."""
        self.send(signal.SIGSTOP)
        try:
            yield
        finally:
            self.send(signal.SIGCONT)

    def interrupt(self) -> None:
        self.send(signal.SIGINT)

    def terminate(self) -> None:
        self.send(signal.SIGTERM)

    def send(self, number: int) -> None:
        """Send a signal to Snakemake itself, if it has not ended."""
        if self.runs:
            os.kill(self.process.pid, number)

    def kill(self) -> None:
        """End Snakemake with -9, if it has not ended by itself; its Slurm jobs aside."""
        self.alive.discard(self)
        self.send(signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.join()
