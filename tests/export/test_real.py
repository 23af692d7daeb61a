"""A release of real recipes and sentences: full where their licences allow it, stand-off where one does not."""

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from wokflow.export.gate_findings import GATES
from wokflow.export.rehydrate import rehydrate
from wokflow.export.verify import verified

from tests.conftest import copy_house, snakemake
from tests.enrich import camt
from tests.export.made import PROGRESS, same

UNLICENSE = {"licence": "Unlicense", "release": "text", "home_page": "https://example.org/recipes"}
LICENCES = {
    "recipenlg": UNLICENSE,
    "xiachufang": UNLICENSE,
    **{
        name: {
            "licence": "CC-BY-SA-4.0",
            "release": "attribution",
            "attribution": "Wikipedia, by its authors",
        }
        for name in ("camt", "entities")
    },
}


PATHS = {
    "recipenlg": "real/recipes/full_dataset.csv",
    "xiachufang": "real/recipes/recipe_corpus_full.json",
    "counterfactual": "real/counterfactual/base_recipes.tsv",
    "camt": "made/en-zh",
}


def release(house: Path, name: str, mode: str, datasets: list[str], **licences: Any) -> tuple[str, Path]:
    """What Snakemake says of a release of the real files, and the release's folder."""
    config = {
        "sources": {
            **{name: {"path": path} for name, path in PATHS.items()},
            "camt": {"kind": "moses", "pair": "en-zh", "path": PATHS["camt"]},
        },
        "enrich": {"entities": {"path": "made/entities.jsonl"}},
        "export": {
            "licences": LICENCES | licences,
            "release": {
                "name": name,
                "mode": mode,
                "datasets": datasets,
                "contact": "cook@example.org",
                "home_page": "https://example.org/recipes",
                "accept": sorted({*GATES} - {"schema", "counts", "rows", "licences", "duplicate_ids"}),
            },
        },
    }
    (house / "mine.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    done = snakemake(house, "export", "--configfile", "mine.yaml", cores=2, check=False)
    return done.stdout, house / f"results/export/release/{name}-0.1.0"


@pytest.fixture(scope="module")
def house(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    house = copy_house(tmp_path_factory.mktemp("real") / "house")
    (house / "real").symlink_to(shared / "real")
    (house / "made").mkdir()
    camt.write(shared / "real/camt", house / "made")
    return house


def made_again(house: Path, pointing: Path, to: Path) -> None:
    """Rehydrate a release with the files that it was made of."""
    subsets = verified(pointing)["subsets"].values()
    needed = {corpus for subset in subsets for corpus in subset["texts"]}
    rehydrate(str(pointing), {corpus: str(house / PATHS[corpus]) for corpus in needed}, str(to), PROGRESS)
    verified(to)


def test_what_is_free_is_released_in_full_loaded_and_made_again_from_what_points_at_it(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    said, free = release(house, "free", "full", ["pairs", "items"])
    assert free.is_dir(), said
    full = tmp_path / free.name
    shutil.copytree(free, full, ignore=shutil.ignore_patterns(".snakemake_timestamp"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()
    for name, subset in verified(full)["subsets"].items():
        for split, rows in subset["splits"].items():
            loaded = datasets.load_dataset(str(full), name, split=split, cache_dir=str(tmp_path / "cache"))
            assert loaded.num_rows == sum(rows)
            assert loaded.to_list() == pl.read_parquet(full / f"data/{name}/{split}-*.parquet").to_dicts()
    pairs = pl.read_parquet(full / "data/pairs-zh-en/*.parquet")
    assert "提拉米苏" in pairs["source"].struct.field("title").to_list()
    said, pointing = release(house, "free", "standoff", ["pairs", "items"])
    assert pointing.is_dir(), said
    assert pl.read_parquet(pointing / "data/pairs-zh-en/*.parquet").columns == [
        "source_id",
        "target_ids",
        "scores",
    ]
    made_again(house, pointing, tmp_path / "again")
    assert same(tmp_path / "again", full)


def test_what_is_not_free_is_only_pointed_at(house: Path, tmp_path: Path) -> None:
    datasets = ["pairs", "actions", "items"]
    said, _ = release(house, "all", "full", datasets)
    assert "counterfactual (in actions-counterfactual): No licence" in said
    said, pointing = release(house, "all", "standoff", datasets)
    assert pointing.is_dir(), said
    made_again(house, pointing, tmp_path / "again")
    words = ["recipe_id", "position", "verb", "text", "ingredient_classes"]
    found = pl.read_parquet(tmp_path / "again/data/actions-counterfactual/*.parquet", columns=words)
    assert found.equals(pl.read_parquet(house / "results/parse/actions/counterfactual", columns=words))
    held = pl.read_parquet(pointing / "data/actions-counterfactual/*.parquet")
    assert not {"verb", "text", "ingredients", "tools"} & set(held.columns)
