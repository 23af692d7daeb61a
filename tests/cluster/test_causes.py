"""Reasons to wait: those that do not go away by themselves, in Slurm's spellings, and those that do."""

import asyncio
from pathlib import Path

import pytest
from snakemake_executor_plugin_slurm_robust import causes, slurm_questions
from snakemake_executor_plugin_slurm_robust.causes import cause, not_started, stuck

# Reasons as Slurm writes them, by a word of what is advised.
STUCK = {
    "scontrol release": "launch failed requeued held; launch_failed_requeued_held; "
    "user env retrieval failed requeued held; job requeued in held state; JobHoldMaxRequeue; "
    "JobHeldUser",
    "ask why": "JobHeldAdmin",
    "failed": "DependencyNeverSatisfied",
    "hours": "AssocGrpCPUMinutesLimit; AssocGrpBillingMinutes; AssocGrpGRESMinutes; AssocGrpWallLimit; "
    "QOSGrpCPUMinutesLimit; QOSGrpGRESMinutes",
    "max_runtime": "QOSMaxWallDurationPerJobLimit; AssocMaxWallDurationPerJobLimit; QOSMaxCpuMinutesPerJobLimit; "
    "PartitionTimeLimit",
    "max_threads": "QOSMaxCpuPerJobLimit; QOSMaxCpuPerNode",
    "max_gpu": "QOSMaxGRESPerJob",
    "max_mem_mb": "QOSMaxMemoryPerJob; AssocMaxMemPerJob; MaxMemPerLimit",
    "max_nodes": "QOSMaxNodePerJobLimit; AssocMaxNodePerJobLimit; PartitionNodeLimit",
    "qos": "QOSMinGRES; QOSMinCpuNotSatisfied; QOSUsageThreshold",
    "account": "AccountNotAllowed; InvalidAccount",
    "set qos": "QOSNotAllowed; InvalidQOS",
    "down": "PartitionDown",
    "no jobs": "PartitionInactive",
    "limits": "BadConstraints",
    "reservation": "ReservationDeleted",
    "scontrol show reservation": "ReqNodeNotAvail; ReqNodeNotAvail, Reserved for maintenance; "
    "ReqNodeNotAvail,_UnavailableNodes:n[1-3]; "
    "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions; "
    "Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved_for_jobs_in_higher_priority_partitions",
}
PASSING = (
    "None Priority Resources Dependency BeginTime Licenses Reservation Prolog JobArrayTaskLimit "
    "QOSMaxJobsPerUserLimit QOSMaxCpuPerUserLimit QOSMaxGRESPerUser QOSMaxGRESPerAccount "
    "QOSMaxMemoryPerUser QOSGrpCpuLimit QOSGrpGRES QOSGrpCPURunMinutesLimit AssocGrpCpuLimit "
    "AssocGrpGRES AssocGrpMemLimit AssocGrpNodeLimit AssocGrpJobsLimit AssocGrpCPURunMinutesLimit "
    "AssocGrpGRESRunMinutes AssocMaxJobsLimit"
)


@pytest.mark.parametrize(
    ("word", "reason"), [(word, one) for word in STUCK for one in STUCK[word].split("; ")]
)
def test_what_does_not_go_away_by_itself(word: str, reason: str) -> None:
    text = stuck(reason, "my.yaml")
    assert text and word in text and "{site}" not in text


@pytest.mark.parametrize("reason", ["", *PASSING.split()])
def test_what_goes_away_by_itself(reason: str) -> None:
    assert stuck(reason, "my.yaml") is None


def test_a_job_s_log_says_why_it_failed(tmp_path: Path) -> None:
    """Of a log of any length and any bytes the end is read."""
    log = tmp_path / "job.log"
    for said, why in (
        (
            b"slurmstepd: error: Detected 1 oom_kill event in StepId=3.0.",
            "it needed more memory than it had.",
        ),
        (b"no room on the disk\n(log: results/logs/a.log)", "no room on the disk"),
        (b"slurmstepd: error: nothing of note", ""),
    ):
        log.write_bytes(b"slurmstepd" * 200_000 + b"\n\xff\n" + said + b"\n")
        assert cause(str(log)).startswith(why) and bool(cause(str(log))) is bool(why)
    log.write_bytes(b"slurmstepd: error: execve(): /no/such: python: No such file or directory\n")
    assert not_started(str(log)) == "/no/such: python could not be run on that node"
    assert cause(str(tmp_path / "absent")) == not_started(str(tmp_path)) == ""


def test_what_is_said_of_a_failed_job_moves_no_cursor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").write_bytes(b"\x1b[2Jgone\xff\n(log: a)\n")

    async def about(job: str) -> dict[str, str]:
        return {"Comment": "rule_a", "StdOut": str(tmp_path / "log"), "ExitCode": "1:0"}

    monkeypatch.setattr(slurm_questions, "describe", about)
    assert "?[2Jgone\ufffd" in asyncio.run(causes.failure("7", "FAILED"))
