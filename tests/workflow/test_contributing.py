"""The worked examples of CONTRIBUTING.md, added to a copy of the house, run and rerun as any step and stage."""

import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tests.conftest import ROOT, rules_run, snakemake
from tests.workflow.changes import setting
from tests.workflow.conftest import new_house

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))
EXAMPLE = re.compile(r"in \*\*(\S+)\*\*, (at the end|a new file|after `([^`]+)`):\n\n```\w+\n(.*?)```", re.S)
LENGTHS = "results/match/lengths/xiachufang/part-00000.parquet"
STEPS = "results/survey/steps/xiachufang/part-00000.parquet"


def add_example(house: Path, section: str) -> list[str]:
    """Add the code of a section's example to a house; the files that it touches."""
    touched = []
    for name, where, anchor, code in EXAMPLE.findall(SECTIONS[section]):
        path = house / name
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        assert bool(text) == (where != "a new file"), name
        if anchor:
            assert text.count(f"\n{anchor}\n") == 1, name
            text = text.replace(f"\n{anchor}\n", f"\n{anchor}\n{code}")
        else:
            text += ("\n\n" if text else "") + code
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        touched.append(name)
    for empty in re.findall(r"An empty \*\*(\S+)\*\*", SECTIONS[section]):
        (house / empty).touch()
    return touched


def python(house: Path, *command: str) -> None:
    """Run Python on a house's own package."""
    environment = {"PYTHONPATH": str(house / "scripts"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, *command], cwd=house, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    house = new_house(tmp_path_factory.mktemp("example") / "house")
    assert len(add_example(house, "Add a step")) == 5, "rule, function, settings, schema, test"
    assert len(add_example(house, "Add a stage")) == 6, "the list, rules, stage, function, settings, schema"
    for command in ("config_schema", "environments"):  # make docs and make lock
        python(house, "-m", f"wokflow.frame.{command}")
    return house


def test_the_examples_run_and_an_edit_of_a_setting_of_one_runs_it_alone(house: Path) -> None:
    targets = "--", LENGTHS, "survey"  # the stage is a target
    assert rules_run(snakemake(house, *targets).stdout) >= {"match_lengths", "survey_steps"}
    assert pl.read_parquet(house / LENGTHS).rows() == [(3, 3), (4, 3), (6, 1)]
    counted = pl.read_parquet(house / STEPS)
    assert counted["recipes"].sum() == 7 and counted["steps"].max() > 1
    setting("match.lengths.least", 4)(house)
    assert rules_run(snakemake(house, *targets).stdout) == {"match_lengths"}
    assert pl.read_parquet(house / LENGTHS)["length"].min() == 4
    setting("survey.steps.most", 1)(house)
    assert rules_run(snakemake(house, *targets).stdout) == {"survey", "survey_steps"}
    assert pl.read_parquet(house / STEPS).rows() == [(1, 7)]


def test_the_example_s_test_passes(house: Path) -> None:
    python(house, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/match/test_lengths.py")


@pytest.mark.parametrize(
    "name", sorted(set(re.findall(r"`((?:scripts|rules|config|tests|resources)/[\w/.-]+)`", TEXT)))
)
def test_files_that_are_named_exist(name: str) -> None:
    assert (ROOT / name).exists()
