"""Compares the number of a run's jobs, and what they ask for, with what accounts and qos allow."""

from collections.abc import Iterator, Mapping, Sequence

from snakemake_executor_plugin_slurm_robust.site import LIMITS, Site

from wokflow.cluster import slurm
from wokflow.cluster.asked import Asked
from wokflow.cluster.check_findings import OK, PROBLEM, WARNING, Finding
from wokflow.cluster.commands import SlurmError
from wokflow.cluster.limits import Places, exceeding
from wokflow.cluster.slurm import Association, Qos

RESOURCES = {
    "cpu": "max_threads",
    "mem": "max_mem_mb",
    "gres/gpu": "max_gpu",
    "node": "max_nodes",
}  # Slurm's -> limit


def allowances(site: Site, places: Places, jobs: int) -> Iterator[Finding]:
    """Findings about the accounts and qos of partitions; none where the cluster has no accounting.

    `jobs` is how many jobs a run has in the queue at once.
    """
    try:
        own, every_qos = slurm.associations(), slurm.every_qos()
    except SlurmError:
        return
    findings: dict[Finding, None] = {}
    for partition in site.partitions or (None,):
        for association in _associations(site, partition, own):
            qos = every_qos.get(site.setting("qos", partition) or association.default_qos)
            findings |= dict.fromkeys(_counts(association, qos, jobs))
            if qos is not None:
                findings |= dict.fromkeys(_sizes(qos, partition, places.get(partition, ())))
    yield from findings


def _associations(site: Site, partition: str | None, own: Sequence[Association]) -> list[Association]:
    """The user's associations with a partition's account; all of them if the site file names no account."""
    name = site.setting("account", partition)
    return [association for association in own if name is None or association.account == name.lower()]


def _counts(association: Association, qos: Qos | None, jobs: int) -> Iterator[Finding]:
    for what, limits in ((f"account {association.account}", association), (f"qos {qos and qos.name}", qos)):
        if limits is None:
            continue
        if limits.most_jobs is not None and limits.most_jobs < jobs:
            yield Finding(
                PROBLEM,
                f"{what} may have {limits.most_jobs} jobs in the queue, and a run queues {jobs}",
                f"Set jobs: {limits.most_jobs} in slurm/config.yaml (less, if you submit other jobs too)",
            )
        if limits.most_running is not None and limits.most_running < jobs:
            yield Finding(OK, f"{what} runs {limits.most_running} jobs at once; the others wait in the queue")


def _sizes(qos: Qos, partition: str | None, asked: Sequence[Asked]) -> Iterator[Finding]:
    """Jobs that a qos never lets start: one alone exceeds what it allows a job, or all jobs of a user together."""
    allowed: dict[str, int] = {} if qos.minutes is None else {"max_runtime": qos.minutes}
    for amounts in (qos.per_user, qos.per_job):
        allowed |= _smaller(
            allowed, {RESOURCES[name]: most for name, most in amounts.items() if name in RESOURCES}
        )
    for limit, most in allowed.items():
        if beyond := exceeding(limit, most, asked, whole_job=True):
            asks, at_once = beyond
            where = f"for {partition}, under partitions" if partition else "for a partition that you name"
            yield Finding(
                PROBLEM if at_once else WARNING,
                f"qos {qos.name} allows {most} {LIMITS[limit]} at most, {asks}; such a job does not start",
                f"Set {limit}: {most} {where} in slurm/site.yaml, or another qos there",
            )


def _smaller(limits: Mapping[str, int], others: Mapping[str, int]) -> dict[str, int]:
    return {name: min(value, limits.get(name, value)) for name, value in others.items()}
