"""Tries nodes out: a tiny job on each, all at once, that reads and writes in the results folder."""

import asyncio
import json
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from snakemake_executor_plugin_slurm_robust import slurm_questions
from snakemake_executor_plugin_slurm_robust.commands import SlurmError, ask
from snakemake_executor_plugin_slurm_robust.site import Site

from wokflow.cluster import probe, slurm
from wokflow.frame.printed import end_of

MINUTES = 2  # that a trial job may take
LATENCY = 60  # seconds until a file that a node wrote is seen here, as in slurm/config.yaml
WAITING = ("PENDING", "CONFIGURING")
RUNNING = ("RUNNING", "COMPLETING", "SUSPENDED", "STAGE_OUT")
LOG_LINES = 5


@dataclass(frozen=True)
class Place:
    """A node to try, in a partition, with a GPU or without."""

    node: str
    partition: str
    gpu: bool
    minutes: int = MINUTES


@dataclass(frozen=True)
class Trial:
    """How a trial job went."""

    place: Place
    state: str  # Slurm's; REFUSED, or UNKNOWN where Slurm forgot it
    reason: str = ""  # to wait, or of a refusal
    code: int = 0
    answer: dict[str, Any] | None = None
    log: str = ""  # its last lines

    @property
    def faults(self) -> int:
        """The bits of the exit code that say what the job's shell cannot read or write (see probe)."""
        bits = self.code - probe.BASE
        return bits if 0 < bits <= sum(probe.FAULTS) else 0


def choose(nodes: list[slurm.Node], site: Site, most: int) -> list[Place]:
    """At most `most` usable nodes to try: equally many of each partition, evenly spaced; those with GPUs first."""
    gpu = set(site.gpu_partitions() or ([] if site.partitions else {node.partition for node in nodes}))
    groups: dict[tuple[bool, str], list[slurm.Node]] = {}
    for node in slurm.admitted(slurm.in_use(nodes, site), site):
        if node.usable:
            groups.setdefault((node.partition in gpu and node.gpus > 0, node.partition), []).append(node)
    chosen: dict[str, Place] = {}
    for (with_gpu, partition), members in sorted(groups.items(), reverse=True):
        free = [node for node in members if node.name not in chosen]
        share = min(len(free), max(1, most // len(groups)))
        for index in range(share):
            node = free[index * len(free) // share]
            chosen[node.name] = Place(node.name, partition, with_gpu, min(MINUTES, node.minutes or MINUTES))
    return list(chosen.values())[:most]


def try_out(places: list[Place], site: Site, results: Path, project: Path, wait: float) -> list[Trial]:
    """Run a job at each place and return how each went; whatever happens, no job and no file stays behind.

    `wait` is how long jobs may wait for their start, in seconds. Raises OSError where nothing can be written into
    `results` on this side.
    """
    name = f"wokflow-check-{uuid.uuid4().hex[:8]}"
    with _folder(results) as folder:
        nonce = uuid.uuid4().hex
        (folder / "nonce").write_text(nonce, encoding="utf-8")
        trials: list[Trial] = []
        jobs: dict[str, Place] = {}
        try:
            for place in places:
                script = probe.script(
                    place.node, results=results, folder=folder, nonce=nonce, project=project, gpu=place.gpu
                )
                try:
                    jobs[_submit(place, site, name, script, project)] = place
                except SlurmError as error:
                    trials.append(Trial(place, "REFUSED", str(error)))
            return [*trials, *_collect(_wait(jobs, name, wait), folder)]
        finally:
            _cancel(name)


def _submit(place: Place, site: Site, name: str, script: str, project: Path) -> str:
    """The id of the job."""
    options = slurm.options(site, place.partition, gpus=int(place.gpu))
    about = ["--job-name", name, "--output", "/dev/null", "--export=ALL", "-D", str(project)]
    where = ["-w", place.node, "-t", str(place.minutes), "--no-requeue"]
    return ask("sbatch", "--parsable", *about, *options, *where, text=script).strip().split(";")[0]


@contextmanager
def _folder(results: Path) -> Iterator[Path]:
    made = [path for path in (results, *results.parents) if not path.exists()]
    results.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".check-", dir=results))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        for path in made:
            with suppress(OSError):
                path.rmdir()


def _wait(jobs: Mapping[str, Place], name: str, seconds: float) -> list[Trial]:
    """How jobs went once all have ended, or once those that wait have waited too long; without their answers."""
    start = time.monotonic()
    longest = seconds + 60 * (MINUTES + 1)  # a minute more, since Slurm ends jobs late
    ends: dict[str, Trial] = {}
    here = dict.fromkeys(jobs, ("PENDING", ""))
    while here:
        time.sleep(1)
        if (listed := asyncio.run(slurm_questions.queue(name))) is not None:
            here = {job: listed.get(job, ("UNKNOWN", "")) for job in here}
        for job, (state, reason) in here.items():
            if state not in (*WAITING, *RUNNING):
                code = asyncio.run(slurm_questions.describe(job)).get("ExitCode", "0:0")
                ends[job] = Trial(jobs[job], state, reason, int(code.partition(":")[0]))
        here = {job: where for job, where in here.items() if job not in ends}
        passed = time.monotonic() - start
        only_waits = all(state in WAITING for state, _ in here.values())
        if passed > longest or (passed > seconds and only_waits):
            break
    return [ends.get(job) or Trial(place, *here[job]) for job, place in jobs.items()]


def _collect(trials: Iterable[Trial], folder: Path) -> Iterator[Trial]:
    """Trials with what their jobs wrote; a file may take a while to be seen here."""
    latest = time.monotonic() + LATENCY
    for trial in trials:
        answer = folder / f"{trial.place.node}.json"
        while trial.state == "COMPLETED" and answer not in folder.iterdir() and time.monotonic() < latest:
            time.sleep(1)
        content = json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else None
        yield replace(trial, answer=content, log=_tail(answer.with_suffix(".log")))


def _tail(log: Path) -> str:
    with suppress(OSError), log.open("rb") as file:
        return "\n".join(end_of(file).splitlines()[-LOG_LINES:])
    return ""


def _cancel(name: str) -> None:
    """Cancel what still waits or runs, and give it ten seconds to end, so that it writes no more."""
    with suppress(SlurmError):
        ask("scancel", "--name", name)
    end = time.monotonic() + 10
    while time.monotonic() < end and (listed := asyncio.run(slurm_questions.queue(name))):
        if not any(state in (*WAITING, *RUNNING) for state, _ in listed.values()):
            return
        time.sleep(0.5)
