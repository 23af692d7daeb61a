"""Parts of other packages that are overridden or called are checked; and what is pinned was tested."""

import ast
import importlib
import importlib.metadata
import re
import tomllib
from collections.abc import Iterator

import pytest
from packaging.version import Version
from snakemake_executor_plugin_slurm_robust import self_check
from snakemake_executor_plugin_slurm_robust.self_check import Part, check_parts
from snakemake_interface_common.exceptions import WorkflowError
from wokflow.frame import plan

from tests.conftest import ROOT

SOURCES = [
    *(ROOT / "executor").rglob("*.py"),
    *(path for part in ("frame", "cluster") for path in (ROOT / "scripts" / "wokflow" / part).glob("*.py")),
]
HERE = importlib.metadata.version("pytest")
MODULE = "snakemake_executor_plugin_slurm_robust.self_check"
THERE = Part(MODULE, "check_parts", ("package", "tested", "parts"))


def test_a_tested_version_with_all_parts_passes() -> None:
    assert not check_parts("pytest", ("0.1", HERE), [THERE, Part(f"{MODULE}:Part", "find", ("self",))])


@pytest.mark.parametrize("tested", [("0.1", "0.2"), ("9999", "9999")])
def test_an_untested_version_with_all_parts_is_a_warning(tested: tuple[str, str]) -> None:
    assert f"pytest {HERE} is not among the tested versions" in check_parts("pytest", tested, [THERE])


def test_a_plan_is_refused_where_snakemake_lacks_what_it_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    importlib.import_module("snakemake.cli")  # before snakemake.dag: their imports are a circle
    monkeypatch.setattr("snakemake.dag.DAG.reason", lambda self: None)
    with pytest.raises(WorkflowError, match=r"DAG\.reason\(self, job\) has the parameters \(self\)"):
        plan.dry_workflow([])


def test_all_that_is_missing_is_named_with_what_to_do() -> None:
    parts = [
        Part(MODULE, "check_parts", ("package",)),
        Part(f"{MODULE}:Part", "lose", ("self",)),
        Part(f"{MODULE}:Whole", "find", ("self",)),
        Part("no_such_module", "find", ("self",)),
    ]
    with pytest.raises(WorkflowError) as caught:
        check_parts("pytest", ("0.1", HERE), parts)
    said = str(caught.value)
    assert f"pytest {HERE} lacks" in said
    assert "check_parts(package) has the parameters (package, tested, parts)" in said
    assert f"there is no {MODULE}:Part.lose(self)" in said
    assert f"there is no {MODULE}:Whole.find(self)" in said
    assert "there is no no_such_module.find(self)" in said
    assert f"pip install pytest=={HERE}" in said


@pytest.mark.parametrize(
    ("package", "tested"),
    [
        (self_check.SLURM, self_check.SLURM_TESTED),
        (self_check.SNAKEMAKE, self_check.SNAKEMAKE_TESTED),
    ],
)
def test_what_is_pinned_was_tested_and_nothing_older_is_let_in(package: str, tested: tuple[str, str]) -> None:
    pinned = re.search(rf"(?m)^{package}==(\S+)", (ROOT / "constraints.txt").read_text())
    assert pinned and Version(tested[0]) <= Version(pinned[1]) <= Version(tested[1])
    oldest = tested[0].removesuffix(".0")
    for project in (ROOT / "pyproject.toml", ROOT / "executor" / "pyproject.toml"):
        assert f"{package}>={oldest}" in tomllib.loads(project.read_text())["project"]["dependencies"]
    if package == self_check.SNAKEMAKE:
        assert f'min_version("{oldest}")' in (ROOT / "Snakefile").read_text()


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def own_names(owner: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> set[str]:
    """What a class and its bases in the same file define: methods, attributes, also those that `self` is given."""
    own = set()
    for base in owner.bases:
        if isinstance(base, ast.Name) and classes.get(base.id, owner) is not owner:
            own |= own_names(classes[base.id], classes)
    for node in ast.walk(owner):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            own.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and of(node) == "self":
            own.add(node.attr)
    return own


def of(node: ast.Attribute) -> str:
    """The name before the dot, super() as `self`; empty for any other expression."""
    if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
        return "self" if node.value.func.id == "super" else ""
    return node.value.id if isinstance(node.value, ast.Name) else ""


def private_names(text: str) -> Iterator[str]:
    """Private names that a file reads of others: by a dot, by an import, by getattr and its like.

    What a class stores as an attribute of `self` counts as its own, even where it overwrites a base's.
    """
    tree = ast.parse(text)
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    own = {
        id(node): own_names(owner, classes)
        for owner in classes.values()
        for node in ast.walk(owner)
        if isinstance(node, ast.Attribute) and of(node) in ("self", "cls")
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if of(node) not in ("os", "sys") and node.attr not in own.get(id(node), ()):
                yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (each.name for each in node.names if is_private(each.name))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("attr"):
            yield from (
                str(each.value)
                for each in node.args[1:2]
                if isinstance(each, ast.Constant) and is_private(str(each.value))
            )


@pytest.mark.parametrize(
    "line",
    [
        "dag._files(job)",
        "self._jobs()",
        "super()._jobs()",
        "from snakemake.io import _IOFile",
        'getattr(dag, "_job_queue")',
        "class Other(Executor):\n    def run(self): self._submit()",
    ],
)
def test_a_private_name_is_found_however_it_is_reached(line: str) -> None:
    """Another class's own name of that spelling is no excuse."""
    own = "class Own:\n    def _submit(self):\n        self._site = self._submit\n"
    own += "class Heir(Own):\n    def run(self): self._submit()\n"
    assert len([*private_names(f"{own}\ndef _files(): ...\n{line}\n")]) == 1


def test_every_private_name_of_other_packages_is_listed() -> None:
    """`os` and `sys` are no packages of Snakemake."""
    used = {name for path in SOURCES for name in private_names(path.read_text(encoding="utf-8"))}
    for path in (ROOT / "Snakefile", *(ROOT / "rules").glob("*.smk")):
        used |= {*re.findall(r"\._[A-Za-z]\w*", path.read_text(encoding="utf-8"))}
    text = (ROOT / "executor" / "PRIVATE_NAMES.md").read_text(encoding="utf-8")
    # Keys of resources, a part of comments, a type, and a method of the executor's own.
    others = {"_cores", "_nodes", "_wildcards_", "_IOFile", "_has_ended"}
    assert used == {*re.findall(r"\b_[A-Za-z]\w+", text)} - others
