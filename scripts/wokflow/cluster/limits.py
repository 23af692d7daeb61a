"""Compares what rules ask for, and slurm/site.yaml and slurm/config.yaml allow, with what the cluster has."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wokflow.cluster import slurm
from wokflow.cluster.findings import OK, PROBLEM, WARNING, Finding
from wokflow.cluster.site import LIMITS, Site
from wokflow.cluster.slurm import Node, SlurmError

FORGETS = 200  # seconds; a run asks for its jobs at least every 180 s
ASKED = {  # a limit in slurm/site.yaml -> how rules ask for it, and whether each try asks for twice as much
    "max_runtime": (r"minutes\((\d+)\)", True),
    "max_mem_mb": (r"memory\((\d+)\)", True),
    "max_threads": (r"^ +threads: *(\d+)", False),
}
GPU_KEYS = {  # keys of the config with which a rule asks for a GPU -> what they must be for it to do without
    "match.embed.model": "all-MiniLM-L6-v2",
    "match.translate.backend": "anything but hub",
    "match.search.device": "cpu",
    "parse.dependencies.device": "cpu",
    "evaluate.counterfactual.bertscore.model": "left empty",
}


def limits(
    site: Site, profile: dict[str, Any], config: dict[str, Any], nodes: list[Node], *, taken: bool
) -> Iterator[Finding]:
    """Findings about limits: of partitions, of GPUs, of jobs in the queue, of the controller's memory for jobs.

    `taken` says whether Slurm takes jobs at all by the names in the site file.
    """
    retries = int(profile.get("retries", 0))
    found = list(_partitions(site, nodes, retries))
    yield from found or [Finding(OK, "the partitions have what the rules ask for")]
    yield from _gpus(site, nodes, needs_gpu(config), taken=taken)
    yield from _jobs(site, int(profile.get("jobs", 0)))
    age = slurm.min_job_age()
    if age is not None and age < FORGETS:
        yield Finding(
            WARNING,
            f"Slurm forgets jobs {age} s after their end (MinJobAge), and a run asks every 180 s",
            "Jobs that fail are then only noticed by the files that they did not write. Ask the administrators for "
            "MinJobAge=300, Slurm's default",
        )


@dataclass(frozen=True)
class Request:
    """The most that any rule asks for, at the first try and at the last."""

    first: int
    last: int


def requests(rules: Path, retries: int) -> dict[str, Request]:
    """The most that rules ask for, by the name of the limit."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(rules.glob("*.smk")))
    most = {"max_gpu": Request(1, 1)}
    for limit, (pattern, doubles) in ASKED.items():
        first = max((int(value) for value in re.findall(pattern, text, re.M)), default=0)
        most[limit] = Request(first, first * 2**retries if doubles else first)
    return most


def _partitions(site: Site, nodes: list[Node], retries: int) -> Iterator[Finding]:
    groups: dict[str, list[Node]] = {}
    for node in slurm.in_use(nodes, site):
        groups.setdefault(node.partition, []).append(node)
    asked = requests(Path("rules"), retries)
    for partition, members in groups.items():
        given = site.partitions.get(partition, {})
        has = {
            "max_runtime": members[0].minutes,
            "max_mem_mb": max(node.mem_mb for node in members),
            "max_threads": max(node.cpus for node in members),
            "max_gpu": max(node.gpus for node in members),
        }
        for limit, most in has.items():
            if most is not None:
                yield from _compare(partition, limit, given.get(limit), most, asked[limit])


def _compare(partition: str, limit: str, given: int | None, most: int, asked: Request) -> Iterator[Finding]:
    """A limit in the site file, None where it is silent, against what the partition has and what rules ask for."""
    what = f"partition {partition} has {most} {LIMITS[limit]} at most"
    fate = f"a job that asks for more {'waits for ever' if limit == 'max_runtime' else 'is refused'}"
    if given is not None and given > most:
        cure = f"Set {limit}: {most} for" if most else f"Take {limit} from"
        yield Finding(
            PROBLEM if asked.last > most else WARNING,
            f"{what}, {limit} in slurm/site.yaml says {given}; {fate}",
            f"{cure} {partition}, under partitions in slurm/site.yaml",
        )
    elif given is None and limit != "max_gpu" and asked.last > most:
        again = f" (at the last try {asked.last})" if asked.last > asked.first else ""
        yield Finding(
            PROBLEM if asked.first > most else WARNING,
            f"{what}, rules ask for up to {asked.first}{again}; {fate}",
            f"Set {limit}: {most} for {partition}, under partitions in slurm/site.yaml",
        )


def needs_gpu(config: dict[str, Any]) -> list[str]:
    """Keys of a config with which rules ask for a GPU, with their values."""
    match, parse, model = (
        config["match"],
        config["parse"],
        config["evaluate"]["counterfactual"]["bertscore"]["model"],
    )
    asks = {
        "match.embed.model": (match["embed"]["model"], match["embed"]["model"] != "all-MiniLM-L6-v2"),
        "match.translate.backend": (match["translate"]["backend"], match["translate"]["backend"] == "hub"),
        "match.search.device": (match["search"]["device"], match["search"]["device"] == "cuda"),
        "parse.dependencies.device": (
            parse["dependencies"]["device"],
            parse["dependencies"]["device"] == "cuda" and parse["actions"]["method"] != "rules",
        ),
        "evaluate.counterfactual.bertscore.model": (model, bool(model)),
    }
    return [f"{key}: {value}" for key, (value, needed) in asks.items() if needed]


def _gpus(site: Site, nodes: list[Node], needs: list[str], *, taken: bool) -> Iterator[Finding]:
    has = [node for node in slurm.in_use(nodes, site) if node.gpus]
    if site.partitions:
        has = [node for node in has if node.partition in site.gpu_partitions()]
    if has:
        for partition in dict.fromkeys(node.partition for node in has):
            if taken and (said := slurm.refusal(site, partition, gpus=1)):
                yield Finding(
                    PROBLEM if needs else WARNING,
                    f"Slurm refuses jobs for a GPU in partition {partition}: {said.splitlines()[-1]}",
                    "Compare account and qos in slurm/site.yaml with who may use that partition, or ask the "
                    "administrators",
                )
        return
    others = sorted({node.partition for node in nodes if node.gpus})
    where = f"{', '.join(others)} have GPUs" if others else "no partition that you can see has GPUs"
    cure = f"Give a partition with GPUs max_gpu in slurm/site.yaml ({where})"
    if needs:
        yield Finding(
            PROBLEM,
            f"no partition for jobs that need a GPU, and the config asks for it: {'; '.join(needs)}",
            f"{cure},\nor do without: "
            + "; ".join(f"{key}: {GPU_KEYS[key]}" for key in (need.partition(":")[0] for need in needs)),
        )
    else:
        yield Finding(
            WARNING,
            "no partition for jobs that need a GPU; the config asks for none",
            f"{cure}, before you set another match.embed.model, match.translate.backend: hub, match.search.device: "
            "cuda, parse.dependencies.device: cuda, or evaluate.counterfactual.bertscore.model",
        )


def _jobs(site: Site, jobs: int) -> Iterator[Finding]:
    try:
        own = slurm.associations()
    except SlurmError:
        return
    for one in own:
        if one.most_jobs is not None and one.most_jobs < jobs and site.account in (None, one.account):
            yield Finding(
                PROBLEM,
                f"account {one.account} may have {one.most_jobs} jobs in the queue, and a run queues {jobs}",
                f"Set jobs: {one.most_jobs} in slurm/config.yaml (less, if you submit other jobs too)",
            )
