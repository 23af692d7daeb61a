"""States of jobs, as the executor is told them. What Slurm's commands say is printed here by a shell."""

import asyncio
import shlex
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_executor_plugin_slurm_robust import states as module
from snakemake_executor_plugin_slurm_robust.executor import RobustExecutor
from snakemake_executor_plugin_slurm_robust.states import States


class Lines(list[str]):
    """A log that keeps its warnings."""

    def warning(self, text: str) -> None:
        self.append(text)


class Slurm:
    """Slurm's commands at the head of PATH; each prints what a test says, and none answers before."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        for command in ("squeue", "sacct", "scontrol", "scancel"):
            self.says(command, "", "exit 1")

    def says(self, command: str, text: str, then: str = "") -> None:
        path = self.folder / command
        path.write_text(f"#!/bin/sh\nprintf %s {shlex.quote(text)}\n{then}\n", encoding="utf-8")
        path.chmod(0o755)


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Slurm:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    return Slurm(tmp_path / "bin")


@pytest.fixture
def complete(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of jobs whose outputs are all there."""
    names: set[str] = set()

    async def are_complete(job: Any) -> bool:
        return job.name in names

    monkeypatch.setattr(module, "are_complete", are_complete)
    return names


def of(*jobs: str) -> States:
    """States that are asked for jobs named after their ids."""
    states = States("my.yaml")
    states.run = "run"
    states.jobs = {job: SimpleNamespace(name=f"job{job}") for job in jobs}
    return states


def ask(states: States, log: Lines) -> dict[str, str]:
    return asyncio.run(states.ask(log))


def test_slurm_is_asked_ever_more_rarely_until_a_job_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """At first after 20 s, at last every 3 minutes; and soon while the end of a job is in doubt."""
    settings = SimpleNamespace(init_seconds_before_status_checks=20, keep_successful_logs=True)
    executor = object.__new__(RobustExecutor)
    executor.workflow = SimpleNamespace(
        executor_settings=settings, execution_settings=SimpleNamespace(latency_wait=1)
    )
    executor.run_uuid, executor._asked, executor.status_rate_limiter = "run", [], nullcontext()
    executor._next_seconds_between_status_checks = None
    monkeypatch.setattr(RobustExecutor, "report_job_success", lambda self, info: None)
    states: Any = SimpleNamespace(in_doubt=False)
    executor._states = states
    jobs = [SimpleNamespace(external_jobid=job, aux={"submitted": job}) for job in "56"]

    def pause_after(**answer: str) -> int:
        async def answered(logger: Any) -> dict[str, str]:
            return {name[1:]: state for name, state in answer.items()}

        async def check() -> int:
            return len([info async for info in executor.check_active_jobs(jobs if answer else [])])

        states.ask = answered
        assert asyncio.run(check()) == sum(state == "RUNNING" for state in answer.values())
        return int(executor.next_seconds_between_status_checks)

    executor.logger = Lines()
    running = {"_5": "RUNNING", "_6": "RUNNING"}
    assert pause_after() == 20
    assert [pause_after(**running) for _ in range(18)] == [*range(30, 181, 10), 180, 180]
    assert pause_after(_5="RUNNING", _6="COMPLETED") == 20
    assert [pause_after(**running) for _ in range(2)] == [30, 40]
    states.in_doubt = True
    assert pause_after(**running) == 20


def test_odd_lines_are_skipped(slurm: Slurm) -> None:
    banner = "Welcome\na | b | c\n1|\n|RUNNING|\n5|maintenance tonight|\n----\n\t\n"
    slurm.says("squeue", f"{banner}5|COMPLETED|None\n{banner}")
    assert ask(of("5"), Lines()) == {"5": "COMPLETED"}


def test_silence_leaves_jobs_running_and_is_logged_once(slurm: Slurm) -> None:
    states, log = of("5"), Lines()
    assert [ask(states, log) for _ in range(3)] == [{"5": "RUNNING"}] * 3
    slurm.says("squeue", "5|COMPLETED|None\n")
    assert ask(states, log) == {"5": "COMPLETED"}
    assert [line.split(".")[0] for line in log] == ["Slurm does not answer", "Slurm answers again"]


def test_outputs_may_be_seen_late(slurm: Slurm, complete: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    slurm.says("squeue", "")
    states, log = of("5"), Lines()
    states.latency = 10
    for clock[0] in (0, 5, 9.9):
        assert ask(states, log) == {"5": "RUNNING"}
    clock[0] = 10
    assert ask(states, log) == {"5": "FAILED"}


def test_a_job_that_comes_back_is_counted_anew(slurm: Slurm, complete: set[str]) -> None:
    states, log = of("5"), Lines()
    for answer in ("", "5|RUNNING|None\n", ""):
        slurm.says("squeue", answer)
        assert ask(states, log) == {"5": "RUNNING"}


@pytest.mark.parametrize(
    ("recorded", "told"),
    [
        ("COMPLETED", "COMPLETED"),
        ("FAILED", "FAILED"),
        ("CANCELLED by 0", "CANCELLED"),
        ("TIMEOUT", "TIMEOUT"),
        ("NODE_FAIL", "FAILED"),
        ("RUNNING", "RUNNING"),
    ],
)
def test_accounting_decides(recorded: str, told: str, slurm: Slurm) -> None:
    slurm.says("squeue", "")
    slurm.says("sacct", f"banner\n5|{recorded}\n")
    assert ask(of("5"), Lines()) == {"5": told}


def test_accounting_is_asked_once_for_all_that_squeue_leaves_out(slurm: Slurm) -> None:
    slurm.says("squeue", "4|RUNNING|None\n")
    slurm.says("sacct", "", 'case "$*" in *"-X "*--jobs=5,6) printf "5|COMPLETED\\n6|FAILED\\n";; esac')
    assert ask(of("4", "5", "6"), Lines()) == {"4": "RUNNING", "5": "COMPLETED", "6": "FAILED"}


def test_accounting_that_is_wrong_for_ever_is_not_waited_for(slurm: Slurm, complete: set[str]) -> None:
    slurm.says("squeue", "")
    slurm.says("sacct", "5|RUNNING\n")
    states, log = of("5"), Lines()
    assert [ask(states, log)["5"] for _ in range(5)] == ["RUNNING"] * 4 + ["FAILED"]


@pytest.mark.parametrize("state", ["PREEMPTED", "SPECIAL_EXIT"])
def test_a_job_that_is_given_up_is_cancelled_and_its_end_awaited(
    state: str, slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it is seen to be alive twice after it was cancelled."""
    monkeypatch.setattr(module, "END", 600.0)
    asked = f"test $(wc -c < {tmp_path}/asked) -gt 3 || cat {tmp_path}/answer"
    slurm.says("squeue", "", f"printf . >> {tmp_path}/asked; {asked}")
    alive = f"printf '5|COMPLETING|None\\n' > {tmp_path}/answer"
    slurm.says("scancel", "", f"echo $* > {tmp_path}/cancelled; {alive}")
    (tmp_path / "answer").write_text(f"5|{state}|None\n")
    log = Lines()
    assert ask(of("5"), log) == {"5": "FAILED"}
    assert (tmp_path / "cancelled").read_text() == "5\n"
    assert (tmp_path / "asked").read_text() == "...."
    assert state in log[0]


def test_a_job_whose_end_does_not_come_is_not_given_up(
    slurm: Slurm, complete: set[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "END", 0.6)
    slurm.says("squeue", "", f"test ! -f {tmp_path}/cancelled || echo '5|COMPLETING|None'")
    slurm.says("scancel", "", f": > {tmp_path}/cancelled")
    states, log = of("5"), Lines()
    assert [ask(states, log)["5"] for _ in range(3)] == ["RUNNING", "RUNNING", "COMPLETING"]


def test_a_failure_names_rule_node_cause_and_log_once(slurm: Slurm) -> None:
    slurm.says("squeue", "5|FAILED|NonZeroExitCode\n")
    slurm.says(
        "scontrol",
        "JobId=5 Comment=rule_match_embed_wildcards_zh ExitCode=127:0 RunTime=00:00:02 NodeList=n2 StdOut=/l/5.log",
    )
    states, log = of("5"), Lines()
    ask(states, log)
    ask(states, log)
    assert len(log) == 1
    assert log[0].startswith(
        "Slurm job 5 (match_embed zh) on n2 after 00:00:02: FAILED: a command was not found"
    )
    assert "--slurm-robust-exclude-failed-nodes n2" in log[0]
    assert log[0].endswith("log: /l/5.log")


def test_a_wait_without_end_is_logged_once(slurm: Slurm) -> None:
    slurm.says("squeue", "5|PENDING|PartitionTimeLimit\n6|PENDING|Resources\n")
    states, log = of("5", "6"), Lines()
    assert ask(states, log) == {"5": "PENDING", "6": "PENDING"}
    ask(states, log)
    assert len(log) == 1 and "set max_runtime in my.yaml" in log[0]


def test_a_wait_that_may_pass_is_logged_once_for_all_jobs(slurm: Slurm) -> None:
    """Slurm gives its reason to all jobs behind one of a higher priority, too, while each node is up."""
    reason = "Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved_for_jobs_in_higher_priority_partitions"
    slurm.says("squeue", "".join(f"{job}|PENDING|{reason}\n" for job in "567"))
    log = Lines()
    ask(of("5", "6", "7"), log)
    assert len(log) == 1 and log[0].startswith("Slurm job 5 may not start by itself (Nodes")


def test_a_slow_scontrol_holds_up_neither_the_loop_nor_the_other_jobs(slurm: Slurm, tmp_path: Path) -> None:
    """Of eight questions as many as may be asked at once are; none is answered before the loop has got on."""
    slurm.says("squeue", "".join(f"{job}|FAILED|None\n" for job in range(8)))
    # A minute at most, against hanging: 1,200 times a twentieth of a second.
    wait = f"n=0; until [ -e {tmp_path}/go ] || [ $((n += 1)) -gt 1200 ]; do sleep 0.05; done"
    slurm.says("scontrol", "", f"mktemp {tmp_path}/asked.XXXXXX; {wait}")

    async def lets_go() -> int:
        while len(list(tmp_path.glob("asked.*"))) < module.AT_ONCE:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)  # in which all others would be asked, too
        asked = len(list(tmp_path.glob("asked.*")))
        (tmp_path / "go").touch()
        return asked

    async def both() -> None:
        letting_go = asyncio.create_task(lets_go())
        await of(*map(str, range(8))).ask(log)
        assert (tmp_path / "go").exists()
        assert await letting_go == module.AT_ONCE

    log = Lines()
    asyncio.run(both())
    assert len(log) == 8
