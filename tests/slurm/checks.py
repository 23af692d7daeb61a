"""The check of a site as a command, and what it finds."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.quick_python import quick_python
from tests.slurm.cluster import Cluster

FITTING = (
    "partitions: {cpu: {max_mem_mb: 16000}, gpu: {max_gpu: 2, max_mem_mb: 16000}}"  # the cluster as it is
)
CPU = "partitions: {cpu: {max_mem_mb: 16000}}"
NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide a folder from a node")


def command(*options: str, python: str = sys.executable) -> list[str]:
    return [python, "-m", "wokflow.cluster.check", *options]


def check(
    house: Path, environment: Mapping[str, str], site: str, *options: str, python: str = ""
) -> tuple[int, str]:
    """Exit code and output of a check, with a site file of that content.

    It and its trial jobs are forks (tests/quick_python.py), unless a Python is given.
    """
    (house / "slurm" / "site.yaml").write_text(site)
    done = subprocess.run(
        command(*options, python=python or quick_python()),
        cwd=house,
        env={"PYTHONPATH": "scripts", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def findings(output: str) -> dict[str, list[str]]:
    """Findings by level, each with its further lines joined on."""
    found: dict[str, list[str]] = {"ok": [], "warning": [], "PROBLEM": []}
    last: list[str] = []
    for line in output.splitlines():
        level, _, text = line.partition(" ")
        if level in found:
            last = found[level]
            last.append(text.strip())
        elif line.startswith(" " * 9) and last:
            last[-1] += f" {line.strip()}"
    return found


def the(found: list[str], *words: str) -> str:
    """The one finding that holds all words."""
    [one] = [text for text in found if all(word in text for word in words)]
    return one


def assert_clean(cluster: Cluster, house: Path) -> None:
    cluster.until(lambda: not cluster.jobs("PENDING", "RUNNING", "COMPLETING"), "no job is left")
    assert not (house / "results").exists()


@contextmanager
def blind(cluster: Cluster, node: str, *mounts: str) -> Iterator[None]:
    """The cluster with a node whose file system differs by mounts, each the words behind `mount`."""
    script = "; ".join(f"mount {words}" for words in mounts)
    try:
        cluster.restart_node(node, "unshare", "--mount", "sh", "-ec", f'{script}; exec "$@"', "sh")
        yield
    finally:
        cluster.restart_node(node)
