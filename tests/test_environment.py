"""constraints.txt is the one source of truth for versions; pyproject.toml and envs/*.yaml agree with it."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pins
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pins import BEHIND, CONSTRAINTS, GPU, chosen, here, read_pins, version
from wokflow.frame import environments
from wokflow.frame.stages import STAGES

from tests.conftest import ROOT

PACKAGE = ROOT / "scripts" / "wokflow"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHON = "3.11.13"


@cache
def constraints() -> dict[str, str]:
    """Package -> version."""
    return {name: version(lines).split("==")[1] for name, lines in read_pins().items()}


@cache
def parts(stage: str) -> tuple[dict[str, str], dict[str, str]]:
    """The packages that a stage imports, and all others of its environment."""
    text = (ROOT / "envs" / f"{stage}.yaml").read_text(encoding="utf-8")
    direct, others = (dict(re.findall(r"^ {6}- (\S+)==(\S+)$", part, re.M)) for part in text.split(BEHIND))
    listed = next(entry for entry in loaded(stage)["dependencies"] if isinstance(entry, dict))["pip"]
    assert sorted(listed) == sorted(f"{name}=={number}" for name, number in (direct | others).items())
    return direct, others


def loaded(stage: str) -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "envs" / f"{stage}.yaml").read_text(encoding="utf-8")))


def behind(names: Iterable[str]) -> set[str]:
    """Packages that need no more than what is installed here: themselves, and what they need, as installed."""
    seen: set[tuple[str, str]] = set()
    queue = [(name, "") for name in names]
    while queue:
        name, extra = queue.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        for line in metadata.requires(name) or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                queue += [(str(canonicalize_name(needed.name)), each) for each in ("", *needed.extras)]
    return {name for name, _ in seen}


def test_each_room_with_a_stage_is_in_the_list_and_has_rules_and_an_environment() -> None:
    rules = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "rules").glob("*.smk"))
    named = set(re.findall(r"^ +conda:\n +\"\.\./envs/(\w+)\.yaml\"$", rules, re.M))
    rooms = {path.parent.name for path in PACKAGE.glob("*/stage.py")}
    assert set(STAGES) == named == rooms == {path.stem for path in (ROOT / "envs").glob("*.yaml")}


@pytest.mark.parametrize("stage", STAGES)
def test_pins_of_an_environment_are_those_of_constraints(stage: str) -> None:
    direct, others = parts(stage)
    versions = direct | others
    assert versions == {name: constraints().get(name) for name in versions}


@pytest.mark.parametrize("stage", STAGES)
def test_an_environment_holds_what_its_stage_imports_and_no_more(stage: str) -> None:
    assert set(parts(stage)[0]) == environments.needed(stage), "run: make lock"


def test_an_environment_starts_with_the_packages_that_its_stage_needs_directly() -> None:
    made = environments.with_packages("", "report")
    assert yaml.safe_load(made)["dependencies"][:2] == loaded("report")["dependencies"][:2]
    assert made == (ROOT / "envs" / "report.yaml").read_text(encoding="utf-8").split(BEHIND)[0]
    assert environments.with_packages(made, "report") == made
    assert environments.with_packages(made.replace("- polars", "- pandas"), "report") == made


@pytest.mark.parametrize("stage", STAGES)
def test_an_environment_pins_all_that_its_packages_need(stage: str) -> None:
    """What PyPI's torch needs for CUDA is not installed here if torch is a build for CPUs."""
    direct, others = parts(stage)
    cuda = {name for name in others if name.startswith(("nvidia-", "cuda-", "triton"))}
    assert set(direct) | set(others) - cuda == behind(direct) - cuda
    assert ({"nvidia-cublas", "triton"} <= cuda) == ("torch" in direct.keys() | others.keys())


@pytest.mark.parametrize("stage", STAGES)
def test_an_environment_takes_its_channels_and_python_from_the_same_place(stage: str) -> None:
    env = loaded(stage)
    assert env["channels"] == ["conda-forge", "nodefaults"]
    assert env["dependencies"][:2] == [f"python={PYTHON}", "pip=25.2"]
    assert ">=3.11,<3.12" in PROJECT["requires-python"]


def test_each_dependency_has_a_pin() -> None:
    extras = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    names = {str(canonicalize_name(Requirement(line).name)) for line in [*PROJECT["dependencies"], *extras]}
    assert names - {PROJECT["name"]} <= set(constraints())


def test_what_any_stage_imports_is_installed_with_the_project() -> None:
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *(line for extra in extras.keys() - {"dev"} for line in extras[extra])]
    installed = {str(canonicalize_name(Requirement(line).name)) for line in lines}
    assert {name for stage in STAGES for name in parts(stage)[0]} <= installed


def test_every_pin_has_the_hashes_of_its_files_and_no_path_address_or_local_build() -> None:
    pin = re.compile(r"[a-z0-9][a-z0-9-]*==[0-9][0-9A-Za-z.]* \\\n( {4}--hash=sha256:[0-9a-f]{64}( \\)?\n)+")
    text = "".join(
        line for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines(True) if line[0] != "#"
    )
    assert "".join(read_pins().values()) == text
    for lines in read_pins().values():
        assert pin.fullmatch(lines), lines
        assert [line.endswith("\\") for line in lines.splitlines()][-2:] == [True, False], lines


def test_everything_is_installed_by_hashes() -> None:
    """pip fetches torch, and does not install it."""
    for name in ("Makefile", "Dockerfile", "wokflow.def"):
        text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
        for line in text.splitlines():
            own = "--offline" in line and "--editable ." in line  # the package itself, which fetches nothing
            assert "pip install" not in line or "--require-hashes" in line or own, f"{name}: {line}"


def test_pins_are_printed_with_their_hashes_and_in_the_build_that_is_there() -> None:
    number = constraints()["torch"]
    plain, built = chosen(["torch", "uv"]), chosen([f"torch=={number}+cpu", f"uv=={constraints()['uv']}"])
    assert plain == read_pins()["torch"] + read_pins()["uv"]
    assert built == plain.replace(f"torch=={number} ", f"torch=={number}+cpu ")
    with pytest.raises(SystemExit, match="has no pin of nothing-such"):
        chosen(["torch", "nothing-such"])


def torch_wheel(folder: Path, build: str, *needs: str) -> Path:
    folder.mkdir(exist_ok=True)
    number = constraints()["torch"]
    with ZipFile(folder / f"torch-{number}{build}-cp311-cp311-manylinux_2_28_x86_64.whl", "w") as wheel:
        lines = "".join(f"Requires-Dist: {need}\n" for need in needs)
        wheel.writestr(f"torch-{number}{build}.dist-info/METADATA", f"Name: torch\n{lines}")
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="torch for GPUs is for Linux")
def test_what_is_installed_follows_from_the_build_of_torch_and_asks_no_index(tmp_path: Path) -> None:
    number = constraints()["torch"]
    plain = here(["dev"], torch_wheel(tmp_path / "cpu", "+cpu", "filelock"))
    gpu = here(["dev"], torch_wheel(tmp_path / "gpu", "", "filelock", "nvidia-cublas==1"))
    more = set(gpu) - set(plain) - {f"torch=={number}"}
    assert {"triton", "nvidia-cublas"} <= more and all(GPU.fullmatch(name) for name in more)
    assert f"torch=={number}+cpu" in plain and f"torch=={number}" in gpu
    assert {"polars", "pytest"} <= set(plain) and "pytest" not in here([], tmp_path / "cpu")
    assert {*re.findall(r"^(\S+)==", chosen(gpu), re.M)} == {name.split("==")[0] for name in gpu}


def test_what_requirements_lack_is_named_before_anything_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = tmp_path / "pyproject.toml"
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    changed.write_text(text.replace("dependencies = [", 'dependencies = [\n  "New_Package>=1",', 1))
    monkeypatch.setattr(pins, "PROJECT", changed)
    with pytest.raises(SystemExit, match=r"lacks new-package\. If pyproject\.toml changed: make lock"):
        here([], torch_wheel(tmp_path / "cpu", "+cpu"))


def test_all_that_is_installed_is_needed_and_all_that_it_needs_is_listed() -> None:
    """By what the installed packages say themselves."""
    rows = dict(line.split("\t") for line in pins.NEEDED.read_text(encoding="utf-8").splitlines()[1:])
    base = {name for name, sets in rows.items() if sets == "base"}
    for name in base:
        for line in metadata.requires(name) or []:
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                assert str(canonicalize_name(requirement.name)) in base, f"{name} needs {line}"


CONTAINERS = ("Dockerfile", "wokflow.def")
# pip fetches a torch without needs; `uv pip install` installs nothing, but the project itself is installed.
STAND_IN = """#!/bin/sh
case "$*" in *--editable*) exec {uv} "$@";; *download*) mkdir -p .venv && cp -r {torch} .venv/torch;; esac
"""


def copied(container: str) -> set[str]:
    """Files of the project that a container is made of."""
    text = (ROOT / container).read_text(encoding="utf-8")
    lines = re.findall(r"^COPY (.*) \S+$", text, re.M) or re.findall(
        r"^ +(\S+) /opt/wokflow/\S+$", text, re.M
    )
    return {name for line in lines for name in line.split()}


@pytest.mark.parametrize("container", CONTAINERS)
def test_make_needs_no_other_files_than_those_that_a_container_gets(container: str, tmp_path: Path) -> None:
    """All that its build runs of the Makefile, but for the packages that are fetched."""
    for name in copied(container):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / ".venv"], check=True)
    for name in ("uv", "pip"):
        program = tmp_path / ".venv" / "bin" / name
        names = {"uv": Path(sys.executable).with_name("uv"), "torch": torch_wheel(tmp_path / "torch", "+cpu")}
        program.write_text(STAND_IN.format(**names), encoding="utf-8")
        program.chmod(0o755)
    done = subprocess.run(["make", "setup-hub"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / ".venv" / "ready-hub").exists()


def test_containers_are_made_of_the_same_pins_and_python() -> None:
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in CONTAINERS]
    for text in texts:
        assert all((ROOT / name).exists() for name in re.findall(r"docs/\w+\.md", text))
        assert re.findall(r"python:(\S+?)-", text) == [PYTHON]
        assert "make setup-hub" in text
        for file in ("Makefile", "constraints.txt", "requirements.tsv", "pyproject.toml", "scripts/pins.py"):
            assert file in text


@pytest.mark.parametrize("command", ["plan", "check-site"])
def test_make_hands_a_config_of_ones_own_on(command: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    shown = subprocess.check_output(
        ["make", "--dry-run", command, "CONFIG=my.yaml"], cwd=ROOT, env=environment, text=True
    )
    assert f"/wokflow {command} " in shown and shown.rstrip().endswith("--configfile my.yaml")
