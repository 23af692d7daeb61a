"""What it costs to run the workflow through Slurm, against plain sbatch scripts that do the same work."""

import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from snakemake_executor_plugin_slurm_robust.jobs import MOST

from tests.bench import measure, plain
from tests.bench.measure import timed
from tests.conftest import copy_house, snakemake
from tests.slurm.cluster import Cluster, started
from tests.slurm.runs import results, write_site
from tests.workflow.conftest import new_house

ACCOUNT = "lab"
PATIENCE = 3600  # seconds that a contender may take
SHARDS = {"tiny": 6, "small": 200, "full": 200}
DEMO = {"tiny": ("results/match/eligible/xiachufang/part-00000.parquet",), "small": (), "full": ()}
SHARDED = "results/match/neighbours/zh-en/part-00000.parquet"
PROFILE, PLAIN = "the profile", "plain sbatch"
QUESTION = 2  # requests to the controller for one question for states, both of squeue
SUBMITTED = "has been submitted with"
# Requests to the controller, by the command that sends them; nodes, and srun within jobs, send others.
CLIENTS = {
    "REQUEST_SUBMIT_BATCH_JOB": "sbatch",
    "REQUEST_JOB_INFO": "squeue",
    "REQUEST_JOB_USER_INFO": "squeue",
    "REQUEST_PARTITION_INFO": "squeue",
    "REQUEST_NODE_INFO": "sinfo",
    "REQUEST_BUILD_INFO": "scontrol",
    "REQUEST_PING": "scontrol",
    "REQUEST_JOB_INFO_SINGLE": "scontrol",
    "REQUEST_KILL_JOB": "scancel",
    "REQUEST_CANCEL_JOB_STEP": "scancel",
}


class Done(NamedTuple):
    """Seconds until the first job was submitted, and until all was done."""

    first: float
    wall: float


@dataclass(frozen=True)
class Figures:
    """What a contender took; times in seconds, requests by type."""

    jobs: int
    first: float
    wall: float
    cpu: float  # of the login node, its children included, jobs not
    controller: Counter[str]
    database: Counter[str]
    busy: float  # in which a job ran
    job: float  # mean time of a job

    def a_minute(self, requests: Counter[str]) -> float:
        return 60 * requests.total() / self.wall

    @property
    def idle(self) -> float:
        """The share of the time in which no job ran."""
        return max(0.0, 1 - self.busy / self.wall)


@pytest.fixture
def cluster(data: Path) -> Iterator[Cluster]:
    """Two nodes, so that this machine's cores are not asked for much more than they can do."""
    with started(data, accounting=True, nodes=2, min_job_age=PATIENCE) as cluster:
        yield cluster


def test_demo(cluster: Cluster, data: Path) -> None:
    publish_demo(contend(cluster, partial(demo_house, data / "demo"), DEMO[measure.scale()]))


def test_shards(cluster: Cluster, data: Path) -> None:
    count = SHARDS[measure.scale()]
    house = partial(sharded_house, prepare_shards(data / "prepared", count), data / "shards")
    figures = contend(cluster, house, (SHARDED,))
    assert figures[PROFILE].jobs == slurm_jobs(count) + 1
    publish_shards(count, figures)


def slurm_jobs(shards: int) -> int:
    """Jobs of Slurm that so many shards make, which are ready at once."""
    return -(-shards // -(-shards // MOST))


def demo_house(folder: Path, name: str) -> Path:
    house = copy_house(folder / name)
    write_site(house, account=ACCOUNT)
    return house


def prepare_shards(house: Path, shards: int) -> Path:
    """A small house in which nothing is left to do but to search in shards, and to gather them."""
    new_house(house)
    snakemake(house, SHARDED, cores=measure.THREADS)
    for folder in ("search", "neighbours", "accepted", "audit"):
        shutil.rmtree(house / "results" / "match" / folder)
    config = house / "config" / "config.yaml"
    text = config.read_text(encoding="utf-8")
    assert "backend: faiss" in text
    config.write_text(text.replace("backend: faiss", f"backend: faiss, shards: {shards}"), encoding="utf-8")
    write_site(house, account=ACCOUNT)
    return house


def sharded_house(prepared: Path, folder: Path, name: str) -> Path:
    house = folder / name
    shutil.copytree(prepared, house, symlinks=True)
    return house


def contend(cluster: Cluster, house: Callable[[str], Path], targets: tuple[str, ...]) -> dict[str, Figures]:
    """Figures of both contenders, in a house of its own each; they must have the same results, byte for byte."""
    ours, theirs = house("profile"), house("plain")
    figures = {PROFILE: measured(cluster, PROFILE, partial(with_snakemake, cluster, ours, *targets))}
    found = plain.collect(ours, *targets)
    figures[PLAIN] = measured(cluster, PLAIN, partial(with_sbatch, cluster, theirs, found))
    assert contents(theirs) == contents(ours)
    return figures


def contents(house: Path) -> dict[str, str]:
    return {
        path: digest for path, digest in results(house).items() if not path.endswith(".snakemake_timestamp")
    }


def with_snakemake(cluster: Cluster, house: Path, *targets: str) -> Done:
    """As a user starts it."""
    start, log = time.monotonic(), house.with_suffix(".log")
    command = [sys.executable, "-m", "snakemake", "--profile", "slurm", *targets]
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=house, env=cluster.environment, stdout=out, stderr=out)
    try:
        while SUBMITTED not in log.read_text():
            assert process.poll() is None, log.read_text()
            time.sleep(0.02)
        first = time.monotonic() - start
        assert process.wait(PATIENCE) == 0, log.read_text()
    finally:
        process.kill()
    return Done(first, time.monotonic() - start)


def with_sbatch(cluster: Cluster, house: Path, found: dict[str, object]) -> Done:
    start = time.monotonic()
    first: list[float] = []

    def sbatch(*options: str) -> str:
        job = cluster.run("sbatch", "--parsable", "--account", ACCOUNT, *options).strip()
        first.append(time.monotonic() - start)
        return job

    jobs, ended = plain.submit(house, found, sbatch), house / plain.ENDED
    while len(list(ended.glob("*.done"))) < jobs:
        failed = [file.with_suffix(".log").read_text() for file in ended.glob("*.failed")]
        assert not failed and time.monotonic() < start + PATIENCE, failed
        time.sleep(0.1)
    return Done(first[0], time.monotonic() - start)


def measured(cluster: Cluster, name: str, run: Callable[[], Done]) -> Figures:
    """Run a contender alone on the cluster and read from outside what it took."""
    known = max((job for job, _, _ in intervals(cluster)), default=0)
    cluster.run("sacctmgr", "-i", "clear", "stats")
    cluster.run("sdiag", "--reset")
    taken = timed(run)
    controller = requests(cluster.run("sdiag"))
    database = requests(cluster.run("sacctmgr", "show", "stats"))
    print(f"  {name}: {taken.wall:.1f} s\n    {dict(controller)}\n    {dict(database)}", flush=True)
    cluster.until(lambda: not cluster.run("squeue", "--noheader"), "all jobs have ended")
    jobs = [job for job in intervals(cluster) if job[0] > known]
    return Figures(
        len(jobs),
        taken.outcome.first,
        taken.outcome.wall,
        taken.cpu,
        Counter({kind: count for kind, count in controller.items() if kind in CLIENTS}),
        Counter({kind: count for kind, count in database.items() if kind.startswith("DBD_GET_")}),
        union([(start, end) for _, start, end in jobs]),
        sum(end - start for _, start, end in jobs) / len(jobs),
    )


def requests(text: str) -> Counter[str]:
    """Requests by type, from what sdiag says, or sacctmgr show stats."""
    return Counter(
        {kind: int(count) for kind, count in re.findall(r"^\s+([A-Z_]+)\s+\(.*count:(\d+)", text, re.M)}
    )


def intervals(cluster: Cluster) -> list[tuple[int, int, int]]:
    """Job id, start and end of each job that has ended, in seconds; the controller keeps them for PATIENCE."""
    command = ("squeue", "--noheader", "--array", "--states=all", "--format", "%A|%S|%e")
    rows = [line.split("|") for line in cluster.run("env", "SLURM_TIME_FORMAT=%s", *command).splitlines()]
    return [(int(job), int(start), int(end)) for job, start, end in rows]


def union(spans: list[tuple[int, int]]) -> float:
    """Seconds that lie in one span at least."""
    total, reached = 0, 0
    for start, end in sorted(spans):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def noticed(seconds: float, first: int = 20, step: int = 10, most: int = 180) -> float:
    """When the profile sees the end of a job that takes so long, if nothing else ends before, in seconds."""
    interval = seen = first
    while seen < seconds:
        interval = min(interval + step, most)
        seen += interval
    return seen


def lost(minutes: int) -> float:
    """The share of the time in which no job runs, in a chain of jobs of half to one and a half times `minutes`."""
    lengths = range(30 * minutes, 90 * minutes + 1)
    return 1 - sum(lengths) / sum(map(noticed, lengths))


def table(figures: dict[str, Figures]) -> str:
    rows = [
        [
            name,
            f"{one.jobs:,}",
            f"{one.first:.1f}",
            f"{one.wall:.0f}",
            f"{one.job:.1f}",
            f"{100 * one.idle:.0f}",
            f"{one.cpu:.1f}",
            f"{3600 * one.cpu / one.wall:.0f}",
            f"{one.a_minute(one.controller):.1f}",
            f"{one.a_minute(one.database):.1f}",
        ]
        for name, one in figures.items()
    ]
    header = ["contender", "jobs", "to first job, s", "wall, s", "a job, s", "no job runs, %", "login CPU s"]
    header += ["login CPU s an hour", "controller requests a min", "database requests a min"]
    return measure.table(header, rows)


def publish_demo(figures: dict[str, Figures]) -> None:
    measure.publish(
        "slurm-demo",
        "The demo through Slurm, against plain sbatch scripts",
        f"""The whole demo on a private Slurm of two virtual nodes that share this machine's cores with everything
        else. *The profile* is `snakemake --profile slurm` as it is.
        *Plain sbatch* runs the same scripts on the same inputs, one
        `sbatch --dependency=afterok:...` a job, all at once, and nobody looks after them: no retries, no rerun of
        what an edit touches, no messages. Results are equal, byte for byte. CPU seconds are those of the login node:
        of Snakemake with its squeue, sbatch and so on, or of the sbatch calls alone. Requests are those that the
        controller counts (`sdiag`) of {", ".join(sorted(set(CLIENTS.values())))}, on the login node and in jobs, and
        those that slurmdbd counts (`sacctmgr show stats`, `DBD_GET_...`). Jobs are those of Slurm, of which the
        profile makes one of several short steps; their times are in whole seconds. One run each.
        {measure.repeat("test_slurm.py")}""",
        measure.machine("snakemake", "snakemake-executor-plugin-slurm"),
        table(figures),
        f"""These jobs take seconds, so what stands out is the wait between a job's end and the next question for
        states: 20 s at first, 10 s longer after each question that finds nothing ended, 180 s at most, and 20 s again
        once something has. On a real cluster jobs take longer. Computed from these intervals, a chain of
        jobs of about 10 minutes, with nothing beside it, has no job running for {100 * lost(10):.0f} % of its time,
        of 30 minutes {100 * lost(30):.0f} %, of 2 hours {100 * lost(120):.0f} %.""",
    )


def publish_shards(count: int, figures: dict[str, Figures]) -> None:
    one, bare = figures[PROFILE], figures[PLAIN]
    a_job = (one.controller.total() - QUESTION * one.controller["REQUEST_JOB_INFO"]) / one.jobs
    hourly = 180 * QUESTION + 300 * a_job
    start = one.job - bare.job * (count + 1) / one.jobs
    times = measure.at_most(one.wall / bare.wall, 3)
    requests = measure.at_most(one.a_minute(one.controller), 100)
    measure.publish(
        "slurm-shards",
        f"{count} shards through Slurm, against plain sbatch scripts",
        f"""{count} shards of the search and the job that gathers them, else as above. The profile puts shards
        together where there are more than {MOST}, here into {slurm_jobs(count)} jobs of Slurm. It takes
        {times.value:.1f} times as long as plain sbatch ({times}), with {requests.value:.0f} requests to the
        controller a minute ({requests}). {measure.repeat("test_slurm.py")}""",
        measure.machine("snakemake", "snakemake-executor-plugin-slurm"),
        table(figures),
        f"""With 50 jobs of 10 minutes at a time, so 300 an hour, something has ended at nearly every question. 180
        questions an hour of {QUESTION} requests each, and {a_job:.1f} requests a job (its sbatch, and what the start
        of Snakemake on its node asks scontrol), make {hourly / 60:.0f} requests to the controller a minute. At
        {one.cpu / one.jobs:.2f} CPU seconds a job they take {300 * one.cpu / one.jobs:.0f} CPU seconds of the login
        node an hour, {300 * one.cpu / one.jobs / 36:.1f} % of a core. Each job pays for a start of Snakemake
        on its node: {start:.1f} s here, {100 * start / 600:.1f} % of a job of 10 minutes.""",
        targets=() if measure.scale() == "tiny" else (times, requests),
    )
