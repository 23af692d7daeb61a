"""Check a cluster before the first run: python -m wokflow.cluster.check [--results ...] [--configfile ...].

Reports what works and what does not on the login node, in slurm/site.yaml and on the nodes, and what to change where.
It leaves no job and no file behind. The exit code is 1 where a run would fail.
"""

import argparse
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import yaml

try:
    from snakemake_executor_plugin_slurm_robust.commands import SlurmError, ask, leave_allocation
    from snakemake_executor_plugin_slurm_robust.site import Site, read_site
    from snakemake_interface_common.exceptions import WorkflowError
except ModuleNotFoundError as error:
    sys.exit(
        f"{error.name} is not installed in {sys.prefix}, and runs on Slurm need it. Set it up: make setup"
    )

from wokflow.cluster import slurm
from wokflow.cluster.accounts import allowances
from wokflow.cluster.asked import by_partition, read_requests
from wokflow.cluster.check_findings import OK, PROBLEM, WARNING, Finding
from wokflow.cluster.limits import limits
from wokflow.cluster.nodes import choose, try_out
from wokflow.cluster.site_names import names
from wokflow.cluster.verdicts import verdicts
from wokflow.frame.config import prepare, read_schema
from wokflow.frame.config_files import read_yaml
from wokflow.frame.job import UserError

SITE, PROFILE, CONFIG = (
    Path("slurm/site.yaml"),
    Path("slurm/config.yaml"),
    Path("config/config.yaml"),
)


def main(words: list[str]) -> int:
    arguments = _arguments(words)
    leave_allocation()
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _: sys.exit(128 + number))
    counts = {OK: 0, WARNING: 0, PROBLEM: 0}
    try:
        for finding in check(arguments.configfile, arguments.results, arguments.nodes, arguments.wait):
            counts[finding.level] += 1
            print(finding, flush=True)
    except KeyboardInterrupt:
        print("Interrupted. The trial jobs are cancelled.", file=sys.stderr)
        return 130
    print(_summary(counts[PROBLEM], counts[WARNING]))
    return int(counts[PROBLEM] > 0)


def check(configfiles: Sequence[str], results: str | None, most: int, wait: float) -> Iterator[Finding]:
    """Findings, in the order in which a person would fix them. The working folder is the project's."""
    if not Path("Snakefile").is_file():
        yield Finding(PROBLEM, f"{Path.cwd()} holds no Snakefile", "Start from the root of the repository")
        return
    try:
        site = read_site(SITE, partial(read_yaml, empty=True))
        profile = yaml.safe_load(PROFILE.read_text(encoding="utf-8"))
        config = read_config(configfiles)
    except (UserError, WorkflowError) as error:
        yield Finding(PROBLEM, str(error), "Fix that first, then check again")
        return
    yield (answers := _answers())
    if answers.level == PROBLEM:
        return
    options = ["--configfile", *configfiles] if configfiles else []
    try:
        asked = read_requests(options, int(profile.get("retries", 0)))
    except (UserError, WorkflowError) as error:
        yield Finding(PROBLEM, f"Snakemake cannot plan this run: {error}", "Fix that first, then check again")
        return
    try:
        nodes = slurm.nodes()
        named = list(names(site, nodes))
        taken = all(finding.level != PROBLEM for finding in named)
        yield from named
        places, refused = by_partition(site, asked)
        yield from limits(site, places, refused, nodes, taken=taken)
        yield from allowances(site, places)
        if not taken:
            yield Finding(
                WARNING, "no node was tried", "Fix the names in slurm/site.yaml first, then check again"
            )
            return
        yield from _tried(site, nodes, Path.cwd() / (results or config["results"]), most, wait)
    except SlurmError as error:
        yield Finding(
            PROBLEM, f"Slurm does not answer: {error}", "Try again; if it stays so, tell the administrators"
        )


def read_config(configfiles: Sequence[str]) -> dict[str, Any]:
    """The config of a run, with defaults. Raises UserError where it cannot be used."""
    from snakemake.utils import update_config

    config: dict[str, Any] = {}
    for path in (CONFIG, *map(Path, configfiles)):
        update_config(config, read_yaml(path))
    return prepare(config, read_schema(Path()), Path())[0]


def _answers() -> Finding:
    """Whether Slurm's commands are there, and its controller answers."""
    if absent := [name for name in slurm.COMMANDS if not shutil.which(name)]:
        return Finding(
            PROBLEM,
            f"Slurm's commands are not on PATH: {', '.join(absent)}",
            "Start from a login node of the cluster. If this is one, load Slurm's module (module avail slurm), "
            "or put the folder of its commands on PATH",
        )
    try:
        answer = ask("scontrol", "ping")
    except SlurmError as error:
        answer = str(error)
    if " is UP" in answer:
        return Finding(OK, "Slurm's commands are there, and its controller answers")
    return Finding(
        PROBLEM,
        f"Slurm's controller (slurmctld) does not answer: {answer.splitlines()[0]}",
        "Tell the administrators, or wait: nothing can be submitted until it answers. Jobs that run go on",
    )


def _tried(site: Site, nodes: list[slurm.Node], results: Path, most: int, wait: float) -> Iterator[Finding]:
    if not (places := choose(nodes, site, most)):
        yield Finding(
            PROBLEM,
            "there is no node to try",
            "Name partitions that have nodes that are up in slurm/site.yaml (sinfo lists them)",
        )
        return
    print(f"{'':8} ... a job on each of {len(places)} nodes", file=sys.stderr, flush=True)
    try:
        trials = try_out(places, site, results, Path.cwd(), wait)
    except OSError as error:
        yield Finding(
            PROBLEM,
            f"nothing can be written into the results folder {results}: {error.strerror}",
            "Set `results` in your config to a folder that you may write, and that all nodes share",
        )
        return
    yield from verdicts(trials, site, results, Path.cwd(), wait)


def _summary(problems: int, warnings: int) -> str:
    what = "fix the problems before the first run" if problems else "ready for snakemake --profile slurm"
    return f"Problems: {problems}, warnings: {warnings}; {what}."


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m wokflow.cluster.check", description=__doc__)
    parser.add_argument("--configfile", nargs="+", default=[], help="your config, as snakemake gets it")
    parser.add_argument("--results", help="the results folder, if another than the config's")
    parser.add_argument("--nodes", type=int, default=16, help="nodes to try at most (16)")
    parser.add_argument("--wait", type=float, default=180, help="seconds that a job may wait to start (180)")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
