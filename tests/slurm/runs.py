"""Runs of Snakemake with the cluster profile, in small houses, on a private cluster."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar

from tests.conftest import ROOT
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
    """`snakemake --profile slurm`, started; its output goes to a file. A fast one asks for states each second."""

    alive: ClassVar[set["Run"]] = set()  # those that nobody has waited for

    def __init__(
        self, house: Path, cluster: Cluster, *options: str, fast: bool = True, latency: int = 10
    ) -> None:
        self.house, self.cluster = house, cluster
        self.log = house.with_suffix(f".{time.monotonic_ns()}.log")
        self.ended_before = {job["id"] for job in cluster.jobs(*ENDED)}  # those of tests before this one
        command = [sys.executable, "-m", "snakemake", "--profile", "slurm"]
        if fast:
            command[1:3] = [str(QUICK)]
            command += ["--slurm-init-seconds-before-status-checks", "1", "--latency-wait", str(latency)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [*command, *options],
                cwd=house,
                env=cluster.environment | {"BETWEEN_QUESTIONS": "1"},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.alive.add(self)

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
        try:
            status = self.process.wait(seconds)
            self.alive.discard(self)
            return status
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(
                f"still runs after {seconds} s\n{self.output()}\n{self.cluster.state()}"
            ) from None

    def says(self, text: str, seconds: float = PATIENCE) -> None:
        """Wait until its output has a text in it."""
        end = time.monotonic() + seconds
        while text not in self.output():
            assert self.process.poll() is None and time.monotonic() < end, (
                f"never said: {text}\n{self.output()}"
            )
            time.sleep(0.1)

    def job(self, rule: str, *states: str, seconds: float = PATIENCE) -> dict[str, str]:
        """Wait for a job of a rule in one of the states (RUNNING unless told), no job that had ended before."""
        return self.cluster.job(rule, *states, seconds=seconds, but=self.ended_before)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """The run while it does nothing, and asks nothing."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End Snakemake with -9, if it has not ended by itself; its Slurm jobs aside."""
        self.alive.discard(self)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
