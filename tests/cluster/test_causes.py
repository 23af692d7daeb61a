"""Reasons to wait: those that do not go away by themselves, in Slurm's spellings, and those that do."""

import asyncio
from pathlib import Path

import pytest
from snakemake_executor_plugin_slurm_robust import causes, slurm_questions
from snakemake_executor_plugin_slurm_robust.causes import cause, not_started, stuck

STUCK = {
    "launch failed requeued held": "scontrol release",
    "launch_failed_requeued_held": "scontrol release",
    "user env retrieval failed requeued held": "scontrol release",
    "job requeued in held state": "scontrol release",
    "JobHoldMaxRequeue": "scontrol release",
    "JobHeldUser": "scontrol release",
    "JobHeldAdmin": "ask why",
    "DependencyNeverSatisfied": "failed",
    "AssocGrpCPUMinutesLimit": "hours",
    "AssocGrpBillingMinutes": "hours",
    "AssocGrpGRESMinutes": "hours",
    "AssocGrpWallLimit": "hours",
    "QOSGrpCPUMinutesLimit": "hours",
    "QOSGrpGRESMinutes": "hours",
    "QOSMaxWallDurationPerJobLimit": "max_runtime",
    "AssocMaxWallDurationPerJobLimit": "max_runtime",
    "QOSMaxCpuMinutesPerJobLimit": "max_runtime",
    "QOSMaxCpuPerJobLimit": "max_threads",
    "QOSMaxGRESPerJob": "max_gpu",
    "QOSMaxMemoryPerJob": "max_mem_mb",
    "QOSMaxNodePerJobLimit": "max_nodes",
    "QOSMaxCpuPerNode": "max_threads",
    "AssocMaxMemPerJob": "max_mem_mb",
    "AssocMaxNodePerJobLimit": "max_nodes",
    "MaxMemPerLimit": "max_mem_mb",
    "QOSMinGRES": "qos",
    "QOSMinCpuNotSatisfied": "qos",
    "QOSUsageThreshold": "qos",
    "AccountNotAllowed": "account",
    "InvalidAccount": "account",
    "QOSNotAllowed": "set qos",
    "InvalidQOS": "set qos",
    "PartitionTimeLimit": "max_runtime",
    "PartitionNodeLimit": "max_nodes",
    "PartitionDown": "down",
    "PartitionInactive": "no jobs",
    "BadConstraints": "limits",
    "ReservationDeleted": "reservation",
    "ReqNodeNotAvail": "scontrol show reservation",
    "ReqNodeNotAvail, Reserved for maintenance": "scontrol show reservation",
    "ReqNodeNotAvail,_UnavailableNodes:n[1-3]": "scontrol show reservation",
}
PASSING = (
    "None",
    "Priority",
    "Resources",
    "Dependency",
    "BeginTime",
    "Licenses",
    "Reservation",
    "Prolog",
    "JobArrayTaskLimit",
    "QOSMaxJobsPerUserLimit",
    "QOSMaxCpuPerUserLimit",
    "QOSMaxGRESPerUser",
    "QOSMaxGRESPerAccount",
    "QOSMaxMemoryPerUser",
    "QOSGrpCpuLimit",
    "QOSGrpGRES",
    "QOSGrpCPURunMinutesLimit",
    "AssocGrpCpuLimit",
    "AssocGrpGRES",
    "AssocGrpMemLimit",
    "AssocGrpNodeLimit",
    "AssocGrpJobsLimit",
    "AssocGrpCPURunMinutesLimit",
    "AssocGrpGRESRunMinutes",
    "AssocMaxJobsLimit",
    "",
)


@pytest.mark.parametrize("reason", STUCK)
def test_what_does_not_go_away_by_itself(reason: str) -> None:
    text = stuck(reason)
    assert text and STUCK[reason] in text


@pytest.mark.parametrize("reason", PASSING)
def test_what_goes_away_by_itself(reason: str) -> None:
    assert stuck(reason) is None


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
