"""Compares what a run's jobs ask for with what qos allow one job, or all of a user."""

from collections.abc import Iterator, Mapping, Sequence

from snakemake_executor_plugin_slurm_robust.commands import SlurmError
from snakemake_executor_plugin_slurm_robust.site import LIMITS, Site

from wokflow.cluster import slurm
from wokflow.cluster.asked import Asked
from wokflow.cluster.check_findings import PROBLEM, WARNING, Finding
from wokflow.cluster.limits import Places, exceeding
from wokflow.cluster.slurm import Association, Qos

# Limits by Slurm's names of resources.
RESOURCES = {"cpu": "max_threads", "mem": "max_mem_mb", "gres/gpu": "max_gpu", "node": "max_nodes"}


def allowances(site: Site, places: Places) -> Iterator[Finding]:
    """Findings about the qos of partitions; none where the cluster has no accounting.

    How many jobs may be in the queue is no concern of it: a run waits where Slurm takes no more.
    """
    try:
        own, every_qos = slurm.associations(), slurm.every_qos()
    except SlurmError:
        return
    findings: dict[Finding, None] = {}
    for partition in site.partitions or (None,):
        for association in _associations(site, partition, own):
            qos = every_qos.get(site.setting("qos", partition) or association.default_qos)
            if qos is not None:
                findings |= dict.fromkeys(_sizes(qos, partition, places.get(partition, ())))
    yield from findings


def _associations(site: Site, partition: str | None, own: Sequence[Association]) -> list[Association]:
    """The user's associations with a partition's account; all of them if the site file names no account."""
    name = site.setting("account", partition)
    return [association for association in own if name is None or association.account == name.lower()]


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
