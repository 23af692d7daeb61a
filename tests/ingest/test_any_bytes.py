"""Ingest ends well whatever the bytes: each row is a recipe or a reject, or the file is said to be no corpus."""

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame.job import UserError

from tests.ingest.conftest import MAGIC, PACKED
from tests.ingest.defaults import CLEAN

Ingest = Callable[..., Any]


@contextlib.contextmanager
def named() -> Iterator[None]:
    """The one mistake of a user that may be found: a file of a kind that is not read."""
    try:
        yield
    except UserError as error:
        assert re.match(r"\S+/raw\S* is (an? |named \.|.* archive)", str(error)), error


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n"), max_size=10)
RECORDS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=3)), max_size=5)


@given(RECORDS)
def test_what_goes_in_comes_out(
    ingest: Ingest, corpus: Any, fields: list[tuple[str, list[str], list[str]]]
) -> None:
    rows = [corpus.row(number, *record) for number, record in enumerate(fields)]
    found = ingest(corpus.name, corpus.file(rows))
    assert found.recipes.select("title", "ingredients", "steps").rows() == fields


SCRAPS = st.binary(max_size=30) | st.sampled_from(
    [
        b"\n",
        b"\r\n",
        b'"',
        b",",
        b"1,",
        b"[]",
        b'{"name": "a"',
        b"\0",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"[" * 2000,
    ]
)


@given(st.data())
def test_any_bytes_can_be_ingested(ingest: Ingest, corpus: Any, data: st.DataObject) -> None:
    whole = st.sampled_from([corpus.row(0) + b"\n", corpus.header + b"\n"])
    raw = b"".join(data.draw(st.lists(SCRAPS | whole, max_size=8)))
    for ending in ("", ".gz", ".zst", ".zip"):
        with named():
            ingest(corpus.name, raw, ending=ending, cleaning=CLEAN)
        with contextlib.suppress(UserError):
            ingest(corpus.name, raw, ending=ending, cleaning=CLEAN, truncated="refuse")


@given(st.data())
def test_a_changed_archive_can_be_ingested(ingest: Ingest, corpus: Any, data: st.DataObject) -> None:
    ending, pack = PACKED[data.draw(st.sampled_from(sorted(PACKED)))]
    packed = bytearray(pack(corpus.file(corpus.titles(20))))
    for place in data.draw(st.lists(st.integers(0, len(packed) - 1), max_size=4)):
        packed[place] = data.draw(st.integers(0, 255))
    is_archive = bytes(packed).startswith(MAGIC[ending])
    try:
        ingest(corpus.name, bytes(packed), ending=ending)
    except UserError as error:  # a .zst may ask for a large window, or for a dictionary
        assert ("Compress it again: zstd" if is_archive else f"is named {ending}, but is no") in str(error)
    else:
        assert is_archive
