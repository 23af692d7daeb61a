"""A release may come from anybody: what it was made to do harm with is refused or without effect."""

import shutil
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
from wokflow.cli import main
from wokflow.export.diff import diff
from wokflow.export.rehydrate import refuse_changes, rehydrate
from wokflow.export.verify import verified
from wokflow.frame.job import UserError

from tests.export.made import PROGRESS, again, edit, export, raw

FAULTS = {
    "d\u0430ta/train.parquet is none of the files": lambda release: listed(
        release, "d\u0430ta/train.parquet"
    ),
    "jsonl/more.jsonl is none of the files": lambda release: listed(release, "jsonl/more.jsonl"),
    "data/pairs-zh-en/more.parquet is none of the files": lambda release: listed(
        release, "data/pairs-zh-en/more.parquet"
    ),
    "ATTRIBUTION.md is missing: the manifest": lambda release: unlisted(release, "ATTRIBUTION.md"),
    "jsonl/pairs-zh-en/train-00000-of-00001.jsonl has 3 rows; the manifest says 2": lambda release: longer(
        release, "jsonl/pairs-zh-en/train-00000-of-00001.jsonl"
    ),
    "train-00000-of-00001.jsonl, line 1: not the row that": lambda release: replaced(
        release, "jsonl/pairs-zh-en/train-00000-of-00001.jsonl", '"scores": [0', '"scores": [1'
    ),
    "README.md says that pairs-zh-en, train has 20 rows; the manifest says 2": lambda release: replaced(
        release, "README.md", "num_examples: 2", "num_examples: 20"
    ),
    "README.md has no head": lambda release: replaced(release, "README.md", "---", "--"),
    "records has 1 id that should be there once: recipenlg:0: 2 times": lambda release: doubled(
        release, "data/records/recipenlg-00000-of-00001.parquet"
    ),
    "another checksum": lambda release: (release / "README.md").write_text("hello"),
    "is missing": lambda release: (release / "data/pairs-zh-en/train-00000-of-00001.parquet").unlink(),
    "in no line of SHA256SUMS": lambda release: (release / "more.txt").write_text("x"),
    "is a link": lambda release: (release / "more.txt").symlink_to("/etc/passwd"),
    "no Parquet file, or cut off": lambda release: cut(
        release, "data/pairs-zh-en/train-00000-of-00001.parquet"
    ),
    "not the checksum of a file": lambda release: (release / "SHA256SUMS").write_text(
        "0" * 64 + "  ../../etc/passwd\n"
    ),
    "the manifest says 7": lambda release: edit(
        release, lambda it: it["subsets"]["pairs-zh-en"]["splits"].update(train=[7])
    ),
    "is not what Wokflow writes": lambda release: edit(
        release, lambda it: it["subsets"].update({"../x": {}})
    ),
    "other columns": lambda release: edit(
        release, lambda it: it["subsets"]["pairs-zh-en"].update(form="gold")
    ),
    "is damaged": lambda release: (release / "release.json").write_text("[" * 100_000),
    "or damaged": lambda release: spoil(release, "data/pairs-zh-en/train-00000-of-00001.parquet"),
    "occurs twice": lambda release: (release / "release.json").write_text(
        (release / "release.json").read_text().replace('{\n "format"', '{\n "mode": "full",\n "format"')
    ),
    "is repeated": lambda release: (release / "SHA256SUMS").write_text(
        "".join(2 * (release / "SHA256SUMS").read_text().splitlines(keepends=True)[:1])
    ),
    r"a\\nb\\x1bc is in no line": lambda release: (release / "a\nb\x1bc").write_text("x"),
    "data/.snakemake_timestamp is in no line": lambda release: (
        release / "data/.snakemake_timestamp"
    ).write_text("x"),
    "'accounts' is a required property": lambda release: edit(release, lambda it: it.pop("accounts")),
    r"'pairs\\n' does not match": lambda release: edit(
        release, lambda it: it["subsets"].update({"pairs\n": it["subsets"]["pairs-zh-en"]})
    ),
    r"draws on \['xiachufang'\]": lambda release: edit(release, lambda it: it["ingest"].pop("xiachufang")),
    "row group of more than 512 MiB": lambda release: repeat(
        release, "data/records/recipenlg-00000-of-00001.parquet", rows=200, characters=3 << 20
    ),
    "more than 1,000,000 values": lambda release: edit(
        release, lambda it: it["subsets"]["pairs-zh-en"]["splits"].update(train=[1] * 1_000_001)
    ),
    "greater than the maximum": lambda release: edit(
        release, lambda it: it["subsets"]["pairs-zh-en"]["splits"].update(train=[10**18])
    ),
    "Records and records are the same|records and Records are the same": lambda release: edit(
        release, lambda it: it["subsets"].update(Records=it["subsets"]["records"])
    ),
    "readme.md are one file": lambda release: (release / "readme.md").write_text("x"),
    "re\u0301sume\u0301.txt and r\xe9sum\xe9.txt are one file": lambda release: [
        (release / name).write_text("x") for name in ("re\u0301sume\u0301.txt", "r\xe9sum\xe9.txt")
    ],
    "row group of more than 5000 rows": lambda release: swell(
        release,
        "data/records/recipenlg-00000-of-00001.parquet",
        "data/pairs-zh-en/train-00000-of-00001.parquet",
    ),
}


def listed(release: Path, path: str) -> None:
    """One more file, with its checksum."""
    (release / path).parent.mkdir(exist_ok=True)
    (release / path).write_text("x")
    again(release)


def unlisted(release: Path, path: str) -> None:
    """A file less, and no line of it."""
    (release / path).unlink()
    again(release)


def longer(release: Path, path: str) -> None:
    """JSON lines of which one is there twice."""
    lines = (release / path).read_text(encoding="utf-8").splitlines(keepends=True)
    (release / path).unlink()
    (release / path).write_text("".join([*lines, lines[0]]), encoding="utf-8")
    again(release)


def doubled(release: Path, path: str) -> None:
    """The first row in the place of the second."""
    rows, schema = pl.read_parquet(release / path), pq.read_schema(release / path)
    (release / path).unlink()
    pq.write_table(pl.concat([rows[:1], rows[:1], rows[2:]]).to_arrow().cast(schema), release / path)
    again(release)


def spoil(release: Path, path: str) -> None:
    """Zeros in the pages of a shard whose footer stays, with a checksum that fits."""
    stored = (release / path).read_bytes()
    (release / path).unlink()
    (release / path).write_bytes(stored[:4] + bytes(200) + stored[204:])
    again(release)


def swell(release: Path, *paths: str) -> None:
    """A million rows in one row group."""
    path = release / paths[-1]
    table = pl.read_parquet(path)
    schema = pq.read_schema(path)
    path.unlink()
    many = pl.concat([table[:1]] * 6_000).to_arrow().cast(schema)
    pq.write_table(many, path, row_group_size=len(many))
    edit(release, lambda it: it["subsets"]["pairs-zh-en"]["splits"].update(train=[len(many)]))


def repeat(release: Path, path: str, *, rows: int, characters: int) -> None:
    """One long text many times in a shard, of which the dictionary holds it once: a few kilobytes."""
    import pyarrow as pa

    schema = pq.read_schema(release / path)
    long = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * characters]))
    ids = pa.array([f"recipenlg:{number}" for number in range(rows)])
    (release / path).unlink()
    table = pa.table([ids, long.cast(pa.string())], schema=schema)
    pq.write_table(table, release / path, use_dictionary=["sha256"], dictionary_pagesize_limit=1 << 30)
    assert (release / path).stat().st_size < 1 << 20
    edit(release, lambda it: it["subsets"]["records"]["splits"].update(recipenlg=[rows]))


def cut(release: Path, path: str) -> None:
    """Truncate a shard, with a checksum that fits."""
    stored = (release / path).read_bytes()
    (release / path).unlink()
    (release / path).write_bytes(stored[: len(stored) // 2])
    again(release)


def replaced(release: Path, path: str, old: str, new: str) -> None:
    """Change the first such words, with a checksum that fits."""
    text = (release / path).read_text(encoding="utf-8")
    assert old in text
    (release / path).write_text(text.replace(old, new, 1), encoding="utf-8")
    again(release)


@pytest.fixture(scope="module")
def good(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release that tests leave as it is."""
    folder = tmp_path_factory.mktemp("good")
    shutil.copytree(made.parent, folder, dirs_exist_ok=True)
    release = export(folder / made.name, "pairs", jsonl=True)
    for name in (
        ".gitattributes",
        ".cache/huggingface/download/README.md.metadata",
    ):  # as the hub's programs leave
        (release / name).parent.mkdir(parents=True, exist_ok=True)
        (release / name).write_text("x")
    verified(release)
    return release


@pytest.mark.parametrize("words", FAULTS)
def test_a_hostile_release_is_refused_by_all_who_read_it(results: Path, good: Path, words: str) -> None:
    release = Path(shutil.copytree(good, results / "hostile"))
    FAULTS[words](release)
    with pytest.raises(UserError, match=words):
        verified(release)
    with pytest.raises(UserError, match=words):
        rehydrate(str(release), raw(results, "recipenlg", "xiachufang"), str(results / "again"), PROGRESS)
    with pytest.raises(UserError, match=words):
        list(diff(str(good), str(release)))


def test_rows_that_point_at_no_record_of_the_release_are_refused(results: Path) -> None:
    release = export(results, "actions")
    path = release / "data/actions-xiachufang/train-00000-of-00001.parquet"
    schema = pq.read_schema(path)
    rows = pl.read_parquet(path).with_columns(step=pl.lit(99, pl.Int32))
    path.unlink()
    pq.write_table(rows.to_arrow().cast(schema), path)
    again(release)
    with pytest.raises(UserError, match="actions-xiachufang: its rows do not fit the text"):
        rehydrate(str(release), raw(results, "xiachufang"), str(results / "again"), PROGRESS)
    assert not (results / "again").exists()


def test_a_list_that_would_become_endless_text_is_refused(results: Path) -> None:
    release = export(results, "pairs")
    path = release / "data/pairs-zh-en/train-00000-of-00001.parquet"
    schema, rows = pq.read_schema(path), pl.read_parquet(path)
    many = pl.Series([["recipenlg:0"] * 10_001] * len(rows))
    path.unlink()
    pq.write_table(rows.with_columns(target_ids=many).to_arrow().cast(schema), path)
    again(release)
    with pytest.raises(UserError, match=r"pairs-zh-en: .*a row has 10,001 elements in target_ids"):
        rehydrate(str(release), raw(results, "recipenlg", "xiachufang"), str(results / "again"), PROGRESS)


def test_settings_of_a_foreign_release_become_no_paths(results: Path) -> None:
    release = export(results, "pairs")
    edit(release, lambda it: it["ingest"]["xiachufang"]["settings"].update(recipes=["/tmp/somewhere"]))
    with pytest.raises(UserError, match=r"other settings than this version \(recipes\).* changed since"):
        rehydrate(str(release), raw(results, "recipenlg", "xiachufang"), str(results / "again"), PROGRESS)
    release = export(results, "items", to="other")
    edit(release, lambda it: it["ingest"]["lines"]["settings"].update(kind="any"))
    lines = {"lines": str(results.parent / "data/lines.en")}
    with pytest.raises(UserError, match=r"settings that this version cannot use \(KeyError"):
        rehydrate(str(release), lines, str(results / "again"), PROGRESS)
    edit(release, lambda it: it["ingest"]["lines"]["settings"].update(ratio="\x1b[2J"))
    edit(release, lambda it: it["software"].update(wokflow="9.9\n"))
    words = r"\(ratio: '.x1b\[2J'; Input should be a valid number.*\)\. It was made with Wokflow 9\.9\\n, and"
    with pytest.raises(UserError, match=words):
        rehydrate(str(release), lines, str(results / "again"), PROGRESS)


def test_a_foreign_release_cannot_speak_to_the_terminal(results: Path) -> None:
    old, new = export(results, "pairs"), export(results, "pairs", to="new")
    edit(new, lambda it: it.update(contact="\x1b[31m") or it["software"].update(polars="0"))
    contact, polars = diff(str(old), str(new))
    assert contact == r"contact: cook@example.org -> \x1b[31m"
    assert polars.startswith("software polars: ") and polars.endswith(" -> 0")
    with pytest.raises(UserError, match=r"\\x1ba:1 \(missing\)"):
        refuse_changes(iter([("\x1ba:1", "missing")]), results / "changed.tsv")


@pytest.mark.parametrize("said", ["half \ud800 a character", "moves the cursor \x1b[2J"])
def test_a_release_that_is_made_to_harm_ends_no_command(
    said: str, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = export(results, "pairs"), export(results, "pairs", to="new")
    edit(new, lambda it: it.update(contact=said))
    assert main(["diff", str(old), str(new)]) == (2 if "half" in said else 1)
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err and ("is damaged" in printed.err) == ("half" in said)
