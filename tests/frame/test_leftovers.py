"""Temporary files of writers that have ended are removed; those of writers that may live never are."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from wokflow.frame import leftovers, tables
from wokflow.frame.leftovers import temporary_name


@pytest.fixture
def dead() -> int:
    """The number of a process that has ended."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


@pytest.fixture
def host() -> str:
    return temporary_name(Path("out")).name.split(".")[2]


@pytest.fixture
def in_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process runs in job 7 of the cluster `hpc`."""
    monkeypatch.setenv("SLURM_CLUSTER_NAME", "hpc")
    monkeypatch.setenv("SLURM_JOB_ID", "7")


def says(folder: Path, command: str, lines: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a command on PATH that answers."""
    folder.mkdir(exist_ok=True)
    (folder / command).write_text(f"#!/bin/sh\nprintf '{lines}'\n")
    (folder / command).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def kept(folder: Path, left: str) -> bool:
    """Whether a file and a folder of that name, beside an output that is written now, are kept."""
    (folder / "file").mkdir()
    (folder / "folder").mkdir()
    (folder / "file" / left).write_text("half")
    (folder / "folder" / left).mkdir()
    tables.write_text(folder / "file" / "out", "whole")
    with tables.atomic_folder(folder / "folder" / "out"):
        pass
    there = [(folder / kind / left).exists() for kind in ("file", "folder")]
    assert there[0] == there[1]
    return there[0]


def test_a_name_carries_host_job_and_process(in_slurm: None) -> None:
    name = temporary_name(Path("results/part-0.parquet")).name
    assert name.startswith(".part-0.parquet.") and name.endswith(f".hpc_7.{os.getpid()}.part")
    assert name.split(".")[3].startswith(re.sub(r"[^\w-]", "_", socket.gethostname()))


def test_a_process_of_this_host_that_is_gone(tmp_path: Path, host: str, dead: int) -> None:
    assert not kept(tmp_path, f".out.{host}.0.{dead}.part")


def test_what_was_set_aside_goes_too(tmp_path: Path, host: str, dead: int) -> None:
    assert not kept(tmp_path, f".out.{host}.0.{dead}.old.part")


def test_a_process_of_this_host_that_lives(tmp_path: Path, host: str) -> None:
    assert kept(tmp_path, f".out.{host}.0.{os.getppid()}.part")


def test_a_process_of_another_host(tmp_path: Path, dead: int) -> None:
    assert kept(tmp_path, f".out.elsewhere.0.{dead}.part")


@pytest.mark.parametrize("name", [".other.{}.0.{}.part", ".out.sha256.{}.0.{}.part", ".out.12.part"])
def test_names_of_other_outputs(name: str, tmp_path: Path, host: str, dead: int) -> None:
    assert kept(tmp_path, name.format(host, dead))


@pytest.mark.parametrize(
    ("job", "squeue", "sacct", "stays"),
    [
        ("hpc_5", "COMPLETED", "", False),
        ("hpc_5", "RUNNING", "", True),
        ("hpc_5", "NODE_FAIL", "", True),
        ("hpc_5", "", "CANCELLED by 0", False),
        ("hpc_5", "", "RUNNING", True),
        ("hpc_5", "", "", True),
        ("hpc_7", "COMPLETED", "", True),
        ("other_5", "COMPLETED", "", True),
    ],
    ids=[
        "ended",
        "runs",
        "its node was lost",
        "cancelled, by accounting",
        "runs, by accounting",
        "unknown",
        "this job, on a node before",
        "another cluster's",
    ],
)
def test_a_job_on_another_node(
    job: str,
    squeue: str,
    sacct: str,
    stays: bool,
    in_slurm: None,
    tmp_path: Path,
    dead: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    says(tmp_path / "bin", "squeue", squeue, monkeypatch)
    says(tmp_path / "bin", "sacct", sacct, monkeypatch)
    assert kept(tmp_path, f".out.elsewhere.{job}.{dead}.part") == stays


def test_a_process_of_another_container_of_this_host(tmp_path: Path, host: str, dead: int) -> None:
    """It counts its processes by itself, so that a number says nothing here."""
    name, _, counted = host.rpartition("-")
    other = "0" * len(counted) if counted.strip("0") else "1" * len(counted)
    assert kept(tmp_path, f".out.{name}-{other}.0.{dead}.part")


def test_two_live_writers_leave_each_other_alone(tmp_path: Path) -> None:
    """The second begins and ends while the first is at work; the last to end has the output."""
    other = (
        f"import sys; sys.path.insert(0, {str(Path(tables.__file__).parents[2])!r})\n"
        "from wokflow.frame import tables\n"
        f"tables.write_text({str(tmp_path / 'out')!r}, 'second')\n"
        f"with tables.atomic_folder({str(tmp_path / 'folder')!r}) as folder: (folder / 'second').touch()\n"
    )
    with tables.atomic(tmp_path / "out") as file, tables.atomic_folder(tmp_path / "folder") as folder:
        file.write_text("first")
        (folder / "first").touch()
        subprocess.run([sys.executable, "-c", other], check=True)
        assert (tmp_path / "out").read_text() == "second"
    assert (tmp_path / "out").read_text() == "first"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["first", "folder", "out"]


@pytest.mark.parametrize("other", ["boot_id", "ns/pid"])
def test_another_start_of_the_machine_and_another_container_are_another_host(
    other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = leftovers._host.__wrapped__()
    read = leftovers._content
    monkeypatch.setattr(
        leftovers, "_content", lambda path: read(path) + ("changed" if path.endswith(other) else "")
    )
    assert leftovers._host.__wrapped__() != here
