"""Killed in the middle of each rule in turn, a run goes on and ends in the bytes of an undisturbed one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import rules_run, snakemake
from tests.workflow.conftest import EVERY, digests, new_house

pytestmark = pytest.mark.workflow


def started(house: Path) -> set[str]:
    """Rules that have opened a log."""
    return {path.parent.name for path in (house / "results" / "logs").glob("*/*.log")}


def run_until_killed(house: Path, spared: set[str], delay: float) -> set[str]:
    """Run; kill all with -9 `delay` seconds into the first rule not in `spared`.

    Gives the rules not in `spared` that had begun, none where the run came to its end. Runs take no lock, so that
    none is left to be opened.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--cores", "2", "--rerun-incomplete", "--nolock"],
        cwd=house,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while process.poll() is None:
            if started(house) - spared:
                time.sleep(delay)
                return started(house) - spared
            time.sleep(0.01)
        return set()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_killed_in_each_rule_it_ends_in_the_same_bytes(built: Path, tmp_path: Path) -> None:
    house = new_house(tmp_path / "house")
    killed: set[str] = set()
    while rules := run_until_killed(house, killed, delay=0.05 * (len(killed) % 8)):
        killed |= rules
    assert killed == EVERY
    assert rules_run(snakemake(house).stdout) == set()
    undisturbed = digests(built)
    survived = digests(house)
    undisturbed.pop("report/page/index.html")  # it shows run times
    survived.pop("report/page/index.html")
    assert survived == undisturbed
    assert not list(house.rglob("results/**/.*.part"))
