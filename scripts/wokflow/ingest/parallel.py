"""Readers of published parallel sentences: Moses pairs, TMX, Samanantar, content translations, TSV, CAMT's JSON.

Each reader yields a Row for every record of its file, good or not, in the file's order and in bounded memory.
"""

import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from wokflow.frame.job import UserError
from wokflow.frame.language_codes import wikipedia
from wokflow.ingest.footnotes import without_marks
from wokflow.ingest.json_records import Stream, records
from wokflow.ingest.markup import text_of
from wokflow.ingest.raw_records import MAX_LINE, Reject
from wokflow.ingest.sentence_alignment import aligned, sentences
from wokflow.ingest.stream import BROKEN_ZIP, CHUNK, Truncated, check_readable, chunks

BOMB = 1 << 30  # bytes above which a file is refused if its compression ratio exceeds BEST
BEST = 200  # highest compression ratio of text
LAST = 1 << 12  # bytes in which a translation memory ends
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
NATIVE = frozenset({"bpt", "ept", "it", "ph", "ut", "sub"})  # elements of TMX that hold a format's own codes


class Row(NamedTuple):
    """One record: both sides, or a reject if it lacks one; `position` in the file is 0 to 1."""

    position: float
    source: str
    target: str
    reject: Reject | None = None


def read_moses(paths: Sequence[str], pair: str) -> Iterator[Row]:
    """Two files with one sentence a line, plain or compressed, or one zip archive with both.

    Lines after the end of the shorter file are rejected (no_partner).
    """
    first, second = _moses_streams(paths, pair)
    for left, right in zip_longest(_texts(first), _texts(second)):
        (position, source), (_, target) = left or right, right or left
        if left is None or right is None:
            yield Row(
                position, str(source) if left else "", str(target) if right else "", Reject("no_partner")
            )
        else:
            yield _row(position, source, target)


def read_tsv(paths: Sequence[str], pair: str) -> Iterator[Row]:
    """A tab-separated table whose header has `source` and `target`.

    A cell that only a spreadsheet can have written so, with all marks in it doubled ("He said ""no""."), is read
    without them.
    """
    for row in _columns(paths[0], ("source", "target")):
        yield row if row.reject else row._replace(source=_unquoted(row.source), target=_unquoted(row.target))


def _unquoted(cell: str) -> str:
    inside = cell[1:-1]
    whole = len(cell) > 2 and cell[0] == cell[-1] == '"' and '""' in inside
    return inside.replace('""', '"') if whole and '"' not in inside.replace('""', "") else cell


def read_samanantar(paths: Sequence[str], pair: str) -> Iterator[Row]:
    """Samanantar: English and a language of India, as Moses files or as a table with columns src and tgt."""
    ending = Path(paths[0]).suffix.lower()
    names = ("src", "tgt") if pair.startswith("en-") else ("tgt", "src")
    if len(paths) == 1 and ending == ".parquet":
        yield from _parquet(paths[0], names)
    elif len(paths) == 1 and ".tsv" in Path(paths[0]).suffixes:
        yield from _columns(paths[0], names)
    else:
        yield from read_moses(paths, pair)


def read_tmx(paths: Sequence[str], pair: str) -> Iterator[Row]:
    """Translation memories (TMX 1.4). Each <tu> is parsed alone, without entities; a broken one is a reject."""
    languages = pair.split("-", 1)
    for position, unit in _units(guarded(paths[0], chunks(paths[0]))):
        try:
            sides = _sides(unit)
            yield _row(position, *(_of_language(sides, lang) for lang in languages))
        except Reject as reject:
            yield Row(position, _shown(unit), "", reject)


def read_content_translation(paths: Sequence[str], pair: str) -> Iterator[Row]:
    """Wikipedia's content translations: sections with source, machine and user text, whose sentences are aligned.

    The array of the dump is read record by record. Marks of footnotes are left out, as they are no text. A
    sentence without partner is rejected (no_partner).
    """
    for position, record in _records(paths[0]):
        for source, target, reject in _section(record, *pair.split("-", 1)):
            yield Row(position, source, target, reject)


def read_camt(paths: Sequence[str], pair: str) -> Iterator[Row]:
    """CAMT's published JSON, as enrich.assemble writes it, too: an array of objects with source and target."""
    for position, record in _records(paths[0]):
        source, target = (isinstance(record, dict) and record.get(side) for side in ("source", "target"))
        if isinstance(source, str) and isinstance(target, str):
            yield Row(position, source, target)
        else:
            yield Row(position, _as_read(record), "", Reject("broken_record", "no source and target"))


READERS: Mapping[str, Callable[[Sequence[str], str], Iterator[Row]]] = {
    "moses": read_moses,
    "tmx": read_tmx,
    "samanantar": read_samanantar,
    "content_translation": read_content_translation,
    "tsv": read_tsv,
    "camt": read_camt,
}


def _row(position: float, source: str | Reject, target: str | Reject) -> Row:
    """The row of two sides. A damaged side is passed as a Reject, and makes the row one."""
    for side in (source, target):
        if isinstance(side, Reject):
            first, second = ("" if isinstance(text, Reject) else text for text in (source, target))
            return Row(position, first, second, side)
    return Row(position, str(source), str(target))


def _shown(data: bytes) -> str:
    return data[:10_000].decode(errors="backslashreplace").replace("\0", "\\x00")


def guarded(path: str, stream: Stream) -> Stream:
    """The stream. Raises UserError for a decompression bomb."""
    size, done = max(Path(path).stat().st_size, 1), 0
    for data, share in stream:
        done += len(data)
        if done > BOMB and done > BEST * size * max(share, 1 / size):
            raise UserError(
                f"{path} holds more than {done >> 20} MiB in {size * share / (1 << 20):.1f} MiB: no text compresses "
                "so well, so it is damaged or made to fill disks. Fetch it again from where it is published."
            )
        yield data, share


def _lines(stream: Stream) -> Iterator[tuple[float, bytes | Reject]]:
    """Lines without their ends; a line longer than MAX_LINE is a Reject."""
    rest, skipped = b"", False
    share = 0.0
    for data, end in stream:
        begin, share = share, end
        *complete, rest = (rest + data).split(b"\n")
        for number, line in enumerate(complete):
            at = begin + (share - begin) * number / len(complete)
            yield at, Reject("oversized_row") if skipped or len(line) > MAX_LINE else line
            skipped = False
        if len(rest) > MAX_LINE:
            rest, skipped = b"", True
    if rest or skipped:
        yield share, Reject("oversized_row") if skipped else rest


def _texts(stream: Stream) -> Iterator[tuple[float, str | Reject]]:
    for number, (share, line) in enumerate(_lines(stream)):
        yield share, line if isinstance(line, Reject) else _decoded(line, first=not number)


def _decoded(line: bytes, *, first: bool) -> str | Reject:
    try:
        text = (line.removeprefix(b"\xef\xbb\xbf") if first else line).decode().removesuffix("\r")
    except UnicodeDecodeError as error:
        return Reject("invalid_utf8", str(error))
    return Reject("nul_byte") if "\0" in text else text


def _moses_streams(paths: Sequence[str], pair: str) -> tuple[Stream, Stream]:
    if len(paths) == 2:
        first, second = (guarded(path, chunks(path)) for path in paths)
        return first, second
    (path,) = paths
    first, second = (_member(path, name) for name in members(path, pair))
    return first, second


def members(path: str, pair: str) -> tuple[str, str]:
    """The two files in a zip archive whose names end in the languages, as OPUS names them (NAME.en-zh.en).

    Raises UserError where one is missing, where there are several, and for an archive with a name that leads out of
    its folder.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
    except BROKEN_ZIP as error:
        raise UserError(f"{path} is no zip archive, or is cut off ({error}): fetch it again.") from error
    for name in names:
        if name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) or ":" in name:
            raise UserError(
                f"{path} holds {name!r}, a name that leads out of its folder: no archive of OPUS does that. Fetch it "
                "again from where it is published."
            )
    first, second = (_member_of(path, names, lang) for lang in pair.split("-", 1))
    return first, second


def _member_of(path: str, names: Sequence[str], lang: str) -> str:
    ending = re.compile(rf"\.{re.escape(lang)}([-_][A-Za-z]+)?", re.IGNORECASE)
    matching = [name for name in names if ending.fullmatch(Path(name).suffix)]
    exact = [name for name in matching if name.endswith(f".{lang}")]
    if len(exact or matching) != 1:
        held = ", ".join(sorted(names)[:8]) or "nothing"
        raise UserError(
            f"{path} has {len(exact or matching)} files that end in .{lang} instead of one. It holds {held}. Check "
            "`pair`; if it is right, unpack the archive and name both files."
        )
    return (exact or matching)[0]


def _member(path: str, name: str) -> Stream:
    """One file of a zip archive; raises Truncated where it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo(name)
            check_readable(path, info)
            if info.file_size > BOMB and info.file_size > BEST * max(info.compress_size, 1):
                raise UserError(f"{path}: {name} would have {info.file_size >> 20} MiB, as no text has.")
            done = 0
            with archive.open(info) as content:
                while data := content.read(CHUNK):
                    done += len(data)
                    yield data, done / max(info.file_size, 1)
    except BROKEN_ZIP as error:
        raise Truncated(f"damaged zip archive: {error}") from error


def _columns(path: str, names: tuple[str, str]) -> Iterator[Row]:
    places: list[int] | None = None
    width = 0
    for position, line in _texts(guarded(path, chunks(path))):
        if places is None:
            header = [] if isinstance(line, Reject) else line.split("\t")
            if missing := [name for name in names if name not in header]:
                raise UserError(
                    f"{path}: its first line must name the columns; missing: {', '.join(missing)}."
                )
            places, width = [header.index(name) for name in names], len(header)
        elif isinstance(line, Reject):
            yield Row(position, "", "", line)
        elif len(cells := line.split("\t")) != width:
            yield Row(position, line, "", Reject("broken_record", f"{len(cells)} cells of {width}"))
        else:
            yield Row(position, cells[places[0]], cells[places[1]])


def _parquet(path: str, names: tuple[str, str]) -> Iterator[Row]:
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        done, rows = 0, max(file.metadata.num_rows, 1)
        for batch in file.iter_batches(columns=list(names)):
            for source, target in zip(*(batch.column(name).to_pylist() for name in names), strict=True):
                done += 1
                yield Row(done / rows, str(source or ""), str(target or ""))
    except (OSError, ValueError, KeyError) as error:
        raise UserError(
            f"{path} cannot be read as Parquet with columns {', '.join(names)}: {error}"
        ) from error


def _units(stream: Stream) -> Iterator[tuple[float, bytes]]:
    """The <tu> elements of a translation memory, as bytes of UTF-8. Raises Truncated behind them without an end."""
    begin, end = re.compile(rb"<tu[\s>]"), b"</tu>"
    rest, last = b"", b""
    for data, share in _utf8(stream):
        rest += data
        last = (last + data)[-LAST:]
        at = 0
        while tag := begin.search(rest, at):
            stop = rest.find(end, tag.start())
            after = begin.search(rest, tag.end())
            if stop < 0 and not after and len(rest) - tag.start() <= MAX_LINE:
                break
            if stop < 0 or (after and after.start() < stop):  # no end before the next one begins
                stop = after.start() if after else len(rest)
                yield share, rest[tag.start() : stop]
                at = stop
            else:
                at = stop + len(end)
                yield share, rest[tag.start() : at]
        rest = rest[tag.start() if tag else max(at, len(rest) - len(b"<tu>")) :]
    if begin.match(rest):
        yield 1.0, rest
    if b"</tmx>" not in last:
        raise Truncated("it has no end (</tmx>)")


def _utf8(stream: Stream) -> Stream:
    """The stream in UTF-8 if it is UTF-16 with a byte order mark, as translation memories may be; else unchanged."""
    import codecs

    decoder: codecs.IncrementalDecoder | None = None
    for number, (data, share) in enumerate(stream):
        if not number and data.startswith((b"\xff\xfe", b"\xfe\xff")):
            decoder = codecs.getincrementaldecoder("utf-16")("replace")
        yield decoder.decode(data).encode() if decoder else data, share


def _sides(unit: bytes) -> dict[str, str]:
    """The text of each language of a <tu>; raises Reject where it is broken."""
    if b"\0" in unit:
        raise Reject("nul_byte")
    try:
        element = ElementTree.fromstring(unit.decode())
    except UnicodeDecodeError as error:
        raise Reject("invalid_utf8", str(error)) from error
    except ElementTree.ParseError as error:
        raise Reject("broken_markup", str(error)) from error
    sides: dict[str, str] = {}
    for variant in element.iter("tuv"):
        lang = variant.get(XML_LANG) or variant.get("lang") or ""
        segment = variant.find("seg")
        if segment is not None:
            try:
                sides.setdefault(lang.lower().replace("_", "-"), "".join(_plain(segment)))
            except RecursionError as error:
                raise Reject("broken_markup", "nested too deeply") from error
    return sides


def _plain(segment: ElementTree.Element) -> Iterator[str]:
    """The text of a segment without its NATIVE elements."""
    yield segment.text or ""
    for inner in segment:
        if inner.tag not in NATIVE:
            yield from _plain(inner)
        yield inner.tail or ""


def _of_language(sides: Mapping[str, str], lang: str) -> str:
    lang = lang.lower().replace("_", "-")
    for name in (lang, *sorted(name for name in sides if name.startswith(f"{lang}-"))):
        if name in sides:
            return sides[name]
    raise Reject("missing_field", f"no {lang}, but {', '.join(sorted(sides)) or 'nothing'}")


def _records(path: str) -> Iterator[tuple[float, Any]]:
    return records(lambda: guarded(path, chunks(path)))


def _section(record: Any, source: str, target: str) -> Iterator[tuple[str, str, Reject | None]]:
    """The aligned sentences of a content translation's section."""
    try:
        languages = [str(record[f"{side}Language"]) for side in ("source", "target")]
        texts = [_content(record.get(member)) for member in ("source", "target", "mt")]
    except (KeyError, TypeError, AttributeError) as error:
        yield _as_read(record), "", Reject("broken_record", repr(error))
        return
    if [*map(wikipedia, languages)] != [wikipedia(source), wikipedia(target)]:
        yield texts[0], texts[1], Reject("wrong_language", f"from {languages[0]} to {languages[1]}")
        return
    ours, theirs, machine = map(sentences, texts)
    for left, right in aligned(ours, theirs, machine, (source, target)):
        yield left, right, None if left and right else Reject("no_partner")


def _as_read(record: Any) -> str:
    try:
        return json.dumps(record, ensure_ascii=False, default=str)[:10_000]
    except RecursionError:
        return "nested too deeply"


def _content(member: Any) -> str:
    text = str((member or {}).get("content") or "")
    return without_marks(text_of(text) if "<" in text else text)
