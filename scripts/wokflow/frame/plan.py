"""Prints what a run would do: python -m wokflow.frame.plan [options of snakemake].

It names changed keys of steps with their old and new values, the jobs that run because of them, the jobs that run
only if a cutoff before them changes, and those that stay. Snakemake itself determines the jobs in a dry run.
"""

import ast
import contextlib
import io
import itertools
import json
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from snakemake.exceptions import CliException
from snakemake_executor_plugin_slurm_robust.self_check import SNAKEMAKE, SNAKEMAKE_TESTED, Part, check_parts
from snakemake_interface_common.exceptions import WorkflowError

from wokflow.frame.alone import last_config
from wokflow.frame.config_files import check_configs
from wokflow.frame.job import UserError
from wokflow.frame.records import UNFINISHED

USED = (  # what this module calls and reads of Snakemake, as far as its classes show it
    Part("snakemake.cli", "parse_args", ("argv",)),
    Part("snakemake.cli", "args_to_api", ("args", "parser")),
    *(
        Part("snakemake.workflow:Workflow", name, None)
        for name in ("__init__", "dag", "globals", "persistence", "overwrite_configfiles")
    ),
    Part("snakemake.dag:DAG", "jobs", None),
    Part("snakemake.dag:DAG", "reason", ("self", "job")),
    Part("snakemake.persistence:PersistenceBase", "metadata", ("self", "target")),
)
PARTS = ("settings", "layout", "resources", "code", "packages", "cutoffs")


@dataclass
class Plan:
    """Rules by what will happen to them, in the order of running."""

    runs: Counter[str] = field(default_factory=Counter)  # rule -> number of jobs that will run
    why: dict[str, set[str]] = field(default_factory=dict)  # rule -> reasons of its jobs
    changes: dict[str, list[str]] = field(default_factory=dict)  # rule -> what changed in its key
    maybe: dict[str, set[str]] = field(default_factory=dict)  # rule -> the rules that it waits for
    stays: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Job:
    """A job of the run as Snakemake sees it; `reason` is empty where it will not run.

    `before` and `now` are its recorded and its current key. `inputs` and `cutoffs` are the indices of the jobs whose
    output it reads, the latter through an early cutoff.
    """

    rule: str
    reason: str
    before: str | None
    now: str | None
    inputs: tuple[int, ...]
    cutoffs: tuple[int, ...]


def main(options: list[str]) -> int:
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            workflow = dry_workflow(options)
            text = None if workflow is None else of_papers(workflow) + described(workflow)
            text = None if text is None else text + of_another_config(workflow)
    except (UserError, WorkflowError, CliException) as error:
        print(error)
        return 1
    except SystemExit:  # an option that Snakemake refuses, of which it shows all
        print(output.getvalue().strip().rpartition("[targets ...]\n")[2], file=sys.stderr)
        raise
    print(output.getvalue().strip() if text is None else text)
    return int(text is None)


def described(workflow: Any) -> str:
    """What Snakemake's workflow would do, after a dry run."""
    return render(plan(list(_jobs(workflow))))


def of_papers(workflow: Any) -> str:
    """What is missing for papers whose targets are planned, or which rows a paper's settings leave out."""
    named, rules = workflow.globals, {job.rule.name for job in workflow.dag.jobs}
    given = (named["config"], named["NAMED"], named["TARGETS"])
    said = str(named["paper_plan"].opening(rules, *given))
    return said + "\n\n" if said else ""


def of_another_config(workflow: Any) -> str:
    """Advice if the last run that wrote these results had other config files than this plan; otherwise empty."""
    last = last_config(workflow.globals["RESULTS"])
    now = [str(path) for path in workflow.overwrite_configfiles]
    if not last or last == now:
        return ""
    files = " ".join(last)
    return (
        f"\nThe last run here had --configfile {files}, and this plan {' '.join(now) or 'none'}. "
        f'To plan that run again: make plan CONFIG="{files}"'
    )


def dry_workflow(options: list[str]) -> Any:
    """Snakemake's workflow after a dry run, with its DAG; None where Snakemake stopped with an error.

    Raises UserError for a config file that is not there or cannot be read: Snakemake prints a traceback, or does not
    name the file.
    """
    from snakemake.cli import args_to_api, parse_args
    from snakemake.workflow import Workflow

    if warning := check_parts(SNAKEMAKE, SNAKEMAKE_TESTED, USED):
        print(warning, file=sys.__stderr__)
    # A model's server and its client run at the same time, with a core each.
    parser, arguments = parse_args(["--dry-run", "--cores", "64", *options])
    check_configs(arguments.configfile or ())
    made: list[Any] = []
    init = Workflow.__init__

    def remember(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        made.append(self)

    Workflow.__init__ = remember
    on_termination = signal.getsignal(signal.SIGTERM)
    try:
        if not args_to_api(arguments, parser):
            return None
    finally:
        Workflow.__init__ = init
        signal.signal(signal.SIGTERM, on_termination)  # Snakemake's scheduler leaves its own behind
    return made[-1]


def _jobs(workflow: Any) -> Iterator[Job]:
    """All jobs of the run, readers behind those they read."""
    dag = workflow.dag
    number: dict[Any, int] = {}
    for job in dag.jobs:
        _visit(dag, job, number)
    for job in number:
        sources = dag.dependencies[job]
        cut = {
            source
            for source, files in sources.items()
            if all(file.is_ancient for file in job.input if str(file) in {str(name) for name in files})
        }
        reason = str(dag.reason(job))
        looked_at = job.output if "Params" in reason else job.output[:1]
        records = [workflow.persistence.metadata(path) for path in looked_at]
        keys = [_recorded(record.params if record else None) for record in records]
        yield Job(
            job.rule.name,
            reason,
            UNFINISHED if UNFINISHED in keys else next(iter(keys), None),
            _current(job),
            tuple(number[source] for source in sources if source not in cut),
            tuple(number[source] for source in cut),
        )


def _visit(dag: Any, job: Any, number: dict[Any, int]) -> None:
    """Number a job behind all that it reads."""
    if job in number:
        return
    for source in dag.dependencies[job]:
        _visit(dag, source, number)
    number[job] = len(number)


def _recorded(params: Iterable[str] | None) -> str | None:
    """The key among a job's recorded params, which Snakemake keeps as Python literals without their names."""
    keys = [ast.literal_eval(value) for value in params or () if value.startswith("'{")]
    return keys[0] if keys else None


def _current(job: Any) -> str | None:
    """The job's key now; None if it waits for a checkpoint: Snakemake then gives no key, or a placeholder."""
    try:
        key = str(job.params.key)
    except Exception:
        return None
    return key if key.startswith("{") else None


def plan(jobs: list[Job]) -> Plan:
    """Sort rules into those that run, those that may run, and those that stay."""
    result = Plan()
    for job in jobs:
        if _changed(job) and job.before != UNFINISHED:
            known = result.changes.setdefault(job.rule, [])
            known += [
                line
                for line in difference(json.loads(job.before or "{}"), json.loads(job.now or "{}"))
                if line not in known
            ]
    moved = [bool(job.reason) or _changed(job) for job in jobs]
    for job in itertools.compress(jobs, moved):
        result.runs[job.rule] += 1
        result.why.setdefault(job.rule, set()).add(_meaning(job))
    for target in [rule for rule in result.runs if not _is_step(rule)]:
        del result.runs[target]
    for index, job in enumerate(jobs):
        on = {jobs[source].rule for source in job.cutoffs if moved[source]}
        on |= {
            jobs[source].rule for source in job.inputs if moved[source] and jobs[source].rule in result.maybe
        }
        if on and not moved[index]:
            moved[index] = True
            result.maybe.setdefault(job.rule, set()).update(on)
    result.maybe = {
        rule: on for rule, on in result.maybe.items() if _is_step(rule) and rule not in result.runs
    }
    touched = {*result.runs, *result.maybe}
    result.stays = list(
        dict.fromkeys(job.rule for job in jobs if _is_step(job.rule) and job.rule not in touched)
    )
    return result


def difference(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What differs between two keys, one line each; settings and versions of packages with both values."""
    lines = []
    if before.get("format") != now.get("format"):
        lines.append("the format of tables changed")
    for part in PARTS:
        old, new = before.get(part) or {}, now.get(part) or {}
        for name in sorted({*old, *new}):
            if old.get(name) == new.get(name):
                continue
            if part in ("settings", "layout", "packages"):
                lines.append(f"{name}: {_show(old, name)} -> {_show(new, name)}")
            else:
                lines.append(f"{part} {name} changed")
    return lines


def render(plan: Plan) -> str:
    if not plan.runs:
        return "Nothing to do: all results are up to date."
    lines = []
    if plan.changes:
        lines.append("What changed")
        lines += [
            f"  {rule.replace('_', '.', 1)}: {change}"
            for rule, changes in plan.changes.items()
            for change in changes
        ]
    lines.append(f"Runs ({plan.runs.total()} jobs)")
    lines += [
        f"  {rule:23} {count:4}  {', '.join(sorted(plan.why[rule]))}" for rule, count in plan.runs.items()
    ]
    if plan.maybe:
        lines.append("Runs only if a cutoff before it changes")
        lines += [f"  {rule:23}       waits for {', '.join(sorted(on))}" for rule, on in plan.maybe.items()]
    if plan.stays:
        lines += ["Stays", f"  {', '.join(plan.stays)}"]
    return "\n".join(lines)


def _is_step(rule: str) -> bool:
    """Whether a rule is a step, and not a target such as `all` or a stage."""
    return "_" in rule and not rule.startswith("paper_")


def _changed(job: Job) -> bool:
    return bool(job.before and job.now and job.before != job.now)


def _meaning(job: Job) -> str:
    if job.before == UNFINISHED:
        return "its key is lost"
    if not job.reason:
        return "its key changed"
    meanings = {
        "missing output": "output is missing",
        "params have changed": "its key changed",
        "input files updated": "follows",
        "updated input": "its input is newer",
        "set of input files": "it reads other files",
        "code has changed": "its adapter changed",
        "software environment": "its environment changed",
        "incomplete": "was interrupted",
        "force": "forced",
    }
    return next((meaning for start, meaning in meanings.items() if start in job.reason.lower()), job.reason)


def _show(values: dict[str, Any], name: str) -> str:
    return json.dumps(values[name], ensure_ascii=False) if name in values else "(nothing)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
