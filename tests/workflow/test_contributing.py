"""The worked example of CONTRIBUTING.md, added to a copy of the house, runs and reruns as any step."""

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
EXAMPLE = re.compile(
    r"in \*\*(\S+)\*\*, (at the end|a new file|after `(.+)` and its four lines):\n\n```\w+\n(.*?)```", re.S
)
TABLE = "results/match/lengths/xiachufang/part-00000.parquet"


def add_example(house: Path) -> list[str]:
    """Add the example's code to a house; the files that it touches."""
    touched = []
    for name, where, anchor, code in EXAMPLE.findall(TEXT):
        path = house / name
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        assert bool(text) == (where != "a new file"), name
        if anchor:
            head, line, rest = text.partition(f"\n{anchor}\n")
            four = "".join(rest.splitlines(keepends=True)[:4])
            assert line and four.endswith("properties:\n"), name
            text = head + line + four + code + rest.removeprefix(four)
        else:
            text += ("\n\n" if text else "") + code
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        touched.append(name)
    return touched


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    house = new_house(tmp_path_factory.mktemp("example") / "house")
    assert len(add_example(house)) == 5, "the rule, the function, the schema, the config block, the test"
    return house


def test_the_example_runs_and_an_edit_of_its_setting_runs_it_alone(house: Path) -> None:
    assert "match_lengths" in rules_run(snakemake(house, "--", TABLE).stdout)
    assert pl.read_parquet(house / TABLE).rows() == [(3, 3), (4, 3), (6, 1)]
    assert rules_run(snakemake(house, "--", TABLE).stdout) == set()
    setting("match.lengths.least", 4)(house)
    assert rules_run(snakemake(house, "--", TABLE).stdout) == {"match_lengths"}
    assert pl.read_parquet(house / TABLE)["length"].min() == 4


def test_the_example_s_test_passes(house: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/match/test_lengths.py"]
    environment = {"PYTHONPATH": str(house / "scripts"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=house, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "name", sorted(set(re.findall(r"`((?:scripts|rules|config|tests|resources)/[\w/.-]+)`", TEXT)))
)
def test_files_that_are_named_exist(name: str) -> None:
    assert (ROOT / name).exists()
