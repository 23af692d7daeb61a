"""What srun is told of a job: its CPUs, GPUs and nodes, by the resources that the executor for Slurm knows."""

from typing import Any

GPUS, NODES = ("gpus", "gpu", "nvidia_gpu"), ("nodes", "node", "slurm_nodes")


def step_options(job: Any) -> list[str]:
    """The options of srun for a job; with a negative number of CPUs, none for CPUs."""
    gpus, nodes = _first(job, GPUS) or 0, _first(job, NODES) or 1
    cpus, per = job.resources.get("cpus_per_task"), "task"
    if not cpus and gpus and job.resources.get("cpus_per_gpu"):
        cpus, per = job.resources.get("cpus_per_gpu"), "gpu"
    cpus = cpus or job.threads
    options = [f"--cpus-per-{per}={cpus}"] if cpus > 0 else []
    return [*options, *([f"--gpus={gpus}"] if gpus > 0 else []), f"--nodes={nodes}"]


def _first(job: Any, names: tuple[str, ...]) -> int | None:
    values = (job.resources.get(name) for name in names)
    return next((value for value in values if value is not None), None)
