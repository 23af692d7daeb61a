"""A job's function gets what its rule names, and nothing else."""

import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from wokflow.frame import step as module
from wokflow.frame import tables
from wokflow.frame.arguments import Arguments
from wokflow.frame.columns import column
from wokflow.frame.job import Job
from wokflow.frame.keys import rule_key
from wokflow.frame.records import kept_key
from wokflow.frame.step import RuleJob, arguments, run, step_function
from wokflow.match.settings import SearchSettings


def described(tmp_path: Path, **given: Any) -> RuleJob:
    usual: dict[str, Any] = {
        "key": rule_key("match.search", Arguments({"k": 3})),
        "unkeyed": {"device": "cpu"},
        "inputs": {"after": ["a.sha256"], "texts": "texts.parquet", "tables": ["one.tsv"]},
        "outputs": {"page": str(tmp_path / "page.html")},
        "wildcards": {"corpus": "xiachufang", "shard": "00001", "shards": "00002"},
        "threads": 2,
        "minutes_left": lambda: 60,
        "log": str(tmp_path / "job.log"),
    }
    return RuleJob(**usual | given)


def test_files_settings_and_options_come_by_name_and_what_makes_a_job_wait_does_not(tmp_path: Path) -> None:
    def function(*, texts: str, tables: list[str], page: str, settings: SearchSettings) -> None: ...

    assert arguments(function, described(tmp_path), None) == {
        "texts": "texts.parquet",
        "tables": ["one.tsv"],
        "page": str(tmp_path / "page.html"),
        "settings": SearchSettings.of_job({"k": 3, "device": "cpu"}),
    }


def test_wildcards_and_the_like_come_on_demand_and_shards_are_numbers(tmp_path: Path) -> None:
    def function(*, corpus: str, shard: int, log: str, job: Job, **files: Any) -> None: ...

    found = arguments(function, described(tmp_path, inputs={}), None)
    assert (found["corpus"], found["shard"], found["job"].threads) == ("xiachufang", 1, 2)
    assert found["log"] == str(tmp_path / "job.log")
    assert found["job"].metadata["key"].startswith("{")
    assert "shards" not in found


@pytest.mark.parametrize("name", ["page", "corpus", "settings"])
def test_two_arguments_of_one_name_are_refused(name: str, tmp_path: Path) -> None:
    def function(*, corpus: str, settings: SearchSettings, **files: Any) -> None: ...

    with pytest.raises(ValueError, match="one name"):
        arguments(function, described(tmp_path, inputs={name: "x"}), None)


def test_a_step_s_function_is_found_by_its_name() -> None:
    assert step_function("match.split").__qualname__ == "match_split"


def test_the_key_is_kept_beside_what_a_job_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def function(*, page: str, **given: Any) -> None:
        Path(page).write_text("page", encoding="utf-8")

    monkeypatch.setattr(module, "step_function", lambda step: function)
    job = described(tmp_path)
    run(job, lambda: None)
    assert kept_key(job.outputs["page"]) == job.key  # type: ignore[arg-type]
    assert "done in" in Path(job.log).read_text(encoding="utf-8")


def scanned(*, texts: str, **given: Any) -> None:
    tables.scan(texts).collect()


def batched(*, texts: str, **given: Any) -> None:
    for _ in tables.opened(texts).iter_batches():
        pass


def described_by_footer(*, texts: str, job: Job, **given: Any) -> None: ...


@pytest.mark.parametrize("read", [scanned, batched, described_by_footer])
@pytest.mark.parametrize("keep", [0, 100, -100])
def test_a_damaged_table_is_named_with_what_to_do(
    read: Any, keep: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    part = tmp_path / "texts" / "part-00001.parquet"
    rows = pl.DataFrame({"text": [f"text {number}" for number in range(1000)]})
    tables.write(part, pa.schema([column("text", pa.string(), "A text.")]), rows, {})
    part.write_bytes(part.read_bytes()[:keep])
    monkeypatch.setattr(module, "step_function", lambda step: read)
    job = described(tmp_path, inputs={"texts": str(part)})
    with pytest.raises(SystemExit, match=rf"{part} is damaged \(.+\)\. Delete it, and run Snakemake again"):
        run(job, lambda: None)
    assert "Traceback" not in Path(job.log).read_text(encoding="utf-8") + capsys.readouterr().err


@pytest.mark.parametrize("read", [scanned, batched])
def test_a_flipped_bit_in_a_table_is_named_with_what_to_do(
    read: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / "texts.parquet"
    rows = pl.DataFrame({"text": [f"text {number}" for number in range(1000)]})
    tables.write(part, pa.schema([column("text", pa.string(), "A text.")]), rows, {})
    data = bytearray(part.read_bytes())
    data[len(data) // 3] ^= 1
    part.write_bytes(data)
    monkeypatch.setattr(module, "step_function", lambda step: read)
    with pytest.raises(SystemExit, match=rf"{part} is damaged \(.*CRC.*\)\. Delete it"):
        run(described(tmp_path, inputs={"texts": str(part)}), lambda: None)


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), pl.exceptions.ColumnNotFoundError("x")]
)
def test_an_error_over_whole_tables_stays_what_it_is(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def function(**given: Any) -> None:
        raise error

    part = tmp_path / "texts.parquet"
    tables.write(part, pa.schema([column("text", pa.string(), "A text.")]), pl.DataFrame({"text": ["a"]}), {})
    monkeypatch.setattr(module, "step_function", lambda step: function)
    with pytest.raises(SystemExit, match=f"{type(error).__name__}: ") as ended:
        run(described(tmp_path, inputs={"texts": str(part)}), lambda: None)
    assert ended.value.__cause__ is error


def test_a_job_s_function_has_a_temporary_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(module, "step_function", lambda step: lambda **_: seen.append(tempfile.gettempdir()))
    monkeypatch.setattr(module, "keep_inputs", lambda *_: None)
    monkeypatch.setattr(module, "keep_keys", lambda *_: None)
    monkeypatch.setattr(module, "arguments", lambda *_: {})
    run(described(tmp_path), lambda: None)
    assert seen and seen[0] != tempfile.gettempdir() and not Path(seen[0]).exists()
