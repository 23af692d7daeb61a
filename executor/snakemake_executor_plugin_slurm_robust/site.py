"""The site file: account, qos, constraint, and partitions with their limits and settings."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from snakemake_interface_common.exceptions import WorkflowError

# Key: Snakemake's resource.
SETTINGS = {"account": "slurm_account", "qos": "qos", "constraint": "constraint"}
GPU_MODEL = "gpu_model"  # a setting of partitions alone; Snakemake's resource has the same name
LIMITS = {  # of a partition, by their names in Snakemake's executor for Slurm
    "max_runtime": "minutes",
    "max_mem_mb": "MB of memory",
    "max_threads": "CPUs of a node",
    "max_gpu": "GPUs of a node",
    "max_nodes": "nodes",
}
KEYS = (*SETTINGS, "partitions")
PARTITION_KEYS = (*LIMITS, *SETTINGS, GPU_MODEL)
MODEL = re.compile(r"[A-Za-z0-9_.]+")  # what the executor takes as a gpu_model


@dataclass(frozen=True)
class Site:
    """Settings of all jobs, and partitions: limits and settings of each by their keys in the site file."""

    account: str | None = None
    qos: str | None = None
    constraint: str | None = None
    partitions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    file: str = field(default="the site file (--slurm-robust-site)", compare=False)  # for messages

    def setting(self, key: str, partition: str | None = None) -> str | None:
        """A setting for jobs in a partition: the partition's own, which may be null, or else the site's."""
        own = self.partitions.get(partition or "", {})
        value = own[key] if key in own else getattr(self, key, None)
        return None if value is None else str(value)

    def values(self, key: str) -> list[str]:
        """All values of a setting: the site's and those of partitions, each once."""
        values = [self.setting(key), *(self.setting(key, partition) for partition in self.partitions)]
        return list(dict.fromkeys(value for value in values if value is not None))

    def resources(self, partition: str | None = None) -> dict[str, str | None]:
        """Snakemake's resources for jobs in a partition; without a partition, those that the site sets for all."""
        return {resource: self.setting(key, partition) for key, resource in SETTINGS.items()}

    def gpu_partitions(self) -> list[str]:
        return [name for name, limits in self.partitions.items() if limits.get("max_gpu")]


def read_site(path: str | Path, read: "Callable[[str | Path], dict[str, Any]] | None" = None) -> Site:
    """Read a site file; `read` may be another reader of YAML. Raises WorkflowError with all that is wrong in it."""
    keys = (read or _read)(path)
    if problems := list(_problems(keys)):
        raise WorkflowError(f"{path} cannot be used:\n" + "\n".join(f"  - {problem}" for problem in problems))
    settings = {key: None if keys.get(key) is None else str(keys[key]) for key in SETTINGS}
    below = Path(path).is_relative_to(Path.cwd())
    file = str(Path(path).relative_to(Path.cwd()) if below else path)
    return Site(**settings, partitions=keys.get("partitions") or {}, file=file)


def _read(path: str | Path) -> dict[str, Any]:
    try:
        keys = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise WorkflowError(f"There is no file {path}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise WorkflowError(f"{path} is not YAML, or cannot be read: {error}") from error
    if not isinstance(keys, dict | None):
        raise WorkflowError(f"{path} holds no keys with values")
    return keys or {}


def _problems(site: dict[str, Any]) -> Iterator[str]:
    yield from (_unknown(key, KEYS) for key in site if key not in KEYS)
    yield from _setting_problems(site, "")
    partitions = site.get("partitions")
    if not isinstance(partitions, dict):
        yield "partitions: names of partitions with their limits, or {}"
        return
    for name, keys in partitions.items():
        if isinstance(name, str) and isinstance(keys, dict):
            yield from _partition_problems(f"partitions.{name}.", keys)
        else:
            yield f"partitions.{name}: limits in braces, {{}} where there are none"


def _partition_problems(place: str, keys: dict[str, Any]) -> Iterator[str]:
    yield from (place + _unknown(key, PARTITION_KEYS) for key in keys if key not in PARTITION_KEYS)
    for key, value in keys.items():
        if key in LIMITS and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
            yield f"{place}{key}: a whole number of {LIMITS[key]}, not {value!r}"
    yield from _setting_problems(keys, place)
    model = keys.get(GPU_MODEL)
    if model is not None and not MODEL.fullmatch(str(model)):
        yield f"{place}{GPU_MODEL}: letters, digits, _ and ., not {model!r}; a constraint may name the model too"
    if model is not None and not keys.get("max_gpu"):
        yield f"{place}{GPU_MODEL}: it needs max_gpu, the GPUs of a node"


def _setting_problems(keys: dict[str, Any], place: str) -> Iterator[str]:
    for key in SETTINGS:
        value = keys.get(key)
        if not isinstance(value, str | int | None) or isinstance(value, bool):
            yield f"{place}{key}: one name, or null"


def _unknown(key: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(str(key), known, 1)
    return f"{key}: no such key; " + (f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}")
