"""The site file slurm/site.yaml: account, partitions and their limits."""

import difflib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from wokflow.job import UserError

SETTINGS = {
    "account": "slurm_account",
    "qos": "qos",
    "constraint": "constraint",
}  # key -> Snakemake's resource
LIMITS = {  # of a partition, as Snakemake's executor for Slurm names them (those that Wokflow's jobs can meet)
    "max_runtime": "minutes",
    "max_mem_mb": "MB of memory",
    "max_threads": "CPUs of a node",
    "max_gpu": "GPUs of a node",
}


@dataclass(frozen=True)
class Site:
    """What `sbatch` is told; limits by partition."""

    account: str | None = None
    qos: str | None = None
    constraint: str | None = None
    partitions: dict[str, dict[str, int]] = field(default_factory=dict)

    def most(self, limit: str) -> float:
        """The largest value of a limit that any partition has; infinite where one has none, or there are none."""
        values = [limits.get(limit, float("inf")) for limits in self.partitions.values()]
        return max(values, default=float("inf"))

    def resources(self) -> dict[str, str]:
        """Snakemake's resources that each job gets."""
        found = {resource: getattr(self, key) for key, resource in SETTINGS.items()}
        return {resource: value for resource, value in found.items() if value is not None}

    def gpu_partitions(self) -> list[str]:
        return [name for name, limits in self.partitions.items() if limits.get("max_gpu")]


def read_site(path: str | Path) -> Site:
    """Read a site file. Raises UserError that names all that is wrong in it."""
    try:
        found = yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise UserError(f"{path} is no YAML: {error}") from error
    if not isinstance(found, dict):
        raise UserError(f"{path}: there should be keys with values ({', '.join((*SETTINGS, 'partitions'))})")
    if problems := list(_problems(found)):
        raise UserError(f"{path} cannot be used:\n" + "\n".join(f"  - {problem}" for problem in problems))
    settings = {key: None if found.get(key) is None else str(found[key]) for key in SETTINGS}
    return Site(**settings, partitions=found.get("partitions") or {})


def _problems(found: dict[str, Any]) -> list[str]:
    problems = [
        _unknown(key, (*SETTINGS, "partitions")) for key in found if key not in (*SETTINGS, "partitions")
    ]
    for key in SETTINGS:
        if not isinstance(found.get(key), str | int | None):
            problems.append(f"{key}: one name, or null")
    partitions = found.get("partitions")
    if not isinstance(partitions, dict):
        return [*problems, "partitions: names of partitions with their limits, or {}"]
    for name, limits in partitions.items():
        if not isinstance(name, str) or not isinstance(limits, dict):
            problems.append(f"partitions.{name}: limits in braces, {{}} where there are none")
            continue
        problems += [
            f"partitions.{name}.{_unknown(key, tuple(LIMITS))}" for key in limits if key not in LIMITS
        ]
        problems += [
            f"partitions.{name}.{key}: a whole number of {LIMITS[key]}, not {value!r}"
            for key, value in limits.items()
            if key in LIMITS and (not isinstance(value, int) or isinstance(value, bool) or value < 0)
        ]
    return problems


def _unknown(key: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(str(key), known, 1)
    return f"{key}: no such key; " + (f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}")
