"""A few articles come from the API of a real MediaWiki, where there is one; its search index gives the same."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.ingest.pages import Page, ingest_pages

from tests.ingest.defaults import pages_settings
from tests.ingest.test_wikipedia import CONTACT, Elsewhere, pages_of

MEDIAWIKI = Path("/usr/share/mediawiki")


@dataclass
class MediaWiki:
    """A wiki of this machine: how to reach its API, and the environment in which its scripts run."""

    transport: Elsewhere
    environment: dict[str, str]


@pytest.fixture(scope="module")
def mediawiki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MediaWiki]:
    """A MediaWiki of this machine's, with an SQLite database and four pages."""
    if not (MEDIAWIKI / "api.php").exists() or not shutil.which("php"):
        pytest.skip("MediaWiki is absent: apt-get install mediawiki php-cli php-sqlite3")
    folder = tmp_path_factory.mktemp("mediawiki")
    port = free_port()
    php(
        MEDIAWIKI / "maintenance/install.php",
        *(
            "--dbtype=sqlite",
            f"--dbpath={folder}/data",
            "--dbname=wiki",
            f"--confpath={folder}",
            "--scriptpath=",
        ),
        *(
            f"--server=http://127.0.0.1:{port}",
            "--pass=only-for-this-test",
            "--extensions=TextExtracts",
            "Test",
            "Admin",
        ),
    )
    settings = {**os.environ, "MW_CONFIG_FILE": f"{folder}/LocalSettings.php"}
    pages = {
        "Mapo tofu": "'''Mapo tofu''' is from [[Sichuan]].<!-- no -->\n\nIt is hot.\n\n== History ==\nOld.",
        "Mapo doufu": "#REDIRECT [[Mapo tofu]]",
        "Bare": "== History ==\nIt is ''old''.\n\nAnd so on.",
        "麻婆豆腐": "麻婆豆腐是川菜。\n\n很辣。",
    }
    for title, text in pages.items():
        php(MEDIAWIKI / "maintenance/edit.php", "--user=Admin", title, text=text, env=settings)
    with sqlite3.connect(folder / "data" / "wiki.sqlite") as database:
        database.execute(
            "INSERT INTO page_props (pp_page, pp_propname, pp_value) "
            "SELECT page_id, 'wikibase_item', 'Q15908' FROM page WHERE page_title = 'Mapo_tofu'"
        )
    command = ["php", "-S", f"127.0.0.1:{port}", "-t", MEDIAWIKI]
    with subprocess.Popen(
        command, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        yield MediaWiki(Elsewhere(f"http://127.0.0.1:{port}", "/api.php"), settings)
        server.kill()


def php(script: Path, *arguments: str, text: str = "", env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        ["php", script, *arguments],
        input=text,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def free_port() -> int:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        return server.server_port


def test_a_real_mediawiki_is_understood(mediawiki: MediaWiki) -> None:
    titles = [
        "mapo_doufu",
        "Bare",
        "麻婆豆腐",
        "Nope",
        "Special:Random",
        "wikipedia:Tofu",
        "Talk:Bare",
        "User:Admin",
    ]
    found = pages_of(titles, "en", CONTACT, mediawiki.transport, attempts=8)
    revisions = {title: page.revision_id for title, page in found.items() if page}
    assert list(revisions) == titles[:3] and len(set(revisions.values())) == 3
    tofu, bare, chinese = (page for page in found.values() if page)
    assert tofu == tofu._replace(title="Mapo tofu", qid="Q15908", summary="Mapo tofu is from Sichuan.")
    assert bare == bare._replace(title="Bare", qid=None, summary="It is old.")
    assert chinese == chinese._replace(title="麻婆豆腐", summary="麻婆豆腐是川菜。")


# Writes what MediaWiki itself gives to its search index, to which CirrusSearch adds version and namespace.
DOCUMENTS = """<?php
require_once '/usr/share/mediawiki/maintenance/Maintenance.php';
class Documents extends Maintenance {
    public function execute() {
        $services = MediaWiki\\MediaWikiServices::getInstance();
        foreach ( $services->getPageStore()->newSelectQueryBuilder()->fetchPageRecords() as $record ) {
            $page = $services->getWikiPageFactory()->newFromTitle( $record );
            $handler = $page->getContentHandler();
            $output = $handler->getParserOutputForIndexing( $page );
            $document = $handler->getDataForSearchIndex( $page, $output, $services->newSearchEngine() );
            $document['version'] = $page->getLatest();
            $document['namespace'] = $page->getTitle()->getNamespace();
            $document['title'] = $page->getTitle()->getText();
            $document['wikibase_item'] = $output->getPageProperty( 'wikibase_item' );
            print json_encode( [ 'index' => [ '_type' => '_doc', '_id' => (string)$page->getId() ] ] ) . "\\n";
            print json_encode( $document ) . "\\n";
        }
    }
}
$maintClass = Documents::class;
require_once RUN_MAINTENANCE_IF_MAIN;
"""


def test_a_real_mediawiki_s_search_documents_give_the_pages_of_its_api(
    mediawiki: MediaWiki, tmp_path: Path
) -> None:
    script, raw, source = tmp_path / "documents.php", tmp_path / "dump.json", tmp_path / "source.json"
    script.write_text(DOCUMENTS)
    raw.write_text(php(script, env=mediawiki.environment))
    source.write_text('{"sha256": "1a"}')
    assert '"opening_text":"Mapo tofu is from Sichuan. It is hot."' in raw.read_text()
    good, bad = str(tmp_path / "good.parquet"), str(tmp_path / "bad.parquet")
    ingest_pages(
        source=str(source),
        pages=[good],
        rejects=[bad],
        lang="en",
        settings=pages_settings(raw),
        job=Job(),
    )
    assert tables.read(bad)["reason"].to_list() == ["redirect"]
    dumped = {page["title"]: Page(**page) for page in tables.read(good).rows(named=True)}
    asked = pages_of(["Mapo tofu", "Bare", "麻婆豆腐"], "en", CONTACT, mediawiki.transport)
    assert dumped["Mapo tofu"]._replace(qid="Q15908") == asked["Mapo tofu"]  # which only the database knows
    assert dumped["麻婆豆腐"].summary == "麻婆豆腐是川菜。 很辣。"  # too short a paragraph to be searched for
    assert dumped["Bare"] == asked["Bare"]
