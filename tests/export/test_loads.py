"""Others' programs read a release: Hugging Face datasets, Croissant, a reader of RDF."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.export.forms import FORMS
from wokflow.export.prov import lineage
from wokflow.frame.records import keep_inputs, keep_keys
from wokflow.frame.tables import write_text
from wokflow.match.split import CARD

from tests.export.made import export, make_results


@pytest.fixture(scope="module", params=["standoff", "full"])
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(make_results(tmp_path_factory.mktemp("made")), mode=request.param)


def splits(release: Path) -> list[tuple[str, str, int]]:
    subsets = json.loads((release / "release.json").read_text())["subsets"]
    return [
        (name, split, sum(rows))
        for name, subset in subsets.items()
        for split, rows in subset["splits"].items()
    ]


def test_datasets_loads_every_config_and_split(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    datasets.disable_progress_bars()
    assert sorted(datasets.get_dataset_config_names(str(release))) == sorted(
        {name for name, _, _ in splits(release)}
    )
    for name, split, rows in splits(release):
        loaded = datasets.load_dataset(str(release), name, split=split, cache_dir=str(tmp_path))
        assert loaded.num_rows == rows
        stored = pl.read_parquet(release / f"data/{name}/{split}-*.parquet")
        assert loaded.to_list() == stored.to_dicts()


def test_datasets_tells_the_directions_of_pairs_before_a_release_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()
    (tmp_path / "README.md").write_text(CARD, encoding="utf-8")
    for direction, ids in {"zh-en": ["x:1", "x:2"], "en-zh": ["r:1"]}.items():
        (tmp_path / direction).mkdir()
        pl.DataFrame({"source_id": ids}).write_parquet(tmp_path / direction / "part-00000.parquet")
    with pytest.raises(ValueError, match=r"Config name is missing[^\n]*\n[^\n]*'zh-en', 'en-zh'"):
        datasets.load_dataset(str(tmp_path))
    for direction, ids in {"zh-en": ["x:1", "x:2"], "en-zh": ["r:1"]}.items():
        loaded = datasets.load_dataset(str(tmp_path), direction, split="pairs")
        assert loaded["source_id"][:] == ids


def test_the_cards_head_has_the_sizes_that_datasets_wants(release: Path) -> None:
    from datasets.info import DatasetInfosDict

    found = DatasetInfosDict.from_directory(str(release))
    assert {
        (name, split, each.num_examples)
        for name, info in found.items()
        for split, each in info.splits.items()
    } == set(splits(release))
    for name, info in found.items():
        paths = list((release / f"data/{name}").glob("*.parquet"))
        assert info.download_size == sum(path.stat().st_size for path in paths)
        assert info.dataset_size == sum(each.num_bytes for each in info.splits.values()) > 0


def test_croissant_is_valid_and_its_records_are_the_rows(
    release: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CROISSANT_CACHE", str(tmp_path))
    import mlcroissant

    described = mlcroissant.Dataset(release / "croissant.json")
    assert not described.metadata.ctx.issues.errors
    found = {record.uuid for record in described.metadata.record_sets}
    assert found == {f"{name}/{split}" for name, split, _ in splits(release)}
    for name, split, rows in splits(release):
        records = list(described.records(f"{name}/{split}"))
        assert len(records) == rows
        keys = FORMS[json.loads((release / "release.json").read_text())["subsets"][name]["form"]].key
        stored = pl.read_parquet(release / f"data/{name}/{split}-*.parquet").to_dicts()
        for record, row in zip(records, stored, strict=True):
            for key in keys:
                if key in row and isinstance(row[key], str):
                    assert _text(record[f"{name}/{split}/{key}"]) == row[key]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def test_provenance_is_rdf_that_names_sources_steps_and_shards(release: Path) -> None:
    import pyoxigraph

    text = (release / "provenance.jsonld").read_text(encoding="utf-8")
    store = pyoxigraph.Store()
    store.load(text.encode(), pyoxigraph.RdfFormat.JSON_LD, base_iri="https://example.org/")
    shards = store.query(
        "PREFIX prov: <http://www.w3.org/ns/prov#> SELECT ?shard ?file WHERE {"
        "?shard a prov:Entity; prov:wasDerivedFrom ?file . ?file a prov:Entity; <urn:wokflow:sha256> ?sum }"
    )
    found = {(str(row["shard"].value), str(row["file"].value)) for row in shards}
    path = "https://example.org/data/pairs-zh-en/train-00000-of-00001.parquet"
    assert {(path, f"urn:wokflow:source:{corpus}") for corpus in ("recipenlg", "xiachufang")} <= found


def test_lineage_goes_through_outputs_that_name_no_inputs(tmp_path: Path) -> None:
    """Only the first output of a job names the inputs; shards are one job, whatever their number."""

    def job(step: str, inputs: list[str], *outputs: str, **settings: Any) -> None:
        paths = [str(tmp_path / each) for each in outputs]
        keep_inputs([str(tmp_path / each) for each in inputs], paths)
        for path in paths:
            write_text(path, "x")
        key = {"step": step, "settings": settings, "resources": {}, "packages": {}, "code": {}}
        keep_keys(json.dumps(key), paths)

    for corpus in ("one", "two"):
        job("ingest.source", [], f"ingest/source/{corpus}.json")
        shards = [f"match/embed/{corpus}/0000{number}-of-00002.npy" for number in (0, 1)]
        for shard in shards:
            job("match.embed", [f"ingest/source/{corpus}.json"], shard, model="mini")
        job("match.vectors", shards, f"match/vectors/{corpus}", f"match/digests/{corpus}.sha256")
    found = lineage([str(tmp_path / "match/digests/two.sha256")], str(tmp_path))
    assert {name: each["inputs"] for name, each in found.items()} == {
        "ingest/source/two": [],
        "match/digests/two": ["match/embed/two"],
        "match/embed/two": ["ingest/source/two"],
    }
    assert found["match/embed/two"]["settings"] == {"model": "mini"}
