"""Dry runs of a house: which rules would run, and the key of each job.

A dry run from the command line takes one or two seconds, most of which goes into imports, the digests of code and
the parsing of rules. A Planner does these once, in a process of its own, and makes each dry run in a fork of it.
"""

import contextlib
import gc
import importlib
import io
import multiprocessing
import os
import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

from tests.conftest import enter, forkserver

Job = tuple[str, str]  # a rule, and the wildcards of a job as text


@dataclass(frozen=True)
class Planned:
    """What a dry run says; `message` is Snakemake's where it stopped with an error, and None elsewhere."""

    runs: frozenset[Job] = frozenset()
    keys: Mapping[Job, str] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()  # rules of jobs whose key is known only when a checkpoint has run
    outputs: Mapping[str, str] = field(default_factory=dict)  # path -> rule
    message: str | None = None
    text: str = ""  # what `make plan` says

    @property
    def rules(self) -> set[str]:
        """The rules that would run."""
        assert self.message is None, self.message
        return {rule for rule, _ in self.runs} - {"all"}

    @property
    def described(self) -> set[str]:
        """The rules that the text says will run."""
        assert self.message is None, self.message
        listed = self.text.partition("\nRuns (")[2] if "\nRuns (" in self.text else self.text
        return {line.split()[0] for line in listed.splitlines() if re.match(r"  \w+ +\d+  \w", line)}

    def rules_with_other_keys(self, before: "Planned") -> set[str]:
        """The rules of jobs that had another key before; jobs that there were not before are left out."""
        assert self.message is before.message is None, f"{self.message} {before.message}"
        both = self.keys.keys() & before.keys.keys()
        return {
            rule for rule, wildcards in both if self.keys[rule, wildcards] != before.keys[rule, wildcards]
        }


class Planner:
    """Makes dry runs of a house whose code and resources do not change meanwhile."""

    def __init__(self, house: Path) -> None:
        self._connection, other = multiprocessing.Pipe()
        context = forkserver()
        self._process = context.Process(target=_serve, args=(house, dict(os.environ), other), daemon=True)
        self._process.start()
        other.close()
        self.unedited = Planned(**self._connection.recv())

    def plan(self, *options: str) -> Planned:
        """The dry run with some options of Snakemake."""
        self._connection.send(options)
        return Planned(**self._connection.recv())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()
        self._process.join()


def plan_once(house: Path, *options: str) -> Planned:
    """The dry run of a house."""
    with Planner(house) as planner:
        return planner.plan(*options) if options else planner.unedited


def _serve(house: Path, environment: dict[str, str], connection: Connection) -> None:
    enter(house, environment)
    _parse_once()
    connection.send(_dry_run(()))
    with contextlib.suppress(EOFError):
        while True:
            options = connection.recv()
            if child := os.fork():
                os.waitpid(child, 0)
            else:
                try:
                    gc.disable()  # a fork that ends in a second need not tidy up what it inherited
                    connection.send(_dry_run(options))
                finally:
                    os._exit(0)


def _parse_once() -> None:
    """Let Snakemake remember what it made of each rules file."""
    importlib.import_module("snakemake.cli")  # or the next import, if it is the first, fails in a circle
    from snakemake import workflow

    parse, known = workflow.parse, {}

    def remembered(file: Any, parent: Any, linemap: dict[int, int], rulecount: int = 0) -> Any:
        path = file.get_path_or_uri(secret_free=True)
        if (path, rulecount) not in known:
            lines: dict[int, int] = {}
            known[path, rulecount] = parse(file, parent, linemap=lines, rulecount=rulecount), lines
        result, lines = known[path, rulecount]
        linemap.update(lines)
        return result

    workflow.parse = remembered


def _dry_run(options: tuple[str, ...]) -> dict[str, Any]:
    """The fields of Planned: this process knows the modules of a house, and not that of the class."""
    from wokflow.frame.plan import described, dry_workflow

    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            workflow = dry_workflow(list(options))
            text = "" if workflow is None else described(workflow)
    except (Exception, SystemExit):
        return {"message": traceback.format_exc()}
    if workflow is None:
        return {"message": output.getvalue()}
    jobs = list(workflow.dag.jobs)
    keys = {_name(job): _key(job) for job in jobs if "_" in job.rule.name}  # and not the targets
    return {
        "runs": frozenset(_name(job) for job in jobs if str(workflow.dag.reason(job))),
        "keys": {name: key for name, key in keys.items() if key},
        "waiting": frozenset(rule for (rule, _), key in keys.items() if not key),
        "outputs": {str(path): job.rule.name for job in jobs for path in job.output},
        "text": text,
    }


def _name(job: Any) -> Job:
    return job.rule.name, " ".join(f"{name}={value}" for name, value in sorted(job.wildcards_dict.items()))


def _key(job: Any) -> str | None:
    """The job's key; None for a job that waits for a checkpoint."""
    key = str(job.params.get("key"))
    return key if key.startswith("{") else None
