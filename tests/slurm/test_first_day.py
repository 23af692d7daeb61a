"""The first day at a site: from a clone and two corpora to a release, with an edit and three faults on the way."""

import gzip
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tests.bench import corpora
from tests.conftest import ROOT, copy_house, rules_run, snakemake
from tests.slurm.cluster import Cluster
from tests.slurm.faults import at_work, begins_soon, send, waits_again
from tests.slurm.runs import Run, results, write_site

ROWS = 500
CPU = "cpu: {max_mem_mb: 16000, max_runtime: 2880}"
GPU = "gpu: {max_mem_mb: 16000, max_gpu: 2, max_runtime: 1440, account: lab}"
MINE = """
sources:
  recipenlg: {{path: {folder}/full_dataset.csv}}
  xiachufang: {{path: {folder}/recipe_corpus_full.json.gz}}
match:
  embed: {{shards: 2, device: cpu}}  # the cluster's GPUs are not real
  search: {{shards: 2, floor: 0.7}}
"""
EDIT = "ingest: {recipes: {symbols: false}}\nmatch: {embed: {precision: bfloat16}, pair: {threshold: 0.8}}\n"
ON_GPUS = ("--set-resources", "match_embed:gpu=1")
FILES = ("--configfile", "mine.yaml")
EDITED = (*FILES, "edit.yaml")
TARGET = ("--", "export")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both corpora as their authors publish them, the Chinese one compressed, with dirt in both."""
    folder = tmp_path_factory.mktemp("sources")
    corpora.recipenlg(folder / "full_dataset.csv", ROWS, dirt=0.02)
    corpora.xiachufang(folder / "recipes.json", ROWS, dirt=0.02)
    with (
        (folder / "recipes.json").open("rb") as plain,
        gzip.open(folder / "recipe_corpus_full.json.gz", "wb") as file,
    ):
        shutil.copyfileobj(plain, file)
    return folder


def new_clone(to: Path, sources: Path) -> Path:
    """The project as it is cloned, with the user's config beside it."""
    house = copy_house(to)
    (house / "mine.yaml").write_text(MINE.format(folder=sources))
    (house / "edit.yaml").write_text(EDIT)
    return house


def check_site(house: Path, cluster: Cluster) -> str:
    """`make check-site CONFIG=mine.yaml`, which must find no problem; gives what it prints."""
    installed = ("--old-file=.venv/ready", f"BIN={Path(sys.executable).parent}")  # and not anew in each clone
    done = subprocess.run(
        ["make", f"--makefile={ROOT / 'Makefile'}", *installed, "check-site", f"CONFIG={FILES[1]}"],
        cwd=house,
        env=cluster.environment | {"PYTHONPATH": "scripts"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def wrecked(house: Path) -> None:
    """Garbage in the place of what the search wrote."""
    for path in (house / "results" / "match" / "search").rglob("*.parquet"):
        path.unlink()
        path.write_bytes(b"garbage")


def test_the_first_day(sources: Path, cluster: Cluster, tmp_path: Path) -> None:
    local, site = (new_clone(tmp_path / name, sources) for name in ("local", "site"))
    snakemake(local, *FILES, *TARGET, cores=2)
    undisturbed = results(local)
    snakemake(local, *EDITED, *TARGET, cores=2)
    edited = results(local)

    write_site(site, account="lab", partitions=f"{{{CPU}, {GPU}}}")
    assert "ready for snakemake --profile slurm" in check_site(site, cluster)
    planned = Run(site, cluster, *FILES, *ON_GPUS, "-n", *TARGET).ends()
    assert {"ingest_source", "match_eligible"} <= rules_run(planned)
    run = Run(site, cluster, *FILES, *ON_GPUS, *TARGET, quick=True)
    assert run.job("ingest_recipes", "RUNNING", "COMPLETED")["partition"] == "cpu"
    assert run.job("match_embed", "RUNNING", "COMPLETED")["partition"] == "gpu"
    run.ends(1200)
    assert results(site) == undisturbed

    # The edit, and three faults over what the first run left.
    run = Run(site, cluster, *EDITED, *ON_GPUS, *TARGET)
    cluster.run("scancel", run.job("ingest_recipes", "RUNNING")["id"])
    job = run.job("match_embed", "RUNNING")["id"]
    at_work(cluster, job)
    send(signal.SIGKILL, site, job)
    job = run.job("match_search", "RUNNING")["id"]
    at_work(cluster, job)
    wrecked(site)
    cluster.run("scontrol", "requeue", job)
    waits_again(cluster, job)
    begins_soon(cluster, job)
    output = run.ends(1200)
    assert "CANCELLED" in output
    assert results(site) == edited != undisturbed
    assert rules_run(Run(site, cluster, *EDITED, *ON_GPUS, "-n", *TARGET).ends()) == set()

    release = site / "results" / "export" / "release" / "recipes-0.1.0"
    for line in (release / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((release / name).read_bytes()).hexdigest() == digest
    rows = pl.read_parquet(release / "data" / "pairs-zh-en" / "*.parquet")
    assert rows.height > 20 and min(score for scores in rows["scores"] for score in scores) >= 0.8
    assert not [path for path in (site / "results").rglob("*") if str(os.getpid()) in path.name]
