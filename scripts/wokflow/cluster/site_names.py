"""Checks the names in slurm/site.yaml: account, qos, partitions, constraint."""

import difflib
import re
from collections.abc import Iterator

from snakemake_executor_plugin_slurm_robust.commands import SlurmError
from snakemake_executor_plugin_slurm_robust.site import Site

from wokflow.cluster import slurm
from wokflow.cluster.check_findings import OK, PROBLEM, WARNING, Finding
from wokflow.cluster.slurm import Association, Node


def names(site: Site, nodes: list[Node]) -> Iterator[Finding]:
    """Findings about names, and about a trial submission in each partition, which shows what names cannot."""
    try:
        own: list[Association] | None = slurm.associations()
        every_qos = list(slurm.every_qos())
    except SlurmError:
        own, every_qos = None, []
    findings = [*_account(site, own), *_qos(site, own, every_qos), *_partitions(site, nodes)]
    yield from findings
    known = {node.partition for node in nodes}
    partitions: list[str | None] = [name for name in site.partitions if name in known]
    for partition in partitions if site.partitions else [None]:
        refusal = slurm.refusal(site, partition)
        own_nodes = [node for node in nodes if (node.partition == partition if partition else node.default)]
        members = slurm.admitted(own_nodes, site)
        if slurm.only_waits(refusal, members):
            yield Finding(
                WARNING,
                f"{_place(partition)}: none of its nodes runs jobs now: {slurm.states_of(members)}",
                "Slurm takes jobs for it, but they wait. Name another partition in slurm/site.yaml, or ask the "
                "administrators when the nodes come back",
            )
        elif refusal and not _explained(refusal, findings):
            yield _refused(refusal, partition, site, nodes, members, own)
        elif not refusal:
            yield Finding(OK, f"Slurm takes jobs for {_place(partition)}")


def _account(site: Site, own: list[Association] | None) -> Iterator[Finding]:
    named = ",".join(site.values("account"))
    wanted = list(dict.fromkeys(re.split(r"[,\s]+", named))) if named else []
    if wanted and own is None:
        yield Finding(
            PROBLEM,
            f"account {named}: this cluster lists no accounts (sacctmgr), and Snakemake's executor then "
            "refuses any",
            "Set account: null in slurm/site.yaml; if sbatch needs one all the same: "
            f"export SBATCH_ACCOUNT={wanted[0]}",
        )
    accounts = sorted({association.account for association in own or []})
    for account in wanted if own is not None else []:
        if account.lower() not in accounts:
            yield Finding(
                PROBLEM,
                f"account {account}: not one of yours, which are {', '.join(accounts) or '(none)'}",
                f"Set account in slurm/site.yaml to {_near(account, accounts)}",
            )


def _qos(site: Site, own: list[Association] | None, every: list[str]) -> Iterator[Finding]:
    usable = sorted({qos for association in own or [] for qos in association.qos if qos})
    for wanted in site.values("qos"):
        if every and wanted not in every:
            yield Finding(
                PROBLEM,
                f"qos {wanted}: there is none of that name; yours are {', '.join(usable) or '(none)'}",
                f"Set qos in slurm/site.yaml to {_near(wanted, usable)}, or to null for your default",
            )


def _partitions(site: Site, nodes: list[Node]) -> Iterator[Finding]:
    known = sorted({node.partition for node in nodes})
    for name in site.partitions:
        if name not in known:
            yield Finding(
                PROBLEM,
                f"partition {name}: there is none of that name; there are {', '.join(known)}",
                f"Write {_near(name, known)} under partitions in slurm/site.yaml in its place",
            )
    if not site.partitions and not any(node.default for node in nodes):
        yield Finding(
            PROBLEM,
            "partition: slurm/site.yaml names none, and the cluster has no default",
            f"Name one or more under partitions in slurm/site.yaml: {', '.join(known)}",
        )


def _refused(
    refusal: str,
    partition: str | None,
    site: Site,
    nodes: list[Node],
    members: list[Node],
    own: list[Association] | None,
) -> Finding:
    """The finding about Slurm's refusal of a tiny job, with the key to change."""
    low = refusal.lower()
    accounts = (
        ", ".join(sorted({association.account for association in own or []})) or "ask the administrators"
    )
    if "account" in low:
        cure = f"Set account in slurm/site.yaml to one that may use {_place(partition)}: {accounts}"
    elif "qos" in low:
        usable = sorted({qos for association in own or [] for qos in association.qos if qos})
        cure = f"Set qos in slurm/site.yaml to one that may use {_place(partition)}: {', '.join(usable) or 'or null'}"
    elif "feature" in low:
        features = sorted({word for node in nodes for word in node.features.split(",") if word != "(null)"})
        now = site.setting("constraint", partition)
        there = ", ".join(features) or "no node has any, so null"
        cure = f"Set constraint (now {now}) in slurm/site.yaml to features that nodes have: {there}"
    elif "partition" in low:
        cure = "Name another under partitions in slurm/site.yaml"
    else:
        cure = "Compare slurm/site.yaml with what the cluster has: sinfo, scontrol show partition"
        unusable = [node for node in members if not node.usable]
        if slurm.UNAVAILABLE in low and unusable:
            cure += f".\nThese of its nodes run no jobs now: {slurm.states_of(unusable)}"
    return Finding(PROBLEM, f"Slurm refuses jobs for {_place(partition)}: {_short(refusal)}", cure)


def _explained(refusal: str, findings: list[Finding]) -> bool:
    """Whether a finding about a name explains a refusal already."""
    return any(finding.text.split()[0].rstrip(":") in refusal.lower() for finding in findings)


def _short(refusal: str) -> str:
    return "; ".join(line.removeprefix("sbatch: error: ") for line in refusal.splitlines() if line)


def _place(partition: str | None) -> str:
    return f"partition {partition}" if partition else "the default partition"


def _near(name: str, known: list[str]) -> str:
    """The known name nearest to a wrong one, or all known names."""
    near = difflib.get_close_matches(name, known, 1)
    return near[0] if near else " or ".join(known) or "what the administrators tell you"
