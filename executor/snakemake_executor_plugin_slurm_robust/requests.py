"""The request of a job, and the partition of the site file that it goes to.

A job goes to the partition whose limits it comes closest to, so that wide partitions stay free for wide jobs; jobs
without a GPU go to partitions with GPUs only where no other takes them. A retry asks for twice the memory and time of
the attempt before. Where no partition takes that much, it asks for as much as the nearest one has.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from snakemake_interface_common.exceptions import WorkflowError

from snakemake_executor_plugin_slurm_robust.site import Site


@dataclass(frozen=True)
class Request:
    """What a job asks for; memory, CPUs and GPUs are those of each node. 0 stands for what is not set."""

    mem_mb: int = 0
    minutes: int = 0
    threads: int = 1
    gpus: int = 0
    nodes: int = 1

    def __str__(self) -> str:
        parts = [f"{self.mem_mb} MB of memory", f"{self.minutes} minutes", f"{self.threads} CPUs"]
        parts += [f"{self.gpus} GPUs"] if self.gpus else []
        return ", ".join(parts) + (f" on each of {self.nodes} nodes" if self.nodes > 1 else "")

    def by_limit(self) -> dict[str, int]:
        """What is asked for, by the limit in the site file that it must not exceed."""
        return {
            "max_runtime": self.minutes,
            "max_mem_mb": self.mem_mb,
            "max_threads": self.threads,
            "max_gpu": self.gpus,
            "max_nodes": self.nodes,
        }


def doubled(first: float) -> Callable[..., int]:
    """A job's memory (MB) or minutes as a function for Snakemake: twice as much at each attempt."""

    def at(wildcards: Any, attempt: int) -> int:
        return int(first * 2 ** (attempt - 1))

    return at


def read_request(resources: Mapping[str, Any], threads: int) -> Request:
    """The request of a job, from its resources in Snakemake. A resource that is not known yet counts as not set."""

    def number(name: str, without: int) -> int:
        value = resources.get(name)
        return value if isinstance(value, int) else without

    return Request(
        number("mem_mb", 0), number("runtime", 0), threads, number("gpu", 0), max(1, number("nodes", 1))
    )


def place(site: Site, request: Request, *, retry: bool = False) -> tuple[str, Request]:
    """The partition that a job goes to, and what it asks for there; a retry may get less than it asks for.

    The site names partitions. Raises WorkflowError if none can take the job, with what each lacks.
    """
    lacks = {name: _lacks(limits, request) for name, limits in site.partitions.items()}
    if fitting := [name for name, lack in lacks.items() if not lack]:
        return max(fitting, key=lambda name: _closeness(site.partitions[name], request)), request
    capped = {
        name: replace(
            request,
            mem_mb=min(request.mem_mb, site.partitions[name].get("max_mem_mb", request.mem_mb)),
            minutes=min(request.minutes, site.partitions[name].get("max_runtime", request.minutes)),
        )
        for name, lack in lacks.items()
        if retry and not set(lack) - {"max_mem_mb", "max_runtime"}
    }
    if not capped:
        raise WorkflowError(_refusal(site, request, lacks))
    name = max(capped, key=lambda name: _share(capped[name], request))
    return name, capped[name]


def _lacks(limits: Mapping[str, Any], request: Request) -> list[str]:
    """The limits of a partition that a request exceeds. A partition without max_gpu has no GPUs."""
    asked = request.by_limit()
    most = {"max_gpu": 0, **limits}
    return [limit for limit, value in asked.items() if limit in most and value > most[limit]]


def _closeness(limits: Mapping[str, Any], request: Request) -> tuple[bool, float]:
    asked = request.by_limit()
    shares = [asked[limit] / limits[limit] for limit in asked if limits.get(limit)]
    return bool(request.gpus or not limits.get("max_gpu")), sum(shares)


def _share(capped: Request, request: Request) -> tuple[float, float]:
    """The shares of memory and time that a partition grants: the smaller of the two, then their sum."""
    memory = capped.mem_mb / max(1, request.mem_mb)
    time = capped.minutes / max(1, request.minutes)
    return min(memory, time), memory + time


def _refusal(site: Site, request: Request, lacks: Mapping[str, list[str]]) -> str:
    def lack(name: str, limit: str) -> str:
        most = site.partitions[name].get(limit)
        return f"no {limit}" if most is None else f"{limit}: {most}"

    have = "; ".join(
        f"{name} has {' and '.join(lack(name, limit) for limit in lacks[name])}" for name in lacks
    )
    needed = ", ".join(f"{limit}: {value}" for limit, value in request.by_limit().items() if value)
    return (
        f"no partition in {site.file} takes a job of {request} ({have}).\n"
        f"    Name one there that does (NAME: {{{needed}}}, or larger), raise its limits if the cluster has more,\n"
        "    or have the job ask for less: --set-resources RULE:mem_mb=... RULE:runtime=..."
    )
