"""What tests share: the package on the path, where the shared data lies, and small houses to run the workflow in."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
HOUSE = ("Snakefile", "config", "envs", "resources", "rules", "scripts", "slurm")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the project; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("WOKFLOW_SHARED", ROOT.parent / "shared"))
    if not (folder / "real").is_dir():
        pytest.skip("real data is absent: neither ../shared nor $WOKFLOW_SHARED has it")
    return folder


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


def snakemake(
    house: Path, *options: str, cores: int = 1, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake in a house; with `check`, its output is the message where it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", str(cores), *options],
        cwd=house,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert not check or done.returncode == 0, done.stdout
    return done


def rules_run(output: str) -> set[str]:
    """The names of the rules that a run's output says it ran."""
    return set(re.findall(r"^\s*(?:local)?(?:rule|checkpoint) (\w+):", output, re.M)) - {"all"}
