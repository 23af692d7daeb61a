"""Bundles: several jobs of Snakemake in one job of Slurm, where many jobs of a rule are ready at once.

A job of Slurm costs a start of Snakemake on its node, a submission and several requests to the controller. So if
more than MOST jobs of a rule are ready, they are divided among at most MOST jobs of Slurm, each of which runs its
share one after the other. It asks for the resources of one job, time included: a rule's time is meant for a whole
corpus, of which so many shards are small parts.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

MOST = 50  # jobs of Slurm, at most, for the ready jobs of one rule
VARYING = ("disk", "tmpdir")  # prefixes of resources that Slurm is not asked for
ALL_CORES = re.compile(r"(--cores) '?all'?(?= )")


def bundled(jobs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Bundles of jobs, and the jobs that are submitted alone, in order.

    Only jobs of one rule with the same resources are bundled, and no retries. A bundle is a group of Snakemake that
    its graph of jobs does not know.
    """
    alike: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for job in jobs:
        if not job.is_group() and job.attempt == 1:
            asked = sorted((name, str(value)) for name, value in _resources(job).items())
            alike[job.rule.name, *asked].append(job)
    bundles = [_bundle(chunk) for many in alike.values() if len(many) > MOST for chunk in _chunks(many)]
    together = {job for bundle in bundles for job in bundle.jobs}
    return bundles, [job for job in jobs if job not in together]


def is_bundle(job: Any) -> bool:
    """Whether a job is a bundle made by `bundled`."""
    return bool(job.is_group()) and str(job.groupid).startswith("bundle_")


def one_after_the_other(command: str, threads: int) -> str:
    """A bundle's command with only as many cores as one of its jobs needs, so that they run one after the other."""
    return ALL_CORES.sub(rf"\1 {threads}", command, count=1)


def _chunks(jobs: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """At most MOST parts of about the same size."""
    size = -(-len(jobs) // MOST)
    return (jobs[start : start + size] for start in range(0, len(jobs), size))


def _bundle(jobs: Sequence[Any]) -> Any:
    from snakemake.jobs import GroupJob

    first = jobs[0]
    group = GroupJob(f"bundle_{first.uuid()}", frozenset(jobs), first.dag.workflow.global_resources)
    group.toposorted = [list(jobs)]
    group._resources = {**_resources(first), "_cores": first.threads, "_nodes": 1}
    return group


def _resources(job: Any) -> dict[str, Any]:
    return {name: value for name, value in job.resources.items() if not name.startswith(VARYING)}
