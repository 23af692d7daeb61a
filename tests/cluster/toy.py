"""A toy house of rules, run by the real executor, with commands of Slurm that do what a test plans."""

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, start_snakemake
from tests.quick_python import quick_python

# What stands in a Snakefile before and behind its rules so that rules/cluster.smk can be included.
BEFORE_RULES = f"""
import sys
sys.path.insert(0, {str(ROOT / "scripts")!r})
from snakemake_executor_plugin_slurm_robust.site import read_site
from wokflow.frame.job import UserError
SITE = read_site("slurm/site.yaml")
EARLIER_RULES = set()
"""
BEHIND_RULES = f"include: {str(ROOT / 'rules/cluster.smk')!r}"
SNAKEFILE = f"""
{BEFORE_RULES}
KEY = config.get("key", "old")

rule made:
    output: "results/made.txt"
    params: key=lambda wildcards: KEY
    shell: "echo {{params.key}} > {{output}}"

checkpoint folder:
    output: directory("results/folder")
    params: key=lambda wildcards: KEY
    shell: "mkdir {{output}}; echo {{params.key}} > {{output}}/file"

rule shard:
    output: "results/shards/{{shard}}.txt"
    params: key=lambda wildcards: KEY
    threads: 2
    shell: "if [ -e refuse.{{wildcards.shard}} ]; then rm refuse.*; exit 1; fi; echo {{params.key}} > {{output}}; "
        "mkdir alone; sleep 0.05; rmdir alone"

rule first:
    output: "results/first.txt"
    params: key=lambda wildcards: KEY
    group: "both"
    shell: "echo {{params.key}} > {{output}}"

rule second:
    input: "results/first.txt"
    output: "results/second.txt"
    group: "both"
    shell: "cp {{input}} {{output}}"

rule piped:
    output: pipe("results/pipe")
    params: key=lambda wildcards: KEY
    shell: "echo {{params.key}} > {{output}}"

rule poured:
    input: "results/pipe"
    output: "results/poured.txt"
    shell: "cat {{input}} > {{output}}"

rule copied:
    input: "a $(touch read) `touch read`/source"
    output: "results/copied.txt"
    shell: "cp {{input:q}} {{output}}"

{BEHIND_RULES}
"""
COMMANDS = ("sbatch", "squeue", "sacct", "scancel", "scontrol", "srun", "sinfo", "sacctmgr")
FAKE, QUICK = (Path(__file__).with_name(name) for name in ("fake_slurm.py", "quick_snakemake.py"))
MADE = "results/made.txt"
EVERY = (MADE, "results/folder", "results/second.txt", "results/poured.txt")
RUNS = {"run": True}
FORGOTTEN = {"listed": [None]}
PATIENCE = 300  # seconds that a run may take, on a busy machine too


class House:
    """A toy house with old results, and Slurm's commands on its PATH."""

    def __init__(self, folder: Path, plan: dict[str, Any]) -> None:
        self.folder, self.slurm, self.log = folder, folder / "fake", folder.with_suffix(".log")
        (self.slurm / "bin").mkdir(parents=True)
        for command in COMMANDS:
            file = self.slurm / "bin" / command
            # Isolated, so that no test's PYTHONPATH reaches it.
            file.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {FAKE} {command} "$@"\n')
            file.chmod(0o755)
        (self.slurm / "plan").write_text(json.dumps(plan))
        path = f"{self.slurm}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.environment = os.environ | {
            "PATH": path,
            "FAKE_SLURM": str(self.slurm),
            "WOKFLOW_EXPORT": "FAKE_SLURM",
        }
        self.environment.pop("SLURM_JOB_ID", None)

    def start(
        self,
        *targets: str,
        key: str = "new",
        retries: int = 2,
        latency: int = 1,
        options: Sequence[str] = (),
    ) -> Any:
        """Start a run in a process of its own session; its output goes to a file, and its jobs run in forks."""
        quick = ("--slurm-robust-init-seconds-before-status-checks", "1", "--latency-wait", str(latency))
        command = ["snakemake", "--profile", "slurm", *quick, "--retries", str(retries), *options]
        command += ["--config", f"key={key}", "--", *(targets or (MADE,))]
        with self.log.open("w") as log:
            return start_snakemake(
                self.folder, command, quick_python(), log.fileno(), self.environment, QUICK
            )

    def end(self, process: Any) -> None:
        """Wait for the end of a run."""
        process.join(PATIENCE)
        if process.exitcode is None:
            os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError(f"still runs: {self.log.read_text()}{self.calls()}")

    def run(self, *targets: str, **options: Any) -> tuple[bool, str]:
        """Whether a run succeeds, and what it says."""
        self.end(process := self.start(*targets, **options))
        assert not any("BESIDE" in call for call in self.calls()), "a second copy of a live job"
        return process.exitcode == 0, self.log.read_text()

    def calls(self) -> list[str]:
        """What Slurm was told to do, in order."""
        path = self.slurm / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def submitted(self) -> int:
        return sum(call.startswith("sbatch") for call in self.calls())

    def text(self, path: str = MADE) -> str:
        """What a result holds; empty where it is not there."""
        file = self.folder / path
        file = file / "file" if file.is_dir() else file
        return file.read_text().strip() if file.exists() else ""

    def until(self, there: Path, seconds: float = PATIENCE) -> None:
        end = time.monotonic() + seconds
        while not there.exists():
            assert time.monotonic() < end, f"{there} never came\n{self.calls()}"
            time.sleep(0.05)


def unbuilt(house: Path) -> Path:
    """A house without results."""
    house.mkdir()
    (house / "Snakefile").write_text(SNAKEFILE)
    shutil.copytree(ROOT / "slurm", house / "slurm")
    return house
