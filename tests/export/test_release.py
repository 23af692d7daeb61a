"""A release holds every row once, in files that others can load, check and complete; and nothing that it may not."""

import filecmp
import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wokflow.cli import main
from wokflow.export.diff import diff
from wokflow.export.forms import FORMS
from wokflow.export.licences import known_sources, refuse_text
from wokflow.export.rehydrate import refuse_changes, rehydrate
from wokflow.export.shards import ShardWriter
from wokflow.export.subsets import subsets
from wokflow.export.verify import verified
from wokflow.frame.job import UserError

from tests.conftest import ROOT
from tests.export.made import FREE, HAVE, PAIRS, PROGRESS, RAW, export, make_results

REGISTRY = ROOT / "resources/sources.tsv"
REAL = {  # what the licences of the real corpora allow
    "recipenlg": {"licence": "terms", "release": "ids"},
    "xiachufang": {"licence": "all rights reserved", "release": "ids"},
    "lines": {"licence": "CC0-1.0", "release": "text"},
}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return make_results(tmp_path)


def raw(results: Path, *corpora: str) -> dict[str, str]:
    """The user's own copies."""
    return {corpus: str(results.parent / RAW[corpus]) for corpus in corpora or RAW}


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def same(left: Path, right: Path) -> bool:
    """Whether two folders hold the same files with the same bytes."""
    names = files(left)
    return names == files(right) and filecmp.cmpfiles(left, right, names, shallow=False)[0] == names


def rows(release: Path, subset: str) -> pl.DataFrame:
    return pl.read_parquet(release / f"data/{subset}/*.parquet")


def text_of(results: Path) -> set[str]:
    """Words of the corpora, of which a stand-off release must not have any."""
    recipes = pl.concat(
        [
            pl.read_parquet(results / f"ingest/recipes/{corpus}/*.parquet")
            for corpus in ("recipenlg", "xiachufang")
        ]
    )
    return {*recipes["title"], *recipes["steps"].explode(), *recipes["ingredients"].explode()} - {"", None}


def test_a_standoff_release_points_at_records_and_holds_no_text_of_them(results: Path) -> None:
    release = export(results, licences=REAL)
    table = rows(release, "pairs-zh-en")
    assert table.sort("source_id").to_dicts() == [
        {
            "source_id": "xiachufang:0",
            "target_ids": ["recipenlg:1", "recipenlg:0"],
            "scores": [0.96875, pytest.approx(0.9)],
        },
        {"source_id": "xiachufang:1", "target_ids": ["recipenlg:2"], "scores": [0.875]},
        {"source_id": "xiachufang:2", "target_ids": ["recipenlg:0"], "scores": [0.90625]},
    ]
    assert rows(release, "predictions")["prediction"].to_list() == [None, None], (
        "derived of text that may not go on"
    )
    for path in release.rglob("*.parquet"):
        if path.parent.name not in (
            "items",
            "gold-zh-en",
            "instances",
        ):  # names of dishes and items are no recipes
            stored = json.dumps(pl.read_parquet(path).to_dicts(), ensure_ascii=False)
            assert not [text for text in text_of(results) if len(text) > 3 and text in stored], path


def test_a_rehydrated_release_has_the_bytes_of_the_full_one(results: Path) -> None:
    release, full = export(results, jsonl=True), export(results, mode="full", to="full", jsonl=True)
    rehydrate(str(release), raw(results), str(results / "again"), PROGRESS)
    assert same(results / "again", full)
    assert not list(results.glob("*.changed.tsv"))


def test_a_full_release_holds_the_recipes_themselves(results: Path) -> None:
    release = export(results, "pairs", "actions", "items", mode="full")
    recipes = {
        row["recipe_id"]: row
        for corpus in ("recipenlg", "xiachufang")
        for row in pl.read_parquet(results / f"ingest/recipes/{corpus}/*.parquet").to_dicts()
    }
    first = (
        rows(release, "pairs-zh-en")
        .filter(pl.col("source").struct.field("id") == "xiachufang:0")
        .to_dicts()[0]
    )
    for recipe in (first["source"], *first["targets"]):
        assert {name: recipes[recipe["id"]][name] for name in ("title", "ingredients", "steps", "dish")} == {
            name: value for name, value in recipe.items() if name != "id"
        }
    action = rows(release, "actions-xiachufang").to_dicts()[0]
    recipe = recipes[action["recipe_id"]]
    assert action["verb"] == recipe["steps"][0][0] and action["text"] == recipe["steps"][0]
    assert action["ingredients"] == [recipe["ingredients"][0], None], (
        "words that are not in the recipe have no span"
    )
    [mention] = rows(release, "sentences-lines")["items"].to_list()[0]
    assert mention["mention"] == "hot pot"


def test_full_is_refused_by_source_and_clause(results: Path) -> None:
    with pytest.raises(UserError, match=r"recipenlg \(in pairs-zh-en\): export\.licences\.recipenlg"):
        export(results, "pairs", mode="full", licences=REAL)
    assert not (results / "export").exists() or not list((results / "export").rglob("*.parquet"))
    with pytest.raises(UserError, match=r"xiachufang .*No licence comes"):
        export(results, "pairs", mode="full", licences={})
    export(results, "items", mode="full", licences=REAL)


def test_a_licence_of_the_config_is_that_of_the_users_own_file(results: Path) -> None:
    named = {
        "licence": "Unlicense",
        "release": "text",
        "version": "2024-05",
        "home_page": "https://example.org",
    }
    licences = FREE | {"recipenlg": named}
    manifest = verified(export(results, "pairs", licences=licences))
    found = manifest["sources"]["recipenlg"]
    assert {name: found[name] for name in named} == named
    other = manifest["sources"]["xiachufang"]
    assert "Liu" not in other["version"] and other["home_page"] == "", "what is known of another file"
    assert "Liu" in verified(export(results, "pairs", licences={}))["sources"]["xiachufang"]["version"]


@pytest.mark.parametrize("mode", ["standoff", "full"])
def test_what_a_source_does_not_allow_is_cited_in_no_mode(results: Path, mode: str) -> None:
    """Names, first paragraphs and people's pivots stand in both forms."""
    with pytest.raises(UserError, match=r"in either mode.*\n  - wikipedia \(in items\)"):
        export(
            results, "items", mode=mode, licences=FREE | {"wikipedia": {"licence": "none", "release": "ids"}}
        )
    given = subsets(["pivots"], replace(HAVE, given=["pivots"]))
    known = known_sources(REGISTRY, ["xiachufang", "given_pivots"], {}, FREE)
    with pytest.raises(UserError, match=r"given_pivots \(in pivots\): .*export.licences.given_pivots"):
        refuse_text(list(given.values()), known, full=mode == "full")


def test_the_card_says_what_was_not_searched_and_whose_licences_reach_what(results: Path) -> None:
    text = (export(results) / "README.md").read_text(encoding="utf-8")
    assert "not in the text\nthat it points at" in text and "such as `xiachufang:12`" in text
    assert "license:\n- apache-2.0\n- cc-by-4.0\n- cc-by-sa-4.0\n- cc0-1.0\n" in text, (
        "of the predictions that are shown, the annotations, Wikipedia and Wikidata"
    )
    assert "Adaptations (gold) are derived" in text and "- `records`: " in text
    text = (export(results, "pairs", mode="full", to="full") / "README.md").read_text(encoding="utf-8")
    assert "points at" not in text and "Wikidata" not in text and "derived" not in text


def test_licences_of_the_config_become_no_markup(results: Path) -> None:
    said = {"licence": "x\n\n## lines\n", "release": "ids", "attribution": "[here](javascript:x) <b>"}
    release = export(results, "pairs", licences=FREE | {"recipenlg": said})
    notice = (release / "ATTRIBUTION.md").read_text(encoding="utf-8")
    assert "\n- Licence: x ## lines\n" in notice and "\n- \\[here](javascript:x) &lt;b>\n" in notice


def test_a_row_group_is_halved_until_its_values_are_few_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wokflow.export.shards.GROUP", 1_000)
    with ShardWriter(tmp_path, "a", "train", FORMS["records"].own) as writer:
        writer.write(pl.DataFrame({"record_id": ["a:1"] * 8, "sha256": ["x" * 100] * 7 + ["y" * 2_000]}))
    stored = pq.read_metadata(tmp_path / "data/a/train-00000-of-00001.parquet")
    assert [stored.row_group(number).num_rows for number in range(stored.num_row_groups)] == [4, 2, 1, 1]


def test_what_was_changed_since_is_named_and_nothing_is_written(results: Path) -> None:
    release = export(results, "pairs")
    path = results.parent / RAW["xiachufang"]
    lines = path.read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[1])
    lines[1] = json.dumps(row | {"name": row["name"] + "!"}, ensure_ascii=False)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"1 records of your copy .*xiachufang:1 \(another text\)"):
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


def test_two_exports_have_the_same_bytes(results: Path) -> None:
    first = export(results, to="first")
    shutil.rmtree(results / "export/dataset")
    assert same(first, export(results, to="second"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batch=st.integers(1, 5), limit=st.integers(1, 5_000), group=st.integers(1, 4), count=st.integers(0, 9))
def test_rows_survive_however_they_come_and_are_cut(
    tmp_path_factory: pytest.TempPathFactory, batch: int, limit: int, group: int, count: int
) -> None:
    """Row groups, and so bytes, depend on the rows and the size of a shard, not on how the rows come."""
    from wokflow.export.dataset import write_subset

    table = pl.DataFrame(
        {
            "record_id": [f"a:{number}" for number in range(count)],
            "sha256": [str(number) * 64 for number in range(count)],
            "split": [("train", "test")[number % 2] for number in range(count)],
        },
        schema={"record_id": pl.String, "sha256": pl.String, "split": pl.String},
    )
    form = replace(FORMS["records"], group=group)
    folders = []
    for step in (batch, 100):
        folder = tmp_path_factory.mktemp("cut")
        frames = (table[start : start + step] for start in range(0, count, step))
        counts = write_subset(
            folder, "records", form, frames, {}, ("train", "test"), full=False, jsonl=True, limit=limit
        )
        folders.append(folder)
    assert same(*folders)
    for split in ("train", "test"):
        wanted = table.filter(pl.col("split") == split).drop("split")
        assert sum(counts.get(split, [])) == wanted.height
        paths = sorted((folders[0] / "data").rglob(f"{split}-*.parquet"))
        assert [pq.read_metadata(path).num_rows for path in paths] == counts.get(split, [])
        assert all(f"-of-{len(paths):05}" in path.name for path in paths)
        if paths:
            assert pl.concat([pl.read_parquet(path) for path in paths]).equals(wanted)
            lines = [
                json.loads(line)
                for path in sorted((folders[0] / "jsonl").rglob(f"{split}-*.jsonl"))
                for line in path.read_text().splitlines()
            ]
            assert lines == wanted.to_dicts()


def test_rows_that_do_not_fit_are_no_shard(tmp_path: Path) -> None:
    with (
        ShardWriter(tmp_path, "a", "train", FORMS["records"].own) as writer,
        pytest.raises(ValueError, match="subset a, split train: rows do not fit"),
    ):
        writer.write(pl.DataFrame({"record_id": ["a:1"], "sha256": [None]}))


def test_a_crash_leaves_the_old_release(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = export(results, "pairs")
    before = {name: (old / name).read_bytes() for name in files(old)}

    def crash(*_: Any) -> str:
        raise RuntimeError("killed")

    monkeypatch.setattr("wokflow.export.release.provenance", crash)
    with pytest.raises(RuntimeError, match="killed"):
        export(results, "pairs")
    assert before == {name: (old / name).read_bytes() for name in files(old)}
    assert [path.name for path in old.parent.iterdir()] == [old.name]


FAULTS = {
    "another checksum": lambda release: (release / "README.md").write_text("hello"),
    "is missing": lambda release: (release / "data/pairs-zh-en/train-00000-of-00001.parquet").unlink(),
    "in no line of SHA256SUMS": lambda release: (release / "more.txt").write_text("x"),
    "is a link": lambda release: (release / "more.txt").symlink_to("/etc/passwd"),
    "no Parquet file, or cut off": lambda release: cut(
        release, "data/pairs-zh-en/train-00000-of-00001.parquet"
    ),
    "no checksum of a file": lambda release: (release / "SHA256SUMS").write_text(
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
    "stands there twice": lambda release: (release / "SHA256SUMS").write_text(
        "".join(2 * (release / "SHA256SUMS").read_text().splitlines(keepends=True)[:1])
    ),
    r"a\\x{A}b\\x{1B}c is in no line": lambda release: (release / "a\nb\x1bc").write_text("x"),
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
    "Records and records are one|records and Records are one": lambda release: edit(
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


def edit(release: Path, change: Any) -> None:
    manifest = json.loads((release / "release.json").read_text())
    change(manifest)
    (release / "release.json").write_text(json.dumps(manifest))
    again(release)


def again(release: Path) -> None:
    """Checksums of what there is now, as somebody who means harm would write them."""
    from wokflow.export.release import file_digest, files_in

    sums = [f"{file_digest(release / path)}  {path}\n" for path in files_in(release) if path != "SHA256SUMS"]
    (release / "SHA256SUMS").write_text("".join(sums))


@pytest.mark.parametrize("words", FAULTS)
def test_a_hostile_release_is_refused_by_all_who_read_it(results: Path, words: str) -> None:
    release, good = export(results, "pairs"), export(results, "pairs", to="good")
    verified(release)
    FAULTS[words](release)
    with pytest.raises(UserError, match=words):
        verified(release)
    with pytest.raises(UserError, match=words):
        rehydrate(str(release), raw(results, "recipenlg", "xiachufang"), str(results / "again"), PROGRESS)
    with pytest.raises(UserError, match=words):
        list(diff(str(good), str(release)))


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
    for _ in range(2):  # into an empty folder, and in the place of an earlier full release
        rehydrate(str(release), sources, str(there), PROGRESS)
        assert verified(there)["mode"] == "full"


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


def test_settings_of_a_foreign_release_become_no_paths(results: Path) -> None:
    release = export(results, "pairs")
    edit(release, lambda it: it["ingest"]["xiachufang"]["settings"].update(recipes=["/tmp/somewhere"]))
    with pytest.raises(UserError, match="settings that this version does not know"):
        rehydrate(str(release), raw(results, "recipenlg", "xiachufang"), str(results / "again"), PROGRESS)
    release = export(results, "items", to="other")
    edit(release, lambda it: it["ingest"]["lines"]["settings"].update(kind="any"))
    lines = {"lines": str(results.parent / "data/lines.en")}
    with pytest.raises(UserError, match="settings that this version cannot use: KeyError"):
        rehydrate(str(release), lines, str(results / "again"), PROGRESS)


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
    old, new = export(results, "pairs"), export(results, "pairs", to="new")
    for release, threshold in ((old, 0.85), (new, 0.8)):
        step = {"step": "match.pair", "settings": {"threshold": threshold, "k": 10}}
        rest = {"resources": {"lexicon": threshold}, "packages": {}, "code": str(threshold), "inputs": []}
        edit(release, lambda it, job=step | rest: it["steps"].update({"match/accepted/zh-en": job}))
    edit(new, lambda it: it["sources"].update(more=it["sources"]["xiachufang"]))
    assert list(diff(str(old), str(new))) == [
        "source more: added",
        "match/accepted/zh-en, setting threshold: 0.85 -> 0.8",
        "match/accepted/zh-en: other content of lexicon",
        "match/accepted/zh-en: other code",
    ]


def test_a_foreign_release_cannot_speak_to_the_terminal(results: Path) -> None:
    old, new = export(results, "pairs"), export(results, "pairs", to="new")
    edit(new, lambda it: it.update(contact="\x1b[31m") or it["software"].update(polars="0"))
    contact, polars = diff(str(old), str(new))
    assert contact == r"contact: cook@example.org -> \x{1B}[31m"
    assert polars.startswith("software polars: ") and polars.endswith(" -> 0")
    with pytest.raises(UserError, match=r"\\x\{1B\}a:1 \(missing\)"):
        refuse_changes(iter([("\x1ba:1", "missing")]), results / "changed.tsv")


def test_diff_counts_rows_whose_key_comes_twice(tmp_path: Path) -> None:
    old = export(make_results(tmp_path / "old"), "pivots")
    results = make_results(tmp_path / "new")
    path = results / "pivot/instances/part-00000.parquet"
    rows = pl.read_parquet(path)
    pl.concat([rows, rows, rows]).write_parquet(path)
    new = export(results, "pivots", version="1.1", accept=["duplicate_ids"])
    assert "instances: 2 rows added, 0 removed, 0 changed, 1 the same" in list(diff(str(old), str(new)))


def test_diff_compares_full_releases_too(tmp_path: Path) -> None:
    old = export(make_results(tmp_path / "old"), mode="full")
    new = export(make_results(tmp_path / "new", PAIRS[1:]), mode="full", version="1.1")
    lines = list(diff(str(old), str(new)))
    assert "pairs-zh-en: 0 rows added, 0 removed, 1 changed, 2 the same" in lines
    assert not [line for line in lines if line.startswith("actions")]


def test_the_command_line_shows_examples_and_has_exit_codes(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = export(results, "pairs")
    assert main(["verify", str(release)]) == 0
    assert "pairs-zh-en: 3 rows" in capsys.readouterr().out
    (release / "README.md").write_text("x")
    assert main(["verify", str(release)]) == 1
    assert "README.md has another checksum" in capsys.readouterr().err
    for wrong in (["verify"], ["rehydrate", str(release), "--to", "x", "--source", "nothing"], ["nothing"]):
        with pytest.raises(SystemExit) as stopped:
            main(wrong)
        assert stopped.value.code == 2
    for command in ("plan", "check-site", "verify", "rehydrate", "diff"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert f"example:\n  wokflow {command}" in capsys.readouterr().out


@pytest.mark.parametrize("said", ["half \ud800 a character", "moves the cursor \x1b[2J"])
def test_a_release_that_is_made_to_harm_ends_no_command(
    said: str, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = export(results, "pairs"), tmp_path / "new"
    shutil.copytree(old, new)
    manifest = json.loads((old / "release.json").read_text()) | {"contact": said}
    (new / "release.json").write_text(json.dumps(manifest))
    sums = (new / "SHA256SUMS").read_text().splitlines()
    digest = hashlib.sha256((new / "release.json").read_bytes()).hexdigest()
    lines = [f"{digest}  release.json" if line.endswith("  release.json") else line for line in sums]
    (new / "SHA256SUMS").write_text("".join(f"{line}\n" for line in lines))
    assert main(["diff", str(old), str(new)]) == 1
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err and ("is damaged" in printed.err) == ("half" in said)
