"""Findings about the nodes, from their trial jobs: what is wrong there, and what to do."""

import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from snakemake_executor_plugin_slurm_robust.causes import may_pass, stuck
from snakemake_executor_plugin_slurm_robust.executor import STEP
from snakemake_executor_plugin_slurm_robust.site import Site

from wokflow.cluster import probe
from wokflow.cluster.check_findings import OK, PROBLEM, WARNING, Finding
from wokflow.cluster.nodes import MINUTES, WAITING, Trial

SHARED = "Your site's documentation says which folders all nodes share: as a rule home, project and scratch folders."
CRASHES = (signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV)
TASK = re.compile(
    r"^srun: error: \S+: task \d+: ", re.MULTILINE
)  # srun works: it reports that its task failed
AGAIN = "set the environment up again, where the nodes can use it: rm -r .venv, then make setup"


def verdicts(trials: list[Trial], site: Site, results: Path, project: Path, wait: float) -> Iterator[Finding]:
    """Findings about nodes; equal ones of several nodes are one."""
    nodes_of: dict[Finding, list[str]] = {}
    own = probe.versions()
    for trial in trials:
        for finding in _verdict(trial, site, own, results, project, wait):
            nodes_of.setdefault(finding, []).append(trial.place.node)
    for finding, nodes in nodes_of.items():
        yield Finding(finding.level, f"{' '.join(nodes)}: {finding.text}", finding.cure)


def _verdict(
    trial: Trial, site: Site, own: dict[str, str | None], results: Path, project: Path, wait: float
) -> Iterator[Finding]:
    if trial.state in (*WAITING, "REFUSED"):
        yield _not_tried(trial, site, wait)
    elif trial.faults:
        yield from _unseen(trial.faults, results, project)
    elif trial.answer is None:
        yield _failed(trial, results)
    else:
        yield Finding(OK, "the results folder and the project are shared, srun works")
        yield from _packages(trial.answer, own)
        if trial.place.gpu:
            yield _gpu(trial.answer["gpu"], trial.place.partition, site)


def _not_tried(trial: Trial, site: Site, wait: float) -> Finding:
    if trial.state == "REFUSED":
        return Finding(
            PROBLEM,
            f"Slurm refuses a job there, in partition {trial.place.partition}: {trial.reason}",
            "Compare account, qos, constraint and partitions in slurm/site.yaml with what the cluster has: sinfo",
        )
    cure = stuck(trial.reason, site.file)
    if cure and not may_pass(trial.reason):
        return Finding(
            PROBLEM, f"a trial job may not start by itself ({trial.reason})", f"As it seems, {cure}"
        )
    return Finding(
        WARNING,
        f"not tried: no job started there in {wait:g} s ({trial.reason})",
        (f"As it seems, {cure}.\n" if cure else "")
        + "If the cluster is busy: try again later, or wait longer, with --wait 1800",
    )


def _unseen(faults: int, results: Path, project: Path) -> Iterator[Finding]:
    """Findings about folders and files that a job's shell cannot read or write."""
    findings = {
        probe.UNREAD: (
            f"the results folder is not shared: what is written into {results} here cannot be read there",
            "Set `results` in your config (config/config.yaml, or your --configfile) to a folder that all nodes "
            f"share, or leave the node out by `partitions` or `constraint` in slurm/site.yaml\n{SHARED}",
        ),
        probe.UNWRITTEN: (
            f"the results folder {results} can be read there, but not written",
            f"Set `results` in your config to a folder that jobs may write.\n{SHARED}",
        ),
        probe.NO_PROJECT: (
            f"the project is not visible: there is no {project}/Snakefile",
            f"Move the project to a folder that all nodes share, and start from there.\n{SHARED}",
        ),
        probe.NO_PYTHON: (
            f"the Python environment is not visible: {sys.executable} cannot be run there",
            "Set it up in a folder that all nodes share (make setup puts it into .venv of the project), from a "
            f"Python that they share too: make setup PYTHON=/path/to/python3.11 (now it is {sys.base_prefix})\n"
            f"{SHARED}",
        ),
        probe.NO_STEP: (
            f"the executor's package is not visible: there is no {STEP}",
            f"Each job needs it: {AGAIN}.\n{SHARED}",
        ),
        probe.NO_SRUN: (
            "there is no srun on PATH, and each job calls it",
            "Load Slurm's module, if there is one, before you start: jobs get your PATH. Otherwise ask the "
            "administrators to install Slurm's commands on the node",
        ),
    }
    yield from (Finding(PROBLEM, *words) for bit, words in findings.items() if faults & bit)


def _failed(trial: Trial, results: Path) -> Finding:
    """The finding about a job that saw all and yet wrote no answer."""
    log = f"\n{trial.log}" if trial.log else ""
    if trial.state == "COMPLETED":
        return Finding(
            PROBLEM,
            f"what a job wrote into {results} there is not seen here",
            f"Set `results` in your config to a folder that all nodes share.\n{SHARED}",
        )
    if trial.state == "TIMEOUT":
        return Finding(
            PROBLEM,
            f"the trial job did not end in {MINUTES} minutes{log}",
            "Either the folder of the Python environment is very slow there, or srun hangs: ask the administrators",
        )
    if trial.code - 128 in CRASHES:
        return Finding(
            PROBLEM,
            f"Python crashes (exit code {trial.code}){log}",
            f"The packages may be built for other processors: {AGAIN} (on such a node),\n"
            "or leave the node out by `constraint` in slurm/site.yaml",
        )
    if "srun: " in trial.log and not TASK.search(trial.log):
        return Finding(
            PROBLEM,
            f"srun does not work within a job{log}",
            "Each job calls it: ask the administrators",
        )
    return Finding(
        PROBLEM,
        f"the trial job failed: {trial.state}, exit code {trial.code}{log}",
        f"If Python is at fault: {AGAIN}.\nIf the node is: tell the administrators",
    )


def _packages(answer: dict[str, Any], own: dict[str, str | None]) -> Iterator[Finding]:
    there: dict[str, str | None] = answer["versions"]
    differ = [
        f"{name} {version or 'absent'} (here {own[name] or 'absent'})"
        for name, version in there.items()
        if version != own[name]
    ]
    failed: dict[str, str] = answer["failed"]
    if differ:
        yield Finding(
            PROBLEM,
            f"other versions than here: {', '.join(differ)}",
            f"{sys.prefix} is another folder there than here: {AGAIN}",
        )
    if failed:
        yield Finding(
            PROBLEM,
            "Python cannot import " + "; ".join(f"{name} ({why})" for name, why in failed.items()),
            f"Something is missing there: {AGAIN}",
        )
    if not differ and not failed:
        yield Finding(OK, "the Python environment is the same as here")


def _gpu(seen: dict[str, Any], partition: str, site: Site) -> Finding:
    """The finding about a job that asked for a GPU."""
    variable = seen["variable"]
    named = bool(variable) and variable != "NoDevFiles"
    if seen.get("works"):
        return Finding(OK, f"a GPU, seen by torch (partition {partition})")
    if named:
        return _unused(seen, partition)
    files = ", ".join(seen["files"]) or "there is no /dev/nvidia*"
    what = f"{probe.DEVICES} is {'not set' if variable is None else repr(variable)}, {files}"
    give = (
        f"take max_gpu from {partition} in slurm/site.yaml and give it to a partition with GPUs"
        if partition in site.gpu_partitions()
        else "name another partition in slurm/site.yaml, with max_gpu"
    )
    return Finding(
        PROBLEM,
        f"a job that asked for a GPU in partition {partition} sees none: {what}",
        f"Either {give},\nor ask the administrators: gres.conf, the prolog or the driver on that node is at fault",
    )


def _unused(seen: dict[str, Any], partition: str) -> Finding:
    """The finding about a GPU that Slurm gave, but torch cannot use."""
    text = f"a GPU is there (partition {partition}), but torch {seen['torch'] or ''} cannot use it: "
    if seen["torch"] is None:
        return Finding(WARNING, f"{text}it cannot be imported", f"Something is missing there: {AGAIN}")
    if seen["cuda"] is None:
        version = seen["torch"].partition("+")[0]
        return Finding(
            WARNING,
            f"{text}this build is for CPUs",
            f"Install the build for CUDA: {sys.executable} -m pip install --force-reinstall torch=={version} "
            "--index-url https://download.pytorch.org/whl/<your CUDA, such as cu126>",
        )
    return Finding(
        WARNING,
        f"{text}it is built for CUDA {seen['cuda']}",
        "The driver may be too old for it: compare with nvidia-smi in a job, or ask the administrators",
    )
