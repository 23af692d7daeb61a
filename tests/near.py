"""The slow tests of the rooms that changed since a commit: `make near`, or `make near SINCE=v0.1.0`.

A room changed if a file of its own did, or a module or a table of word lists that its modules read, directly or
through others: by the imports that count in the keys of steps.
"""

import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from wokflow.frame import code

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "scripts" / "wokflow"
# What every run of the whole workflow reads.
OF_ALL = (
    *("Snakefile", "config/", "constraints.txt", "profiles/"),
    *("rules/common.smk", "rules/config.smk", "scripts/step.py"),
)
WHOLE = ("workflow", "frame")  # the rooms whose tests run the whole workflow


def rooms() -> list[str]:
    """The folders of tests, but for those that have tiers of their own."""
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    return sorted(folders - {"bench", "gate", "gpu", "slurm"})


@cache
def read_by(room: str) -> frozenset[str]:
    """The files that the modules of a room are made of and read as word lists, relative to the project."""
    found = set()
    for path in (PACKAGE / room).glob("*.py"):
        module = f"wokflow.{room}" + ("" if path.stem == "__init__" else f".{path.stem}")
        for name in code.modules_behind(module):
            base = "scripts/" + name.replace(".", "/")
            found |= {f"{base}.py", f"{base}/__init__.py"}
        found |= {f"resources/{name}" for name in code.word_list_digests(module)}
    return frozenset(found)


def changed_rooms(files: Iterable[str]) -> list[str]:
    """The rooms that changed if these files did, named relative to the project."""
    changed = set(files)
    whole = any(path.startswith(OF_ALL) for path in changed)
    return [
        room
        for room in rooms()
        if (whole and room in WHOLE)
        or changed & read_by(room)
        or any(path.startswith((f"tests/{room}/", f"rules/{room}", f"envs/{room}.yaml")) for path in changed)
    ]


def changed_files(since: str) -> list[str]:
    """Files that differ from a commit, new ones included. Raises CalledProcessError if git knows no such commit."""

    def git(*arguments: str) -> list[str]:
        done = subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.splitlines()

    return [*git("diff", "--name-only", since), *git("ls-files", "--others", "--exclude-standard")]


def default_commit() -> str:
    """The last release's tag; without one, the branch that this one follows; without that, the last commit."""
    for question in (["describe", "--tags", "--abbrev=0"], ["rev-parse", "--abbrev-ref", "@{upstream}"]):
        done = subprocess.run(["git", *question], cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.strip()
    return "HEAD"


def main(arguments: list[str]) -> int:
    """Run pytest on what is near; the first argument is the commit, all others are pytest's."""
    since, *options = arguments or [""]
    since = since or default_commit()
    found = changed_rooms(changed_files(since))
    print(f"Changed since {since}: {', '.join(found) or 'no room that has slow tests'}", flush=True)
    if not found:
        return 0
    command = [sys.executable, "-m", "pytest", "-m", "slow", *options, *(f"tests/{room}" for room in found)]
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    return 0 if status == 5 else status  # no slow test there


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
