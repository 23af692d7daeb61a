"""Parts of other packages that are overridden or called are checked; and what is pinned was tested."""

import importlib
import importlib.metadata
import inspect
import re
import tomllib

import pytest
from packaging.version import Version
from snakemake_executor_plugin_slurm_robust import self_check
from snakemake_executor_plugin_slurm_robust.executor import RobustExecutor
from snakemake_executor_plugin_slurm_robust.self_check import Part, check_parts
from snakemake_interface_common.exceptions import WorkflowError
from wokflow.frame import plan

from tests.conftest import ROOT

SOURCES = [
    *(ROOT / "executor").rglob("*.py"),
    *(path for part in ("frame", "cluster") for path in (ROOT / "scripts" / "wokflow" / part).glob("*.py")),
    ROOT / "Snakefile",
    *(ROOT / "rules").glob("*.smk"),
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


# A name that is read by a dot, imported, or got by its text; `os` and `sys` are no packages of Snakemake.
READ = re.compile(
    r"(?<!\bself)(?<!\bcls)(?<!\bos)(?<!\bsys)\.(_(?!_)\w+)|\bimport .*\b(_[A-Za-z]\w*)|attr\(\w+, \"(_\w+)"
)
INHERITED = [each for each in RobustExecutor.__mro__[1:] if each is not object]


@pytest.mark.parametrize(
    "line", ["dag._files(job)", "super()._jobs()", "import a, _b", 'getattr(dag, "_job_queue")']
)
def test_a_private_name_is_found_however_it_is_reached(line: str) -> None:
    assert READ.search(line) and not READ.search("self._jobs(os._exit)")


def test_every_private_name_of_other_packages_is_listed() -> None:
    """Of `self`, the executor's names are looked for in those that it extends: one may not be meant for it."""
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCES}
    used = {"".join(found) for text in texts.values() for found in READ.findall(text)}
    inherited = "\n".join(map(inspect.getsource, INHERITED))
    own = {*re.findall(r"\bself\.(_(?!_)\w+)|def (_(?!_)\w+)", inspect.getsource(RobustExecutor))}
    used |= {*map("".join, own)} & {*re.findall(r"\b_\w+", inherited)}
    tables, _, proposals = (ROOT / "executor/PRIVATE_NAMES.md").read_text("utf-8").partition("## How many")
    listed = {*re.findall(r"\b_[A-Za-z]\w+", tables)}
    # Keys of resources, a part of comments, a type, and what is no package's of Snakemake.
    assert used - {"_extra"} == listed - {"_cores", "_nodes", "_wildcards_", "_IOFile"}
    numbers = {*re.findall(r"\d+", " ".join(re.findall(r"(?m)\| [\d, ]+ \|$|\(\d+\)", tables)))}
    assert numbers == {*re.findall(r"(?m)^### (\d+)\. ", proposals)}
