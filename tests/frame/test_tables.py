"""Tables are written whole or not at all, hold what their schema says, and are the same bytes each time."""

import hashlib
import json
import os
import re
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from wokflow.frame import tables
from wokflow.frame.code import FORMAT
from wokflow.frame.columns import STRINGS, column
from wokflow.frame.job import UserError

SCHEMA = pa.schema(
    [
        column("name", pa.string(), "A name."),
        column("count", pa.int32(), "A number."),
        column("words", STRINGS, "Words."),
        column("note", pa.string(), "A note.", nullable=True),
    ]
)
ROWS = pl.DataFrame({"name": ["a", "b"], "count": [1, 2], "words": [["x", "y"], []], "note": [None, "n"]})


def files(folder: Path) -> list[str]:
    """All that lies in the folder, hidden files too."""
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "some" / "folder" / "part-00000.parquet"
    tables.write(path, SCHEMA, ROWS.select("note", "words", "count", "name"), {})
    assert tables.read(path).rows() == ROWS.rows()
    assert tables.read(path).columns == SCHEMA.names, "columns stand in the order of the schema"
    assert tables.read(str(path), ["count"]).rows() == [(1,), (2,)]
    assert files(path.parent) == [path.name]


def test_parts_are_read_in_order_and_counted(tmp_path: Path) -> None:
    parts = [tmp_path / name for name in ("b", "a[0]*.parquet", "c")]
    for number, part in enumerate(parts):
        tables.write(part, SCHEMA, ROWS.with_columns(count=pl.lit(number))[:number], {})
    assert tables.read(parts)["count"].to_list() == [1, 2, 2]
    assert tables.read(parts[:1]).height == 0
    assert tables.rows(parts) == 3


def test_frames_are_appended(tmp_path: Path) -> None:
    with tables.PartWriter(tmp_path / "part", SCHEMA, {}) as part:
        for frame in (ROWS[:0], ROWS[:1], ROWS[1:].to_arrow()):
            part.write(frame)
    assert tables.read(tmp_path / "part").rows() == ROWS.rows()


def test_a_file_holds_descriptions_metadata_and_which_columns_may_be_null(tmp_path: Path) -> None:
    tables.write(tmp_path / "part", SCHEMA, ROWS, {"key": "a key", "sources": "{}"})
    schema = pq.read_schema(tmp_path / "part")
    assert schema.metadata[b"key"] == b"a key" and schema.metadata[b"sources"] == b"{}"
    assert [field.nullable for field in schema] == [False, False, False, True]
    assert schema.field("count").metadata[b"description"] == b"A number."
    assert schema.field("count").type == pa.int32()


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, range]:
    """A table, and where its pages lie, with their headers; nothing was compared before."""
    monkeypatch.setattr(tables, "_compared", set())
    words = [[f"豆腐{number % 7}", "salt"] for number in range(300)]
    rows = {
        "name": [f"r:{number}" for number in range(300)],
        "count": range(300),
        "words": words,
        "note": "soup",
    }
    tables.write(tmp_path / "part", SCHEMA, pl.DataFrame(rows), {})
    footer = int.from_bytes((tmp_path / "part").read_bytes()[-8:-4], "little")
    return tmp_path / "part", range(4, (tmp_path / "part").stat().st_size - 8 - footer)


def flipped(part: Path, at: int) -> None:
    data = bytearray(part.read_bytes())
    data[at] ^= 1 << at % 8
    part.write_bytes(data)


def test_no_flipped_bit_in_a_page_gives_another_text(pages: tuple[Path, range]) -> None:
    part, places = pages
    whole, refused = tables.read(part).rows(), 0
    for at in places[::5]:
        flipped(part, at)
        tables._compared.clear()
        try:
            assert tables.read(part).rows() == whole, at
        except UserError as error:
            assert re.match(rf"{part} is damaged \(.+\)\. Delete it, and run Snakemake again", str(error))
            refused += 1
        except pl.exceptions.PolarsError:  # of the header of a page, which pyarrow takes as it is
            assert tables.damage(part)
        flipped(part, at)
    assert refused > len(places[::5]) * 0.9


def test_only_the_columns_that_are_read_are_compared(pages: tuple[Path, range]) -> None:
    part, places = pages
    flipped(part, places[-3])  # of the last column
    assert tables.read(part, ["name"]).height == tables.scan([part], ["count"]).collect().height == 300
    with pytest.raises(UserError, match="damaged"):
        tables.scan(part)
    assert "CRC" in str(tables.damage(part))
    with pytest.raises(OSError, match="CRC"), tables.opened(part) as file:
        list(file.iter_batches(10, columns=["note"]))


def test_tables_are_opened_where_checksums_are_compared() -> None:
    """Others than our own, which have none, aside, and those of a release, whose files have sums."""
    package = Path(tables.__file__).parents[1]
    calls = re.compile(
        r"ParquetFile\(|(scan|read)_parquet\(|read_table\(.*parquet|write_parquet\(|ParquetWriter\("
    )
    modules = {
        path.relative_to(package).as_posix(): path.read_text("utf-8") for path in package.rglob("*.py")
    }
    given = {"evaluate/given_rows.py", "ingest/parallel.py"}
    others = {"export/rehydrate.py", "export/release_shards.py"}
    assert {name for name, text in modules.items() if calls.search(text)} == {
        "frame/tables.py"
    } | given | others


def test_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        tables.write(tmp_path / name, SCHEMA, ROWS, {"key": "a key"})
    tables.write(tmp_path / "other", SCHEMA, ROWS, {"key": "another"})
    one, two, other = ((tmp_path / name).read_bytes() for name in ("one", "two", "other"))
    assert one == two != other


@pytest.mark.parametrize(
    "wrong",
    [
        {"count": ["many", "few"]},
        {"count": [1, 2**40]},
        {"count": [1.5, 2.0]},
        {"count": [1, None]},
        {"count": [[1], [2]]},
        {"words": [["x", None], []]},
        {"name": None},
    ],
    ids=["text", "too large", "fraction", "null", "list", "null in a list", "no such column"],
)
def test_rows_that_do_not_fit_the_schema_are_refused_by_the_files_name(
    wrong: dict[str, list[object] | None], tmp_path: Path
) -> None:
    rows = ROWS.to_dict(as_series=False) | wrong
    frame = pl.DataFrame({name: values for name, values in rows.items() if values is not None})
    with pytest.raises(ValueError, match=r"part-7\.parquet: rows do not fit the table's schema: ."):
        tables.write(tmp_path / "part-7.parquet", SCHEMA, frame, {})


@pytest.mark.parametrize("wrong", [{"count": [1, None]}, {"count": [[1], [2]]}, {"words": [["x", None], []]}])
def test_rows_that_do_not_fit_the_schema_leave_nothing_behind(
    wrong: dict[str, object], tmp_path: Path
) -> None:
    with pytest.raises((ValueError, pa.ArrowException)):
        tables.write(tmp_path / "part", SCHEMA, pl.DataFrame(ROWS.to_dict(as_series=False) | wrong), {})
    assert files(tmp_path) == []


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_an_error_on_the_way_leaves_nothing_behind(error: type[BaseException], tmp_path: Path) -> None:
    with pytest.raises(error), tables.PartWriter(tmp_path / "part", SCHEMA, {}) as part:
        part.write(ROWS)
        raise error
    with pytest.raises(error), tables.atomic(tmp_path / "text") as temporary:
        temporary.write_text("half")
        raise error
    assert files(tmp_path) == []


def test_an_error_on_the_way_leaves_what_was_there(tmp_path: Path) -> None:
    tables.write_text(tmp_path / "text", "whole\n")
    with pytest.raises(RuntimeError), tables.atomic(tmp_path / "text") as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert (tmp_path / "text").read_text() == "whole\n" and files(tmp_path) == ["text"]


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    with tables.atomic(tmp_path / "text") as temporary:
        temporary.write_text("half")
        assert not (tmp_path / "text").exists() and temporary.name.startswith(".")
    assert (tmp_path / "text").read_text() == "half"


def test_a_block_that_writes_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), tables.atomic(tmp_path / "text"):
        pass
    assert files(tmp_path) == []


def all_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_folder_changes_whole_or_not_at_all(error: type[BaseException], tmp_path: Path) -> None:
    out = tmp_path / "some" / "out"
    with tables.atomic_folder(out) as folder:
        (folder / "below").mkdir()
        (folder / "below" / "file").write_text("old")
        assert not out.exists() and folder.name.startswith(".")
    with pytest.raises(error), tables.atomic_folder(out) as folder:
        (folder / "file").write_text("new")
        raise error
    assert all_below(out.parent) == ["out", "out/below", "out/below/file"]
    with tables.atomic_folder(out) as folder:
        (folder / "other").write_text("new")
    assert all_below(out.parent) == ["out", "out/other"]


def test_a_folder_is_replaced_by_two_renames_and_an_error_restores_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At no time is the old folder deleted before the new one has its place."""
    out = tmp_path / "out"
    with tables.atomic_folder(out) as folder:
        (folder / "old").touch()
    rename, seen = Path.rename, []

    def noted(path: Path, target: Path) -> Path:
        seen.append([below for below in all_below(tmp_path) if below.endswith(("/old", "/new"))])
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", noted)
    with tables.atomic_folder(out) as folder:
        (folder / "new").touch()
    assert [len(files) for files in seen] == [2, 2], "both are whole before each of the renames"
    assert all_below(tmp_path) == ["out", "out/new"]

    def failing(path: Path, target: Path) -> Path:
        if path.name.endswith(".part") and not path.name.endswith(".old.part"):
            raise OSError("the new folder cannot be renamed")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="cannot be renamed"), tables.atomic_folder(out) as folder:
        (folder / "newer").touch()
    assert all_below(tmp_path) == ["out", "out/new"]


def test_all_of_a_folder_is_on_disk_before_it_appears_and_its_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[int, bool]] = []
    fsync = os.fsync

    def noted(file: int) -> None:
        fsync(file)
        synced.append((os.fstat(file).st_ino, (tmp_path / "out").exists()))

    monkeypatch.setattr(os, "fsync", noted)
    with tables.atomic_folder(tmp_path / "out") as folder:
        (folder / "below").mkdir()
        for name in ("file", "below/file"):
            (folder / name).write_text("whole")
    written = [tmp_path / "out", *(tmp_path / "out").rglob("*")]
    assert (
        sorted(synced[:-1]) == sorted((path.stat().st_ino, False) for path in written) and len(written) == 4
    )
    assert synced[-1] == (tmp_path.stat().st_ino, True)


def test_text_is_utf_8_with_newlines_as_they_are(tmp_path: Path) -> None:
    tables.write_text(tmp_path / "text", "粥\r\n汤\n")
    assert (tmp_path / "text").read_bytes() == "粥\r\n汤\n".encode()


def test_provenance_merges_the_sources_behind_all_inputs(tmp_path: Path) -> None:
    for name, sources in {"one": {"recipenlg": "1a"}, "two": {"xiachufang": "2b", "recipenlg": "1a"}}.items():
        tables.write(tmp_path / name, SCHEMA, ROWS, {"key": f"key of {name}", "sources": json.dumps(sources)})
    ROWS.write_parquet(tmp_path / "without")
    inputs = [tmp_path / name for name in ("one", "two", "without")]
    found = tables.provenance("a key", inputs)
    assert found["key"] == "a key"
    assert json.loads(found["sources"]) == {"recipenlg": "1a", "xiachufang": "2b"}
    assert found == tables.provenance("a key", reversed(inputs))
    assert tables.provenance("a key") == {"key": "a key", "sources": "{}"}


def test_a_table_read_from_a_source_has_its_checksum(tmp_path: Path) -> None:
    (tmp_path / "camt.json").write_text('{"bytes": 4, "sha256": "1a"}')
    metadata = tables.provenance("a key", [])
    found = tables.of_source(metadata, "camt", str(tmp_path / "camt.json"))
    assert found == {"key": "a key", "sources": '{"camt": "1a"}'}


@pytest.mark.parametrize("step", [777, 30_000])
def test_rows_in_pieces_are_the_same_bytes(step: int, tmp_path: Path) -> None:
    """As polars has them after reading or joining, with more threads in other pieces."""
    texts = [f"{number * number} " * 9 for number in range(70_000)]
    columns = {"name": texts, "count": range(len(texts)), "words": [[text] for text in texts], "note": texts}
    frame = pl.DataFrame(columns, schema_overrides={"count": pl.Int32})
    pieces = pl.concat([frame[at : at + step] for at in range(0, len(frame), step)], rechunk=False)
    tables.write(tmp_path / "one", SCHEMA, frame.rechunk(), {})
    for name, rows in (("frame", pieces), ("table", pieces.to_arrow())):
        with tables.PartWriter(tmp_path / name, SCHEMA, {}) as part:
            part.write(rows)
        assert (tmp_path / name).read_bytes() == (tmp_path / "one").read_bytes()


def test_the_same_rows_are_the_same_bytes_as_ever(tmp_path: Path) -> None:
    """wokflow.frame.tables stands in no key: if other bytes are meant, raise FORMAT in wokflow.frame.code."""
    schema = pa.schema(
        [column("a", pa.string(), "A."), column("b", STRINGS, "B."), column("c", pa.float32(), "C.")]
    )
    frame = pl.DataFrame({"a": ["粥", "x"], "b": [["1"], []], "c": [0.5, 2]})
    tables.write(tmp_path / "a.parquet", schema, frame, {"key": "k"})
    digest = hashlib.sha256((tmp_path / "a.parquet").read_bytes()).hexdigest()[:16]
    assert (FORMAT, pa.__version__, digest) == (3, "26.0.1", "6d3f976eac409d7a")
