"""What tests share: tiers, the package on the path, the folder of real data, and houses to run the workflow in."""

import atexit
import multiprocessing
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator, Mapping
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.quick_python import quick_python

pytest_plugins = ["tests.tiers", "tests.skips", "pytester"]
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
HOUSE = (
    "Snakefile",
    "config",
    "constraints.txt",
    "envs",
    "profiles",
    "resources",
    "rules",
    "scripts",
    "slurm",
)
WITHOUT_JOBS = {"-n", "--dry-run", "--unlock", "--list-rules", "--report"}  # options of Snakemake
os.environ["WOKFLOW_SCREEN"] = "full"  # tests read Snakemake's own lines

# The same examples each time; at night (--hypothesis-profile night) random ones, and one that fails is printed.
hypothesis.settings.register_profile("gate", max_examples=15, deadline=None, derandomize=True)
hypothesis.settings.register_profile("night", max_examples=100, deadline=None, print_blob=True)
hypothesis.settings.load_profile("gate")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    """In this process nothing waits for the disk, except where that is measured: no test turns off the power."""
    with pytest.MonkeyPatch.context() as patch:
        if not item.get_closest_marker("bench"):
            patch.setattr(os, "fsync", lambda file: None)
        return (yield)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the project; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("WOKFLOW_SHARED", ROOT.parent / "shared"))
    if not (folder / "real").is_dir():
        pytest.skip("real data is absent: neither ../shared nor $WOKFLOW_SHARED has it")
    return folder


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """torch with one thread: small models are slower with several."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def copy_house(to: Path) -> Path:
    """A copy of what a run needs, without results."""
    to.mkdir(parents=True)
    for name in HOUSE:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, to / name)
    return to


def forkserver() -> Any:
    """A source of processes in which Snakemake is imported already, which takes a second or two."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["snakemake.cli", "snakemake.workflow", "snakemake.api", "jsonschema"])
    return context


def enter(house: Path, environment: dict[str, str]) -> None:
    """Go into a house, in a new process: its code is what is imported from now on, and not the project's."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(house)
    sys.path[:] = [path for path in sys.path if path not in (str(ROOT), str(ROOT / "scripts"))]
    sys.path.insert(0, str(house / "scripts"))
    for name in [name for name in sys.modules if name.split(".")[0] in ("wokflow", "tests")]:
        del sys.modules[name]


def snakemake(
    house: Path,
    *options: str,
    cores: int = 1,
    check: bool = True,
    quick: bool = True,
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake in a house; with `check`, its output is the message if it fails.

    `quick`, and `variables` of its jobs' environment: see quick_python.
    """
    arguments = ["snakemake", "--cores", str(cores), *options]
    given = dict(variables or {})
    python = quick_python(*given.items()) if quick and not WITHOUT_JOBS & set(options) else sys.executable
    with tempfile.TemporaryFile() as output:
        process = start_snakemake(house, arguments, python, output.fileno(), {**os.environ, **given})
        process.join()
        output.seek(0)
        done = subprocess.CompletedProcess(arguments, process.exitcode or 0, output.read().decode())
    assert not check or done.returncode == 0, done.stdout
    return done


def start_snakemake(
    house: Path,
    arguments: list[str],
    python: str,
    output: int,
    environment: dict[str, str],
    script: Path | None = None,
) -> Any:
    """Start Snakemake in a house, in a session of its own; `python` runs its jobs, `output` is a descriptor.

    A `script` is run in the place of Snakemake's command.
    """
    process = forkserver().Process(
        target=_snakemake, args=(house, arguments, python, DupFd(output), environment, script)
    )
    process.start()
    return process


def _snakemake(
    house: Path,
    arguments: list[str],
    python: str,
    output: DupFd,
    environment: dict[str, str],
    script: Path | None,
) -> None:
    from snakemake.cli import main

    os.setsid()
    os.dup2(output.detach(), 1)
    os.dup2(1, 2)
    enter(house, environment)
    sys.path.remove(str(house / "scripts"))  # the Snakefile sees to that
    sys.argv = arguments
    sys.executable = python  # of its jobs
    try:
        if script:
            runpy.run_path(str(script), run_name="__main__")
        else:
            main()
    finally:
        atexit._run_exitfuncs()  # which processes of multiprocessing leave out


def rules_run(output: str) -> set[str]:
    """The names of the rules that a run's output says it ran."""
    return set(re.findall(r"^\s*(?:local)?(?:rule|checkpoint) (\w+):", output, re.M)) - {"all"}
