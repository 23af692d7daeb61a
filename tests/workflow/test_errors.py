"""What a user gets wrong ends before any job starts, in one message that says what to do."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import snakemake
from tests.workflow.conftest import new_house

# What is found at one go is said at once: what the schema refuses, paths that are none, files that are not there.
MISTAKES = {
    "schema": (
        "mach: {}\nmatch: {serch: {k: 3}, search: {treshold: 1, k: ten, backend: fais}, pair: {threshold: 2}}",
        [
            "there is no key mach. The nearest is match.",
            "match: there is no key serch. The nearest is search.",
            "match.search: there is no key treshold.",
            "match.search.k: 'ten' is not of type integer.",
            "Did you mean faiss?",
            "match.pair.threshold: 2 is greater than the maximum of 1.",
        ],
    ),
    "paths": (
        "results: out/{run}\nruns: out/$(id)",
        [
            "results: out/{run}: Snakemake takes { and } for wildcards.",
            "runs: out/$(id): a shell does not take '$' as it stands.",
        ],
    ),
    "files": (
        "sources: {recipenlg: {path: none.csv}}\nmatch: {translate: {lexicon: none}}",
        [
            "sources.recipenlg.path: there is no file none.csv.",
            "match.translate.lexicon: there is no folder none.",
        ],
    ),
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all, since nothing runs in it."""
    return new_house(tmp_path_factory.mktemp("errors") / "house")


def run(house: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A run that starts no job, so that it needs no quick Python."""
    return snakemake(house, *options, check=False, quick=False)


@pytest.mark.parametrize("kind", MISTAKES)
def test_mistakes_are_explained_before_any_job(kind: str, house: Path) -> None:
    text, messages = MISTAKES[kind]
    (house / "mine.yaml").write_text(text + "\n", encoding="utf-8")
    done = run(house, "--configfile", "mine.yaml")
    assert done.returncode != 0
    for message in (*messages, "Every key is explained in config/README.md."):
        assert message in done.stdout
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
    done = run(house, "--configfile", "mine.yaml")
    assert done.returncode != 0 and message in done.stdout and "Traceback" not in done.stdout


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["mine.yaml", "match"], "There is no config file match. All that follows --configfile is"),
        (["mine.yaml", "bad.yaml"], "bad.yaml, line 2, column 2: this is not YAML: 'b: 1'."),
    ],
)
def test_what_snakemake_cannot_read_behind_configfile_is_explained(
    files: list[str], message: str, house: Path
) -> None:
    (house / "mine.yaml").write_text("results: x\n", encoding="utf-8")
    (house / "bad.yaml").write_text("a: [x\nb: 1\n", encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--configfile", *files]
    done = subprocess.run(command, cwd=house, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith(message) and not done.stdout


def test_what_is_wrong_with_pairs_of_dishes_is_said_before_any_job(house: Path) -> None:
    (house / "mine.csv").write_text("base_dish,target_dish\n粥,饭\n", encoding="utf-8")
    (house / "mine.yaml").write_text("pivot: {pairs: {path: mine.csv}}\n", encoding="utf-8")
    done = run(house, "--configfile", "mine.yaml")
    assert done.returncode != 0
    assert "mine.csv, line 1: missing column base_dish" in done.stdout
    assert "Are the columns separated by tabs?" in done.stdout
    assert "Traceback" not in done.stdout
    assert not (house / "results").exists()


def test_a_release_that_a_licence_forbids_is_refused_before_any_job_that_it_needs(house: Path) -> None:
    own = {"recipenlg": "data/en.csv", "xiachufang": "data/zh.json"}
    registry = house / "resources/sources.tsv"
    header, *rows = registry.read_text(encoding="utf-8").splitlines()
    names = header.split("\t")
    for corpus, path in own.items():  # free by its checksum, as the demo's are
        cells = dict(
            zip(names, next(row for row in rows if row.startswith(f"{corpus} ")).split("\t"), strict=True)
        )
        data = (house / path).read_bytes()
        cells |= {
            "corpus": f"{corpus} (mine)",
            "bytes": str(len(data)),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        rows.append("\t".join(cells.values()))
    registry.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    text = (house / own["recipenlg"]).read_bytes()
    (house / "mine.csv").write_bytes(text + text[text.index(b"\n") :])
    (house / "unlike.csv").write_bytes(text.swapcase())  # of a known size: perhaps it is a known one
    full = "export: {release: {mode: full}}\n"
    (house / "free.yaml").write_text(full, encoding="utf-8")
    for name in ("mine", "unlike"):
        (house / f"{name}.yaml").write_text(
            f"{full}sources: {{recipenlg: {{path: {name}.csv}}}}\n", encoding="utf-8"
        )
    clause = "- recipenlg (in pairs-zh-en, pairs-en-zh): RecipeNLG dataset terms: each user accepts them"
    for options in (["--dry-run"], []):
        done = run(house, *options, "--configfile", "mine.yaml", "--", "report")
        assert done.returncode == 1
        assert clause in done.stdout and "Write export.release.mode: standoff instead" in done.stdout
        assert "Traceback" not in done.stdout
    assert not (house / "results" / "ingest").exists()
    for config, target in (("mine", "match"), ("free", "export"), ("unlike", "export")):
        done = run(house, "--dry-run", "--configfile", f"{config}.yaml", "--", target)
        assert done.returncode == 0, done.stdout


def test_names_of_files_that_are_not_utf_8_are_refused_with_what_to_set(house: Path) -> None:
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    done = subprocess.run(command, cwd=house, env=environment, capture_output=True, check=False)
    assert done.returncode != 0
    assert b"set LC_ALL=C.UTF-8, or PYTHONUTF8=1" in done.stderr + done.stdout
