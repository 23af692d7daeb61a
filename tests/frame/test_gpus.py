"""GPUs of a machine, shared out among jobs. The machine's own are not touched: they are named by the environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from wokflow.frame import gpus
from wokflow.frame.gpus import find_gpus, take_gpus
from wokflow.frame.job import UserError

from tests.conftest import ROOT, snakemake

SNAKEFILE = f"""
import sys
sys.path.insert(0, {str(ROOT / "scripts")!r})
from snakemake_executor_plugin_slurm_robust.site import read_site
from wokflow.frame.job import UserError
SITE = read_site({str(ROOT / "slurm/site.yaml")!r})
EARLIER_RULES = set()

rule all:
    input: expand("{{number}}.txt", number=range(6))

rule one:
    output: "{{number}}.txt"
    resources: gpu=1
    script: "one.py"

rule both:
    output: "both"
    resources: gpu=2
    script: "one.py"

include: {str(ROOT / "rules/cluster.smk")!r}
"""
# Each job notes when it began and ended, and on which GPUs. The first of several ends when a second one has begun.
SCRIPT = f"""
import glob
import os
import sys
import time
sys.path.insert(0, {str(ROOT / "scripts")!r})
from wokflow.frame.gpus import take_gpus

take_gpus(snakemake.resources.gpu)
start = time.monotonic()
open(snakemake.output[0] + ".begun", "w").close()
while "COMPANY" in os.environ and len(glob.glob("*.begun")) < 2 and time.monotonic() < start + 120:
    time.sleep(0.02)
with open(snakemake.output[0], "w") as file:
    print(os.environ.get("CUDA_VISIBLE_DEVICES"), start, time.monotonic(), file=file)
"""


@pytest.fixture(autouse=True)
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locks").mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "locks"))
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setattr(gpus, "held", [])


@pytest.mark.parametrize(
    ("visible", "found"),
    [
        ("0,1", ["0", "1"]),
        ("GPU-8a, GPU-9b", ["GPU-8a", "GPU-9b"]),
        ("", []),
        ("-1", []),
        ("1,-1,0", ["1"]),
        ("NoDevFiles", []),
        (None, ["0", "1"]),
    ],
)
def test_gpus_are_found_without_a_driver(
    visible: str | None, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Device files count, by their number alone: within a container the first GPU may be /dev/nvidia3."""
    for name in ("nvidia3", "nvidia5", "nvidiactl", "nvidia-uvm"):
        (tmp_path / name).touch()
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert find_gpus(tmp_path) == found


def test_nothing_changes_without_a_gpu_or_where_slurm_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    take_gpus(1)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == ""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    take_gpus(0)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "4,7"
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    monkeypatch.setenv("SLURM_JOB_ID", "5")
    take_gpus(1)
    assert "CUDA_VISIBLE_DEVICES" not in os.environ


def test_a_slurm_job_keeps_its_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable of its login node may name a folder that is not on the node."""
    monkeypatch.setenv("SLURM_JOB_ID", "5")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    take_gpus(2)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "0,1" and gpus.held == []


def test_runs_within_two_slurm_jobs_have_gpus_of_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where Snakemake runs by itself in an interactive job."""
    for job, given in (("5", "0"), ("6", "0"), ("6", "1")):
        monkeypatch.setenv("SLURM_JOB_ID", job)
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
        take_gpus(1)
        assert os.environ["CUDA_VISIBLE_DEVICES"] == given


def test_a_runtime_folder_that_is_not_there_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "none"))
    monkeypatch.setattr(gpus.tempfile, "tempdir", str(tmp_path / "locks"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    take_gpus(1)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "0" and any((tmp_path / "locks").iterdir())


def test_a_second_process_gets_what_the_first_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,3,5")
    take_gpus(2)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,3"
    code = (
        "import os, wokflow.frame.gpus as gpus; gpus.take_gpus(1); print(os.environ['CUDA_VISIBLE_DEVICES'])"
    )
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "2,3,5", "PYTHONPATH": str(ROOT / "scripts")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "5\n"


def test_a_folder_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    (tmp_path / "locks" / f"wokflow-gpus-{os.getuid()}").symlink_to(tmp_path)
    with pytest.raises(UserError, match="belongs to another user"):
        take_gpus(1)


def test_jobs_of_a_local_run_share_two_gpus_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two at once at most, each on its own; without a profile or an option that says so."""
    (tmp_path / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
    (tmp_path / "one.py").write_text(SCRIPT, encoding="utf-8")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    monkeypatch.setenv("COMPANY", "1")
    output = snakemake(tmp_path, "--", "all", "both", cores=6, quick=False).stdout
    rows = [path.read_text(encoding="utf-8").split() for path in [*tmp_path.glob("?.txt"), tmp_path / "both"]]
    spans = sorted((float(start), float(end), set(names.split(","))) for names, start, end in rows)
    assert {names for names, _, _ in rows} == {"4", "7", "4,7"}, output
    for number, (_, end, names) in enumerate(spans):
        assert not any(start < end and names & others for start, _, others in spans[number + 1 :])
    assert "gpu=2" in output


def test_without_a_gpu_all_jobs_run_at_once_on_the_cpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
    (tmp_path / "one.py").write_text(SCRIPT, encoding="utf-8")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    snakemake(tmp_path, "--", "0.txt", cores=2, quick=False)
    assert len((tmp_path / "0.txt").read_text(encoding="utf-8").split()) == 2
