"""Which of Slurm's refusals are for now, and which for good."""

import pytest
from snakemake_executor_plugin_slurm_robust.slurm_refusals import temporary

POLICY = "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
FAILED = (
    "SLURM sbatch failed. The error message was 'sbatch: error: {}'.\n    sbatch call:\n  sbatch -p QOSx {}\n"
)


def refusal(words: str) -> bool | None:
    """Whether Slurm may have taken the job; None for a refusal for good."""
    found = temporary(FAILED.format(words, "--comment rule_MaxSubmitJobs_timed out"))
    return None if found is None else found.may_be_taken


@pytest.mark.parametrize(
    "words",
    [
        f"QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: {POLICY}",
        f"AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: {POLICY}",
        f"AssocGrpSubmitJobsLimit\nsbatch: error: Batch job submission failed: {POLICY}",
        f"Batch job submission failed: {POLICY}",
    ],
)
def test_a_limit_of_submitted_jobs_is_for_now_and_no_job_was_taken(words: str) -> None:
    assert refusal(words) is False


@pytest.mark.parametrize(
    "words",
    [
        "Slurm temporarily unable to accept job, sleeping and retrying",
        "Batch job submission failed: Resource temporarily unavailable",
        "Batch job submission failed: Socket timed out on send/recv operation",
        "Batch job submission failed: Unable to contact slurm controller (connect failure)",
        "Batch job submission failed: Zero Bytes were transmitted or received",
        "Batch job submission failed: Slurm backup controller in standby mode",
        "Batch job submission failed: Communication connection failure",
        "Batch job submission failed: Transport endpoint is not connected",
    ],
)
def test_a_controller_that_is_busy_or_away_may_have_taken_the_job(words: str) -> None:
    assert refusal(words) is True


@pytest.mark.parametrize(
    "words",
    [
        "Batch job submission failed: Invalid account or account/partition combination specified",
        "invalid partition specified: cpus",
        "Batch job submission failed: Requested node configuration is not available",
        "Batch job submission failed: Invalid qos specification",
        "Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)",
        f"QOSMaxWallDurationPerJobLimit\nsbatch: error: Batch job submission failed: {POLICY}",
        f"AssocMaxCpuPerJobLimit\nsbatch: error: Batch job submission failed: {POLICY}",
        f"QOSMinGRES\nsbatch: error: Batch job submission failed: {POLICY}",
    ],
)
def test_a_job_that_can_never_be_taken_is_refused_for_good(words: str) -> None:
    assert refusal(words) is None


def test_other_failures_of_a_submission_are_for_good() -> None:
    assert temporary("Job submission failed with exception: The memory option is not allowed") is None
    assert temporary("") is None
