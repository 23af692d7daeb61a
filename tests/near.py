"""The slow tests of the rooms that changed since a commit: `make near`, or `make near SINCE=v0.1.0`.

A room changed if a file of its own did, or a module or a table of word lists that its modules read, directly or
through others: by the imports that count in the keys of steps.
"""

import re
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
BESIDE = {
    "cluster": ("executor/", "slurm/"),
    "generate": ("resources/prompts/", "resources/dialogues/"),
    "judge": ("resources/prompts/", "resources/ash/", "resources/pta/"),
    "lexicon": ("resources/bilingual/",),
    "match": ("resources/lexicon/", "resources/rerank/"),
    "parse": ("resources/glossary/", "resources/treebank/", "resources/grammar/"),
}
READ_SOMEWHERE = ("scripts/", "resources/", "rules/", "envs/", "executor/", "tests/", "pyproject.toml")
OTHER_TIERS = ("tests/bench/", "tests/gate/", "tests/gpu/", "tests/slurm/")


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


def belongs(path: str, room: str) -> bool:
    own = (
        *(f"{folder}/{room}/" for folder in ("tests", "scripts/wokflow", "resources")),
        *(f"rules/{room}", f"envs/{room}.yaml"),
    )
    return path in read_by(room) or path.startswith((*own, *BESIDE.get(room, ())))


def changed_rooms(files: Iterable[str]) -> list[str]:
    """The rooms that changed if these files did, named relative to the project.

    What is read somewhere, and belongs to no room, changes those that run the whole workflow.
    """
    found: set[str] = set()
    for path in set(files) - set(changed_tests(files)):
        of_path = {room for room in rooms() if belongs(path, room)}
        shared = path.startswith(READ_SOMEWHERE) and not path.startswith(OTHER_TIERS)
        if path.startswith(OF_ALL) or (shared and not of_path):
            of_path.update(WHOLE)
        found |= of_path
    return sorted(found)


def changed_tests(files: Iterable[str]) -> list[str]:
    """Files of tests that belong to no room."""
    return sorted(path for path in set(files) if re.fullmatch(r"tests/test_\w+\.py", path))


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
    files = [path for path in changed_files(since) if (ROOT / path).exists() or not changed_tests([path])]
    found = [*changed_rooms(files), *changed_tests(files)]
    print(f"Changed since {since}: {', '.join(found) or 'no room that has slow tests'}", flush=True)
    if not found:
        return 0
    tests = [each if each.startswith("tests/") else f"tests/{each}" for each in found]
    command = [sys.executable, "-m", "pytest", "-m", "slow", *options, *tests]
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    return 0 if status == 5 else status  # no slow test there


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
