"""Digests of code: of a step's module, of what it imports from here, and of the word lists and packages of these.

Comments and docstrings do not count, nor does what cannot change a result: see NEUTRAL, `_leave_out_log_lines` and
`_without_descriptions`.
"""

import ast
import hashlib
import importlib.metadata
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path

from wokflow.frame import wordlists

ROOT = Path(__file__).resolve().parents[2]  # the folder that holds the package
PACKAGE = Path(__file__).resolve().parents[1].name
CONSTRAINTS = ROOT.parent / "constraints.txt"

# Modules that cannot change what a step computes, each with the reason. tests/frame/test_code.py holds the list.
NEUTRAL = {
    "wokflow.cluster.window": "asks how much time a job has, and queues it again",
    "wokflow.frame.job": "the log, the progress and the errors of a job",
    "wokflow.frame.tables": "reads and writes tables; what the written bytes depend on is FORMAT",
    "wokflow.train.model_card": "the text of a model card",
    "wokflow.frame.polite": "asks public services, again where they fail, and keeps answers",
    "wokflow.frame.web": "how servers are asked, and when again",
    "wokflow.ingest.download": "fetches a file, which is what its URL and checksum say",
    "wokflow.ingest.partial": "a download that is not whole yet",
    "wokflow.ingest.fetching": "asks servers of the web, again where they fail",
    "wokflow.train.launch": "starts the processes of a training",
}
# Of wokflow.frame.tables: raise it if that module writes other bytes, or reads or digests tables in another way.
FORMAT = 3
# Modules named `settings` that import this one do not count: the values that a job gets from them are in its key.
SETTINGS = "wokflow.frame.settings"
SCHEMAS = ("schemas", "columns")  # ends of the names of modules that declare tables
EVERY = "*"  # all tables of such a module
WORD_LISTS = (
    "word_lists",
    "word_table",
)  # functions of wokflow.frame.wordlists that read a file of resources/
DISTRIBUTIONS = {  # import name -> packages that provide it, where the names differ; the first installed one counts
    "ahocorasick": ("pyahocorasick",),
    "backports": ("backports-zstd",),
    "faiss": ("faiss-cpu", "faiss-gpu", "faiss-gpu-cu12"),
    "google": ("protobuf",),
    "sklearn": ("scikit-learn",),
    "vl_convert": ("vl-convert-python",),
    "wikipediaapi": ("wikipedia-api",),
    "yaml": ("pyyaml",),
}

BEHIND = {  # package -> packages that its results depend on, though no module here need import them
    "bert-score": ("transformers", "tokenizers"),
    "hanlp": ("transformers", "tokenizers"),
    "sentence-transformers": ("transformers", "tokenizers"),
    "transformers": ("tokenizers",),
    "trl": ("transformers", "tokenizers"),
}


@cache
def code_digests(module: str) -> dict[str, str]:
    """Digest of `module` and of each module that it imports from this package, NEUTRAL ones aside, by name.

    Of a module of schemas, only the tables that these modules name count. Raises ModuleNotFoundError if there is no
    such module.
    """
    names = [name for name in modules_behind(module) if name not in NEUTRAL]
    used = {use for name in names for use in _read(name).tables}
    # Modules of schemas share texts only to describe columns with them.
    read = {use for name in names if not _is_schemas(name) for use in _read(name).tables}
    digests = {}
    for name in names:
        tables = {table for schemas, table in used if schemas == name}
        texts = {table for schemas, table in read if schemas == name}
        digests[name] = (
            _tables_digest(_read(name).without_descriptions, tables, texts)
            if _is_schemas(name)
            else _read(name).digest
        )
    return digests


@cache
def word_list_digests(module: str) -> dict[str, str]:
    """Digest of each table of word lists that `module` and what it imports from this package read, by its name.

    Comments do not count. Raises ValueError where a call does not write the table's name out.
    """
    names = sorted({name for used in modules_behind(module) for name in _read(used).word_lists})
    return {name: _rows_digest(wordlists.RESOURCES / name) for name in names}


@cache
def _rows_digest(table: Path) -> str:
    rows = wordlists.rows(table)
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode()).hexdigest()[:16]


@cache
def package_versions(module: str) -> dict[str, str]:
    """Versions of the packages that `module` and what it imports from this package use, NEUTRAL ones included.

    A version is the one pinned in constraints.txt; if another one is installed, both count.
    """
    names = {name for used in modules_behind(module) for name in _read(used).packages}
    packages = {_distribution(name) for name in names}
    packages |= {name for package in packages for name in BEHIND.get(package, ())}
    return {name: _version(name) for name in sorted(packages)}


@cache
def modules_behind(module: str) -> tuple[str, ...]:
    """The names of `module` and of all that it imports from this package, directly or not.

    Imports of NEUTRAL modules are not followed. Modules that declare settings are left out.
    """
    seen: set[str] = set()
    queue = [module]
    while queue:
        name = queue.pop()
        if name in seen or module_file(name) is None or declares_settings(name):
            continue
        seen.add(name)
        queue += [] if name in NEUTRAL else _read(name).imports
    if module_file(module) is None:
        raise ModuleNotFoundError(f"no module {module} under {ROOT}")
    return tuple(sorted(seen))


class _Module:
    """A parsed module: its code, its imports, and the tables of schemas and word lists that it names."""

    def __init__(self, name: str, path: Path) -> None:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = [*ast.walk(tree)]  # once, which takes as long as the parsing
        names = set(_imported(nodes, name, package=path.name == "__init__.py"))
        self.imports = sorted(name for name in names if name.split(".")[0] == PACKAGE)
        others = {name.split(".")[0] for name in names} - {PACKAGE, ""}
        self.packages = sorted(others - sys.stdlib_module_names)
        self.tables = set(_tables_used(nodes, name, package=path.name == "__init__.py"))
        self.word_lists = set(_word_lists(nodes, name))
        blocks = [node for node in nodes if isinstance(getattr(node, "body", None), list)]
        _leave_out_docstrings(blocks)
        _leave_out_log_lines(blocks)
        self.tree = tree

    @cached_property
    def digest(self) -> str:
        return _digest(self.tree)

    @cached_property
    def without_descriptions(self) -> ast.Module:
        """A module of schemas without the descriptions of its columns."""
        return _without_descriptions(self.tree)


@cache
def _read(name: str) -> _Module:
    path = module_file(name)
    assert path is not None
    return _Module(name, path)


def module_file(module: str) -> Path | None:
    """The file of a module of this package; None for anything else, such as a name inside a module."""
    if module.split(".")[0] != PACKAGE:
        return None
    base = ROOT.joinpath(*module.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def _imported(nodes: Iterable[ast.AST], module: str, *, package: bool) -> Iterator[str]:
    """All names in import statements that may be modules, and their parent packages."""
    for node in nodes:
        names: Iterable[str] = ()
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, node, package=package)
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[:depth]) for depth in range(1, len(parts) + 1))


def _absolute(module: str, node: ast.ImportFrom, *, package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    parts = parts[: len(parts) - node.level + package]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _digest(*nodes: ast.AST) -> str:
    return hashlib.sha256("\n".join(map(ast.dump, nodes)).encode()).hexdigest()[:16]


def _word_lists(nodes: Iterable[ast.AST], module: str) -> Iterator[str]:
    """The tables of word lists that a module names where it reads them."""
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        if called in WORD_LISTS:
            name = node.args[0] if node.args else None
            if not (isinstance(name, ast.Constant) and isinstance(name.value, str)):
                raise ValueError(f"{module}, line {node.lineno}: {called} needs its table's name written out")
            yield name.value


def declares_settings(module: str) -> bool:
    """Whether a module holds classes of settings, or is what they are made with."""
    if module == SETTINGS:
        return True
    return (
        module.endswith(".settings") and module_file(module) is not None and SETTINGS in _read(module).imports
    )


def _is_schemas(module: str) -> bool:
    return module.endswith(SCHEMAS)


def _tables_used(nodes: Iterable[ast.AST], module: str, *, package: bool) -> Iterator[tuple[str, str]]:
    """The names in modules of schemas that a module uses, as (module, name)."""
    modules: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, EVERY) for alias in node.names if _is_schemas(alias.name))
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, node, package=package)
            if _is_schemas(base):
                yield from ((base, alias.name) for alias in node.names)
            else:
                imported = {alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names}
                modules |= {name: module for name, module in imported.items() if _is_schemas(module)}
    attributes = set()
    for node in nodes:  # an attribute comes before the name that it belongs to
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            attributes.add(node.value)
            yield modules[node.value.id], node.attr
        elif isinstance(node, ast.Name) and node.id in modules and node not in attributes:
            yield modules[node.id], EVERY  # as in getattr(schemas, name)


def _tables_digest(tree: ast.Module, names: set[str], texts: set[str]) -> str:
    """Digest of the definitions of some names in a module of schemas, and of the definitions that these use.

    A name that stands for a text counts only if it is among `texts`.
    """
    definitions = {
        name: node
        for node in tree.body
        for name in _defined(node)
        if name in texts or not _defines_text(node)
    }
    wanted = set(definitions) if EVERY in names else names & definitions.keys()
    while True:
        named = {
            part.id for name in wanted for part in ast.walk(definitions[name]) if isinstance(part, ast.Name)
        }
        if named & definitions.keys() <= wanted:
            return _digest(*(definitions[name] for name in sorted(wanted)))
        wanted |= named & definitions.keys()


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return [node.name] if isinstance(node, ast.FunctionDef) else []


def _leave_out_docstrings(blocks: Iterable[ast.AST]) -> None:
    for node in blocks:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]


def _leave_out_log_lines(blocks: Sequence[ast.AST]) -> None:
    """Take out statements that only call `progress` or a method of it, and ifs around nothing else."""
    for node in reversed(blocks):  # the innermost first
        for field in ("body", "orelse", "finalbody"):
            if statements := getattr(node, field, None):
                setattr(node, field, [each for each in statements if not _only_logs(each)])


def _only_logs(node: ast.stmt) -> bool:
    if isinstance(node, ast.If):
        return _is_progress(node.test) and not node.body and not node.orelse
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    called = node.value.func
    return _is_progress(
        called.value if isinstance(called, ast.Attribute) and called.attr == "say" else called
    )


def _is_progress(node: ast.AST | None) -> bool:
    """Whether this is `progress` or an attribute of that name, as self.progress."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
    return name == "progress"


def _without_descriptions(tree: ast.Module) -> ast.Module:
    """A module of schemas without the descriptions of its columns."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "column":
            node.args = node.args[:2]
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "description"]
    return tree


def _defines_text(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    return isinstance(value, ast.JoinedStr) or (
        isinstance(value, ast.Constant) and isinstance(value.value, str)
    )


@cache
def _distribution(imported: str) -> str:
    """The package that provides a module: the first of DISTRIBUTIONS that is installed, or the name itself."""
    candidates = DISTRIBUTIONS.get(imported, (imported.replace("_", "-").lower(),))
    return next((name for name in candidates if installed_version(name)), candidates[0])


@cache
def installed_version(package: str) -> str | None:
    """The installed version without its build, as in 2.13.0+cpu; None where the package is absent."""
    try:
        return importlib.metadata.version(package).split("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return None


def _version(package: str) -> str:
    pinned, installed = _pins().get(package), installed_version(package)
    if pinned is None or installed in (None, pinned):
        return pinned or installed or "absent"
    return f"{installed} (pinned: {pinned})"


@cache
def _pins() -> dict[str, str]:
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    pins = (re.match(r"([\w.-]+)==([^\s;\\]+)", line) for line in lines)
    return {pin[1]: pin[2] for pin in pins if pin}
