"""What sbatch is given for jobs of several kinds, by the real executor, with a site of several partitions."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.toy import BEFORE_RULES, BEHIND_RULES, House
from tests.conftest import ROOT

SITE = """
account: lab
constraint: cpu
partitions:
  short: {max_runtime: 60, max_mem_mb: 8000, max_threads: 8}
  long: {max_runtime: 1000, max_mem_mb: 100000, max_threads: 8, qos: slow}
  accel: {max_runtime: 300, max_mem_mb: 50000, max_threads: 16, max_gpu: 4, max_nodes: 2, gpu_model: a100,
          account: lab_g, qos: null, constraint: null}
"""
SNAKEFILE = f"""
{BEFORE_RULES}
from snakemake_executor_plugin_slurm_robust.requests import doubled

rule quick:
    output: "quick"
    resources: mem_mb=doubled(3000), runtime=doubled(20)
    shell: "touch {{output}}"

rule trained:
    output: "trained"
    threads: 8
    resources: mem_mb=doubled(20000), runtime=doubled(200), gpu=1
    shell: "touch {{output}}"

rule wide:
    output: "wide"
    threads: 8
    resources: mem_mb=20000, runtime=200, gpu=lambda wildcards: 4, nodes=2, tasks=2, tasks_per_gpu=0
    shell: "touch {{output}}"

rule first:
    output: "first"
    group: "both"
    resources: mem_mb=doubled(2000), runtime=doubled(40)
    shell: "touch {{output}}"

rule second:
    input: "first"
    output: "second"
    group: "both"
    resources: mem_mb=doubled(2000), runtime=doubled(40)
    shell: "touch {{output}}"

rule large:
    output: "large"
    resources: mem_mb=60000, runtime=60, gpu=1
    shell: "touch {{output}}"

rule late:
    output: "late"
    resources: runtime=doubled(20), mem_mb=doubled(1000)
    shell: "echo {{resources.runtime}} {{resources.mem_mb}} > {{output}}"

rule by_hand:
    output: "by_hand"
    resources: runtime=7, mem_mb=1000, slurm_partition="accel", qos="fast"
    shell: "touch {{output}}"

{BEHIND_RULES}
"""
FAILS = {"listed": ["FAILED"]}


@pytest.fixture
def house(tmp_path: Path) -> Any:
    def make(*jobs: dict[str, Any], site: str = SITE) -> House:
        folder = tmp_path / "house"
        folder.mkdir()
        (folder / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
        shutil.copytree(ROOT / "slurm", folder / "slurm")
        (folder / "slurm" / "site.yaml").write_text(site, encoding="utf-8")
        return House(folder, {"jobs": jobs or [FAILS], "accounts": ["lab", "lab_g"]})

    return make


def submitted(toy: House) -> list[dict[str, str]]:
    """The options of each submission by their names, in order."""
    short = {"-A": "account", "-p": "partition", "-t": "time", "-C": "constraint", "--mem": "mem"}
    found = []
    for number in range(1, toy.submitted() + 1):
        words = json.loads((toy.slurm / f"sent.{number}").read_text(encoding="utf-8"))
        options = {short[word]: words[at + 1] for at, word in enumerate(words) if word in short}
        options |= dict(word[2:].split("=", 1) for word in words if word.startswith("--") and "=" in word)
        found.append({name: value for name, value in options.items() if name not in ("wrap", "comment")})
    return found


def of(options: dict[str, str], *names: str) -> tuple[str | None, ...]:
    return tuple(options.get(name) for name in names)


def test_each_attempt_stays_within_the_partitions_that_take_the_job(house: Any) -> None:
    """Account, qos and constraint are the partition's own, or else the site's."""
    toy = house()
    toy.run("trained")
    tries = submitted(toy)
    assert [of(one, "partition", "time", "mem") for one in tries] == [
        ("accel", "200", "20000"),
        ("accel", "300", "40000"),
        ("accel", "300", "50000"),
    ]
    assert {of(one, "account", "qos", "constraint", "gpus") for one in tries} == {
        ("lab_g", None, None, "a100:1")
    }


def test_a_job_that_outgrows_a_partition_goes_to_the_next(house: Any) -> None:
    toy = house()
    toy.run("quick")
    names = ("partition", "time", "mem", "account", "qos", "constraint")
    assert [of(one, *names) for one in submitted(toy)] == [
        ("short", "20", "3000", "lab", None, "cpu"),
        ("short", "40", "6000", "lab", None, "cpu"),
        ("long", "80", "12000", "lab", "slow", "cpu"),
    ]


def test_gpus_are_asked_for_by_the_node(house: Any) -> None:
    toy = house()
    toy.run("wide", retries=0)
    [options] = submitted(toy)
    assert of(options, "partition", "nodes", "gres", "gpus") == ("accel", "2", "gpu:a100:4", None)


def test_a_group_goes_where_all_of_it_fits(house: Any) -> None:
    """Each of its jobs alone would fit into the partition for short jobs."""
    toy = house()
    toy.run("second")
    names = ("partition", "time", "mem", "qos")
    assert [of(one, *names) for one in submitted(toy)] == [
        ("long", "80", "2000", "slow"),
        ("long", "160", "4000", "slow"),
        ("long", "320", "8000", "slow"),
    ]


def test_what_no_partition_takes_is_refused_before_the_run(house: Any) -> None:
    toy = house({"run": True})
    succeeded, output = toy.run("large", "quick")
    assert not succeeded and toy.submitted() == 0
    assert "large: no partition in slurm/site.yaml takes a job of 60000 MB of memory, 60 minutes" in output
    assert "accel has max_mem_mb: 50000" in output and "long has no max_gpu" in output
    assert "max_mem_mb: 60000" in output and "max_gpu: 1" in output


def test_what_is_set_by_hand_stays(house: Any) -> None:
    toy = house()
    toy.run("by_hand", retries=0)
    [options] = submitted(toy)
    assert of(options, "partition", "account", "qos", "constraint") == ("accel", "lab_g", "fast", None)


def test_without_partitions_the_cluster_chooses(house: Any) -> None:
    toy = house(site="account: lab\npartitions: {}")
    toy.run("wide", retries=0)
    [options] = submitted(toy)
    assert of(options, "account", "partition", "gres", "nodes") == ("lab", "cpu", "gpu:4", "2")


def test_a_job_knows_on_its_node_what_it_was_given(house: Any) -> None:
    """The job works its resources out anew; a training saves in time before that many minutes are over."""
    site = "account: lab\npartitions: {only: {max_runtime: 25, max_mem_mb: 1500}}"
    toy = house(FAILS, {"run": True}, site=site)
    succeeded, output = toy.run("late", retries=1)
    assert succeeded, output
    assert toy.text("late") == "25 1500"
    assert of(submitted(toy)[1], "time", "mem") == ("25", "1500")
