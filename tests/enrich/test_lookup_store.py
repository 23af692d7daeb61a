"""Stores of triples: files and folders that can be read, and those that cannot."""

import gzip
from pathlib import Path

import pyoxigraph as ox
import pytest
from wokflow.frame.job import UserError

from tests.enrich.facts import SOME, entity
from tests.enrich.lookups import Lookup, rows, written


def test_a_store_of_truthy_statements_alone_has_countries_that_ended(lookup: Lookup, tmp_path: Path) -> None:
    item = entity("Q1", {"en": "item"}, countries=["Q334", "!Q145"])
    lines = Path(written(tmp_path, [item])).read_text(encoding="utf-8").splitlines(keepends=True)
    truthy = tmp_path / "truthy.nt"
    truthy.write_text("".join(line for line in lines if "/prop/direct/" in line or "rdf-schema" in line))
    assert rows(lookup(["Q1"], backend="store", store=str(truthy)))["Q1", "en"]["country_qid"] == "Q145"


@pytest.mark.parametrize("name", ["facts.nt", "facts.nt.gz", "facts.ttl", "facts.ttl.gz"])
def test_a_store_may_be_any_of_these_files(name: str, lookup: Lookup, tmp_path: Path) -> None:
    expected = lookup(to="expected", backend="store", store=written(tmp_path, SOME))
    found = lookup(backend="store", store=written(tmp_path, SOME, name))
    assert found.read_bytes() == expected.read_bytes()


def test_a_store_may_be_a_folder_and_stays_as_it_is(lookup: Lookup, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    made = ox.Store(str(folder))
    made.bulk_load(path=written(tmp_path, SOME))
    made.flush()
    del made

    def content() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    before = content()
    expected = lookup(to="expected", backend="store", store=written(tmp_path, SOME))
    assert lookup(backend="store", store=str(folder)).read_bytes() == expected.read_bytes()
    assert content() == before


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("facts.nt", b"<a> <b> .\n", "damaged"),
        ("facts.nt", gzip.compress(b"", mtime=0), "damaged"),
        ("facts.nt.gz", b"<http://a> <http://b> <http://c> .\n", "damaged"),
        ("facts.nt.gz", gzip.compress(b"<http://a> <http://b> <http://c> .\n" * 9, mtime=0)[:-9], "damaged"),
        ("facts.nt", b"<html><body>Log in</body></html>", "damaged"),
        ("facts.json", b"{}", "neither .nt nor .ttl"),
    ],
)
def test_a_store_that_cannot_be_read_is_an_error_that_names_it(
    name: str, content: bytes, said: str, lookup: Lookup, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UserError, match=rf"enrich\.lookup\.store: .*{name}.* {said}"):
        lookup(backend="store", store=str(path))


def test_a_store_that_is_not_there_or_no_store_is_an_error(lookup: Lookup, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for store, said in (
        (None, "None is not there"),
        ("gone.nt", "is not there"),
        (str(tmp_path / "empty"), "folder"),
    ):
        with pytest.raises(UserError, match=said):
            lookup(backend="store", store=store)
    assert list((tmp_path / "empty").iterdir()) == []  # fmt: skip
