"""Items of sources that are fetched, explained by Wikipedia's pages, through the workflow."""

import gzip
import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from snakemake.utils import update_config
from wokflow.frame.config import prepare, read_schema
from wokflow.frame.config_files import read_yaml
from wokflow.frame.job import UserError

from tests.conftest import snakemake
from tests.ingest.sites import Site, serving
from tests.workflow.conftest import LINES, new_house
from tests.workflow.planner import Planner

CONFIG = """\
sources:
  fetched: {{kind: moses, pair: en-zh, url: "{url}/OPUS.en-zh.zip"}}
  annotated: {{kind: camt, pair: en-zh, path: data/annotated.json}}
ingest:
  pages: {{en: data/pages.json.gz, longest: 300}}
contact: me@example.org
"""


def archive(count: int = 3) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for side, lang in enumerate(("en", "zh")):
            made.writestr(f"OPUS.en-zh.{lang}", "".join(f"{pair[side]}\n" for pair in LINES[:count]))
    return file.getvalue()


def write_pages(path: Path) -> None:
    page = {
        "title": "Mapo tofu",
        "namespace": 0,
        "version": 7,
        "language": "en",
        "wikibase_item": "Q90000001",
        "opening_text": "Mapo tofu is a dish of soft tofu in a sauce that burns and numbs.",
        "text": "Mapo tofu is a dish of soft tofu in a sauce that burns and numbs. It is from Chengdu.",
    }
    lines = [{"index": {"_type": "_doc", "_id": "1"}}, page]
    path.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))


@pytest.fixture
def house(tmp_path: Path) -> Path:
    house = new_house(tmp_path / "house")
    write_pages(house / "data" / "pages.json.gz")
    labels = [{"value": "Mapo tofu", "qid": "Q90000001"}, {"value": "Sichuan"}]
    source, target = LINES[0]
    annotated = json.dumps([{"source": source, "target": target, "labels": labels}], ensure_ascii=False)
    (house / "data" / "annotated.json").write_text(annotated, encoding="utf-8")
    return house


def test_a_source_is_fetched_once_its_items_are_explained_and_links_of_an_annotated_one_measured(
    house: Path,
) -> None:
    with serving(Site(data=archive())) as site:
        url = site.url.rpartition("/")[0]
        (house / "mine.yaml").write_text(CONFIG.format(url=url), encoding="utf-8")
        snakemake(house, "enrich", "--configfile", "mine.yaml")
        asked = len(site.requests)
        again = snakemake(house, "-n", "enrich", "--configfile", "mine.yaml")
    results = house / "results"
    assert asked == 1 and "Nothing to be done" in again.stdout
    fetched = {path.name for path in (results / "ingest/download/fetched").iterdir()}
    assert {name for name in fetched if not name.startswith(".")} == {"OPUS.en-zh.zip"}  # no part of it
    sentences = pl.read_parquet(results / "enrich/sentences/fetched/part-00000.parquet")
    assert [[item["mention"] for item in items] for items in sentences["items"]] == [
        ["Mapo tofu"],
        ["hot pot", "mooncakes"],
    ]
    explained = pl.read_parquet(results / "enrich/items/part-00000.parquet").drop_nulls("explanation")
    assert explained.select("qid", "lang", "explanation").rows() == [
        ("Q90000001", "en", "Mapo tofu is a dish of soft tofu in a sauce that burns and numbs.")
    ]
    [table] = (results / "enrich/link_quality").rglob("*.parquet")
    measured = pl.read_parquet(table)
    assert table.parent.name == "annotated"
    assert measured.select("annotations", "linked", "found").rows() == [(2, 1, 1)] * 4


def test_a_checksum_decides_whether_a_file_stays_or_another_version_is_fetched_and_read(house: Path) -> None:
    path = house / "results/ingest/download/fetched/OPUS.en-zh.zip"

    def ingested(site: Site, **more: Any) -> tuple[int, str]:
        """The number of pairs that come out, and what the run said."""
        source = {"kind": "moses", "pair": "en-zh", "url": f"{site.url.rpartition('/')[0]}/{path.name}"}
        config = {"sources": {"fetched": source | more.pop("source", {})}, "ingest": {"sentences": more}}
        (house / "mine.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
        said = snakemake(house, "ingest", "--configfile", "mine.yaml").stdout
        return len(pl.read_parquet(house / "results/ingest/sentences/fetched/*.parquet")), said

    def pinned(data: bytes) -> dict[str, str]:
        return {"sha256": hashlib.sha256(data).hexdigest()}

    old, new = archive(), archive(2)
    site = Site(data=old)
    with serving(site):
        before, _ = ingested(site)
        count, said = ingested(site, source=pinned(old))
        assert (count, len(site.requests)) == (before, 1) and path.exists(), "the file that is there stays"
        assert "damaged" not in said
        site.data = new
        count, _ = ingested(site, source=pinned(new))
        assert count < before and len(site.requests) == 2
        path.unlink()
        ingested(site, source=pinned(new), longest=199)
        assert len(site.requests) == 3, "a file that was deleted is fetched again for what reads it"


@pytest.mark.parametrize(
    ("block", "values", "messages"),
    [
        ("sources", "{mine: {kind: tsv, pair: en-zh}}", ["sources.mine: set path, where its file is, or"]),
        (
            "sources",
            "{own: {kind: tmx, pair: en, path: x.tmx}, recipnlg: {path: x.csv},"
            " entities: {kind: tsv, pair: en-zh, path: x.tsv}, pages_mine: {kind: tsv, pair: en-zh, path: x.tsv}}",
            [
                "sources.own.pair: its value does not have the required form",
                "sources.recipnlg: missing kind, pair.",
                "sources: the name entities does not have the required form.",
                "sources: the name pages_mine does not have the required form.",
            ],
        ),
        (
            "enrich",
            "{lookup: {backend: endpoint, endpoint: 'http://x.org/'}, link: {backend: command},"
            " categorise: {backend: service}, pages: {backend: api}}",
            [
                "contact: an endpoint wants to know who asks",
                "enrich.link.command: backend command needs it",
                "contact: a topic service wants to know who asks",
                "contact: Wikipedia's API wants to know who asks",
            ],
        ),
        (
            "enrich",
            "{link: {backend: released}}",
            ["enrich.link.backend: `released` takes annotations of files of kind camt"],
        ),
    ],
)
def test_what_a_config_lacks_is_said_at_once(
    block: str, values: str, messages: list[str], house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(house)
    given = read_yaml(house / "config" / "config.yaml")
    update_config(given, {block: yaml.safe_load(values)})
    with pytest.raises(UserError) as error:
        prepare(given, read_schema(house), house)
    for message in messages:
        assert message in str(error.value)


@pytest.mark.parametrize(
    ("removed", "missing"), [("enrich", "enrich.entities.path"), ("lines", "sources of parallel sentences")]
)
def test_the_stage_alone_says_what_it_takes(removed: str, missing: str, house: Path) -> None:
    path = house / "config" / "config.yaml"
    config: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    config.pop(removed, None)
    config["sources"].pop(removed, None)
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    with Planner(house) as planner:
        assert f"the config has no {missing}" in str(planner.plan("--", "enrich").message)
        assert planner.unedited.rules  # all else can be run
