"""Section of the page: what the results were made of, and how: sources, settings, versions, code.

All of it is read from the results' own records (wokflow.frame.records): each has the key that it was made with, and
names its inputs. So it stays true after an edit of the config.
"""

import hashlib
import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wokflow.export.prov import inputs_behind, job_name
from wokflow.frame.processes import ask_program
from wokflow.frame.records import first_outputs, kept_inputs, kept_key
from wokflow.report.inputs import moment
from wokflow.report.render import Cell, Table
from wokflow.report.training import plain

SOURCE = "ingest.source"


class Job(NamedTuple):
    """What made an output: step, settings and so on as in its key; the output's path and its inputs' paths."""

    path: str
    inputs: Sequence[str]
    step: str
    settings: Mapping[str, Any]
    resources: Mapping[str, Any]
    code: Mapping[str, str]
    packages: Mapping[str, str]

    @property
    def run(self) -> str:
        """The run that the output is of: the folder's name in generate/predictions/<run>."""
        path = Path(self.path)
        return path.parent.name if path.suffix == ".parquet" else path.name


def history(paths: Iterable[str], results: str) -> list[Job]:
    """The jobs behind some results in the folder `results`, each output once, by path.

    Only the first output of a job names the job's inputs; for another one see prov.inputs_behind.
    """
    firsts = first_outputs(results)
    queue, jobs = list(paths), dict[str, Job]()
    while queue:
        path = queue.pop()
        if path not in jobs and (key := kept_key(path)) and (known := json.loads(key)):
            parts = (known.get(part, {}) for part in ("settings", "resources", "code", "packages"))
            name = job_name(path, results) or ""
            read = kept_inputs(path) or inputs_behind(name, firsts.get(key, ()), results)
            jobs[path] = Job(path, sorted(read), known["step"], *parts)
            queue += jobs[path].inputs
    return [jobs[path] for path in sorted(jobs)]


def section(jobs: Sequence[Job], times: Table, ended: Sequence[str]) -> dict[str, Any]:
    """Sources, steps, packages and the code; when jobs ended, and how long they took."""
    versions = {(name, version) for job in jobs for name, version in job.packages.items()}
    packages = Table(["Package", "Version"], sorted(versions))
    shown = {"sources": sources(jobs), "steps": steps(jobs), "packages": packages, "commit": commit()}
    return shown | {"times": times, "ended": ended}


def sources(jobs: Sequence[Job]) -> Table:
    """The files that corpora came from: size, SHA-256, and when they were last changed."""
    rows = []
    for job in jobs:
        if job.step == SOURCE:
            source = json.loads(Path(job.path).read_text(encoding="utf-8"))
            raw = [path for path in map(Path, job.inputs) if path.exists()]
            changed = moment(max(path.stat().st_mtime for path in raw)) if raw else "–"
            files = ", ".join(path.name for path in raw)
            digest = Cell(source["sha256"], kind="code")
            rows.append((Cell(Path(job.path).stem, files), source["bytes"], digest, changed))
    return Table(["Source", "Bytes", "SHA-256", "Changed (UTC)"], rows)


def steps(jobs: Sequence[Job]) -> Table:
    """Each step with its settings, once for each that differ, in the order of its name; and its code's digest."""
    counts: dict[tuple[str, str, str], int] = {}
    for job in jobs:
        code = hashlib.sha256(json.dumps(job.code, sort_keys=True).encode()).hexdigest()[:12]
        name = (job.step, plain(job.settings), code)
        counts[name] = counts.get(name, 0) + 1
    rows = [(step, said or "none", count, code) for (step, said, code), count in sorted(counts.items())]
    return Table(["Step", "Settings", "Outputs", "Code"], rows)


def commit() -> str:
    """The commit of the workflow's code, with -dirty where files differ from it; empty where it is not known."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return ""
    command = [
        "git",
        "--no-optional-locks",
        "-C",
        str(root),
        "describe",
        "--always",
        "--dirty",
        "--abbrev=40",
        "--exclude=*",
    ]
    try:
        done = ask_program(command, patience=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
