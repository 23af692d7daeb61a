"""Compares the requests of jobs, and the limits in slurm/site.yaml, with what the cluster has."""

from collections.abc import Iterator, Mapping, Sequence

from snakemake_executor_plugin_slurm_robust.requests import Request
from snakemake_executor_plugin_slurm_robust.site import LIMITS, Site

from wokflow.cluster import slurm
from wokflow.cluster.asked import Asked
from wokflow.cluster.check_findings import OK, PROBLEM, WARNING, Finding
from wokflow.cluster.slurm import Node
from wokflow.frame.stages import without_gpu

Places = Mapping[str | None, Sequence[Asked]]  # requests by partition


def limits(
    site: Site, places: Places, refused: Mapping[Asked, str], nodes: list[Node], *, taken: bool
) -> Iterator[Finding]:
    """Findings about limits of partitions, and about GPUs.

    `places` and `refused` come from asked.by_partition. `taken` says whether Slurm accepts jobs with the names in the
    site file.
    """
    findings = list(_partitions(site, places, nodes))
    for request, why in refused.items():
        if site.gpu_partitions() or not request.first.gpus:
            text, _, cure = why.partition("\n")
            findings.append(Finding(PROBLEM, f"{request.rule}: {text}", cure.strip()))
    yield from findings or [Finding(OK, "the partitions have what the jobs ask for")]
    requests = [*refused, *(request for asked in places.values() for request in asked)]
    rules = sorted({request.rule for request in requests if request.first.gpus})
    yield from _gpus(site, nodes, rules, taken=taken)


def _partitions(site: Site, places: Places, nodes: list[Node]) -> Iterator[Finding]:
    groups: dict[str, list[Node]] = {}
    for node in slurm.in_use(nodes, site):
        groups.setdefault(node.partition, []).append(node)
    for partition, members in groups.items():
        configured = site.partitions.get(partition, {})
        asked = places.get(partition if site.partitions else None, ())
        has = {
            "max_runtime": members[0].minutes,
            "max_mem_mb": max(node.mem_mb for node in members),
            "max_threads": max(node.cpus for node in members),
            "max_gpu": max(node.gpus for node in members),
            "max_nodes": len({node.name for node in members}),
        }
        for limit, most in has.items():
            if most is not None:
                yield from _compare(partition, limit, configured.get(limit), most, asked)


def exceeding(
    limit: str, most: int, asked: Sequence[Asked], *, whole_job: bool = False
) -> tuple[str, bool] | None:
    """The rule that most exceeds a limit, in words, and whether it does so at the first attempt; None if none does.

    Memory, CPUs and GPUs are counted per node, or with `whole_job` over all nodes of a job.
    """
    of_node = limit in ("max_mem_mb", "max_threads", "max_gpu")

    def amount(request: Request) -> int:
        return request.by_limit()[limit] * (request.nodes if whole_job and of_node else 1)

    first, rule = max(((amount(jobs.first), jobs.rule) for jobs in asked), default=(0, ""))
    if first > most:
        return f"{rule} asks for {first}", True
    last, rule = max(((amount(jobs.last), jobs.rule) for jobs in asked), default=(0, ""))
    return (f"{rule} asks for {last} at its last attempt", False) if last > most else None


def _compare(
    partition: str, limit: str, given: int | None, most: int, asked: Sequence[Asked]
) -> Iterator[Finding]:
    """Compare a limit in the site file (None if not set) with what the partition has and what jobs ask for."""
    beyond = exceeding(limit, most, asked)
    what = f"partition {partition} has {most} {LIMITS[limit]} at most"
    fate = f"a job that asks for more {'does not start' if limit == 'max_runtime' else 'is refused'}"
    if given is not None and given > most:
        asks = f", and {beyond[0]}" if beyond else ""
        yield Finding(
            PROBLEM if beyond else WARNING,
            f"{what}, {limit} in slurm/site.yaml says {given}{asks}; {fate}",
            f"{f'Set {limit}: {most} for' if most else f'Take {limit} from'} {partition}, "
            "under partitions in slurm/site.yaml",
        )
    elif given is None and limit != "max_gpu" and beyond:
        asks, at_once = beyond
        yield Finding(
            PROBLEM if at_once else WARNING,
            f"{what}, {asks}; {fate}",
            f"Set {limit}: {most} for {partition}, under partitions in slurm/site.yaml",
        )


def _gpus(site: Site, nodes: list[Node], rules: list[str], *, taken: bool) -> Iterator[Finding]:
    has = [node for node in slurm.in_use(nodes, site) if node.gpus]
    if site.partitions:
        has = [node for node in has if node.partition in site.gpu_partitions()]
    if has:
        for partition in dict.fromkeys(node.partition for node in has):
            refusal = slurm.refusal(site, partition, gpus=1) if taken else ""
            members = slurm.admitted([node for node in has if node.partition == partition], site)
            if slurm.only_waits(refusal, members):
                yield Finding(
                    WARNING,
                    f"partition {partition}: none of its nodes with GPUs runs jobs now: {slurm.states_of(members)}",
                    "Jobs that need a GPU wait until one does: ask the administrators when",
                )
            elif refusal:
                yield Finding(
                    PROBLEM if rules else WARNING,
                    f"Slurm refuses jobs for a GPU in partition {partition}: {refusal.splitlines()[-1]}",
                    "Compare account, qos, constraint and gpu_model in slurm/site.yaml with what that partition has, "
                    "or ask the administrators",
                )
        return
    others = sorted({node.partition for node in nodes if node.gpus})
    where = f"{', '.join(others)} have GPUs" if others else "no partition that you can see has GPUs"
    cure = f"Give a partition with GPUs max_gpu in slurm/site.yaml ({where})"
    if rules:
        yield Finding(
            PROBLEM,
            f"no partition for jobs that need a GPU, as these do: {', '.join(rules)}",
            f"{cure},\nor do without: " + "; ".join(without_gpu().get(rule, f"no {rule}") for rule in rules),
        )
    else:
        yield Finding(
            WARNING,
            "no partition for jobs that need a GPU; this config asks for none",
            f"{cure}, before you set another match.embed.model, match.translate.backend: hub, match.search.device: "
            "cuda, or train models of the hub",
        )
