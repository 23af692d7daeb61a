"""How much time Slurm leaves a job, and whether it is one that may be queued again."""

import shlex
from pathlib import Path

import pytest
from wokflow.cluster.window import minutes_left, queue_again


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Slurm's commands, at the head of PATH; this process is the executor's job 17."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    monkeypatch.setenv("SNAKEMAKE_SLURM_ROBUST", "1")
    return tmp_path


def says(folder: Path, command: str, text: str, arguments: str) -> None:
    """Have a command print a text if it is called with these arguments, and fail otherwise."""
    file = folder / command
    file.write_text(f'#!/bin/sh\n[ "$*" = {shlex.quote(arguments)} ] && echo {shlex.quote(text)}\n')
    file.chmod(0o755)


@pytest.mark.parametrize(
    ("answer", "minutes"),
    [
        ("0:30", 0.5),
        ("59:59", 59 + 59 / 60),
        ("9:59:00", 599),
        ("2-01:00:30", 2940.5),
        ("UNLIMITED", None),
        ("NOT_SET", 600),
        ("INVALID", 600),
    ],
)
def test_minutes_that_slurm_leaves(answer: str, minutes: float | None, slurm: Path) -> None:
    says(slurm, "squeue", answer, "--noheader --jobs=17 --format=%L")
    assert minutes_left(600) == minutes


def test_without_an_answer_it_is_what_was_asked_for(slurm: Path) -> None:
    says(slurm, "squeue", "", "something else")
    assert minutes_left(600) == 600


@pytest.mark.parametrize("variable", ["SLURM_JOB_ID", "SNAKEMAKE_SLURM_ROBUST"])
def test_a_workstation_and_an_allocation_of_the_user_have_no_limit_and_are_not_queued_again(
    variable: str, slurm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(slurm, "squeue", "0:30", "--noheader --jobs=17 --format=%L")
    monkeypatch.delenv(variable)
    assert minutes_left(600) is None
    assert queue_again() == "Run again to go on."


def test_what_slurm_says_to_a_job_that_is_to_be_queued_again(slurm: Path) -> None:
    says(slurm, "scontrol", "", "requeue 17")
    assert queue_again() == "Slurm queues its job again, so that it goes on."
    says(slurm, "scontrol", "", "something else")
    assert queue_again().startswith("Slurm does not queue its job again: ")
