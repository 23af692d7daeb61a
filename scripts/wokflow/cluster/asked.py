"""The requests of a run's jobs, as Snakemake computes them in a dry run."""

import contextlib
import io
from collections.abc import Iterable
from dataclasses import dataclass

from snakemake_executor_plugin_slurm_robust.placement import request_of
from snakemake_executor_plugin_slurm_robust.requests import Request, place
from snakemake_executor_plugin_slurm_robust.site import Site
from snakemake_interface_common.exceptions import WorkflowError

from wokflow.frame.job import UserError


@dataclass(frozen=True)
class Asked:
    """The requests of a rule's jobs at the first attempt and at the last."""

    rule: str
    first: Request
    last: Request


def read_requests(options: list[str], retries: int) -> list[Asked]:
    """The requests of all jobs of a run, finished or not, each request once.

    Retries are limited by the partitions in slurm/site.yaml. Raises UserError with Snakemake's words if Snakemake
    cannot plan the run.
    """
    from wokflow.frame.plan import dry_workflow

    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        workflow = dry_workflow(
            ["--jobs", "1", *options]
        )  # with --cores alone, this machine's GPUs would count
    if workflow is None:
        raise UserError(output.getvalue().strip())
    requests: dict[Asked, None] = {}
    for job in workflow.dag.jobs:
        if not job.rule.norun:
            job.attempt = retries + 1
            last = request_of(job)
            job.attempt = 1
            requests[Asked(job.rule.name, request_of(job), last)] = None
    return list(requests)


def by_partition(
    site: Site, asked: Iterable[Asked]
) -> tuple[dict[str | None, list[Asked]], dict[Asked, str]]:
    """Requests by the partition that they go to; and requests that no partition takes, with the reason.

    None stands for the cluster's default partition, where all jobs go if the site file names none. A last attempt
    that goes to another partition than the first counts there.
    """
    places: dict[str | None, list[Asked]] = {}
    refused: dict[Asked, str] = {}
    for request in asked:
        if not site.partitions:
            places.setdefault(None, []).append(request)
            continue
        try:
            first, _ = place(site, request.first)
            last, granted = place(site, request.last, retry=True)
        except WorkflowError as error:
            refused[request] = str(error)
            continue
        if last == first:
            places.setdefault(first, []).append(Asked(request.rule, request.first, granted))
        else:
            places.setdefault(first, []).append(Asked(request.rule, request.first, request.first))
            places.setdefault(last, []).append(Asked(request.rule, Request(), granted))
    return places, refused
