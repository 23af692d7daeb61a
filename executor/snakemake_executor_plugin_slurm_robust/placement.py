"""Give each job of Snakemake the partition that takes it, and that partition's settings.

Snakemake's executor for Slurm chooses partitions by limits alone. It knows no account, qos, constraint or GPU model
of a partition, and asks for the GPUs of all nodes together. So the partition is chosen here, just before a job is
submitted: the request of a group of jobs is not known earlier.
"""

from collections.abc import Collection, Iterator
from typing import Any

from snakemake_interface_common.exceptions import WorkflowError

from snakemake_executor_plugin_slurm_robust.requests import Request, place, read_request
from snakemake_executor_plugin_slurm_robust.site import GPU_MODEL, Site

ASKED = ("mem_mb", "runtime", "gpu", "nodes")  # resources by which a partition is chosen, beside threads


def limit_retries(rule: Any, site: Site) -> None:
    """Limit retries of a rule's jobs to what the partition that takes them has.

    `rule` is Snakemake's. A job works out its resources again on its node, and must get the same there.
    """
    resources = dict(rule.resources.items())
    if not site.partitions:
        return

    def limited(name: str) -> Any:
        def value(wildcards: Any, input: Any, attempt: int, threads: int, rulename: str) -> Any:
            known = {"input": input, "attempt": attempt, "threads": threads, "rulename": rulename}
            asked = {
                key: resources[key].evaluate(wildcards, **known).value for key in resources if key in ASKED
            }
            if attempt == 1 or not isinstance(asked[name], int):
                return asked[name]
            try:
                _, granted = place(site, read_request(asked, threads), retry=True)
            except WorkflowError:
                return asked[name]  # the job is refused when it is submitted
            return {"mem_mb": granted.mem_mb, "runtime": granted.minutes}[name]

        return value

    for name in {"mem_mb", "runtime"} & resources.keys():
        rule.resources[name] = limited(name)


def check_jobs(site: Site, jobs: Collection[Any]) -> None:
    """Raise WorkflowError if jobs ask for what no partition has; each rule and request is named once."""
    refused = dict.fromkeys(_refused(site, jobs))
    if refused:
        raise WorkflowError("Jobs that cannot be submitted:\n" + "".join(f"  - {text}\n" for text in refused))


def _refused(site: Site, jobs: Collection[Any]) -> Iterator[str]:
    for job in jobs if site.partitions else ():
        if job.resources.get("slurm_partition"):
            continue
        try:
            place(site, request_of(job))
        except WorkflowError as error:
            yield f"{job.rule.name}: {error}"


def request_of(job: Any) -> Request:
    """The request of a job, or of a group of jobs."""
    return read_request(job.resources, job.threads)


def placed(site: Site, resources: dict[str, Any], request: Request, retry: bool) -> dict[str, Any]:
    """The resources that a job is submitted with: its own, its partition, and the partition's settings.

    A partition, an account and the like that were set by hand (--set-resources) stay. Raises WorkflowError if no
    partition takes the job.
    """
    chosen = dict(resources)
    partition = chosen.get("slurm_partition")
    if site.partitions and not partition:
        partition, granted = place(site, request, retry=retry)
        chosen |= {"slurm_partition": partition}
        chosen |= {"mem_mb": granted.mem_mb} if request.mem_mb else {}
        chosen |= {"runtime": granted.minutes} if request.minutes else {}
    defaults = site.resources()
    for name, value in site.resources(partition).items():
        if chosen.get(name) in (None, defaults[name]):
            chosen[name] = value
    if request.gpus and not chosen.get("gres"):
        model = chosen.get(GPU_MODEL) or site.setting(GPU_MODEL, partition)
        chosen[GPU_MODEL] = model
        if request.nodes > 1:  # the executor's option for `gpu` counts those of all nodes together
            gres = ["gpu", *([model] if model else []), str(request.gpus)]
            chosen |= {"gres": ":".join(gres), "gpu": 0, GPU_MODEL: None}
    return {name: value for name, value in chosen.items() if value is not None}
