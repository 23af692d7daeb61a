"""Parts of other packages that are replaced are checked: version, name, parameters; and what is pinned was tested."""

import importlib.metadata

import pytest
from wokflow.cluster import start
from wokflow.frame import plan
from wokflow.frame.job import UserError
from wokflow.frame.patches import Part, check_parts

from tests.conftest import ROOT

HERE = importlib.metadata.version("pytest")
THERE = Part("wokflow.frame.patches", "check_parts", ("package", "tested", "parts"))


def test_what_is_as_it_was_passes() -> None:
    check_parts("pytest", ("0.1", HERE), [THERE, Part("wokflow.frame.patches:Part", "find", ("self",))])


def test_all_that_differs_is_named_with_what_to_do() -> None:
    parts = [
        Part("wokflow.frame.patches", "check_parts", ("package",)),
        Part("wokflow.frame.patches:Part", "lose", ("self",)),
        Part("wokflow.frame.patches:Whole", "find", ("self",)),
        Part("wokflow.no_such_module", "find", ("self",)),
    ]
    with pytest.raises(UserError) as caught:
        check_parts("pytest", ("0.1", "0.2"), parts)
    said = str(caught.value)
    assert "tested with version 0.1 and 0.2" in said
    assert f"its version is {HERE}" in said
    assert "check_parts(package) has the parameters (package, tested, parts)" in said
    assert "there is no wokflow.frame.patches:Part.lose(self)" in said
    assert "there is no wokflow.frame.patches:Whole.find(self)" in said
    assert "there is no wokflow.no_such_module.find(self)" in said
    assert said.endswith("pip install pytest==0.2 (`make setup` does).")


def test_a_package_that_is_not_there_is_named() -> None:
    with pytest.raises(UserError, match="its version is not installed"):
        check_parts("no-such-package", ("1.0",), [])


@pytest.mark.parametrize(
    ("package", "tested"), [("snakemake-executor-plugin-slurm", start.TESTED), ("snakemake", plan.TESTED)]
)
def test_the_version_that_is_pinned_was_tested(package: str, tested: tuple[str, ...]) -> None:
    pins = dict(
        line.removesuffix(" \\").split("==")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if "==" in line
    )
    assert pins[package] in tested
