"""Parallel sentences of every published form: rows in = rows out + rejects, and each reject has its reason."""

import bz2
import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame.job import Job, UserError
from wokflow.ingest import schemas
from wokflow.ingest.sentences import ingest_sentences, length_ratio
from wokflow.ingest.source import ingest_source
from wokflow.ingest.stage import source_files

from tests.ingest.defaults import sentences_settings

PAIRS = [
    ("Peking duck is carved at the table.", "北京烤鸭在桌边片切。"),
    ("Tamales are steamed in corn husks.", "玉米粽用玉米皮包着蒸熟。"),
    ("Every guest gets a bowl of soup first.", "每位客人先喝一碗汤。"),
]
Read = Callable[..., tuple[list[tuple[int, str, str]], list[tuple[int, str]]]]


def read_into(folder: Path, kind: str, path: Any, pair: str, *, parts: int = 1, **changed: Any) -> Any:
    """The pairs as (row, source, target), and the rejects as (row, reason)."""
    raw = source_files({"kind": kind, "pair": pair, "path": path})
    ingest_source(raw=raw, data=str(folder / "source.json"), job=Job())
    names = [[str(folder / f"{table}{number}.parquet") for number in range(parts)] for table in "sr"]
    ingest_sentences(
        source=str(folder / "source.json"),
        sentences=names[0],
        rejects=names[1],
        corpus="mine",
        settings=sentences_settings(kind, raw, pair, **changed),
        job=Job(),
    )
    good, bad = (pl.read_parquet(each) for each in names)
    assert good["sentence_id"].to_list() == [f"mine:{row}" for row in good["source_row"]]
    assert set(bad["reason"]) <= set(schemas.REASONS)
    assert sorted([*good["source_row"], *bad["source_row"]]) == list(range(len(good) + len(bad)))
    return (
        list(good.select("source_row", "source", "target").iter_rows()),
        list(bad.select("source_row", "reason").iter_rows()),
    )


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def call(kind: str, path: Any, pair: str = "en-zh", **changed: Any) -> Any:
        return read_into(tmp_path, kind, path, pair, **changed)

    return call


WANT = [(number, *pair) for number, pair in enumerate(PAIRS)]


def sides() -> list[str]:
    return ["".join(f"{pair[side]}\n" for pair in PAIRS) for side in (0, 1)]


def test_moses_pairs_by_name_by_stem_compressed_and_in_a_zip(tmp_path: Path, read: Read) -> None:
    en, zh = sides()
    (tmp_path / "TED.en-zh.en").write_text(en)
    (tmp_path / "TED.en-zh.zh").write_text(zh)
    assert read("moses", [str(tmp_path / "TED.en-zh.en"), str(tmp_path / "TED.en-zh.zh")]) == (WANT, [])
    assert read("moses", str(tmp_path / "TED.en-zh")) == (WANT, [])
    (tmp_path / "z.en.gz").write_bytes(gzip.compress(en.encode()))
    (tmp_path / "z.zh.gz").write_bytes(gzip.compress(zh.replace("\n", "\r\n").encode()))
    assert read("moses", str(tmp_path / "z")) == (WANT, [])
    with zipfile.ZipFile(tmp_path / "opus.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README", "about")
        archive.writestr("LICENSE", "free")
        archive.writestr("TED.en-zh_CN.en", en)
        archive.writestr("TED.en-zh_CN.zh_CN", "\ufeff" + zh)
    assert read("moses", str(tmp_path / "opus.zip")) == (WANT, [])


def test_files_of_different_length_are_refused_or_their_rest_rejected(tmp_path: Path, read: Read) -> None:
    en, zh = sides()
    (tmp_path / "a.en").write_text(en)
    (tmp_path / "a.zh").write_text(zh + "多了一行。\n")
    with pytest.raises(UserError, match="one file has 1 lines more than the other"):
        read("moses", str(tmp_path / "a"))
    assert read("moses", str(tmp_path / "a"), truncated="keep") == (WANT, [(3, "no_partner")])
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for lang in ("en", "zh"):
            archive.write(tmp_path / f"a.{lang}", f"a.en-zh.{lang}")
    with pytest.raises(UserError, match="one file has 1 lines more than the other"):
        read("moses", str(tmp_path / "a.zip"))


def test_marks_that_a_spreadsheet_wrote_around_a_cell_are_undone(tmp_path: Path, read: Read) -> None:
    """As other marks stay: a whole sentence may be a quotation."""
    cells = ['"He said ""no"", twice."', '"A quotation."', '"One" and "two"', '"""Three."""']
    rows = "".join(f"{cell}\t句子{number}。\n" for number, cell in enumerate(cells))
    (tmp_path / "a.tsv").write_text(f"source\ttarget\n{rows}")
    good, bad = read("tsv", str(tmp_path / "a.tsv"), language=False)
    assert [source for _, source, _ in good] == [
        'He said "no", twice.',
        '"A quotation."',
        '"One" and "two"',
        '"Three."',
    ]
    assert bad == []


def test_pairs_of_other_sides_are_no_duplicates_wherever_tabs_stand(tmp_path: Path, read: Read) -> None:
    (tmp_path / "a.en").write_text("one 1\t2\none 1\n")
    (tmp_path / "a.zh").write_text("一\n2\t一\n")
    good, bad = read("moses", str(tmp_path / "a"), spaces=False, language=False)
    assert (len(good), bad) == (2, [])


@pytest.mark.parametrize("name", ["../x.en", "/x.en", "a/../../x.en", "C:\\x.en", "..\\x.en"])
def test_an_archive_that_leads_out_of_its_folder_is_refused(name: str, tmp_path: Path, read: Read) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, "x")
        archive.writestr("x.zh", "x")
    with pytest.raises(UserError, match="leads out of its folder"):
        read("moses", str(tmp_path / "a.zip"))
    assert {path.name for path in tmp_path.iterdir()} == {"a.zip", "source.json"}


def test_an_archive_without_the_languages_says_what_it_holds(tmp_path: Path, read: Read) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("TED.en-fr.en", "x")
        archive.writestr("TED.en-fr.fr", "x")
    with pytest.raises(
        UserError, match=r"0 files that end in \.zh instead of one. It holds TED.en-fr.en, TED"
    ):
        read("moses", str(tmp_path / "a.zip"))


@pytest.mark.parametrize("make", ["gz", "zip"])
def test_a_decompression_bomb_is_refused_in_bounded_memory(
    make: str, tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wokflow.ingest.parallel.BOMB", 20 << 20)
    data = b"0" * (64 << 20)
    if make == "gz":
        paths: Any = [str(tmp_path / f"a.{lang}.gz") for lang in ("en", "zh")]
        for path in paths:
            Path(path).write_bytes(gzip.compress(data))
    else:
        paths = str(tmp_path / "a.zip")
        with zipfile.ZipFile(paths, "w", zipfile.ZIP_DEFLATED) as archive:
            for lang in ("en", "zh"):
                archive.writestr(f"a.{lang}", data)
    with pytest.raises(UserError, match="no text"):
        read("moses", paths)


def test_a_truncated_archive_is_refused_or_kept_as_far_as_it_goes(tmp_path: Path, read: Read) -> None:
    lines = [f"{number * 7919 % 10007} dumplings for {number} guests" for number in range(3000)]
    whole = gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0)
    (tmp_path / "a.en.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "a.zh").write_text("".join(f"{line} 请吃饺子\n" for line in lines))
    with pytest.raises(UserError, match="cut off or damaged"):
        read("moses", str(tmp_path / "a"))  # the stem finds .gz beside a plain file
    good, bad = read("moses", str(tmp_path / "a"), truncated="keep", mostly_rejected="keep", language=False)
    assert len(good) > 1000 and good[0][1:] == (lines[0], f"{lines[0]} 请吃饺子")
    assert bad[-1][1] == "truncated_archive"


TMX = """<?xml version="1.0" encoding="UTF-8" ?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en" datatype="PlainText"/>
<body>
{}
</body></tmx>
"""


def unit(source: str, target: str, lang: str = "zh-CN") -> str:
    return (
        f'<tu tuid="1"><prop type="score">1</prop><tuv xml:lang="EN"><seg>{source}</seg></tuv>\n'
        f'<tuv xml:lang="{lang}"><seg>{target}</seg></tuv></tu>'
    )


def test_translation_memories(tmp_path: Path, read: Read) -> None:
    units = [
        unit(*PAIRS[0]),
        unit(
            "A &lt;b&gt; <bpt i='1'>{\\b</bpt>bowl<ept i='1'>}</ept> of <hi>soup</hi> &amp; rice",
            "一碗汤和米饭",
        ),
        unit("broken <seg>", "坏了"),
        unit("An entity &boom;", "实体"),
        unit("No Chinese here", "rien", "fr"),
        '<tu><tuv xml:lang="en"><seg>never closed</seg></tuv>',
        unit(*PAIRS[1]),
    ]
    text = TMX.format("\n".join(units))
    (tmp_path / "a.tmx").write_text(text)
    good, bad = read("tmx", str(tmp_path / "a.tmx"), mostly_rejected="keep")
    assert good == [(0, *PAIRS[0]), (1, "A <b> bowl of soup & rice", "一碗汤和米饭"), (6, *PAIRS[1])]
    assert bad == [(2, "broken_markup"), (3, "broken_markup"), (4, "missing_field"), (5, "broken_markup")]
    (tmp_path / "b.tmx.gz").write_bytes(gzip.compress(text.encode("utf-16")))
    assert read("tmx", str(tmp_path / "b.tmx.gz"), mostly_rejected="keep") == (good, bad)
    for name, end in (("between.tmx", text.rindex("<tu ")), ("within.tmx", text.rindex("</tu>"))):
        (tmp_path / name).write_text(text[:end])
        with pytest.raises(UserError, match=r"cut off or damaged after \d rows: it has no end"):
            read("tmx", str(tmp_path / name), mostly_rejected="keep")


def test_a_translation_memory_that_is_a_bomb_of_entities_expands_nothing(tmp_path: Path, read: Read) -> None:
    bomb = (
        '<!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
        + unit("&b;", "哈")
        + unit(*PAIRS[0])
        + "</tmx>"
    )
    (tmp_path / "a.tmx").write_text(bomb)
    assert read("tmx", str(tmp_path / "a.tmx")) == ([(1, *PAIRS[0])], [(0, "broken_markup")])


@given(size=st.integers(1, 400))
def test_units_do_not_depend_on_where_the_stream_is_cut(size: int) -> None:
    from wokflow.ingest.parallel import _units

    data = TMX.format("".join(unit(*pair) for pair in PAIRS)).encode()
    cut = ((data[at : at + size], 0.5) for at in range(0, len(data), size))
    assert [each for _, each in _units(cut)] == [unit(*pair).encode() for pair in PAIRS]


def test_tables_with_tabs(tmp_path: Path, read: Read) -> None:
    rows = [
        "id\tsource\ttarget",
        *(f"{n}\t{one}\t{other}" for n, (one, other) in enumerate(PAIRS)),
        "one cell",
    ]
    (tmp_path / "a.tsv").write_text("\n".join(rows) + "\n")
    assert read("tsv", str(tmp_path / "a.tsv")) == (WANT, [(3, "broken_record")])
    (tmp_path / "b.tsv").write_text("en\tzh\na\tb\n")
    with pytest.raises(UserError, match="first line must name the columns; missing: source, target"):
        read("tsv", str(tmp_path / "b.tsv"))


def test_samanantar_in_each_of_its_forms(tmp_path: Path, read: Read) -> None:
    hindi = [(one, f"यह {number} वाक्य है") for number, (one, _) in enumerate(PAIRS)]
    want = ([(number, *pair) for number, pair in enumerate(hindi)], [])
    with zipfile.ZipFile(tmp_path / "en-hi.zip", "w") as archive:
        for side, lang in enumerate(("en", "hi")):
            archive.writestr(f"en-hi/train.{lang}", "".join(f"{pair[side]}\n" for pair in hindi))
    assert read("samanantar", str(tmp_path / "en-hi.zip"), "en-hi") == want
    table = pl.DataFrame(
        {"idx": [0, 1, 2], "src": [pair[0] for pair in hindi], "tgt": [pair[1] for pair in hindi]}
    )
    table.write_parquet(tmp_path / "a.parquet")
    assert read("samanantar", str(tmp_path / "a.parquet"), "en-hi") == want
    table.write_csv(tmp_path / "a.tsv", separator="\t")
    assert read("samanantar", str(tmp_path / "a.tsv"), "en-hi") == want
    turned = [(number, other, one) for number, one, other in want[0]]
    assert read("samanantar", str(tmp_path / "a.parquet"), "hi-en") == (turned, [])


def section(source: str, target: str, machine: str | None = None, languages: str = "en-zh") -> dict[str, Any]:
    one, other = languages.split("-")
    return {
        "id": "7/1",
        "sourceLanguage": one,
        "targetLanguage": other,
        "source": {"engine": None, "content": source, "timestamp": "20260101"},
        "mt": machine and {"engine": "Apertium", "content": machine},
        "target": {"engine": None, "content": target},
    }


def test_content_translations_are_aligned_by_sentence(tmp_path: Path, read: Read) -> None:
    records = [
        section(" ".join(pair[0] for pair in PAIRS), "".join(pair[1] for pair in PAIRS)),
        section("<p>Soup is <b>hot</b>.</p><script>x</script>", "<p>汤是热的。</p>"),
        section(
            "Nobody translated this one at all. Soup is good.",
            "汤很好喝。",
            "没有人翻译过这一句。汤是好喝的。",
        ),
        section("Une soupe.", "汤。", languages="fr-zh"),
        {"id": "8"},
    ]
    dump = json.dumps(records, indent=1).encode()
    (tmp_path / "cx.json.gz").write_bytes(gzip.compress(dump))
    (tmp_path / "cx.json.bz2").write_bytes(bz2.compress(dump))
    good, bad = read("content_translation", str(tmp_path / "cx.json.gz"))
    assert read("content_translation", str(tmp_path / "cx.json.bz2")) == (good, bad)
    assert good == [*WANT, (3, "Soup is hot.", "汤是热的。"), (5, "Soup is good.", "汤很好喝。")]
    assert bad == [(4, "no_partner"), (6, "wrong_language"), (7, "broken_record")]
    (tmp_path / "cut.json").write_text(json.dumps(records)[:-300])
    with pytest.raises(UserError, match="cut off"):
        read("content_translation", str(tmp_path / "cut.json"))


def test_the_json_of_camt_is_read_and_a_record_without_both_sides_is_a_reject(
    tmp_path: Path, read: Read
) -> None:
    records = [
        *({"source": one, "target": other, "labels": []} for one, other in PAIRS),
        {"source": "Soup."},
        [],
    ]
    (tmp_path / "camt.json").write_text(json.dumps(records, indent=1))
    good, bad = read("camt", str(tmp_path / "camt.json"))
    assert good == WANT and bad == [(len(PAIRS) + place, "broken_record") for place in (0, 1)]


@pytest.mark.parametrize("kind", ["camt", "content_translation"])
def test_a_number_too_long_for_python_is_refused_with_its_file(kind: str, tmp_path: Path, read: Read) -> None:
    """ijson's C library ends the process there; digits of a text are none."""
    records = [{"source": one, "target": other, "more": "9" * 5000} for one, other in PAIRS]
    dump = json.dumps(records)
    (tmp_path / "text.json").write_text(dump)
    if kind == "camt":
        assert read("camt", str(tmp_path / "text.json")) == (WANT, [])
    (tmp_path / "long.json").write_text(dump[:-1] + ', {"source": ' + "9" * 5000 + "}]")
    with pytest.raises(UserError, match=rf"long\.json: cut off or damaged after {len(PAIRS)} rows"):
        read(kind, str(tmp_path / "long.json"))


HOSTILE = [
    {"source": "deep", "also": "DEEP"},
    section("<![<![<!--", "<![x"),
    section("&#" + "9" * 5000 + "; <b", "<b&#xffffffff;"),
    section("a", "b", languages="en\u0000-zh"),
    {"id": 1, "sourceLanguage": ["en"], "targetLanguage": "zh", "source": {"content": [1]}},
]


def test_records_that_are_made_to_harm_are_read_or_rejected(tmp_path: Path, read: Read) -> None:
    dump = json.dumps(HOSTILE).replace('"DEEP"', 3000 * "[" + 3000 * "]")
    (tmp_path / "cx.json").write_text(dump)
    good, bad = read("content_translation", str(tmp_path / "cx.json"), mostly_rejected="keep")
    assert len(good) + len(bad) >= len(HOSTILE)
    (tmp_path / "half.json").write_text(json.dumps([section("half \ud800 a pair.", "\udc00一半。")]))
    with pytest.raises(UserError, match="cut off or damaged"):
        read("content_translation", str(tmp_path / "half.json"))
    nested = unit("<hi>" * 3000 + "soup" + "</hi>" * 3000, "汤")
    (tmp_path / "a.tmx").write_text(TMX.format(nested + unit(*PAIRS[0])))
    assert read("tmx", str(tmp_path / "a.tmx")) == ([(1, *PAIRS[0])], [(0, "broken_markup")])


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("", "空", "empty_side"),
        ("---", "空", "empty_side"),
        ("Same words", "same words", "identical_sides"),
        ("Yes", "是" * 60, "length_ratio"),
        ("word " * 500, "词" * 500, "length_ratio"),
        (PAIRS[0][0], "Das ist ein deutscher Satz, und zwar ein ziemlich langer.", "wrong_language"),
        (
            PAIRS[0][0],
            "The Headless Horseman Pursuing Ichabod Crane, by John Quidor, 1858",
            "wrong_language",  # by its script: names may be of any language
        ),
        (PAIRS[0][0], PAIRS[0][1], "duplicate"),
        ("\0bad", "坏", "nul_byte"),
    ],
)
def test_what_is_no_pair_is_rejected(
    source: str, target: str, reason: str, tmp_path: Path, read: Read
) -> None:
    rows = [*PAIRS, (source, target)]
    text = "source\ttarget\n" + "".join(f"{one}\t{other}\n" for one, other in rows)
    (tmp_path / "a.tsv").write_text(text)
    assert read("tsv", str(tmp_path / "a.tsv")) == (WANT, [(3, reason)])


def test_bytes_that_are_no_text_are_one_reject(tmp_path: Path, read: Read) -> None:
    (tmp_path / "a.tsv").write_bytes(
        b"source\ttarget\nbad \xff\tx\n" + "".join("\t".join(pair) + "\n" for pair in PAIRS).encode()
    )
    good, bad = read("tsv", str(tmp_path / "a.tsv"))
    assert bad == [(0, "invalid_utf8")] and [row[1:] for row in good] == PAIRS


def test_swapped_sides_are_refused_with_advice(tmp_path: Path, read: Read) -> None:
    rows = "".join(
        f"很长的一句中文，说的是饺子和面条还有米饭{n}\tThis is a longer English sentence about rice {n}.\n"
        for n in range(20)
    )
    (tmp_path / "a.tsv").write_text("source\ttarget\n" + rows)
    with pytest.raises(UserError, match=r"20 wrong_language.*the sides in the order of `pair`"):
        read("tsv", str(tmp_path / "a.tsv"))


def test_lengths_are_compared_by_letters() -> None:
    assert length_ratio("abc", "abc") == 1.0
    assert length_ratio("北京", "Peking") == 1.0  # a character for three letters
    assert length_ratio("a", "") < 2  # short texts differ by chance


@pytest.mark.parametrize(("pair", "lost"), [("en-zh", 3), ("en-es", 62), ("en-hi", 0)])
def test_published_pairs_pass(pair: str, lost: int, shared: Path, tmp_path: Path) -> None:
    """CAMT's own sentences. Lost are those that are the same on both sides, or have only one."""
    rows = json.loads((shared / "real" / "camt" / f"{pair}.json").read_text(encoding="utf-8"))
    for side, lang in zip(("source", "target"), pair.split("-"), strict=True):
        text = "".join(" ".join(row[side].split()) + "\n" for row in rows)
        (tmp_path / f"camt.{lang}").write_text(text, encoding="utf-8")
    good, bad = read_into(tmp_path, "moses", str(tmp_path / "camt"), pair, duplicates=False)
    assert len(good) + len(bad) == len(rows)
    assert len(bad) == lost, bad
