"""Jobs as they are submitted: with other resources than Snakemake gave them, or several in one job of Slurm.

A bundle is several jobs of Snakemake in one job of Slurm. A job of Slurm costs a start of Snakemake on its node, a
submission and several requests to the controller. So if more than MOST jobs of a rule are ready, they are divided
among at most MOST jobs of Slurm, each of which runs its share one after the other. It asks for the resources of one
job, time included: a rule's time is meant for a whole corpus, of which so many shards are small parts.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

MOST = 50  # jobs of Slurm, at most, for the ready jobs of one rule
VARYING = ("disk", "tmpdir")  # prefixes of resources that Slurm is not asked for


class Resources(dict[str, Any]):
    """Resources by name, which are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class JobView:
    """A job, or a group of jobs, of Snakemake, with other resources or threads than its own."""

    def __init__(self, job: Any, resources: Mapping[str, Any], threads: int) -> None:
        self.viewed, self.resources, self.threads = job, Resources(resources), threads

    def __getattr__(self, name: str) -> Any:
        return getattr(self.viewed, name)


class Bundle(JobView):
    """Several jobs that one job of Slurm runs one after the other: a group that Snakemake's graph does not know."""

    def __init__(self, jobs: Sequence[Any]) -> None:
        from snakemake.jobs import GroupJob

        first = jobs[0]
        group = GroupJob(f"bundle_{first.uuid()}", frozenset(jobs), first.dag.workflow.global_resources)
        group.toposorted = [list(jobs)]
        super().__init__(group, {**_resources(first), "_cores": first.threads, "_nodes": 1}, first.threads)


def bundled(jobs: Sequence[Any]) -> tuple[list[Bundle], list[Any]]:
    """Bundles of jobs, and the jobs that are submitted alone, in order.

    Only jobs of one rule with the same resources are bundled, and no retries.
    """
    alike: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for job in jobs:
        if not job.is_group() and job.attempt == 1:
            asked = sorted((name, str(value)) for name, value in _resources(job).items())
            alike[job.rule.name, *asked].append(job)
    bundles = [Bundle(chunk) for many in alike.values() if len(many) > MOST for chunk in _chunks(many)]
    together = {job for bundle in bundles for job in bundle.jobs}
    return bundles, [job for job in jobs if job not in together]


def original(job: Any) -> Any:
    """Snakemake's own job behind a view; a bundle stays one."""
    while isinstance(job, JobView) and not isinstance(job, Bundle):
        job = job.viewed
    return job


def members(job: Any) -> Iterator[Any]:
    """The jobs of a group or a bundle; of a single job, itself."""
    if job.is_group():
        yield from job.jobs
    else:
        yield original(job)


def reported(job: Any) -> list[Any]:
    """The jobs that Snakemake knows behind a submitted one: each of a bundle, otherwise the job or the group."""
    job = original(job)
    return list(job.jobs) if isinstance(job, Bundle) else [job]


def _chunks(jobs: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """At most MOST parts of about the same size."""
    size = -(-len(jobs) // MOST)
    return (jobs[start : start + size] for start in range(0, len(jobs), size))


def _resources(job: Any) -> dict[str, Any]:
    return {name: value for name, value in job.resources.items() if not name.startswith(VARYING)}
