"""Killed in the middle of a rule of any kind, a run goes on and ends in the bytes of an undisturbed one."""

import os
import shutil
import signal
import time
from collections.abc import Mapping
from pathlib import Path

from wokflow.frame.stages import STAGES

from tests.conftest import rules_run, snakemake, start_snakemake
from tests.quick_python import is_idle, quick_python
from tests.workflow.conftest import EVERY, OPTIONAL, copy_of, digests
from tests.workflow.planner import Planner

TIMED = "report/page/index.html"  # it shows run times
PATIENCE = 120  # seconds, against hanging


def started(house: Path) -> set[str]:
    """Rules that have opened a log."""
    return {path.parent.name for path in (house / "results" / "logs").glob("*/*.log")}


def run_until_killed(house: Path, spared: set[str], delay: float) -> set[str]:
    """Run; kill all with -9 `delay` seconds into the first rule not in `spared`.

    Gives the rules not in `spared` that had begun, so many at once that few runs are needed. Runs take no lock, so
    that none is left to be opened.
    """
    command = ["snakemake", "--cores", "8", "--rerun-incomplete", "--nolock"]
    with Path(os.devnull).open("wb") as nothing:
        process = start_snakemake(house, command, quick_python(), nothing.fileno(), dict(os.environ))
    try:
        while process.is_alive() and not started(house) - spared:
            time.sleep(0.01)
        time.sleep(delay)
    finally:
        if process.is_alive():
            os.killpg(process.pid, signal.SIGKILL)
        process.join()
        end = time.monotonic() + PATIENCE
        while not is_idle(house):
            assert time.monotonic() < end, "jobs go on after Snakemake is killed"
            time.sleep(0.01)
    return started(house) - spared  # now: until it was killed, more could begin


def test_killed_in_each_kind_of_rule_it_ends_in_the_same_bytes(
    built: Path, planner: Planner, tmp_path: Path
) -> None:
    """Outputs of these rules are taken away first; all logs too, so that a start can be seen."""
    house = copy_of(built, tmp_path / "house")
    rules = one_of_each_kind(house, planner.unedited.outputs)
    for path, rule in planner.unedited.outputs.items():
        if rule in rules:
            remove(house / path)
    shutil.rmtree(house / "results" / "logs")
    killed: set[str] = set()
    while begun := run_until_killed(house, EVERY - rules | killed, delay=0.05 * (len(killed) % 8)):
        killed |= begun
    assert killed == rules
    assert rules_run(snakemake(house, "--dry-run").stdout) == set()
    assert {**digests(house), TIMED: ""} == {**digests(built), TIMED: ""}
    assert not list(house.rglob("results/**/.*.part"))


def one_of_each_kind(house: Path, outputs: Mapping[str, str]) -> set[str]:
    """The rules that write folders, each in its own way; of those that write single files, one for each set of kinds.

    Later stages come first, behind which less is made again.
    """
    kinds: dict[str, set[str]] = {}
    for path, rule in outputs.items():
        kinds.setdefault(rule, set()).add("folder" if (house / path).is_dir() else Path(path).suffix)
    chosen = {rule for rule in kinds if "folder" in kinds[rule]}
    for rule in sorted(kinds, key=lambda rule: (-STAGES.index(stage_of(rule)), rule)):
        if all(kinds[rule] != kinds[other] for other in chosen):
            chosen.add(rule)
    return chosen


def test_each_rule_is_of_a_stage() -> None:
    assert {stage_of(rule) for rule in EVERY | OPTIONAL} == set(STAGES)


def stage_of(rule: str) -> str:
    return rule.split("_")[0]


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
