"""What the check of a site makes of what Slurm and trial jobs say, without either of them.

tests/slurm/test_check.py has it on a private Slurm.
"""

import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from snakemake_executor_plugin_slurm_robust import executor
from snakemake_executor_plugin_slurm_robust.site import Site, read_site
from wokflow.cluster import probe, verdicts
from wokflow.cluster.check_findings import PROBLEM, WARNING
from wokflow.cluster.limits import limits
from wokflow.cluster.nodes import Place, Trial, choose
from wokflow.cluster.site_names import names
from wokflow.cluster.slurm import Node, options

from tests.cluster.test_placement import SITE

NOT_NOW = "sbatch: error: allocation failure: Requested node configuration is not available"


def says(folder: Path, command: str, refusal: str, word: str = "") -> None:
    """Have a command refuse what has a word in its arguments, and take all else."""
    path = folder / command
    path.write_text(f'#!/bin/sh\ncase "$*" in *{word}*) echo {shlex.quote(refusal)} >&2; exit 1;; esac\n')
    path.chmod(0o755)


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Slurm's commands; the cluster has no accounting."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    says(tmp_path, "sacctmgr", "no accounting")
    return tmp_path


def node(partition: str, state: str, reason: str = "none", gpus: int = 0, features: str = "(null)") -> Node:
    name = f"{partition}1" if features == "(null)" else features.replace(",", "-")
    return Node(name, partition, False, state, 8, 16000, gpus, None, features, reason)


@pytest.mark.parametrize(
    ("state", "refusal", "level", "words"),
    [
        ("drained", NOT_NOW, WARNING, "none of its nodes runs jobs now: gpu1 drained (fan)"),
        ("idle", NOT_NOW, PROBLEM, "Slurm refuses jobs for partition gpu"),
        ("drained", "sbatch: error: Invalid account", PROBLEM, "Slurm refuses jobs for partition gpu"),
    ],
)
def test_a_refusal_for_want_of_nodes_is_no_fault_of_a_name(
    state: str, refusal: str, level: str, words: str, slurm: Path
) -> None:
    says(slurm, "sbatch", refusal, "gpu")
    nodes = [node("cpu", "idle"), node("gpu", state, "fan")]
    [cpu, gpu] = names(Site(partitions={"cpu": {}, "gpu": {}}), nodes)
    assert cpu.text == "Slurm takes jobs for partition cpu"
    assert gpu.level == level and words in gpu.text


@pytest.mark.parametrize(
    ("constraint", "level", "words"),
    [
        ("a100", WARNING, "none of its nodes runs jobs now: a100-nvlink drained (fan)"),
        ("v100", PROBLEM, "Slurm refuses jobs for partition gpu"),
        ("t4", PROBLEM, "Slurm refuses jobs for partition gpu"),
        ("a100&nvlink", PROBLEM, "nodes run no jobs now: a100-nvlink drained (fan)"),
    ],
)
def test_only_nodes_with_the_feature_that_jobs_need_count(
    constraint: str, level: str, words: str, slurm: Path
) -> None:
    says(slurm, "sbatch", NOT_NOW)
    site = Site(partitions={"gpu": {"max_gpu": 4, "constraint": constraint}})
    drained = node("gpu", "drained", "fan", gpus=4, features="a100,nvlink")
    nodes = [drained, node("gpu", "idle", gpus=4, features="v100")]
    [finding] = names(site, nodes)
    assert finding.level == level and words in f"{finding.text}\n{finding.cure}"
    [finding] = [each for each in limits(site, {}, {}, nodes, taken=True) if "GPU" in each.text]
    assert ("runs jobs now" in finding.text) is (level == WARNING)
    tried = {"a100": [], "t4": []}.get(constraint, ["v100"])
    assert [place.node for place in choose(nodes, site, 8)] == tried


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("drained", "none of its nodes with GPUs runs jobs now: gpu1 drained (fan)"),
        ("idle", "Slurm refuses jobs for a GPU in partition gpu: "),
    ],
)
def test_jobs_for_a_gpu_are_tried_in_partitions_that_have_some(state: str, words: str, slurm: Path) -> None:
    says(slurm, "sbatch", NOT_NOW, "--gpus=a100:1")
    site = Site(partitions={"cpu": {}, "gpu": {"max_gpu": 4, "gpu_model": "a100"}})
    nodes = [node("cpu", "idle"), node("gpu", state, "fan", gpus=4)]
    [_, gpu] = limits(site, {}, {}, nodes, taken=True)
    assert gpu.level == WARNING and words in gpu.text


def test_a_partition_is_tried_with_its_own_settings(tmp_path: Path) -> None:
    (tmp_path / "site.yaml").write_text(SITE, encoding="utf-8")
    site = read_site(tmp_path / "site.yaml")
    given = {name: " ".join(options(site, name)) for name in ("short", "long", "accel")}
    size = "--ntasks=1 --mem=500 --cpus-per-task=1"
    assert given == {
        "short": f"-A lab -p short -C cpu {size}",
        "long": f"-A lab -p long -C cpu --qos slow {size}",
        "accel": f"-A lab_g -p accel {size}",
    }
    assert options(site, "accel", gpus=1)[-3:] == ["--gpus=a100:1", "--mem=2000", "--cpus-per-task=1"]


FAILED = Trial(Place("n1", "cpu", gpu=False), "FAILED", code=1)


BEHIND = "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"


@pytest.mark.parametrize(
    ("reason", "level"),
    [
        (BEHIND, WARNING),
        (BEHIND.replace(" ", "_"), WARNING),
        ("ReqNodeNotAvail, UnavailableNodes:n1", PROBLEM),
        ("Resources", WARNING),
    ],
)
def test_a_trial_job_behind_jobs_of_higher_priority_shows_no_fault(
    reason: str, level: str, tmp_path: Path
) -> None:
    trials = [replace(FAILED, state="PENDING", reason=reason)]
    [finding] = verdicts.verdicts(trials, Site(), tmp_path, tmp_path, 5)
    assert finding.level == level and f"({reason})" in finding.text
    assert ("sinfo -R" in finding.cure, "--wait" in finding.cure) == (reason != "Resources", level == WARNING)


@pytest.mark.parametrize(
    ("code", "log", "words"),
    [
        (132, "srun: error: n1: task 0: Illegal instruction (core dumped)", "Python crashes (exit code 132)"),
        (
            1,
            "ValueError: no\nsrun: error: n1: task 0: Exited with exit code 1",
            "the trial job failed: FAILED",
        ),
        (137, "srun: error: n1: task 0: Killed", "the trial job failed: FAILED, exit code 137"),
        (127, "", "the trial job failed: FAILED, exit code 127"),
    ],
)
def test_a_trial_job_that_failed(code: int, log: str, words: str, tmp_path: Path) -> None:
    trials = [replace(FAILED, code=code, log=log)]
    [finding] = verdicts.verdicts(trials, Site(), tmp_path, tmp_path, 1)
    assert finding.level == PROBLEM and finding.text.startswith(f"n1: {words}")


def test_a_trial_job_that_does_not_see_the_executor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has nothing but a shell until it has seen all that it needs."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for name in ("python", "srun", "Snakefile", "nonce"):
        (tmp_path / name).touch(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(executor, "STEP", tmp_path / "step")
    places: dict[str, Any] = dict.fromkeys(("results", "folder", "project"), tmp_path)
    script = probe.script("n1", **places, nonce="", gpu=False)
    done = subprocess.run(["sh", "-c", script], check=False)
    [finding] = verdicts.verdicts([replace(FAILED, code=done.returncode)], Site(), tmp_path, tmp_path, 1)
    assert "the executor's package is not visible" in finding.text
