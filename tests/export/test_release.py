"""A release holds every row once, and nothing that it may not; its card says what is in it."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.cli import main
from wokflow.export.gate_findings import GATES
from wokflow.export.manifest import read_manifest
from wokflow.export.rehydrate import rehydrate
from wokflow.export.verify import verified
from wokflow.frame.job import UserError
from wokflow.frame.joined_steps import joined
from wokflow.frame.records import keep_inputs, keep_keys
from wokflow.generate.schemas import PREDICTIONS

from tests.conftest import ROOT, snakemake
from tests.export.made import FREE, PROGRESS, REAL, export, files, raw, rows, same, write
from tests.workflow.conftest import copy_of, new_house


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
        "derived from text that may not go on"
    )
    for path in release.rglob("*.parquet"):
        if path.parent.name not in ("items", "instances"):  # names of dishes and items are no recipes
            stored = json.dumps(pl.read_parquet(path).to_dicts(), ensure_ascii=False)
            assert not [text for text in text_of(results) if len(text) > 3 and text in stored], path


def test_predictions_of_a_standoff_release_hold_nothing_that_stands_in_a_record(results: Path) -> None:
    """What runs copy or retrieve is pointed at, even where licences would let it be passed on."""
    recipes = pl.read_parquet(results / "ingest/recipes/*/*.parquet").filter(pl.col("steps").list.len() > 1)
    copies = {row["recipe_id"]: joined(row["steps"], row["lang"]) for row in recipes.iter_rows(named=True)}
    first = recipes.filter(pl.col("recipe_id") == "xiachufang:0").row(0, named=True)
    retrieved = "\n".join([first["title"], "，".join(first["ingredients"]), copies["xiachufang:0"]])
    changed = copies["xiachufang:0"].replace(first["steps"][0][:2], "虾球", 1)
    generated = [*copies.values(), retrieved, changed, "Salt.", ""]
    write(
        results / "generate/predictions/tiny/part-00000.parquet",
        PREDICTIONS,
        [(f"silver:xiachufang:{number}", "tiny", text) for number, text in enumerate(generated)],
    )
    release = export(results, "predictions", jsonl=True)
    table = rows(release, "predictions")
    left = {text for text in table["prediction"] if re.search(r"\w", text)}
    assert left > {"Salt.", "dish by near"} and [text[:2] for text in left - {"Salt.", "dish by near"}] == [
        "虾球"
    ]
    for path in release.rglob("*.jsonl"):
        stored = path.read_text(encoding="utf-8")
        assert not [text for text in text_of(results) if len(text) > 3 and text in stored], path
    full = export(results, "predictions", mode="full", to="full", jsonl=True)
    assert rows(full, "predictions")["prediction"].to_list() == ["dish by near", *generated]
    rehydrate(str(release), raw(results, "recipenlg", "xiachufang"), str(results / "again"), PROGRESS)
    assert same(results / "again", full)


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


def test_what_is_written_of_a_gold_recipe_of_no_corpus_needs_the_licence_of_its_set(results: Path) -> None:
    """It may be the recipe itself, as of a run that copies."""
    names = ["gold:other:9", "gold:xiachufang:1", "gold:xiachufang:99"]
    made = [(name, "tiny", f"of {name}") for name in names]
    write(results / "generate/predictions/tiny/part-00000.parquet", PREDICTIONS, made)
    for licence, shown in ((None, names[1:2]), ("CC-BY-ND-4.0", names[1:2]), ("CC-BY-4.0", names)):
        given = {"given_gold": {"licence": licence, "release": "text"}} if licence else {}
        for mode in ("standoff", "full"):
            release = export(results, "predictions", licences=FREE | given, mode=mode, to=mode)
            own = rows(release, "predictions").filter(pl.col("instance_id").is_in(names))
            assert own.drop_nulls("prediction")["instance_id"].to_list() == shown and len(own) == 3


def test_a_gold_recipe_of_no_corpus_comes_with_its_set(results: Path) -> None:
    """If its licence is known: also the first one, and one that ingest has rejected."""
    licences = FREE | {"given_gold": {"licence": "CC-BY-4.0", "release": "text"}}
    gold = results.parent / "gold.tsv"
    head, row = gold.read_text(encoding="utf-8").splitlines()
    rejected = pl.read_parquet(results / "ingest/rejects/xiachufang")["source_row"][0]
    own = [f"{name}\tRice\tEgg rice\tRice|Egg\tFry." for name in ("other:9", f"xiachufang:{rejected}")]
    head += "\tsource_ingredients\tsource_steps"
    gold.write_text(
        "\n".join([head, *(f"{each}\tEgg\tFry it.|Serve." for each in own), f"{row}\t\t\n"]), "utf-8"
    )
    release = export(results, "gold", licences=licences)
    full = export(results, "gold", licences=licences, mode="full", to="full")
    assert read_manifest(release)["sources"]["given_gold"]["licence"] == "CC-BY-4.0"
    recipe = {"title": "Rice", "ingredients": ["Egg"], "steps": ["Fry it.", "Serve."]}
    assert rows(release, "gold-zh-en")["source"].to_list() == [recipe, recipe, None]
    assert rows(full, "gold-zh-en")["source"][0] == {"id": "other:9", "dish": None} | recipe
    rehydrate(str(release), raw(results, "xiachufang"), str(results / "again"), PROGRESS)
    assert same(results / "again", full)
    changed = rows(release, "gold-zh-en")["adaptation"].to_list()
    unchanged = FREE | {"given_gold": {"licence": "CC-BY-ND-4.0", "release": "text"}}
    alone = rows(export(results, "gold", licences=unchanged, to="nd"), "gold-zh-en")
    assert alone["source"].to_list() == [recipe, recipe, None]
    assert alone["adaptation"].to_list() == [None, None, changed[2]] and None not in changed
    unknown = export(results, "gold", mode="full", to="unknown")
    nothing = {"title": None, "ingredients": None, "steps": None, "dish": None}
    assert rows(unknown, "gold-zh-en")["source"][0] == {"id": "other:9"} | nothing
    ids = FREE | {"given_gold": {"licence": "terms", "release": "ids"}}
    for allowed, to in ((FREE, "alone"), (ids, "ids"), (REAL, "forbidden")):
        release = export(results, "gold", licences=allowed, to=to)
        left = rows(release, "gold-zh-en")
        assert left["source"].to_list() == [None, None, None]
        assert left["adaptation"].to_list() == [None, None, None if allowed is REAL else changed[2]]
        rehydrate(str(release), raw(results, "xiachufang"), str(results / f"{to} again"), PROGRESS)
    assert same(results / "alone again", unknown)
    gold.write_text("\n".join([head, f"{own[0]}\t\t"]), encoding="utf-8")
    with pytest.raises(UserError, match=r"gold\.tsv, line 2: other:9 is not among the recipes of xiachufang"):
        export(results, "gold")


def test_provenance_names_the_job_that_made_each_shard_and_the_files_that_were_read(results: Path) -> None:
    key = json.dumps({"step": "ingest.source", "settings": {}, "resources": {}, "packages": {}, "code": {}})
    digests = {"pages_en": "aa", "pages_zh": "bb", "entities": "cc"}
    for name, digest in digests.items():
        path = results / f"ingest/source/{name}.json"
        path.write_text(json.dumps({"bytes": 5, "sha256": digest}), encoding="utf-8")
        keep_inputs([], [str(path)])
        keep_keys(key, [str(path)])
    release = export(results)
    graph = {each["@id"]: each for each in json.loads((release / "provenance.jsonld").read_text())["@graph"]}
    job, source = "urn:wokflow:job:{}".format, "urn:wokflow:source:{}".format
    for path in [*release.rglob("*.parquet")]:
        folder = path.parent.name
        maker = "export/gates" if folder == "records" else f"export/dataset/{folder}"
        shard = graph[path.relative_to(release).as_posix()]
        assert shard["wasGeneratedBy"] == [job(maker)]
        if folder == "records":
            assert shard["wasDerivedFrom"] == [source(path.name.split("-")[0])]
    read = {name: graph[job(f"ingest/source/{name}")]["used"] for name in digests}
    wikipedia = [source("wikipedia")]
    assert read == {"pages_en": wikipedia, "pages_zh": wikipedia, "entities": [source("wikidata")]}
    assert set(graph[job("export/dataset/items")]["wasInformedBy"]) == {
        job(f"ingest/source/{name}") for name in read
    }
    found = verified(release)["sources"]["wikipedia"]
    assert (found["bytes"], found["sha256"]) == (10, hashlib.sha256(b"aa\nbb\n").hexdigest())


def test_two_exports_have_the_same_bytes(results: Path) -> None:
    first = export(results, to="first")
    shutil.rmtree(results / "export/dataset")
    assert same(first, export(results, to="second"))


ELSEWHERE = """
import sys, time
from pathlib import Path
now = time.time
time.time = lambda: now() + 40 * 86_400
from tests.export.made import export
export(Path(sys.argv[1]), to="second", jsonl=True)
"""


def test_another_day_machine_and_number_of_threads_give_the_same_bytes(results: Path) -> None:
    first = export(results, to="first", jsonl=True)
    shutil.rmtree(results / "export/dataset")
    there = {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONHASHSEED": "7"}
    threads = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "ARROW_NUM_THREADS"), "5")
    subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(results)],
        env=os.environ | there | threads | {"PYTHONPATH": f"{ROOT}:{ROOT}/scripts"},
        check=True,
    )
    assert same(first, results / "export/second/recipes-1.0")


LATER = """
import time
now = time.time
time.time = lambda: now() + 40 * 86_400
"""


def test_runs_with_other_cores_on_another_day_give_the_same_bytes(built: Path, tmp_path: Path) -> None:
    """The whole workflow from raw corpora, and not the steps of export alone."""
    release = {
        "datasets": ["pairs", "actions", "items"],
        "jsonl": True,
        "accept": sorted({*GATES} - {"schema", "counts"}),
    }
    licences = {"entities": {"licence": "CC0-1.0", "release": "text"}}
    own = {
        "export": {"release": release, "licences": licences},
        "parse": {"actions": {"method": "rules"}},
    }
    (tmp_path / "sitecustomize.py").write_text(LATER, encoding="utf-8")
    there = {"PYTHONPATH": str(tmp_path), "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "7"}
    there |= dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS"), "3")
    sums = []
    for house, cores, variables in (
        (copy_of(built, tmp_path / "today"), 1, {}),
        (new_house(tmp_path / "later"), 3, there),
    ):
        (house / "mine.yaml").write_text(json.dumps(own), encoding="utf-8")
        snakemake(house, "--configfile", "mine.yaml", "--", "export", cores=cores, variables=variables)
        made = house / "results/export/release/recipes-0.1.0"
        assert verified(made)["subsets"].keys() >= {
            "pairs-zh-en",
            "actions-xiachufang",
            "sentences-lines",
            "records",
        }
        sums.append((made / "SHA256SUMS").read_text(encoding="utf-8"))
    assert sums[0] == sums[1]


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


def test_the_command_line_shows_examples_and_has_exit_codes(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(release: str) -> None:
        pl.LazyFrame({"x": ["x"]}).sink_ipc("/dev/full")

    release = export(results, "pairs")
    assert main(["verify", str(release)]) == 0
    assert "pairs-zh-en: 3 rows" in capsys.readouterr().out
    (release / "README.md").write_text("x")
    assert main(["verify", str(release)]) == 1
    assert "README.md has another checksum" in capsys.readouterr().err
    monkeypatch.setattr("wokflow.export.verify.verified", full_disk)
    assert main(["verify", str(release)]) == 1
    said = capsys.readouterr().err
    assert "No space left on device" in said and "$TMPDIR" in said
    for wrong in (["verify"], ["rehydrate", str(release), "--to", "x", "--source", "nothing"], ["nothing"]):
        with pytest.raises(SystemExit) as stopped:
            main(wrong)
        assert stopped.value.code == 2
    for command in ("plan", "check-site", "verify", "rehydrate", "diff"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert f"example:\n  wokflow {command}" in capsys.readouterr().out
