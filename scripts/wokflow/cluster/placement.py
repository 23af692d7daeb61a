"""Give each job of Snakemake the partition that takes it, and that partition's settings.

Snakemake's executor for Slurm chooses partitions by limits alone. It knows no account, qos, constraint or GPU model
of a partition, and asks for the GPUs of all nodes together. So the partition is chosen here, and written into the
job's resources just before the executor submits it: the request of a group of jobs is not known earlier.
"""

import functools
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from wokflow.cluster.requests import Request, place, read_request
from wokflow.cluster.site import GPU_MODEL, LIMITS, Site, read_site
from wokflow.frame.job import UserError
from wokflow.frame.patches import Part, check_parts

TESTED = ("2.8.0",)  # versions of the executor plugin
EXECUTOR = "snakemake_executor_plugin_slurm:Executor"
ASKED = ("mem_mb", "runtime", "gpu", "nodes")  # resources by which a partition is chosen, beside threads
PARTS = (
    Part(EXECUTOR, "run_job", ("self", "job")),  # this one is replaced
    Part(EXECUTOR, "_report_job_error_threadsafe", ("self", "job_info", "msg")),  # this one is called
)


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
            except UserError:
                return asked[name]  # the job is refused when it is submitted
            return {"mem_mb": granted.mem_mb, "runtime": granted.minutes}[name]

        return value

    for name in {"mem_mb", "runtime"} & resources.keys():
        rule.resources[name] = limited(name)


def check_jobs(site: Site, jobs: Collection[Any]) -> None:
    """Raise UserError if jobs ask for what no partition has; each rule and request is named once."""
    refused = dict.fromkeys(_refused(site, jobs))
    if refused:
        raise UserError("Jobs that cannot be submitted:\n" + "".join(f"  - {text}\n" for text in refused))


def _refused(site: Site, jobs: Collection[Any]) -> Iterator[str]:
    for job in jobs if site.partitions else ():
        if job.resources.get("slurm_partition"):
            continue
        try:
            place(site, request_of(job))
        except UserError as error:
            yield f"{job.rule.name}: {error}"


def request_of(job: Any) -> Request:
    """The request of a job, or of a group of jobs."""
    return read_request(job.resources, job.threads)


def replace_parts(site: Site, rules: Collection[str]) -> None:
    """Have the executor submit jobs of these rules with the resources of `placed`.

    Raises UserError where the executor is not as it was tested.
    """
    import snakemake_executor_plugin_slurm as plugin

    check_parts("snakemake-executor-plugin-slurm", TESTED, PARTS)
    run_job = plugin.Executor.run_job

    @functools.wraps(run_job)
    def run_placed(self: Any, job: Any) -> None:
        members = job.jobs if job.is_group() else [job]
        if all(member.rule.name in rules for member in members):
            try:
                set_resources(
                    job, placed(site, dict(job.resources.items()), request_of(job), job.attempt > 1)
                )
            except Exception as error:  # a thread of the executor calls this, where an error would be lost
                self._report_job_error_threadsafe(plugin.SubmittedJobInfo(job), f"{job.name}: {error}")
                return
        run_job(self, job)

    plugin.Executor.run_job = run_placed


def placed(site: Site, resources: dict[str, Any], request: Request, retry: bool) -> dict[str, Any]:
    """The resources that a job is submitted with: its own, its partition, and the partition's settings.

    A partition, an account and the like that were set by hand (--set-resources) stay. Raises UserError if no
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
        if chosen.get(name) == defaults[name]:
            chosen[name] = value
    if request.gpus and not chosen.get("gres"):
        model = chosen.get(GPU_MODEL) or site.setting(GPU_MODEL, partition)
        chosen[GPU_MODEL] = model
        if request.nodes > 1:  # the executor's option for `gpu` counts those of all nodes together
            gres = ["gpu", *([model] if model else []), str(request.gpus)]
            chosen |= {"gres": ":".join(gres), "gpu": 0, GPU_MODEL: None}
    return {name: value for name, value in chosen.items() if value is not None}


def set_resources(job: Any, resources: dict[str, Any]) -> None:
    """Give a job of Snakemake these resources, until its next attempt. Raises TypeError if it does not keep them."""
    from snakemake.iocontainers import ResourceList

    job._resources = resources if job.is_group() else ResourceList(fromdict=resources)
    if dict(job.resources.items()) != resources:
        raise TypeError("Snakemake keeps the resources of a job in another place than in 9.27.1")


def translate_site_file(site: Site) -> None:
    """Have the executor read partitions from slurm/site.yaml, whose settings it does not know.

    Where its path leads nowhere from the working folder (--directory), `site` counts, which was read before.

    This must be called before `replace_parts` checks the executor: by itself, the executor refuses the file.
    """
    import snakemake_executor_plugin_slurm as plugin
    from snakemake_executor_plugin_slurm.partitions import Partition, PartitionLimits

    def read_partitions(partition_file: Path) -> list[Partition]:
        known = read_site(partition_file) if Path(partition_file).exists() else site
        partitions = known.partitions
        limits = {
            name: {key: keys[key] for key in LIMITS if key in keys} for name, keys in partitions.items()
        }
        return [Partition(name=name, limits=PartitionLimits(**limits[name])) for name in limits]

    plugin.read_partition_file = read_partitions
