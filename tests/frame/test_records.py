"""Keys stand beside outputs, and Snakemake's records come back from them."""

import os
import shutil
from functools import partial
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from snakemake import persistence
from wokflow.frame.columns import column
from wokflow.frame.job import UserError
from wokflow.frame.records import UNFINISHED, keep_inputs, keep_keys, kept_inputs, kept_key, outputs, restore
from wokflow.frame.tables import write

from tests.conftest import ROOT, snakemake

SCHEMA = pa.schema([column("a", pa.int64(), "A number.")])
SNAKEFILE = """
rule made:
    input:
        {inputs},
    output:
        text="out/text.txt",
        folder=directory("out/folder"),
    params:
        key={key!r},
    shell:
        "mkdir -p out/folder; touch out/folder/a; echo new > {{output.text}}"
"""


run = partial(snakemake, quick=False)  # no job here is a script


def table(path: Path, key: str) -> None:
    write(path, SCHEMA, pl.DataFrame({"a": [1]}), {"key": key})


def test_a_key_lies_beside_what_is_no_table_and_in_a_table(tmp_path: Path) -> None:
    table(tmp_path / "part-00000.parquet", "k1")
    (tmp_path / "page.html").write_text("")
    paths = [str(tmp_path / name) for name in ("part-00000.parquet", "page.html")]
    keep_keys("k2", paths)
    assert [kept_key(path) for path in paths] == ["k1", "k2"]


def test_outputs_are_what_patterns_of_rules_match(tmp_path: Path) -> None:
    kept = (
        "b/release/data/train.parquet",
        "b/one/part-00000.parquet",
        "b/other/part-00000.parquet",
        "a/cache/x.json",
    )
    for name in kept:
        table(tmp_path / name, "k1")
    patterns = [
        f"{tmp_path}/b/{name}"
        for name in ("release", "{run,one|two}/part-{part,[0-9]+}.parquet", "absent.tsv")
    ]
    assert list(outputs(str(tmp_path), patterns)) == [
        str(tmp_path / "b/one/part-00000.parquet"),
        str(tmp_path / "b/release"),
    ], "no output is below another, of an unknown run, or in a folder that no pattern names"


def test_a_table_without_a_key_or_damaged_has_none(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", SCHEMA, pl.DataFrame({"a": [1]}), {})
    (tmp_path / "b.parquet").write_bytes(b"PAR1 broken")
    assert kept_key(str(tmp_path / "a.parquet")) is kept_key(str(tmp_path / "b.parquet")) is None


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A folder in which a rule has run with key k1, and Snakemake's records are lost."""
    snakefile = tmp_path / "Snakefile"
    snakefile.write_text(SNAKEFILE.format(inputs="[]", key="k1"), encoding="utf-8")
    run(tmp_path)
    keep_keys("k1", [str(tmp_path / "out" / name) for name in ("text.txt", "folder")])
    shutil.rmtree(tmp_path / ".snakemake")
    return tmp_path


def restored(house: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[str]]:
    monkeypatch.chdir(house)
    return restored_in()


def restored_in() -> tuple[int, list[str]]:
    """How many records `restore` writes in the working folder, and what has lost its key."""
    before = set(Path(".snakemake").rglob("metadata/*"))
    lost = restore("out", [["out/text.txt", "out/folder"]])
    return len(set(Path(".snakemake").rglob("metadata/*")) - before), lost


@pytest.mark.parametrize(("key", "what"), [("k1", "Nothing to be done"), ("k2", "Params have changed")])
def test_snakemake_compares_restored_keys(
    key: str, what: str, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (house / "Snakefile").write_text(SNAKEFILE.format(inputs="[]", key=key), encoding="utf-8")
    assert "Nothing to be done" in run(house, "--dry-run").stdout, "this is what must be mended"
    shutil.rmtree(house / ".snakemake")
    assert restored(house, monkeypatch) == (2, [])
    assert what in run(house, "--dry-run").stdout
    assert restored(house, monkeypatch) == (0, [])


@pytest.mark.parametrize(
    ("inputs", "what"),
    [("'in/1', 'in/2'", "Nothing to be done"), ("'in/1'", "Set of input files has changed")],
)
def test_snakemake_compares_restored_inputs(
    inputs: str, what: str, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(house)
    (house / "in").mkdir()
    for name in ("1", "2"):
        (house / "in" / name).touch()
        os.utime(house / "in" / name, (1, 1))
    made = ["out/text.txt", "out/folder"]
    keep_inputs(["in/1", "in/2"], made)
    keep_keys("k1", made)
    (house / "Snakefile").write_text(SNAKEFILE.format(inputs=inputs, key="k1"), encoding="utf-8")
    assert restored_in() == (2, [])
    assert what in run(house, "--dry-run").stdout


def test_inputs_are_kept_as_seen_from_the_first_output_where_both_share_a_folder(tmp_path: Path) -> None:
    made, moved = tmp_path / "results" / "b" / "x.tsv", tmp_path / "moved" / "b" / "x.tsv"
    near = tmp_path / "results" / "a" / "y.tsv"
    keep_inputs([str(near), "data/en.csv", "../z"], [str(made), str(made) + "2"])
    (tmp_path / "results").rename(tmp_path / "moved")
    expected = ["../z", str(tmp_path / "moved" / "a" / "y.tsv"), "data/en.csv"]
    assert kept_inputs(str(moved)) == sorted(expected)
    assert kept_inputs(str(moved) + "2") is None


def test_an_output_of_a_killed_job_does_not_have_the_key_of_an_earlier_one(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("old")
    keep_keys("k1", [str(page)])
    keep_inputs([], [str(page)])
    page.write_text("new")  # and killed before keep_keys
    assert kept_key(str(page)) == UNFINISHED


def test_records_that_are_there_stay_as_they_are(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(house, "--forceall")
    keep_keys("another", [str(house / "out" / "text.txt")])
    assert restored(house, monkeypatch) == (0, [])
    assert "Nothing to be done" in run(house, "--dry-run").stdout


@pytest.mark.parametrize("name", ["text.txt", "folder"])
def test_an_output_without_key_and_record_is_made_anew(
    name: str, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (house / "out" / f".{name}.key").unlink()
    assert restored(house, monkeypatch) == (2, [f"out/{name}"])
    assert "Params have changed" in run(house, "--dry-run").stdout
    assert restored(house, monkeypatch) == (0, [])


def test_a_single_lost_record_comes_back(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(house, "--forceall")
    records = sorted((house / ".snakemake" / "metadata").iterdir())
    records[0].unlink()
    assert restored(house, monkeypatch) == (1, [])


def test_an_unknown_format_of_records_is_refused(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persistence, "RECORD_FORMAT_VERSION", 7)
    with pytest.raises(UserError, match="format 7"):
        restored(house, monkeypatch)


def test_without_results_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert restored(tmp_path, monkeypatch) == (0, [])
    assert list(tmp_path.iterdir()) == []


TABLE = """
rule made:
    output:
        "out/t/part-00000.parquet",
    params:
        key="k1",
    run:
        import sys; sys.path.insert(0, {scripts!r})
        import polars as pl, pyarrow as pa
        from wokflow.frame.tables import write
        write(output[0], pa.schema([("a", pa.int64())]), pl.DataFrame({{"a": [1]}}), {{"key": "k1"}})
"""


def test_a_table_that_a_copy_cut_short_is_made_anew_although_snakemake_takes_it_for_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("Snakefile").write_text(TABLE.format(scripts=str(ROOT / "scripts")), encoding="utf-8")
    run(tmp_path)
    part = Path("out/t/part-00000.parquet")
    whole, about = part.read_bytes(), part.stat()
    for left in (7, 0, -1):
        part.write_bytes(whole[:left])
        os.utime(part, ns=(about.st_atime_ns, about.st_mtime_ns))
        if left == 7:
            assert "Nothing to be done" in run(tmp_path, "--dry-run").stdout, "this is what must be mended"
        assert restore("out", [["out/t/part-{part}.parquet"]]) == [str(part)]
    run(tmp_path)
    assert part.read_bytes() == whole
    assert restore("out", [["out/t/part-{part}.parquet"]]) == []


def test_what_lies_damaged_beside_an_output_has_it_made_anew(
    house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(house)
    for kind, content in (
        ("inputs", b"{"),
        ("inputs", b"[]"),
        ("inputs", b"\xff"),
        ("inputs", b'{"near": 1}'),
        ("key", b"\xff"),
    ):
        keep_inputs([], ["out/text.txt"])
        keep_keys("k1", ["out/text.txt"])
        (house / "out" / f".text.txt.{kind}").write_bytes(content)
        assert restored_in() == (2, ["out/text.txt"]), content
        if kind == "inputs":
            shutil.rmtree(".snakemake")
    assert "out/text.txt" in run(house, "--dry-run").stdout


GAINING = """
rule all:
    default_target: True
    input:
        "out/x/a",

rule made:
    output:
        "out/{{name}}/a",
        {more}
    params:
        key="{key}",
    shell:
        "touch {{output}}"
"""


def test_a_rule_that_has_an_output_more_than_before_does_not_pass_for_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing asks for the new output, Snakemake compares no keys of the job."""
    monkeypatch.chdir(tmp_path)
    Path("Snakefile").write_text(GAINING.format(key="k1", more=""), encoding="utf-8")
    run(tmp_path)
    Path("Snakefile").write_text(GAINING.format(key="k2", more='"out/{name}/b",'), encoding="utf-8")
    assert "Nothing to be done" in run(tmp_path, "--dry-run").stdout, "this is what must be mended"
    assert restore("out", [["out/{name}/a", "out/{name}/b"]]) == []
    assert "Params have changed" in run(tmp_path, "--dry-run").stdout
    run(tmp_path)
    assert restore("out", [["out/{name}/a", "out/{name}/b"]]) == []
    assert "Nothing to be done" in run(tmp_path, "--dry-run").stdout
