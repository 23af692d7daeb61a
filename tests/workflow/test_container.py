"""Snakemake runs jobs in a container, or in one itself. (The image is not tested: that needs Apptainer or Docker.)"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.conftest import ROOT

# Takes note of its arguments, and runs the command, which comes after the image, without a container.
APPTAINER = """#!/bin/bash
if [ "$1" = --version ]; then echo "apptainer version 1.3.4"; exit; fi
printf '%s\\n' "$@" > {folder}/arguments
while [ "$1" != {image} ]; do shift; done
shift
PYTHONPATH={packages} PATH={python}:$PATH exec "$@"
"""


@pytest.mark.parametrize("named", [True, False])
def test_jobs_run_in_the_container_that_the_config_names(named: bool, tmp_path: Path) -> None:
    image, program = tmp_path / "wokflow.sif", tmp_path / "bin" / "apptainer"
    image.touch()
    program.parent.mkdir()
    python = Path(sys.executable).parent
    program.write_text(
        APPTAINER.format(folder=tmp_path, image=image, python=python, packages=ROOT / "scripts"),
        encoding="utf-8",
    )
    program.chmod(0o755)
    config = [f"results={tmp_path / 'results'}", *([f"container={image}"] if named else [])]
    target = tmp_path / "results" / "ingest" / "source" / "recipenlg.json"
    options = ["--cores", "1", "--software-deployment-method", "apptainer", "--config", *config]
    house = ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *house, *options, "--", str(target)],
        env=os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert target.exists()
    assert (tmp_path / "arguments").exists() == named
    if named:
        assert (tmp_path / "arguments").read_text().splitlines()[0] == "exec"


def test_a_container_runs_a_clone_that_is_not_installed_in_it() -> None:
    """Without `site` (-S), Python knows the packages and nothing of what `make setup` installs from folders."""
    done = subprocess.run(
        [sys.executable, "-S", "-m", "snakemake", "--cores", "1", "--dry-run", "--", "ingest"],
        env=os.environ | {"PYTHONPATH": sysconfig.get_path("purelib")},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
