"""Reasons to wait: those that do not go away by themselves, in Slurm's spellings, and those that do."""

import pytest
from wokflow.cluster.causes import stuck

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
