"""Sections of docs/performance.md and the code that they measure: one that is older than this code says so itself.

A section begins with `<!-- bench:NAME FILE DIGEST -->`: the benchmark that wrote it, and a digest of the code that it
measured. `make docs` renews the word of each section on its age, and the gate asks that this has been done.
"""

import ast
import hashlib
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from wokflow.frame import code

ROOT = Path(__file__).resolve().parent.parent.parent
OLDER = "; the code that it measures has changed since"
# What a benchmark that runs the workflow measures.
WHOLE = (
    *("Snakefile", "rules/*.smk", "scripts/step.py", "scripts/wokflow/**/*.py"),
    *("executor/**/*.py", "profiles/*/config.yaml", "slurm/config.yaml"),
)
SECTION = re.compile(r"<!-- bench:(\S+) (\S+) (\S+) -->\n(.*?)<!-- /bench:\1 -->\n", re.S)
MEASURED = re.compile(rf"(?<=^Measured at )(.*?)(?:{OLDER})?\.(?= |$)", re.M)


def renewed(text: str, digest: Callable[[str], str]) -> str:
    """The document with each section's word on its age; `digest` gives that of the code that a benchmark measures."""

    def section(found: re.Match[str]) -> str:
        _, file, measured = found.groups()[:3]
        older = OLDER if digest(file) != measured else ""
        return MEASURED.sub(rf"\g<1>{older}.", found[0], count=1)

    return SECTION.sub(section, text)


@cache
def code_digest(file: str) -> str:
    """Digest of the code that a benchmark measures, given its file relative to the project; comments do not count.

    A file that is there no more has a digest that no section names.
    """
    path = ROOT / file
    if not path.is_file():
        return "gone"
    trees = {each: _tree(each) for each in measured_files(path)}
    text = "\n".join(f"{each.relative_to(ROOT)} {tree}" for each, tree in sorted(trees.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def measured_files(benchmark: Path) -> set[Path]:
    """The modules that a benchmark and what it imports from the tests use, and all modules behind these.

    Of one that runs Snakemake, the whole workflow.
    """
    found: set[str] = set()
    queue = [benchmark]
    read: set[Path] = set()
    while queue:
        path = queue.pop()
        read.add(path)
        names = set(_imported(path))
        if "tests.conftest.snakemake" in names:
            return {path for pattern in WHOLE for path in ROOT.glob(pattern)}
        # A name may be a module, or be inside of one.
        modules = names | {name.rpartition(".")[0] for name in names}
        found |= {name for name in modules if code.module_file(name)}
        tests = {ROOT / f"{name.replace('.', '/')}.py" for name in modules if name.startswith("tests.")}
        queue += [path for path in tests - read - {Path(__file__).resolve()} if path.is_file()]
    behind = {module for name in found for module in code.modules_behind(name)}
    return {path for module in behind if (path := code.module_file(module))}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def _tree(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return ast.dump(ast.parse(text)) if path.suffix == ".py" else text


def main() -> None:
    document = ROOT / "docs" / "performance.md"
    document.write_text(renewed(document.read_text(encoding="utf-8"), code_digest), encoding="utf-8")


if __name__ == "__main__":
    main()
