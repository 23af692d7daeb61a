"""Runs a job: calls its step's function with the rule's inputs, outputs and settings, and keeps its key."""

import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from wokflow.frame.arguments import nested
from wokflow.frame.job import Job, Progress, UserError, job
from wokflow.frame.keys import read_key
from wokflow.frame.records import keep_inputs, keep_keys
from wokflow.frame.settings import settings_class
from wokflow.frame.tables import damage, damaged, provenance
from wokflow.frame.temporary import temporary_folder

Files = str | list[str]
NUMBERS = ("shard", "shards")  # wildcards that functions take as int
UNREAD = "after"  # the input that only makes a job wait
UNREADABLE = (pa.ArrowException, pl.exceptions.PolarsError, OSError)  # of libraries that read Parquet
SERVICES = ("server",)  # inputs that a rule marks as service(); Snakemake records no paths of these


@dataclass(frozen=True)
class RuleJob:
    """A job as its rule describes it, in plain types.

    `unkeyed` holds the arguments that are not in the key: paths of resources, and options. `unnamed` are inputs
    without a name, which the job only waits for. `minutes_left` is the time that it may still run; None: no limit.
    """

    key: str
    unkeyed: Mapping[str, Any]
    inputs: Mapping[str, Files]
    outputs: Mapping[str, Files]
    wildcards: Mapping[str, str]
    threads: int
    minutes_left: Callable[[], float | None]
    log: str
    unnamed: tuple[str, ...] = ()


def run(described: RuleJob, prepare: Callable[[], None]) -> None:
    """Call the step's function, with a log; keep the job's inputs before, and the key beside each output after.

    `prepare` is called first. Raises UserError, in place of a library's error, if a table that the job reads is
    damaged.
    """
    step, _ = read_key(described.key)
    with job(described.log) as progress:
        prepare()
        function = step_function(step)
        inputs = dict(described.inputs)
        inputs |= {name: "<service>" for name in SERVICES if inputs.get(name)}
        keep_inputs([*described.unnamed, *paths(inputs)], paths(described.outputs))
        try:
            with temporary_folder():
                function(**arguments(function, described, progress))
        except UNREADABLE as error:
            _refuse_damaged(paths(inputs), error)
            raise
        keep_keys(described.key, paths(described.outputs))


def _refuse_damaged(inputs: Iterable[str], error: Exception) -> None:
    """Raise UserError if one of a failed job's tables is damaged. System errors, as of a full disk, have a number."""
    if getattr(error, "errno", None) is not None:
        return
    for path in inputs:
        if path.endswith(".parquet") and (reason := damage(path)):
            raise UserError(damaged(path, reason)) from error


def step_function(step: str) -> Callable[..., None]:
    """The function of a step: wokflow.match.embed.match_embed of match.embed."""
    module = importlib.import_module(f"wokflow.{step}")
    function: Callable[..., None] = getattr(module, step.replace(".", "_"))
    return function


def arguments(function: Callable[..., None], described: RuleJob, progress: Progress | None) -> dict[str, Any]:
    """All keyword arguments of a job's function.

    Inputs and outputs are always passed. Wildcards, `log`, `minutes`, `job`, and `settings`, with all settings of the
    step, are passed if the function has a parameter of that name.
    """
    _, settings = read_key(described.key)
    inputs = {name: files for name, files in described.inputs.items() if name != UNREAD}
    tables = [path for path in paths(inputs) if path.endswith(".parquet")]
    names = inspect.signature(function).parameters
    demanded: dict[str, Any] = {
        name: int(value) if name in NUMBERS else value for name, value in described.wildcards.items()
    }
    demanded["log"] = described.log
    if "minutes" in names:
        demanded["minutes"] = described.minutes_left()
    if "job" in names:
        demanded["job"] = Job(provenance(described.key, tables), progress or Progress(), described.threads)
    if declared := settings_class(function):
        demanded["settings"] = declared.of_job(nested({**settings, **described.unkeyed}))
    on_demand = {name: value for name, value in demanded.items() if name in names}
    passed = [on_demand, inputs, {**described.outputs}]
    together = {name: value for group in passed for name, value in group.items()}
    if len(together) < sum(map(len, passed)):
        raise ValueError(f"two arguments of {function.__qualname__} have one name: {passed}")
    return together


def paths(files: Mapping[str, Files]) -> list[str]:
    """All paths, in order."""
    return [path for each in files.values() for path in ([each] if isinstance(each, str) else each)]


__all__ = ["RuleJob", "arguments", "paths", "run", "step_function"]
