"""Questions to Slurm: partitions with their nodes, settings, accounts, whether it would take a job."""

import getpass
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from snakemake_executor_plugin_slurm_robust.commands import SlurmError, ask
from snakemake_executor_plugin_slurm_robust.site import GPU_MODEL, Site

COMMANDS = ("sbatch", "squeue", "scancel", "scontrol", "sinfo", "sacct")  # that a run calls on the login node
UNAVAILABLE = (
    "node configuration is not available"  # a refusal: no node has what a job asks for, or none is up
)
USABLE = ("idle", "mixed", "allocated", "completing", "planned", "reserved", "powering_up", "powered_down")
AMOUNT = re.compile(r"([\w/:]+)=(\d+(?:\.\d+)?)([MGT]?)")  # name, number and unit
FEATURE = re.compile(r"[\w.-]+")  # a constraint that is one feature, without operators or counts
FIELDS = "%N|%P|%T|%c|%m|%G|%l|%f|%E"  # of sinfo


@dataclass(frozen=True)
class Node:
    """A node as a member of one partition."""

    name: str
    partition: str
    default: bool  # whether the partition is the cluster's default
    state: str
    cpus: int
    mem_mb: int
    gpus: int
    minutes: int | None  # the partition's time limit; None without one
    features: str
    reason: str  # why it is down or drained; "none" where nobody gave one

    @property
    def usable(self) -> bool:
        """Whether it runs jobs, or will once it has room or power; a `*` marks nodes that do not respond."""
        return not self.state.endswith("*") and self.state.rstrip("~#!%$@^-+").lower() in USABLE


def nodes() -> list[Node]:
    """Every node of every partition that the user may see, once for each of its partitions."""
    lines = ask("sinfo", "--noheader", "-N", "-o", FIELDS).splitlines()
    rows = [line.split("|", 8) for line in lines if line.count("|") >= 8]
    return [
        Node(
            name,
            partition.rstrip("*"),
            partition.endswith("*"),
            state,
            int(cpus.rstrip("+")),
            int(mem.rstrip("+")),
            gpus_of(gres),
            minutes_of(limit),
            features,
            reason,
        )
        for name, partition, state, cpus, mem, gres, limit, features, reason in rows
    ]


def in_use(nodes: list[Node], site: Site) -> list[Node]:
    """The nodes of the partitions that jobs go to: the site's, or the cluster's default."""
    return [
        node for node in nodes if node.partition in site.partitions or (node.default and not site.partitions)
    ]


def admitted(nodes: Iterable[Node], site: Site) -> list[Node]:
    """The nodes that jobs may have by the constraint of their partition.

    Where a constraint is more than one feature, which Slurm alone reads, these are all nodes.
    """

    def has_feature(node: Node) -> bool:
        constraint = site.setting("constraint", node.partition) or ""
        return not FEATURE.fullmatch(constraint) or constraint in node.features.split(",")

    return [node for node in nodes if has_feature(node)]


def states_of(nodes: Iterable[Node]) -> str:
    """Nodes with their states and the reasons for these, in words: n1 n2 drained (fan), n3 down*."""
    names: dict[str, set[str]] = {}
    for node in nodes:
        why = "" if node.reason == "none" else f" ({node.reason})"
        names.setdefault(f"{node.state}{why}", set()).add(node.name)
    return ", ".join(f"{' '.join(sorted(of_state))} {state}" for state, of_state in names.items())


def gpus_of(gres: str) -> int:
    """How many GPUs a node has by its Gres, such as gpu:a100:4(S:0-1),gpu:2,nvme:1."""
    parts = [part.partition("(")[0].split(":") for part in gres.split(",")]
    return sum(int(part[-1]) for part in parts if part[0] == "gpu" and part[-1].isdecimal())


def minutes_of(limit: str) -> int | None:
    """Minutes of a time such as 2-00:00:00, 1:00:00 or 30:00; None where it is infinite."""
    if not limit[:1].isdigit():
        return None
    days, _, clock = limit.rpartition("-")
    seconds = 0
    for part in clock.split(":"):
        seconds = 60 * seconds + int(part)
    return int(days or 0) * 1440 + seconds // 60


@dataclass(frozen=True)
class Association:
    """One of the user's accounts."""

    account: str
    qos: tuple[str, ...]
    default_qos: str  # or the only one; empty where the cluster names no default


def associations() -> list[Association]:
    """The user's accounts. Raises SlurmError where the cluster has no accounting."""
    rows = _rows(
        "assoc",
        ("account%256", "qos%1024", "defaultqos%256"),
        f"user={getpass.getuser()}",
    )
    return [
        Association(account, tuple(qos.split(",")), default or (qos if "," not in qos else ""))
        for account, qos, default in rows
    ]


@dataclass(frozen=True)
class Qos:
    """A quality of service with its limits; None where there is none."""

    name: str
    minutes: int | None  # of one job
    per_job: Mapping[str, int]  # of one job: cpu, gres/gpu, mem in MB, node
    per_user: Mapping[str, int]  # of all jobs of a user that run at once


def every_qos() -> dict[str, Qos]:
    """Every qos of the cluster, by name. Raises SlurmError where the cluster has no accounting."""
    fields = ("name%256", "maxwall", "maxtres%1024", "maxtrespu%1024")
    return {
        name: Qos(name, minutes_of(wall), amounts_of(job), amounts_of(user))
        for name, wall, job, user in _rows("qos", fields)
    }


def _rows(what: str, fields: tuple[str, ...], *conditions: str) -> list[list[str]]:
    output = ask("sacctmgr", "-n", "-P", "show", what, *conditions, f"format={','.join(fields)}")
    return [line.split("|") for line in output.splitlines() if line.count("|") == len(fields) - 1]


def amounts_of(text: str) -> dict[str, int]:
    """Amounts by name, of a list such as cpu=8,gres/gpu=2,mem=64G,node=1; memory in MB."""
    rows = filter(None, map(AMOUNT.fullmatch, text.split(",")))
    return {row[1]: int(float(row[2]) * 1024 ** "MGT".find(row[3] or "M")) for row in rows}


def options(site: Site, partition: str | None, *, gpus: int = 0) -> list[str]:
    """The options of `sbatch` for a tiny job in a partition, as Snakemake's executor would set them."""
    accounts = re.split(r"[,\s]+", site.setting("account", partition) or "")  # the executor takes the first
    qos, constraint = (site.setting(key, partition) for key in ("qos", "constraint"))
    named = {"-A": accounts[0], "-p": partition, "-C": constraint, "--qos": qos}
    set_options = [word for option, value in named.items() if value for word in (option, value)]
    model = site.setting(GPU_MODEL, partition)
    size = (
        [f"--gpus={f'{model}:' if model else ''}{gpus}", "--mem=2000"]
        if gpus
        else ["--ntasks=1", "--mem=500"]
    )
    return [*set_options, *size, "--cpus-per-task=1"]


def refusal(site: Site, partition: str | None, *more: str, gpus: int = 0) -> str:
    """Why Slurm would not take a tiny job, in its own words; nothing where it would."""
    try:
        ask("sbatch", "--test-only", "-t", "1", *options(site, partition, gpus=gpus), *more, "--wrap", "true")
    except SlurmError as error:
        return str(error)
    return ""


def only_waits(refusal: str, nodes: Collection[Node]) -> bool:
    """Whether a trial is refused only since none of the nodes that it may have runs jobs now.

    Slurm takes a real job, which waits.
    """
    return UNAVAILABLE in refusal and bool(nodes) and not any(node.usable for node in nodes)
