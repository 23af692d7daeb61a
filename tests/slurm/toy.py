"""A house of two rules, for faults: what Slurm and Snakemake do does not depend on what a step computes.

It has finished results of the key `old`; tests run it with the key `new`. The first rule runs a step by
scripts/step.py, as each rule of Wokflow does. While there is a file `hold`, the step does not end. If there is a file
`window`, the step behaves once as if its time were over.
"""

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path

from tests.cluster.toy import BEFORE_RULES, BEHIND_RULES
from tests.conftest import ROOT, snakemake
from tests.slurm.runs import write_site

SNAKEFILE = f"""
import json
{BEFORE_RULES}
KEY_VARIABLES = ["LAB_API_KEY"]
KEY = config.get("key", "old")

rule then:
    input: "results/made/dish"
    output: "results/then.txt"
    params: key=lambda wildcards: KEY
    shell: "cat {{input}}/key > {{output}}"

rule made:
    output: folder=directory("results/made/{{name}}")
    log: "results/logs/{{name}}.log"
    params:
        key=lambda wildcards: json.dumps({{"step": "toy", "settings": {{"key": KEY}}}}),
        unkeyed={{}},
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 60 * 2 ** (attempt - 1),
    script: "scripts/step.py"

{BEHIND_RULES}
"""
STEP = """
import os
import time
from pathlib import Path

from wokflow.cluster.window import queue_again
from wokflow.frame.settings import Settings
from wokflow.frame.tables import atomic_folder


class ToySettings(Settings):
    key: str


def toy(folder: str, settings: ToySettings, minutes: float | None) -> None:
    key = settings.key
    with atomic_folder(folder) as made:
        (made / "half").touch()
        if (window := Path("window")).exists():
            window.rename("minutes").write_text(str(minutes))
            said = queue_again()
            if "does not" in said:
                raise RuntimeError(said)
            time.sleep(600)
        Path(f"at_work.{key}").touch()
        while Path("hold").exists():
            time.sleep(0.05)
        (made / "rest").write_bytes(bytes(100_000 if key == "old" else 400_000))
        (made / "key").write_text(key)
        (made / "lab_key").write_text(os.environ.get("LAB_API_KEY", ""))
"""
MADE, THEN = "results/made/dish", "results/then.txt"
NEW = ("--config", "key=new", "--", MADE)  # what a run is told


@functools.cache
def old_toy() -> Path:
    """A toy house with old results, which others are copies of; it lasts as long as this process."""
    folder = Path(tempfile.mkdtemp(prefix="toy_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(ROOT / "slurm", folder / "slurm")
    (folder / "Snakefile").write_text(SNAKEFILE)
    shutil.copytree(ROOT / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "scripts" / "wokflow" / "toy.py").write_text(STEP)
    snakemake(folder, "--config", "key=old", "--", MADE, THEN, quick=False)
    return folder


def new_toy(to: Path, *, account: str | None = "lab") -> Path:
    """A toy house with old results, whose first rule will not end before it is let go."""
    shutil.copytree(old_toy(), to, symlinks=True)
    write_site(to, account=account)
    (to / "hold").touch()
    return to


def let_go(house: Path) -> None:
    """Let the first rule end."""
    (house / "hold").unlink(missing_ok=True)


def is_at_work(house: Path) -> bool:
    """Whether a job of the new key has begun its work."""
    return (house / "at_work.new").exists()


def key_of(house: Path, target: str = MADE) -> str:
    """The key that a result was made with; empty where it is not there."""
    path = house / target
    path = path / "key" if path.is_dir() else path
    return path.read_text().strip() if path.exists() else ""


def leftovers(house: Path) -> list[str]:
    """Temporary files and folders that are left among results."""
    return [
        name
        for _, folders, files in os.walk(house / "results")
        for name in folders + files
        if ".part" in name
    ]
