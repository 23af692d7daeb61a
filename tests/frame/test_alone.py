"""One run at a time in a folder of results."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from wokflow.frame import alone
from wokflow.frame.job import UserError

from tests.conftest import ROOT

HOLD = """
import sys
from wokflow.frame.alone import take_folder
take_folder(sys.argv[1])
print("taken", flush=True)
sys.stdin.read()
"""


def holder(results: Path) -> subprocess.Popen[str]:
    """A process that has taken the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(results)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout and process.stdout.readline() == "taken\n"
    return process


@pytest.fixture(autouse=True)
def released(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test takes is not held by the tests behind it."""
    held: list[int] = []
    monkeypatch.setattr(alone, "_held", held)
    umask = os.umask(0o022)
    yield
    os.umask(umask)
    for descriptor in held:
        os.close(descriptor)


def test_a_taken_folder_is_refused_with_who_has_it_and_free_once_that_process_was_killed(
    tmp_path: Path,
) -> None:
    with holder(tmp_path / "results") as other:
        who = (
            rf"Another run is writing into .*results \(process {other.pid} on {socket.gethostname()}, since "
        )
        with pytest.raises(UserError, match=who):
            alone.take_folder(str(tmp_path / "results"))
        alone.take_folder(str(tmp_path / "others"))
        other.kill()
        other.wait()
        alone.take_folder(str(tmp_path / "results"))
    held = json.loads((tmp_path / "results/logs/.run.json").read_text(encoding="utf-8"))
    assert held["process"] == os.getpid()


@pytest.mark.parametrize("written", ["", "{", "[]", '{"process": 1}'])
def test_a_holder_that_left_no_name_is_refused_all_the_same(written: str, tmp_path: Path) -> None:
    with holder(tmp_path) as other:
        (tmp_path / "logs/.run.json").write_text(written, encoding="utf-8")
        with pytest.raises(UserError, match=rf"Another run is writing into {tmp_path}\. Wait"):
            alone.take_folder(str(tmp_path))
        other.kill()


def test_where_the_folder_cannot_be_made_snakemake_is_left_to_say_so(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file")
    alone.take_folder(str(tmp_path / "results"))


@pytest.mark.parametrize(
    ("options", "writes"),
    [
        (["snakemake", "--cores", "2"], True),
        (["snakemake", "--unlock"], True),
        (["snakemake", "match", "--list"], False),
        (["snakemake", "--report=wokflow.html"], False),
        (["snakemake", "-S"], False),
    ],
)
def test_options_that_only_show_something_write_no_results(options: list[str], writes: bool) -> None:
    assert alone.writes_results(options) is writes


def test_the_config_files_of_the_last_run_are_known(tmp_path: Path) -> None:
    results = str(tmp_path / "results")
    assert alone.last_config(results) == []
    alone.take_folder(results, ["config/demo.yaml"])
    assert alone.last_config(results) == ["config/demo.yaml"]


WORK = """
import sys
from wokflow.frame.job import job
with job(sys.argv[1]):
    print("begun", flush=True)
    sys.stdin.read()
"""


def test_a_job_that_outlives_its_run_is_named_until_it_ends(tmp_path: Path) -> None:
    results = tmp_path / "results"
    alone.refuse_beside_jobs(str(results))
    log = results / "logs" / "parse_parser" / "all.log"
    with subprocess.Popen(
        [sys.executable, "-c", WORK, str(log)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout and process.stdout.readline() == "begun\n"
        who = (
            rf"parse_parser all, process {process.pid} on {socket.gethostname()}\nWait until they have ended"
        )
        with pytest.raises(
            UserError, match=rf"1 jobs of an earlier run still write into .*results:\n  {who}"
        ):
            alone.refuse_beside_jobs(str(results))
        process.kill()
    alone.refuse_beside_jobs(str(results))
    assert log.exists()
