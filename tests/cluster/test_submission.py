"""What is cancelled before a job is submitted again, and when nothing is submitted."""

from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_executor_plugin_slurm_robust import commands, submission
from snakemake_executor_plugin_slurm_robust.commands import SlurmError
from snakemake_executor_plugin_slurm_robust.deferred import Deferred, Waiting
from snakemake_executor_plugin_slurm_robust.slurm_refusals import Refusal

from tests.cluster.test_states import Lines


def test_a_copy_that_does_not_end_is_cancelled_once_and_waited_for_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second copy appears meanwhile; a job that the executor waits for is none."""
    clock, cancelled, log = [0.0], [], Lines()

    def ask(*command: str) -> str:
        if command[0] == "scancel":
            cancelled.append(command[1:])
        return "5|rule_made\n6|rule_made\n" + ("7|rule_made\n" if clock[0] > 30 else "")

    def sleep(seconds: float) -> None:
        clock[0] += seconds

    monkeypatch.setattr(commands, "ask", ask)
    monkeypatch.setattr(submission, "time", SimpleNamespace(monotonic=lambda: clock[0], sleep=sleep))
    job = SimpleNamespace(name="made", wildcards=[])
    submission.cancel_copies(SimpleNamespace(run_uuid="run", logger=log), [job], {"5"})
    assert cancelled == [("6",), ("7",)] and 60 < clock[0] < 62
    assert [line.rsplit(" ", 1)[-1] for line in log[:2]] == ["6", "7"] and len(log) == 3
    assert "6, 7 have not ended in 60 s" in log[2]


def test_while_squeue_does_not_answer_nothing_is_submitted() -> None:
    """An sbatch that failed may have given the job to Slurm, and no copy of it can be looked for."""
    submitted: list[Any] = []

    def submit(job: Any) -> str:
        submitted.append(job)
        return ""

    def withdraw(job: Any) -> None:
        raise SlurmError("no answer")

    deferred = Deferred(submit, lambda job, message: None, withdraw, Lines())
    deferred._jobs.append(Waiting("a", "Socket timed out", Refusal("it is busy", True)))
    deferred._jobs.append(Waiting("b", "", None))
    assert not deferred._submit_some() and not submitted
    deferred._withdraw = lambda job: None
    assert deferred._submit_some() and submitted == ["a", "b"]
