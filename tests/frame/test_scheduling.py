"""The default limit of jobs a second is lifted, and another one stays."""

from types import SimpleNamespace

import pytest
from snakemake.cli import get_argument_parser
from snakemake.scheduling.job_scheduler import JobRateLimiter, JobScheduler
from snakemake.settings.types import MaxJobsPerTimespan
from wokflow.frame.scheduling import lift_default_rate

from tests.conftest import ROOT


def test_snakemake_s_default_is_lifted_before_the_first_job() -> None:
    limit = get_argument_parser().parse_args([]).max_jobs_per_timespan
    scheduler = SimpleNamespace(job_rate_limiter=JobRateLimiter(limit))
    lift_default_rate(scheduler)
    assert scheduler.job_rate_limiter is None
    lift_default_rate(scheduler)
    assert "job_rate_limiter" in JobScheduler.__init__.__code__.co_names, (
        "what is lifted has another name now"
    )
    assert "    lift_default_rate(workflow.scheduler)\n" in (ROOT / "rules/cluster.smk").read_text("utf-8")


@pytest.mark.parametrize("given", ["10/1m", "100/2s", "1000/1s"])
def test_a_limit_that_somebody_set_stays(given: str) -> None:
    scheduler = SimpleNamespace(job_rate_limiter=JobRateLimiter(MaxJobsPerTimespan.parse_choice(given)))
    lift_default_rate(scheduler)
    assert scheduler.job_rate_limiter
