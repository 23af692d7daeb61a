"""Two runs at once: refused in one folder of results, and both carried out in two."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import snakemake
from tests.workflow.conftest import new_house

HOLD = (
    "from wokflow.frame.alone import take_folder; take_folder('results'); print('taken', flush=True); input()"
)
WORK = (
    "from wokflow.frame.job import job\n"
    "with job('results/logs/ingest_recipes/zh.log'): print('taken', flush=True); input()"
)
REFUSED = "Another run is writing into results (process {} on "


@pytest.fixture
def house(tmp_path: Path) -> Path:
    return new_house(tmp_path / "house")


@contextmanager
def process(house: Path, code: str) -> Iterator[subprocess.Popen[str]]:
    """A process that runs code of a house, has said a line, and then waits until it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=house,
        env=os.environ | {"PYTHONPATH": str(house / "scripts")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        assert started.stdout and started.stdout.readline() == "taken\n"
        yield started
        started.kill()


@pytest.fixture
def other(house: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has taken the house's folder of results."""
    with process(house, HOLD) as holder:
        yield holder


def test_a_second_run_in_the_same_results_is_refused_while_the_first_lives(
    house: Path, other: subprocess.Popen[str]
) -> None:
    for options in ([], ["--unlock"]):
        refused = snakemake(house, *options, check=False)
        assert refused.returncode != 0
        assert REFUSED.format(other.pid) in refused.stdout
        assert "--unlock would be wrong now" in refused.stdout
    assert "match_pair" in snakemake(house, "--dry-run").stdout
    assert "match_pair" in snakemake(house, "--list-rules").stdout


def test_the_folder_is_free_once_the_first_run_was_killed(house: Path, other: subprocess.Popen[str]) -> None:
    other.kill()
    other.wait()
    snakemake(house, "--", "ingest")
    held = json.loads((house / "results/logs/.run.json").read_text(encoding="utf-8"))
    assert held["process"] != other.pid and held["since"] <= time.strftime("%Y-%m-%d %H:%M")


def test_a_job_that_outlives_its_run_is_named_and_no_second_one_begins(house: Path) -> None:
    """As kill -9 leaves it: the run is gone, and its job goes on."""
    with process(house, WORK) as orphan:
        refused = snakemake(house, "--", "ingest", check=False)
        assert refused.returncode != 0 and f"ingest_recipes zh, process {orphan.pid} on " in refused.stdout
        assert not list((house / "results/ingest").rglob("*.parquet"))
    snakemake(house, "--", "ingest")


def test_two_runs_with_results_of_their_own_go_on_side_by_side(house: Path) -> None:
    folders = ("one", "two")
    with ThreadPoolExecutor(2) as pool:
        runs = [
            pool.submit(snakemake, house, "--config", f"results={name}", "--", "ingest") for name in folders
        ]
    assert [run.result().returncode for run in runs] == [0, 0]
    assert all((house / name / "ingest/recipes/xiachufang/part-00000.parquet").exists() for name in folders)
