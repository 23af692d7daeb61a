"""States of jobs, as the executor is told them. What squeue says is printed here by a shell."""

import asyncio
import shlex
from pathlib import Path

import pytest
from snakemake_executor_plugin_slurm import query_job_status_squeue
from wokflow.cluster.states import States

SQUEUE = query_job_status_squeue("run")


class Lines(list[str]):
    """A log that keeps its warnings."""

    def warning(self, text: str) -> None:
        self.append(text)


class Slurm:
    """Commands `squeue` and `scontrol` at the head of PATH that print what a test says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.says("scontrol", "", "exit 1")

    def says(self, command: str, text: str, then: str = "") -> None:
        path = self.folder / command
        path.write_text(f"#!/bin/sh\nprintf %s {shlex.quote(text)}\n{then}\n", encoding="utf-8")
        path.chmod(0o755)


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Slurm:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    return Slurm(tmp_path / "bin")


def ask(states: States, log: Lines) -> dict[str, str]:
    return asyncio.run(states(SQUEUE, log))[0]


def test_states_go_through(slurm: Slurm) -> None:
    slurm.says("squeue", "1|COMPLETED|None\n2|RUNNING|None\n3_[1-4]|PENDING|Priority\n")
    log = Lines()
    assert ask(States(), log) == {"1": "COMPLETED", "2": "RUNNING", "3_[1-4]": "PENDING"}
    assert log == []


def test_squeue_is_asked_for_reasons_and_for_each_task(slurm: Slurm) -> None:
    slurm.says("squeue", "", 'case "$*" in *"%i|%T|%r"*--array) echo "7|RUNNING|None";; esac')
    assert ask(States(), Lines()) == {"7": "RUNNING"}


def test_a_job_preempted_for_good_has_failed(slurm: Slurm) -> None:
    slurm.says("squeue", "5|PREEMPTED|None\n")
    log = Lines()
    assert ask(States(), log) == {"5": "FAILED"}
    assert "it had to give way to a job of higher priority" in log[0]


def test_a_job_that_is_not_known_is_unknown(slurm: Slurm) -> None:
    slurm.says("squeue", "6_1|RUNNING|None\n")
    answer = ask(States(), Lines())
    assert "5" in answer and answer["5"] == "UNKNOWN"
    assert answer == {"6_1": "RUNNING"}


def test_silence_leaves_states_as_they_were_and_is_told_once(slurm: Slurm) -> None:
    states, log = States(), Lines()
    slurm.says("squeue", "5|RUNNING|None\n")
    ask(states, log)
    slurm.says("squeue", "", "exit 1")
    assert [ask(states, log) for _ in range(3)] == [{"5": "RUNNING"}] * 3
    slurm.says("squeue", "5|COMPLETED|None\n")
    assert ask(states, log) == {"5": "COMPLETED"}
    assert [line.split(".")[0] for line in log] == ["Slurm does not answer", "Slurm answers again"]


def test_a_failure_names_rule_node_cause_and_log_once(slurm: Slurm) -> None:
    slurm.says("squeue", "5|FAILED|NonZeroExitCode\n")
    slurm.says(
        "scontrol",
        "JobId=5 Comment=rule_match_embed_wildcards_zh ExitCode=127:0 RunTime=00:00:02 NodeList=n2 StdOut=/l/5.log",
    )
    states, log = States(), Lines()
    ask(states, log)
    ask(states, log)
    assert len(log) == 1
    assert log[0].startswith(
        "Slurm job 5 (match_embed zh) on n2 after 00:00:02: FAILED: a command was not found"
    )
    assert "--slurm-exclude-failed-nodes n2" in log[0]
    assert log[0].endswith("log: /l/5.log")


def test_killed_means_memory_and_any_other_code_the_log(slurm: Slurm) -> None:
    slurm.says("squeue", "5|FAILED|None\n")
    slurm.says("scontrol", "JobId=5 ExitCode=0:9")
    killed = Lines()
    ask(States(), killed)
    assert "for want of memory" in killed[0]
    slurm.says("scontrol", "JobId=5 ExitCode=1:0")
    failed = Lines()
    ask(States(), failed)
    assert "its log says why" in failed[0]


def test_a_wait_without_end_is_told_once(slurm: Slurm) -> None:
    slurm.says("squeue", "5|PENDING|PartitionTimeLimit\n6|PENDING|Resources\n")
    states, log = States(), Lines()
    assert ask(states, log) == {"5": "PENDING", "6": "PENDING"}
    ask(states, log)
    assert len(log) == 1
    assert "set max_runtime in slurm/site.yaml" in log[0]
