"""A stand-off release and one's own copy of the corpora give the full release, or the reason why they do not."""

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from wokflow.cli import main
from wokflow.export.rehydrate import refuse_changes, rehydrate
from wokflow.export.verify import verified
from wokflow.frame.job import UserError

from tests.export.made import PROGRESS, RAW, edit, export, files, raw, same


def test_a_rehydrated_release_has_the_bytes_of_the_full_one(results: Path) -> None:
    release, full = export(results, jsonl=True), export(results, mode="full", to="full", jsonl=True)
    rehydrate(str(release), raw(results), str(results / "again"), PROGRESS)
    assert same(results / "again", full)
    assert not list(results.glob("*.changed.tsv"))


def test_row_groups_are_smaller_where_rows_have_long_lists(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "wokflow.export.dataset.LISTED", 5
    )  # targets with their scores: of one source and a half
    release, full = export(results, "pairs"), export(results, "pairs", mode="full", to="full")
    shard = pq.ParquetFile(full / "data/pairs-zh-en/train-00000-of-00001.parquet")
    assert [shard.metadata.row_group(number).num_rows for number in range(shard.num_row_groups)] == [1, 1]
    rehydrate(str(release), raw(results, "recipenlg", "xiachufang"), str(results / "again"), PROGRESS)
    assert same(results / "again", full)


def test_what_was_changed_since_is_named_and_nothing_is_written(results: Path) -> None:
    release = export(results, "pairs")
    path = results.parent / RAW["xiachufang"]
    lines = path.read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[1])
    lines[1] = json.dumps(row | {"name": row["name"] + "!"}, ensure_ascii=False)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"differs .* in 1 record: xiachufang:1 \(another text\)"):
        rehydrate(str(release), raw(results, "recipenlg", "xiachufang"), str(results / "again"), PROGRESS)
    assert not (results / "again").exists()
    assert (results / "again.changed.tsv").read_text() == "record_id\twhat\nxiachufang:1\tanother text\n"


def test_ids_of_a_release_are_no_formulas_in_the_list_of_changes(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        refuse_changes(iter([("=1+1\n:5", "missing")]), tmp_path / "changed.tsv")
    assert (tmp_path / "changed.tsv").read_text() == "record_id\twhat\n'=1+1 :5\tmissing\n"


def test_rehydrate_says_which_corpora_it_needs(results: Path) -> None:
    release = export(results, "pairs")
    for sources, words in (
        (raw(results, "recipenlg"), "lacks xiachufang"),
        (raw(results), "has no source lines"),
    ):
        with pytest.raises(UserError, match=words):
            rehydrate(str(release), sources, str(results / "again"), PROGRESS)
    with pytest.raises(UserError, match="it has its text"):
        rehydrate(str(export(results, "items", mode="full")), {}, str(results / "again"), PROGRESS)


def test_a_file_that_is_not_the_corpus_is_named_as_it_was_given(results: Path) -> None:
    """Not as a config has it, which rehydrate does not read; and the list of rejects outlives the command."""
    release, sources = export(results, "pairs"), raw(results, "recipenlg", "xiachufang")
    wrong = results / "wrong.csv"
    wrong.write_text("hello world\n" * 99)
    kept = results / "again.recipenlg.refused.tsv"
    words = f"--source recipenlg={wrong} is not the corpus .*more are in {kept}\\..*\n.*checksum of the right file"
    with pytest.raises(UserError, match=words):
        rehydrate(str(release), sources | {"recipenlg": str(wrong)}, str(results / "again"), PROGRESS)
    assert len(kept.read_text().splitlines()) > 3
    with pytest.raises(UserError, match=r"there is no file .*/none\.csv\. Name your copy"):
        rehydrate(
            str(release), sources | {"recipenlg": str(results / "none.csv")}, str(results / "a"), PROGRESS
        )


def test_a_full_release_takes_the_place_of_nothing_else(results: Path) -> None:
    release, sources = export(results, "pairs"), raw(results, "recipenlg", "xiachufang")
    there = results / "there"
    there.mkdir()
    (there / "thesis.txt").write_text("years of work")
    for to in (there, there / "thesis.txt", release, release / "full", release.parent):
        with pytest.raises(UserError, match=f"--to {to}"):
            rehydrate(str(release), sources, str(to), PROGRESS)
    assert files(there) == ["thesis.txt"] and verified(release)
    (there / "thesis.txt").unlink()
    link = results / "link"
    link.symlink_to(there)
    # Through a link into an empty folder, and in the place of an earlier full release.
    for to in (link, there):
        rehydrate(str(release), sources, str(to), PROGRESS)
        assert link.is_symlink() and verified(there)["mode"] == "full"
    (there / ".git").mkdir()
    (there / ".git" / "HEAD").touch()
    with pytest.raises(UserError, match=r"it has \.git/HEAD, which is no file of the release"):
        rehydrate(str(release), sources, str(there), PROGRESS)
    shutil.rmtree(there / ".git")
    edit(there, lambda manifest: manifest.update(name="thesis"))
    with pytest.raises(UserError, match="no full release of this name"):
        rehydrate(str(release), sources, str(there), PROGRESS)


def test_wrong_usage_has_another_exit_code_than_what_is_found(results: Path) -> None:
    release = export(results, "pairs")
    given = [f"--source={name}={path}" for name, path in raw(results, "recipenlg", "xiachufang").items()]
    for arguments in (
        ["verify", str(results / "nowhere")],
        ["verify", str(release / "README.md")],
        ["rehydrate", str(release), "--to", str(results / "full")],
        ["rehydrate", str(release), *given, "--to", str(release / "full")],
        [
            "rehydrate",
            str(release),
            *given[:1],
            "--source=xiachufang=none.json",
            "--to",
            str(results / "full"),
        ],
    ):
        assert main(arguments) == 2, arguments
    (release / "README.md").write_text("changed")
    assert main(["rehydrate", str(release), *given, "--to", str(results / "full")]) == 1
    (release / "release.json").unlink()
    assert main(["verify", str(release)]) == 1
    assert main(["diff", str(release), str(release)]) == 2
