"""The workflow's jobs as plain sbatch scripts, one a job, for comparison: no Snakemake once they are submitted.

`collect` asks Snakemake, in a house whose results are all there, what each job reads, writes and is given. `submit`
hands the jobs whose results a house lacks to sbatch at once, each after those that it depends on. As a script, this
file runs one of them: python plain.py run JOBS NUMBER.
"""

import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

GIVEN = ("input", "output", "params", "log")
ENDED = "plain"  # folder of a house: <job>.done or <job>.failed


class Items(list[Any]):
    """A job's files or params, by number and by name, as its script expects them."""

    def __init__(self, items: list[Any], names: dict[str, tuple[int, int | None]]) -> None:
        super().__init__(items)
        self._named = {
            name: items[first] if end is None else Items(items[first:end], {})
            for name, (first, end) in names.items()
        }

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_named"][name]
        except KeyError:
            raise AttributeError(name) from None

    def items(self) -> Any:
        return self._named.items()

    def __getitem__(self, which: Any) -> Any:
        return getattr(self, which) if isinstance(which, str) else super().__getitem__(which)


def collect(house: Path, *targets: str) -> dict[str, Any]:
    """The jobs of a finished house, each behind those that it depends on."""
    command = [sys.executable, "-m", __name__, "collect", *targets]
    root = Path(__file__).parents[2]
    environment = {"PYTHONPATH": f"{root}:{root}/scripts", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=house, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def submit(house: Path, found: dict[str, Any], sbatch: Callable[..., str]) -> int:
    """Submit the jobs of which the house lacks a result; gives their number. `sbatch` gives the job id."""
    file = house / "jobs.json"
    file.write_text(json.dumps(found), encoding="utf-8")
    (house / ENDED).mkdir()
    ids: dict[int, str] = {}
    for number, job in enumerate(found["jobs"]):
        if all((house / path).exists() for path in job["output"][0]):
            continue
        after = [ids[source] for source in job["after"] if source in ids]
        gpus = job["resources"].get("gpu")
        ids[number] = sbatch(
            *("--job-name", "plain", "--comment", f"rule_{job['rule']}", "--chdir", str(house)),
            *("--output", str(house / ENDED / f"{number}.log"), "--ntasks", "1", "--requeue"),
            *("--cpus-per-task", str(job["threads"]), "--mem", str(job["resources"]["mem_mb"])),
            *("--time", str(job["resources"]["runtime"])),
            *(("--gpus", str(gpus)) if gpus else ()),
            *((f"--dependency=afterok:{':'.join(after)}", "--kill-on-invalid-dep=yes") if after else ()),
            *("--wrap", f"{sys.executable} {__file__} run {file} {number}"),
        )
    return len(ids)


class Resources(SimpleNamespace):
    """What a script sees of its job's resources."""

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self, name, default)


def run(file: Path, number: int) -> None:
    """Run a job's script in this process, in its house."""
    found = json.loads(file.read_text(encoding="utf-8"))
    job = found["jobs"][number]
    given = {name: Items(*job[name]) for name in GIVEN}
    for path in (*given["output"], *given["log"]):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    snakemake = SimpleNamespace(
        **given,
        threads=job["threads"],
        wildcards=job["wildcards"],
        scriptdir=str(Path(job["script"]).resolve().parent),
        resources=Resources(**{name: value for name, value in job["resources"].items() if value is not None}),
    )
    sys.path.insert(0, str(file.parent / "scripts"))
    end = "failed"
    try:
        runpy.run_path(job["script"], init_globals={"snakemake": snakemake})
        end = "done"
    finally:
        (file.parent / ENDED / f"{number}.{end}").touch()


def _collected(targets: list[str]) -> dict[str, Any]:
    from wokflow.frame.plan import dry_workflow

    workflow = dry_workflow(["--quiet", "all", "--cores", "64", "--", *targets])
    if workflow is None:
        raise SystemExit("the dry run failed")
    dag = workflow.dag
    order: list[Any] = []
    for job in dag.jobs:
        _visit(dag, job, order)
    number = {job: index for index, job in enumerate(order)}
    jobs = [
        _described(job) | {"after": sorted(number[source] for source in _needed(dag, job))} for job in order
    ]
    return {"jobs": jobs}


def _visit(dag: Any, job: Any, order: list[Any]) -> None:
    if job in order:
        return
    for source in _needed(dag, job):
        _visit(dag, source, order)
    if job.output:  # others are but names for what they gather
        order.append(job)


def _needed(dag: Any, job: Any) -> list[Any]:
    return [source for source in dag.dependencies[job] if source.output]


def _described(job: Any) -> dict[str, Any]:
    items = {
        name: ([_plain(item) for item in getattr(job, name)], dict(getattr(job, name)._get_names()))
        for name in GIVEN
    }
    return items | {
        "rule": job.rule.name,
        "script": f"scripts/{Path(job.rule.script).name}",
        "threads": job.threads,
        "resources": {name: job.resources.get(name) for name in ("mem_mb", "runtime", "gpu")},
        "wildcards": job.wildcards_dict,
    }


def _plain(item: Any) -> Any:
    return str(item) if isinstance(item, str) else item


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", file, number]:
            run(Path(file), int(number))
        case ["collect", *targets]:
            print(json.dumps(_collected(targets)))
