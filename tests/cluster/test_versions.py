"""What depends on Snakemake's own parts, with the oldest tested versions and with the newest of the package index."""

import os
import subprocess
import sys
from importlib.metadata import distributions, version
from pathlib import Path

import pytest
from snakemake_executor_plugin_slurm_robust import self_check

from tests.conftest import ROOT

TESTED = {
    self_check.SNAKEMAKE: self_check.SNAKEMAKE_TESTED,
    self_check.SLURM: self_check.SLURM_TESTED,
}
# The executor; records that are restored; a house that is built, and its plan; the screen.
CONTRACT = (
    "tests/cluster/test_contract.py",
    "tests/frame/test_records.py",
    "tests/workflow/test_plans.py::test_a_built_house_has_nothing_to_do",
    "tests/workflow/test_screen.py::test_a_run_shows_a_line_for_each_job_and_ends_with_what_came_out",
)


@pytest.mark.parametrize("which", ["oldest", "newest"])
def test_the_contract_holds(which: str, tmp_path: Path) -> None:
    """Other versions lie before the environment's own on Python's path, in the jobs, too."""
    wanted = [f"{name}=={oldest}" if which == "oldest" else name for name, (oldest, _) in TESTED.items()]
    packages, python = tmp_path / "packages", sys.executable
    options = ("--quiet", "--no-deps", "--python", python, "--target", packages)
    install = [Path(python).with_name("uv"), "pip", "install", *options]
    got = subprocess.run([*install, *wanted], capture_output=True, text=True, check=False)
    if got.returncode:
        asked = subprocess.run([*install, "--no-cache", "--dry-run", "pip"], capture_output=True, check=False)
        assert asked.returncode, got.stderr
        pytest.skip("no package index answers")
    versions = {dist.name: dist.version for dist in distributions(path=[str(packages)])}
    if which == "newest" and all(version(name) == versions[name] for name in TESTED):
        pytest.skip("the environment has the newest: all other tests run with them")
    contract = [python, "-m", "pytest", "-q", "-n", "2", "-m", "", *CONTRACT]
    environment = os.environ | {"PYTHONPATH": str(packages)}
    environment["WOKFLOW_BUILT"] = str(tmp_path)
    environment.pop("WOKFLOW_NIGHT", None)
    done = subprocess.run(contract, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{versions}\n{done.stdout}{done.stderr}"
