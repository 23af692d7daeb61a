"""Parts of other packages that are overridden or called are checked; and what is pinned was tested."""

import ast
import importlib
import importlib.metadata
import re
import tomllib

import pytest
from packaging.version import Version
from snakemake_executor_plugin_slurm_robust import self_check
from snakemake_executor_plugin_slurm_robust.self_check import Part, check_parts
from snakemake_interface_common.exceptions import WorkflowError
from wokflow.frame import plan

from tests.conftest import ROOT

SOURCES = [*(ROOT / "executor").rglob("*.py"), *(ROOT / "scripts" / "wokflow" / "frame").glob("*.py")]
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


def test_every_private_name_of_other_packages_is_listed() -> None:
    """A name is one's own if something here defines it; `os` and `sys` are no packages of Snakemake."""
    own, used = set(), set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                own.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.id)
            elif (
                isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.endswith("__")
            ):
                of = node.value.id if isinstance(node.value, ast.Name) else ""
                if of == "self" and isinstance(node.ctx, ast.Store):
                    own.add(node.attr)
                elif of not in ("os", "sys"):
                    used.add(node.attr)
    listed = set(
        re.findall(r"\b_[a-z]\w+", (ROOT / "executor" / "PRIVATE_NAMES.md").read_text(encoding="utf-8"))
    )
    assert used - own == listed - own - {"_cores", "_nodes", "_wildcards_"}  # parts of resources and comments
