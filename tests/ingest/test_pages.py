"""Every row of a CirrusSearch dump becomes a page with its first paragraph, or a reject with a reason."""

import bz2
import gzip
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.ingest import pages
from wokflow.ingest.pages import first_paragraph, ingest_pages
from wokflow.ingest.schemas import PAGES, REASONS, REJECTS

from tests.ingest.defaults import pages_settings


def document(**fields: Any) -> dict[str, Any]:
    """A page's document as dumps have it; a field that is ... is left out."""
    page = {
        "template": ["Template:Infobox food"],
        "content_model": "wikitext",
        "opening_text": "Mapo tofu is a dish from Sichuan. It is hot.",
        "wiki": "enwiki",
        "language": "en",
        "title": "Mapo tofu",
        "text": "Mapo tofu is a dish from Sichuan. It is hot. History. It is old.",
        "version": 1187,
        "source_text": "'''Mapo tofu''' is a dish from [[Sichuan]].",
        "wikibase_item": "Q15908",
        "redirect": [{"namespace": 0, "title": "Mapo doufu"}],
        "namespace": 0,
        "namespace_text": "",
        "text_bytes": 40,
        **fields,
    }
    return {name: value for name, value in page.items() if value is not ...}


def pair(number: object = 12, **fields: Any) -> bytes:
    """The two lines of a page."""
    index = {"index": {"_type": "_doc", "_id": str(number)}}
    return f"{json.dumps(index)}\n{json.dumps(document(**fields), ensure_ascii=False)}\n".encode()


class Ingested:
    """What a dump with these bytes becomes; what must hold of every one is checked on the way."""

    def __init__(
        self,
        folder: Path,
        data: bytes,
        *,
        ending: str = ".json",
        parts: int = 1,
        lang: str = "en",
        longest: int = 2000,
        truncated: str = "keep",
    ) -> None:
        raw = folder / f"dump{ending}"
        raw.write_bytes(data)
        (folder / "source.json").write_text('{"bytes": 1, "sha256": "1a"}')
        paths = [
            [f"{folder}/{table}/part-{part:05}.parquet" for part in range(parts)] for table in ("good", "bad")
        ]
        log = io.StringIO()
        ingest_pages(
            source=f"{folder}/source.json",
            pages=paths[0],
            rejects=paths[1],
            lang=lang,
            settings=pages_settings(raw, longest=longest, truncated=truncated),
            job=Job({"key": "a key"}, Progress(log)),
        )
        self.pages, self.rejects = tables.read(paths[0]), tables.read(paths[1])
        self.parts = [tables.read(path) for path in paths[0]]
        self.bytes = [Path(path).read_bytes() for path in (*paths[0], *paths[1])]
        self.log = log.getvalue()
        assert self.pages.columns == PAGES.names and self.rejects.columns == REJECTS.names
        assert self.rejects["source_row"].is_sorted() and self.rejects["source_row"].is_unique().all()
        assert set(self.rejects["reason"]) <= set(REASONS)
        rows = self.pages.height + self.rejects.height
        assert self.rejects["source_row"].is_in(pl.int_range(rows, eager=True).to_list()).all()
        assert f"{rows} rows = {self.pages.height} articles + {self.rejects.height} rejects" in self.log

    @property
    def reasons(self) -> list[tuple[str, str | None]]:
        return self.rejects.select("reason", "detail").rows()


def test_a_page_has_its_number_revision_title_item_and_first_paragraph(tmp_path: Path) -> None:
    found = Ingested(tmp_path, pair(15))
    assert found.pages.rows() == [
        (15, 1187, "Mapo tofu", "Q15908", "Mapo tofu is a dish from Sichuan. It is hot.", "en")
    ]
    assert found.rejects.is_empty()


SUMMARIES: list[tuple[dict[str, Any], str]] = [
    ({"opening_text": "One.\n\nTwo."}, "One."),
    ({"opening_text": "\n  \t\n One \n two."}, "One"),
    ({"opening_text": None}, "Mapo tofu is a dish from Sichuan. It is hot. History. It is old."),
    ({"opening_text": ..., "text": "First.\nSecond."}, "First."),
    ({"opening_text": " ", "text": "== History ==\nIt is old."}, "It is old."),
    ({"opening_text": "A\u00a0dish \u2028of tofu"}, "A dish of tofu"),
]


def test_the_summary_is_the_introduction_s_first_paragraph_or_the_text_s(tmp_path: Path) -> None:
    data = b"".join(pair(number, **fields) for number, (fields, _) in enumerate(SUMMARIES))
    assert Ingested(tmp_path, data).pages["summary"].to_list() == [summary for _, summary in SUMMARIES]


@pytest.mark.parametrize(
    ("text", "longest", "cut"),
    [
        ("One two. Three four.", 20, "One two. Three four."),
        ("One two. Three four.", 19, "One two."),
        ("One two. Three four.", 8, "One two."),
        ("One two. Three four.", 7, "One"),
        ("One two. Three four.", 6, "One"),
        ("Version 3.14 of it", 12, "Version 3.14"),
        ('He said "no." And left', 14, 'He said "no."'),
        ("麻婆豆腐是川菜。很辣。", 9, "麻婆豆腐是川菜。"),
        ("麻婆豆腐是川菜。很辣。", 8, "麻婆豆腐是川菜。"),
        ("麻婆豆腐是川菜。很辣。", 4, "麻婆豆腐"),
        ("यह भोजन है। यह तीखा है।", 13, "यह भोजन है।"),
        ("یہ کھانا ہے۔ یہ تیز ہے۔", 14, "یہ کھانا ہے۔"),
        ("", 5, ""),
        ("== A ==\n=== B ===\n", 50, ""),
    ],
)
def test_a_long_paragraph_ends_with_a_sentence_or_a_word(text: str, longest: int, cut: str) -> None:
    assert first_paragraph(text, longest) == cut
    assert len(cut) <= longest


UNUSABLE: list[tuple[dict[str, Any], str, str | None]] = [
    ({"namespace": 1}, "other_namespace", "1"),
    ({"namespace": ...}, "missing_field", "namespace"),
    ({"namespace": "0"}, "wrong_type", "namespace is no number from 0 on: '0'"),
    ({"namespace": False}, "wrong_type", "namespace is no number from 0 on: False"),
    ({"source_text": "#REDIRECT [[Tofu]]"}, "redirect", None),
    ({"source_text": " #redirect: [[Tofu]]"}, "redirect", None),
    ({"source_text": "#重定向 [[豆腐]]"}, "redirect", None),
    ({"source_text": "＃転送[[豆腐]]"}, "redirect", None),
    ({"title": ...}, "missing_field", "title"),
    ({"title": " "}, "empty_title", None),
    ({"title": ["Mapo tofu"]}, "wrong_type", "title is list, not text"),
    ({"version": ...}, "missing_field", "version"),
    ({"version": "7"}, "wrong_type", "version is no number from 0 on: '7'"),
    ({"version": -7}, "wrong_type", "version is no number from 0 on: -7"),
    ({"version": 10**30}, "wrong_type", "version is no number from 0 on: 1e+30"),
    ({"wikibase_item": 7}, "wrong_type", "wikibase_item is int, not text"),
    ({"wikibase_item": "P7"}, "wrong_type", "wikibase_item is no item: 'P7'"),
    ({"opening_text": 7}, "wrong_type", "opening_text is int, not text"),
    ({"opening_text": ..., "text": ...}, "missing_field", "text"),
    ({"opening_text": "", "text": " \n"}, "no_summary", None),
    ({"opening_text": "a\0b"}, "nul_byte", "an escaped one in title or text"),
]


def test_a_page_that_cannot_be_used_is_rejected_with_a_reason(tmp_path: Path) -> None:
    """Each between two good pages."""
    bad = [pair(1000 + number, **fields) for number, (fields, *_) in enumerate(UNUSABLE)]
    found = Ingested(tmp_path, pair(0) + b"".join(page + pair(n) for n, page in enumerate(bad, 1)))
    assert found.reasons == [(reason, detail) for _, reason, detail in UNUSABLE]
    assert found.pages["page_id"].to_list() == list(range(len(bad) + 1))
    assert set(found.rejects["corpus"]) == {"wikipedia-en"}
    assert found.rejects["source_row"].to_list() == [2 * number + 1 for number in range(len(bad))]
    begins = [page.decode()[:60] for page in bad]  # both of its lines
    assert all(map(str.startswith, found.rejects["raw"], begins))


def test_pages_without_an_item_are_kept(tmp_path: Path) -> None:
    found = Ingested(tmp_path, pair(1, wikibase_item=...) + pair(2, wikibase_item=None))
    assert found.pages["qid"].to_list() == [None, None]


def test_a_page_that_comes_twice_is_kept_once(tmp_path: Path) -> None:
    found = Ingested(tmp_path, pair(5, title="first") + pair(70_000_000) + pair(5, title="again"))
    assert found.pages["title"].to_list() == ["first", "Mapo tofu"]
    assert found.reasons == [("duplicate", "page 5")]


# What stands between two good pages, and what it is rejected for; without a reason, it is page 1000 or no row at all.
DAMAGED: list[tuple[bytes, list[str]]] = [
    (b"garbage\n", ["broken_record"]),
    (b'{"index": {"_id": "2"}}\n', ["broken_record"]),
    (b'{"index": {"_id": "2"}}\n{"title": "cut\n', ["broken_record"]),
    (b'{"index": {"_id": "2"\n' + pair(2).split(b"\n")[1] + b"\n", ["broken_record", "missing_field"]),
    (pair("two"), ["wrong_type"]),
    (pair("9" * 30), ["wrong_type"]),
    (pair("٢"), ["wrong_type"]),
    (b"[]\n", ["wrong_type"]),
    (b"[" * 5000 + b"\n", ["broken_record"]),
    (pair(2, title="caf\xe9").decode().encode("latin-1"), ["invalid_utf8"]),
    (pair(2, title="HALF").replace(b"HALF", b"\\ud83d"), ["invalid_utf8"]),
    (pair(2, title="nul").replace(b"nul", b"\0"), ["nul_byte"]),
    (b" \n\n", []),
    (pair(2, page_id=1000).split(b"\n")[1] + b"\n", []),
    (b'{"index": {}}\n' + pair(2, page_id=1001).split(b"\n")[1] + b"\n", []),
    (pair(1002).replace(b"\n", b"\r\n\r\n"), []),
]


def test_damaged_lines_cost_no_other_page(tmp_path: Path) -> None:
    between = b"".join(lines + pair(100 + number) for number, (lines, _) in enumerate(DAMAGED))
    found = Ingested(tmp_path, b"\xef\xbb\xbf" + pair(1) + between)
    assert found.rejects["reason"].to_list() == [reason for _, reasons in DAMAGED for reason in reasons]
    numbers = [1, *range(100, 113), 1000, 113, 1001, 114, 1002, 115]
    assert found.pages["page_id"].to_list() == numbers


def test_a_line_beyond_bounds_is_rejected_and_its_beginning_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wokflow.ingest.raw_records.MAX_LINE", 5000)
    monkeypatch.setattr(pages, "MAX_LINE", 5000)
    found = Ingested(tmp_path, pair(1) + pair(2, text="long " * 10_000) + pair(3))
    assert found.reasons == [("oversized_row", "longer than 5000 bytes")]
    assert found.pages["page_id"].to_list() == [1, 3]
    assert len(found.rejects["raw"][0]) < 1100


def many(count: int, **fields: Any) -> bytes:
    return b"".join(pair(number, title=f"Page {number}", **fields) for number in range(count))


@pytest.mark.parametrize("ending", [".json", ".json.gz", ".json.bz2"])
def test_parts_follow_one_another_and_do_not_depend_on_the_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr(pages, "LEAST", 1)
    data = many(120) + many(5) + many(30, namespace=4)
    data = {".json.gz": gzip.compress, ".json.bz2": bz2.compress}.get(ending, bytes)(data)
    found = Ingested(tmp_path, data, ending=ending, parts=4)
    assert found.pages["page_id"].to_list() == list(range(120))
    assert all(part.height > 12 for part in found.parts[:3])
    assert found.bytes == Ingested(tmp_path, data, ending=ending, parts=4).bytes
    for size in (300, 1000, 33_333):  # less than a line, some, and many
        monkeypatch.setattr(pages, "BLOCK", size)
        again = Ingested(tmp_path, data, ending=ending, parts=4)
        assert again.pages.equals(found.pages) and again.rejects.equals(found.rejects)


@pytest.mark.parametrize(
    ("cut", "kept", "reason", "said"),
    [
        (lambda data: gzip.compress(data)[:-2000], None, "truncated_archive", "the archive ends at byte"),
        (lambda data: gzip.compress(data[:-20]), 299, "broken_record", "it ends within a line"),
        (
            lambda data: gzip.compress(data[: data.rfind(b"\n", 0, -1) + 1]),
            299,
            "broken_record",
            "it ends behind the first line of a page",
        ),
    ],
)
def test_a_dump_that_is_cut_off_is_refused_or_kept_as_far_as_it_goes(
    tmp_path: Path, cut: Any, kept: int | None, reason: str, said: str
) -> None:
    data = cut(many(300))
    with pytest.raises(UserError, match=rf"is cut off or damaged after \d+ rows: {said}.*truncated: keep"):
        Ingested(tmp_path, data, ending=".json.gz", truncated="refuse")
    assert not list(tmp_path.rglob("*.parquet")) and not list(tmp_path.rglob("*.part"))
    found = Ingested(tmp_path, data, ending=".json.gz")
    assert found.rejects["reason"].to_list()[-1] == reason
    assert kept is None or found.pages.height == kept
    assert "the rest is lost" in found.log


def test_a_last_line_without_its_newline_is_whole(tmp_path: Path) -> None:
    assert Ingested(tmp_path, many(3).rstrip(), truncated="refuse").pages.height == 3


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "has no article in its 0 rows"),
        (b'{"id": "Q1"}\n' * 3, r"has no article in its 3 rows \(rejected: 3 missing_field\)"),
        (many(30, namespace=3), r"rejected: 30 other_namespace\).*the one called general"),
    ],
)
def test_a_file_without_an_article_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(UserError, match=message):
        Ingested(tmp_path, data)


def test_a_file_without_an_article_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "HOPELESS", 20)
    monkeypatch.setattr(pages, "BLOCK", 1000)
    with pytest.raises(UserError, match=r"in its first 2\d rows"):
        Ingested(tmp_path, many(300, namespace=3))


def test_the_dump_of_another_wikipedia_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="is in the language de, not en: 30 of its first 30 articles"):
        Ingested(tmp_path, many(30, language="de"))
    monkeypatch.setattr(pages, "SAMPLE", 20)
    monkeypatch.setattr(pages, "BLOCK", 1000)
    with pytest.raises(UserError, match=r"2\d of its first 2\d articles"):
        Ingested(tmp_path, many(300, language="de"))
    Ingested(tmp_path, many(30), lang="simple")
    Ingested(tmp_path, many(30, language="zh-hans"), lang="zh")
    Ingested(tmp_path, many(30, language=...), lang="zh")


def test_provenance_names_the_dump(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    Ingested(tmp_path, pair())
    metadata = pq.read_metadata(tmp_path / "good" / "part-00000.parquet").metadata
    assert metadata[b"key"] == b"a key" and json.loads(metadata[b"sources"]) == {"wikipedia-en": "1a"}
