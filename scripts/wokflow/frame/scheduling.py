"""Snakemake's limit of jobs a second, which costs more than it saves."""

from typing import Any

# Jobs and seconds: Snakemake's own, where neither the command line nor a profile says another.
DEFAULT = (100, 1)


def lift_default_rate(scheduler: Any) -> None:
    """Set no limit where the limit of Snakemake's JobScheduler is the default.

    No run of this workflow meets the default. But with any limit, the scheduler starts a timer each time that it
    looks at jobs that are ready and wait for cores, and looks again when the timer goes off; and it looks each time
    that a job ends. So each job that has ended adds a timer that goes off every second for as long as any job waits:
    after some hundred jobs, Snakemake needs a core for itself.
    """
    limit = getattr(scheduler, "job_rate_limiter", None)
    if limit and (limit.max_jobs, limit.timespan) == DEFAULT:
        scheduler.job_rate_limiter = None
