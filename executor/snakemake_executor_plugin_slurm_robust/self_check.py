"""Checks that the packages that this executor extends have the parts that it overrides or calls.

An untested version runs with a warning if the check passes: most releases change nothing here. Otherwise no job is
submitted.
"""

import importlib
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from packaging.version import Version
from snakemake_interface_common.exceptions import WorkflowError

EXECUTOR = "snakemake_executor_plugin_slurm:Executor"
SETTINGS = "snakemake_executor_plugin_slurm:ExecutorSettings"


@dataclass(frozen=True)
class Part:
    """A function, a method or, without `parameters`, anything: `place` is a module, or `module:Class`."""

    place: str
    name: str
    parameters: tuple[str, ...] | None

    def __str__(self) -> str:
        return f"{self.place}.{self.name}({', '.join(self.parameters or ('...',))})"

    def find(self) -> Any:
        """The function; None where it is not there."""
        module, _, owner = self.place.partition(":")
        try:
            part: Any = importlib.import_module(module)
        except ImportError:
            return None
        for name in filter(None, (owner, self.name)):
            part = getattr(part, name, None)
        return part


# The oldest and the newest tested version (of the oldest: tests/cluster/test_versions.py), and the parts that are
# checked: the methods that are overridden or called with parameters of their own.
SLURM = "snakemake-executor-plugin-slurm"
SLURM_TESTED = ("2.4.0", "2.8.0")
SLURM_PARTS = (
    Part(EXECUTOR, "run_jobs", ("self", "jobs")),
    Part(EXECUTOR, "run_job", ("self", "job")),
    Part(EXECUTOR, "run_job_pre", ("self", "job")),
    Part(EXECUTOR, "report_job_error", ("self", "job_info", "msg", "kwargs")),
    Part(EXECUTOR, "report_job_submission", ("self", "job_info", "register_job")),
    Part(EXECUTOR, "get_account_arg", ("self", "job")),
    Part(EXECUTOR, "get_python_executable", ("self",)),
    Part(EXECUTOR, "additional_general_args", ("self",)),
    Part(EXECUTOR, "get_job_args", ("self", "job")),
    Part(EXECUTOR, "format_job_exec", ("self", "job")),
    Part(EXECUTOR, "check_active_jobs", ("self", "active_jobs")),
    Part(EXECUTOR, "cancel_jobs", ("self", "active_jobs")),
    Part(EXECUTOR, "shutdown", ("self",)),
    Part(SETTINGS, "pass_command_as_script", None),
    Part(SETTINGS, "requeue", None),
)
SNAKEMAKE = "snakemake"
SNAKEMAKE_TESTED = ("9.20.0", "9.27.1")
PERSISTENCE = "snakemake.persistence:PersistenceBase"
SNAKEMAKE_PARTS = (
    Part("snakemake.jobs:GroupJob", "__init__", ("self", "id", "jobs", "global_resources")),
    Part("snakemake.jobs:Job", "check_protected_output", ("self",)),
    Part(PERSISTENCE, "finished", ("self", "job")),
    Part(PERSISTENCE, "incomplete", ("self", "job")),
    Part(PERSISTENCE, "deactivate_cache", ("self",)),
)


def check_versions(logger: Any) -> None:
    """Warn of untested versions. Raises WorkflowError if a part is missing, or has other parameters."""
    for package, tested, parts in (
        (SLURM, SLURM_TESTED, SLURM_PARTS),
        (SNAKEMAKE, SNAKEMAKE_TESTED, SNAKEMAKE_PARTS),
    ):
        if warning := check_parts(package, tested, parts):
            logger.warning(warning)


def check_parts(package: str, tested: tuple[str, str], parts: Sequence[Part]) -> str:
    """A warning if a package is not among the tested versions, from the oldest to the newest; empty otherwise.

    Raises WorkflowError if a part is missing, or has other parameters.
    """
    installed, (oldest, newest) = _installed(package), tested
    if problems := "".join(f"  - {problem}\n" for problem in _problems(parts)):
        raise WorkflowError(
            f"{package} {installed or '(not installed)'} lacks what is needed here:\n{problems}"
            f"Install a tested version: pip install {package}=={newest} (tested: {oldest} to {newest})."
        )
    if installed and Version(oldest) <= Version(installed) <= Version(newest):
        return ""
    return (
        f"{package} {installed} is not among the tested versions ({oldest} to {newest}). "
        "All parts that are needed are there."
    )


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _problems(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        there = part.find()
        if there is None:
            yield f"there is no {part}"
            continue
        if part.parameters is None:
            continue
        parameters = tuple(inspect.signature(there).parameters)
        if part.parameters != parameters:
            yield f"{part} has the parameters ({', '.join(parameters)})"
