"""What a rule's result depends on, as one canonical string.

Snakemake compares params as a set of values without names, and sees neither imported modules nor config that is
read elsewhere; so each rule carries one param that holds its settings, its code, its resources, and what comes in
through frontiers. wokflow.plan explains differences between two such keys.
"""

import ast
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent  # the folder that holds the package
PACKAGE = Path(__file__).resolve().parent.name


def rule_key(settings: Any, module: str, resources: dict[str, str], frontiers: dict[str, str]) -> str:
    """Canonical JSON of: settings; digests of the code of `module` by module, of resource paths, of frontiers."""
    parts = {
        "settings": settings,
        "code": code_digests(module),
        "resources": {name: path_digest(path) for name, path in resources.items()},
        "frontiers": {name: file_digest(path) for name, path in frontiers.items()},
    }
    return json.dumps(parts, sort_keys=True, ensure_ascii=False)


@cache
def code_digests(module: str) -> dict[str, str]:
    """Digest of a module and of each that it imports from this package; comments and docstrings do not count."""
    seen: dict[str, str] = {}
    queue = [module]
    while queue:
        name = queue.pop()
        path = _path(name)
        if path is None or name in seen:
            continue
        seen[name], imported = _module(name, path.name == "__init__.py", path.read_text(encoding="utf-8"))
        queue += imported
    if not seen:
        raise ModuleNotFoundError(f"no module {module} under {ROOT}")
    return dict(sorted(seen.items()))


def file_digest(path: str | Path) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


@cache
def path_digest(path: str) -> str:
    """Digest of a file, or of all files below a folder with their names."""
    if Path(path).is_file():
        return file_digest(path)
    digest = hashlib.sha256()
    for file in sorted(file for file in Path(path).rglob("*") if file.is_file()):
        digest.update(f"{file.relative_to(path).as_posix()} {file_digest(file)}\n".encode())
    return digest.hexdigest()[:16]


def _path(module: str) -> Path | None:
    """The file of a module of this package; None for anything else, such as a name inside a module."""
    if module.split(".")[0] != PACKAGE:
        return None
    base = ROOT.joinpath(*module.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


@cache
def _module(name: str, package: bool, code: str) -> tuple[str, list[str]]:
    """Digest of a module's code; all that its import statements may name, parents of packages included."""
    tree = ast.parse(code)
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(name, package, node)
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    parents = [".".join(name.split(".")[:depth]) for name in names for depth in range(1, name.count(".") + 1)]
    digest = hashlib.sha256(ast.dump(_without_docstrings(tree)).encode()).hexdigest()[:16]
    return digest, names + parents


def _absolute(module: str, package: bool, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    parts = parts[: len(parts) - node.level + package]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]
    return tree
