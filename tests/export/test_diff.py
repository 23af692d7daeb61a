"""What a release adds, removes and changes against an earlier one."""

from pathlib import Path

import polars as pl
import pytest
from wokflow.cli import main
from wokflow.export import diff as diff_module
from wokflow.export.diff import diff

from tests.export.made import PAIRS, edit, export, make_results


def test_diff_says_what_was_added_removed_and_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = export(make_results(tmp_path / "old"), "pairs", "items")
    assert main(["diff", str(old), str(old)]) == 0 and capsys.readouterr().out == ""
    pairs = [
        PAIRS[0],
        ("xiachufang:1", "recipenlg:2", 0.5, "valid"),
        ("xiachufang:3", "recipenlg:0", 0.9, "train"),
    ]
    new = export(make_results(tmp_path / "new", pairs), "pairs", "actions", version="1.1")
    assert main(["diff", str(old), str(new)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "version: 1.0 -> 1.1" in lines
    assert "pairs-zh-en: 1 rows added, 1 removed, 2 changed, 0 the same" in lines
    assert "  added: train xiachufang:3" in lines and "  removed: train xiachufang:2" in lines
    assert "items: subset removed" in lines and "actions-xiachufang: subset added, 14 rows" in lines


def test_diff_says_which_settings_differ(results: Path) -> None:
    old, new = export(results, "pairs"), export(results, "pairs", to="new", jsonl=True)
    for release, threshold in ((old, 0.85), (new, 0.8)):
        step = {"step": "match.pair", "settings": {"threshold": threshold, "k": 10}}
        rest = {"resources": {"lexicon": threshold}, "packages": {}, "code": str(threshold), "inputs": []}
        edit(release, lambda it, job=step | rest: it["steps"].update({"match/accepted/zh-en": job}))
    edit(new, lambda it: it["sources"].update(more=it["sources"]["xiachufang"]))
    edit(new, lambda it: it["sources"]["recipenlg"].update(attribution="By others."))
    [form, more, notice, *others] = diff(str(old), str(new))
    assert (form, more) == ("jsonl: False -> True", "source more: added")
    assert notice.startswith("source recipenlg, attribution: ") and notice.endswith(" -> By others.")
    assert others == [
        "match/accepted/zh-en, setting threshold: 0.85 -> 0.8",
        "match/accepted/zh-en: other content of lexicon",
        "match/accepted/zh-en: other code",
    ]


def test_a_full_disk_is_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old = export(make_results(tmp_path / "old"), "pairs")
    full = diff_module._TABLE.replace("BEGIN;", "PRAGMA max_page_count = 2;\nBEGIN;")
    monkeypatch.setattr(diff_module, "_TABLE", full)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "temporary").mkdir()
    assert main(["diff", str(old), str(old)]) == 2
    assert "database or disk is full. Is there room?" in capsys.readouterr().err
    assert not list((tmp_path / "temporary").iterdir())


def test_diff_counts_rows_whose_key_comes_twice(tmp_path: Path) -> None:
    old = export(make_results(tmp_path / "old"), "pivots")
    results = make_results(tmp_path / "new")
    path = results / "pivot/instances/part-00000.parquet"
    rows = pl.read_parquet(path)
    pl.concat([rows, rows, rows]).write_parquet(path)
    new = export(results, "pivots", version="1.1", accept=["duplicate_ids"])
    assert "instances: 2 rows added, 0 removed, 0 changed, 1 the same" in list(diff(str(old), str(new)))


def test_diff_compares_what_is_the_same_in_stand_off_and_full_releases(tmp_path: Path) -> None:
    old = export(make_results(tmp_path / "old"))
    results = make_results(tmp_path / "new")
    path = results / "enrich/items/part-00000.parquet"
    pl.read_parquet(path).with_columns(country_of_origin=pl.lit("Laos")).write_parquet(path)
    path = results / "generate/predictions/near/part-00000.parquet"
    pl.read_parquet(path).with_columns(prediction=pl.lit("another dish")).write_parquet(path)
    lines = list(diff(str(old), str(export(results, mode="full"))))
    why = "since one release is stand-off and the other full"
    assert f"predictions: only instance_id, run, sha256 compared, {why}" in lines
    assert "predictions: 0 rows added, 0 removed, 1 changed, 1 the same" in lines
    assert "items: 0 rows added, 0 removed, 1 changed, 0 the same" in lines
    assert f"pairs-zh-en: not compared, {why}" in lines
    assert not [
        line for line in lines if line.startswith(("scores", "pivots", "records", "actions-xiachufang: 0"))
    ]


def test_diff_compares_full_releases_too(tmp_path: Path) -> None:
    old = export(make_results(tmp_path / "old"), mode="full")
    new = export(make_results(tmp_path / "new", PAIRS[1:]), mode="full", version="1.1")
    lines = list(diff(str(old), str(new)))
    assert "pairs-zh-en: 0 rows added, 0 removed, 1 changed, 2 the same" in lines
    assert not [line for line in lines if line.startswith("actions")]
