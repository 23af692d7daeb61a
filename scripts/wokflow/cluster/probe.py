"""The trial job of a node: does it see the results folder, the project, Python with its packages, srun, and a GPU?

`script` is the job. It first uses nothing but a shell, and answers by its exit code if it cannot write a file. The
rest runs in Python, within srun, as Snakemake's own jobs do.
"""

import importlib
import importlib.metadata
import json
import os
import platform
import shlex
import sys
from pathlib import Path
from typing import Any

MODULES = (
    "numpy",
    "polars",
    "pyarrow",
    "yaml",
    "snakemake",
    "snakemake_executor_plugin_slurm_robust",
    "wokflow.frame.job",
)
PACKAGES = (
    "numpy",
    "polars",
    "pyarrow",
    "PyYAML",
    "snakemake",
    "snakemake-executor-plugin-slurm",
    "torch",
)
DEVICES = "CUDA_VISIBLE_DEVICES"  # by which Slurm names a job's GPUs
# Bits of the exit code. They are added to a base, so that any sum of them is above the exit codes of Python and of
# srun, and below the shell's own (126, 127).
BASE = 32
UNREAD, UNWRITTEN, NO_PROJECT, NO_PYTHON, NO_SRUN, NO_STEP = FAULTS = (1, 2, 4, 8, 16, 32)

BODY = f"""
faults=0
ls "$results" > /dev/null 2>&1
if [ "$(cat "$folder/nonce" 2> /dev/null)" != "$nonce" ]; then faults={UNREAD}
elif ! touch "$folder/$node.log" 2> /dev/null; then faults={UNWRITTEN}; fi
[ -f "$project/Snakefile" ] || faults=$((faults | {NO_PROJECT}))
if [ ! -x "$python" ]; then faults=$((faults | {NO_PYTHON}))
elif [ ! -f "$step" ]; then faults=$((faults | {NO_STEP})); fi
command -v srun > /dev/null || faults=$((faults | {NO_SRUN}))
[ "$faults" = 0 ] || exit $(({BASE} + faults))
export PYTHONPATH="$project/scripts${{PYTHONPATH:+:$PYTHONPATH}}"
cd "$project" || exit
sh "$step" -n1 --cpu-bind=q --cpus-per-task=1 --nodes=1 $gpus \\
  "$python" -m wokflow.cluster.probe "$folder/$node.json" $gpus > "$folder/$node.log" 2>&1
"""


def script(node: str, *, results: Path, folder: Path, nonce: str, project: Path, gpu: bool) -> str:
    """The batch script for one node. `folder` lies below `results` and holds the file `nonce` with that content."""
    from snakemake_executor_plugin_slurm_robust.executor import STEP

    values = {
        "node": node,
        "results": results,
        "folder": folder,
        "nonce": nonce,
        "project": project,
        "python": sys.executable,
        "step": STEP,
        "gpus": "--gpus=1" if gpu else "",
    }
    return (
        "#!/bin/sh\n"
        + "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in values.items())
        + BODY
    )


def versions() -> dict[str, str | None]:
    """Versions of Python and of the packages, by name; None where one is not installed."""
    installed: dict[str, str | None] = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            installed[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            installed[name] = None
    return installed


def failed_imports() -> dict[str, str]:
    """Why modules cannot be imported, by name."""
    failed = {}
    for name in MODULES:
        try:
            importlib.import_module(name)
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}"
    return failed


def gpu() -> dict[str, Any]:
    """Signs of a GPU: Slurm's variable, device files, and what torch says (None where it cannot be imported)."""
    seen: dict[str, Any] = {
        "variable": os.environ.get(DEVICES),
        "files": sorted(path.name for path in Path("/dev").glob("nvidia[0-9]*")),
        "torch": None,
    }
    try:
        import torch
    except Exception:
        return seen
    return seen | {"torch": torch.__version__, "cuda": torch.version.cuda, "works": torch.cuda.is_available()}


def main(answer: str, *gpus: str) -> None:
    """Write the answer of this node as JSON."""
    content = {"versions": versions(), "failed": failed_imports(), "gpu": gpu() if gpus else None}
    whole = Path(f"{answer}.part")
    whole.write_text(json.dumps(content), encoding="utf-8")
    whole.rename(answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
