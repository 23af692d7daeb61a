"""Parts of other packages that are overridden or called are checked; and what is pinned was tested."""

import importlib
import importlib.metadata

import pytest
from packaging.version import Version
from snakemake_executor_plugin_slurm_robust import self_check
from snakemake_executor_plugin_slurm_robust.self_check import Part, check_parts
from snakemake_interface_common.exceptions import WorkflowError
from wokflow.frame import plan

from tests.conftest import ROOT

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
        ("snakemake-executor-plugin-slurm", self_check.SLURM_TESTED),
        ("snakemake", self_check.SNAKEMAKE_TESTED),
        ("snakemake", plan.TESTED),
    ],
)
def test_the_version_that_is_pinned_was_tested(package: str, tested: tuple[str, str]) -> None:
    pins = dict(
        line.removesuffix(" \\").split("==")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if "==" in line
    )
    assert Version(tested[0]) <= Version(pins[package]) <= Version(tested[1])
