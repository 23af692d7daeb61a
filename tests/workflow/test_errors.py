"""What a user gets wrong ends before any job starts, in one message that says what to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import snakemake
from tests.workflow.conftest import new_house

MISTAKES = {
    "unknown key": ("match: {serch: {k: 3}}", "match: there is no key serch. The nearest is search."),
    "unknown nested key": ("match: {search: {treshold: 1}}", "match.search: there is no key treshold."),
    "wrong type": ("match: {search: {k: ten}}", "match.search.k: 'ten' is not of type integer."),
    "wrong choice": ("match: {search: {backend: fais}}", "Did you mean faiss?"),
    "out of range": (
        "match: {pair: {threshold: 2}}",
        "match.pair.threshold: 2 is greater than the maximum of 1.",
    ),
    "missing file": (
        "sources: {recipenlg: {path: none.csv}}",
        "sources.recipenlg.path: there is no file none.csv.",
    ),
    "missing lexicon": (
        "match: {translate: {lexicon: none}}",
        "match.translate.lexicon: there is no folder none.",
    ),
    "wildcards in a path": (
        "results: out/{run}",
        "results: out/{run}: Snakemake takes { and } for wildcards.",
    ),
    "a command in a path": (
        "results: out/$(id)",
        "results: out/$(id): a shell does not take '$' as it stands.",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_explained_before_any_job(name: str, tmp_path: Path) -> None:
    house = new_house(tmp_path / "house")
    text, message = MISTAKES[name]
    (house / "mine.yaml").write_text(text + "\n", encoding="utf-8")
    done = snakemake(house, "--configfile", "mine.yaml", check=False)
    assert done.returncode != 0
    assert message in done.stdout
    assert "Every key is explained in config/README.md." in done.stdout
    assert "Traceback" not in done.stdout
    assert not (house / "results").exists()


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        (
            "mine.yaml",
            "match: {pair: {threshold: 0.5}}\nmatch: {search: {k: 3}}\n",
            "match: line 1 and line 2.",
        ),
        ("config/config.yaml", "results: x\n\tmatch: 1\n", "config.yaml, line 2, column 1: this is not YAML"),
    ],
)
def test_what_yaml_would_pass_over_is_explained_before_any_job(
    path: str, text: str, message: str, tmp_path: Path
) -> None:
    house = new_house(tmp_path / "house")
    (house / "mine.yaml").write_text("results: x\n", encoding="utf-8")
    (house / path).write_text(text, encoding="utf-8")
    done = snakemake(house, "--configfile", "mine.yaml", check=False)
    assert done.returncode != 0 and message in done.stdout and "Traceback" not in done.stdout


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["mine.yaml", "match"], "There is no config file match. All names behind --configfile are"),
        (["mine.yaml", "bad.yaml"], "bad.yaml, line 2, column 2: this is not YAML: 'b: 1'."),
    ],
)
def test_what_snakemake_cannot_read_behind_configfile_is_explained(
    files: list[str], message: str, tmp_path: Path
) -> None:
    house = new_house(tmp_path / "house")
    (house / "mine.yaml").write_text("results: x\n", encoding="utf-8")
    (house / "bad.yaml").write_text("a: [x\nb: 1\n", encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--configfile", *files]
    done = subprocess.run(command, cwd=house, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith(message) and not done.stdout


def test_what_is_wrong_with_pairs_of_dishes_is_said_before_any_job(tmp_path: Path) -> None:
    house = new_house(tmp_path / "house")
    (house / "mine.csv").write_text("base_dish,target_dish\n粥,饭\n", encoding="utf-8")
    (house / "mine.yaml").write_text("pivot: {pairs: {path: mine.csv}}\n", encoding="utf-8")
    done = snakemake(house, "--configfile", "mine.yaml", check=False)
    assert done.returncode != 0
    assert "mine.csv, line 1: missing column base_dish" in done.stdout
    assert "Are the columns separated by tabs?" in done.stdout
    assert "Traceback" not in done.stdout
    assert not (house / "results").exists()


def test_the_slurm_profile_is_found_by_its_name(tmp_path: Path) -> None:
    house = new_house(tmp_path / "house")
    assert "match_search" in snakemake(house, "--profile", "slurm", "-n").stdout


def test_names_of_files_that_are_not_utf_8_are_refused_with_what_to_set(tmp_path: Path) -> None:
    house = new_house(tmp_path / "house")
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    done = subprocess.run(command, cwd=house, env=environment, capture_output=True, check=False)
    assert done.returncode != 0
    assert b"set LC_ALL=C.UTF-8, or PYTHONUTF8=1" in done.stderr + done.stdout
