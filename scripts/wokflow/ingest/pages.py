"""First paragraphs of Wikipedia's articles, from a dump of its search index (CirrusSearch), in bounded memory.

The dump has two lines for each page: {"index": {"_id": "123", ...}} and the page's document. The paragraphs are the
explanations of culture-specific items (paper, section 3.2, and "External CSI Explanation" in section 4).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.languages import SCRIPT_ENDS, SENTENCE_ENDS, WIDE_ENDS
from wokflow.frame.tables import of_source
from wokflow.frame.wikidata import QID
from wokflow.ingest.first_rejects import FirstRejects
from wokflow.ingest.leads import first_of_joined
from wokflow.ingest.raw_records import MAX_LINE, Reject, blocks
from wokflow.ingest.row_parts import Parts
from wokflow.ingest.schemas import PAGES, REJECTS
from wokflow.ingest.settings import PagesSettings

BLOCK = 8 << 20  # bytes read at once
LEAST = 1 << 16  # bytes; smallest size of a block, whatever the number of parts
HOPELESS = 10_000  # rows without a page after which the rest of a dump is not read
SAMPLE = 1000  # pages after which their majority must be in the requested language
RAW = 1000  # bytes of a rejected document that are kept, since documents can have some MB
MOST = 1 << 32  # numbers of pages and revisions are smaller, and will be for decades
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
START = re.compile(rb'(?m)^\{"index"[^\n]*\n')
LONGEST_TITLE = 255  # bytes in UTF-8, by MediaWiki's rules
NO_TITLE = re.compile(
    r"[\x00-\x1f\x7f#<>\[\]{|}\ufffd]"
)  # characters that no title has; | would make it several
INCOMPLETE = frozenset({"broken_record", "invalid_utf8", "nul_byte", "oversized_row"})
HEADING = re.compile(r"(=+) .* \1")
# The beginning of a redirect: MediaWiki's words for it in English, which all Wikipedias accept, and in some other
# languages.
REDIRECT = re.compile(
    r"\s*[#＃](?:REDIRECT|重定向|重新導向|転送|リダイレクト|WEITERLEITUNG|REDIRECTION|REDIRECCI[OÓ]N|REDIRECIONAMENTO|RINVI[AO]|RIMANDO"
    r"|перенаправление|перенапр|पुनर्प्रेषित|अनुप्रेषित|வழிமாற்று|దారిమార్పు|넘겨주기|تحويل)\s*+(?::\s*+)?\[\[",
    re.IGNORECASE,
)
# The end of a sentence with the closing quotes and brackets after it.
SENTENCE_END = re.compile(rf"[{SENTENCE_ENDS}{SCRIPT_ENDS}][\"'”’»)\]]*(?=\s)|[{WIDE_ENDS}][\"'”’」』）]*")


class Page(NamedTuple):
    """A row of the table ingest/pages/{lang}; schemas.PAGES describes the columns."""

    page_id: int
    revision_id: int
    title: str
    qid: str | None
    summary: str
    lang: str


def ingest_pages(
    *,
    source: str,
    pages: Sequence[str],
    rejects: Sequence[str],
    lang: str,
    settings: PagesSettings,
    job: Job,
) -> None:
    """Read the dump of the Wikipedia in `lang`; write each row to the parts `pages` or `rejects`, in order.

    A row is a pair of lines, or a line without a partner. `source` is the description of the file by ingest_source. A
    summary has at most `longest` characters: see first_paragraph. Raises UserError where the dump is cut off or
    damaged, unless `truncated` says to keep what could be read; where it has no article; and where most articles are
    in another language.
    """
    raw, progress = settings.raw, job.progress
    corpus = f"wikipedia-{lang}"
    metadata = of_source(job.metadata, corpus, source)
    counts: Counter[str] = Counter()
    reader = _Reader(lang, settings.longest)
    damage: str | None = None
    first = FirstRejects(rejects[0])
    with ExitStack() as stack:
        good = Parts(stack, pages, PAGES, metadata)
        bad = Parts(stack, rejects, REJECTS, metadata)
        for position, rows, end in _rows(raw, reader, good.count):
            damage = end
            kept = [row for row in rows if isinstance(row, Page)]
            rejected = [
                (corpus, counts.total() + place, row.reason, row.detail or None, row.raw)
                for place, row in enumerate(rows)
                if isinstance(row, _Rejected)
            ]
            first.add(row[1:] for row in rejected)
            good.write(position, tables.frame(PAGES, kept))
            bad.write(position, tables.frame(REJECTS, rejected))
            counts.update({"": len(kept)})
            counts.update(reason for _, _, reason, _, _ in rejected)
            progress(int(position * 1000), _said(corpus, counts), of=1000)
            _check(raw, reader, counts, first, at_end=False)
        if damage and settings.truncated == "refuse":
            raise UserError(
                f"{raw} is cut off or damaged after {counts.total() - 1} rows: {damage}. Fetch the file again. To go "
                "on with the pages that could be read, set ingest.pages.truncated: keep"
            )
        _check(raw, reader, counts, first, at_end=True)
    if damage:
        progress.say(
            f"{raw} is cut off or damaged after {counts.total() - 1} rows: {damage}; the rest is lost"
        )
    progress.say(_said(corpus, counts))


def first_paragraph(text: str, longest: int) -> str:
    """The first paragraph of a plain text, headings aside, on one line; "" if there is none.

    A paragraph ends with its line. One with more than `longest` characters is cut after the last sentence, or else
    the last word, that fits.
    """
    for line in re.finditer(r"[^\r\n]+", text):
        paragraph = " ".join(line[0].split())
        if paragraph and not HEADING.fullmatch(paragraph):
            return _cut(paragraph, longest)
    return ""


def _cut(paragraph: str, longest: int) -> str:
    if len(paragraph) <= longest:
        return paragraph
    head = paragraph[: longest + 1]
    ends = [end for match in SENTENCE_END.finditer(head) if (end := match.end()) <= longest]
    return head[: ends[-1] if ends else max(head.rfind(" "), 0) or longest]


def may_exist(title: str) -> bool:
    """Whether a page may have this title."""
    return (
        bool(title.strip())
        and not NO_TITLE.search(title)
        and len(title.encode(errors="replace")) <= LONGEST_TITLE
    )


class _Rejected(NamedTuple):
    """A reject without its place: reason and detail as in schemas.REJECTS, and the beginning of the row as read."""

    reason: str
    detail: str
    raw: str


def _rows(
    raw: str, reader: "_Reader", parts: int
) -> Iterator[tuple[float, list[Page | _Rejected], str | None]]:
    """Yield for each block its position, its rows, and None; after the last block, how the dump is cut off or
    damaged, if it is.
    """
    size = min(BLOCK, max(LEAST, Path(raw).stat().st_size // (4 * parts)))
    position, complete, error = 0.0, True, None
    for block in blocks(raw, START, size):
        data, position, error = block.data, block.position, block.error
        if data:
            data = data.removeprefix(BYTE_ORDER_MARK) if not position else data
            complete = data.rstrip(b" \t\r").endswith(b"\n")
        yield position, [*reader.read(data)], None
    waiting = reader.waiting
    last: list[Page | _Rejected] = [*reader.end()]
    if error:
        last.append(_Rejected("truncated_archive", error, ""))
    elif waiting:
        error = "it ends behind the first line of a page"
    elif not complete and reader.last in INCOMPLETE:
        error = f"it ends within a line ({reader.last})"
    yield position, last, error


class _Reader:
    """Turns lines into pages and rejects. An index line waits for its document, also from block to block."""

    def __init__(self, lang: str, longest: int) -> None:
        self.lang, self._longest = lang, longest
        self._index: tuple[bytes, Any] | None = None
        self._seen = _Numbers()
        self.last = ""  # reason of the last row; "" for a page
        self.languages: Counter[str] = Counter()  # of the pages' own fields

    @property
    def waiting(self) -> bool:
        return self._index is not None

    def read(self, data: bytes) -> Iterator[Page | _Rejected]:
        """The rows that these lines complete."""
        for line in data.split(b"\n"):
            if line := line.strip(b" \t\r"):
                yield from self._line(line)

    def end(self) -> Iterator[_Rejected]:
        """The row that still waits for its document, if there is one."""
        if self._index:
            yield self._reject(Reject("broken_record", "no document follows"), b"")

    def _line(self, line: bytes) -> Iterator[Page | _Rejected]:
        try:
            value = _parsed(line)
            if isinstance(value, dict) and len(value) == 1 and isinstance(value.get("index"), dict):
                yield from self.end()
                self._index = (line, value["index"].get("_id"))
                return
            page = self._page(value)
        except Reject as reject:
            yield self._reject(reject, line)
        else:
            self._index, self.last = None, ""
            yield page

    def _reject(self, reject: Reject, line: bytes) -> _Rejected:
        lines = [*([self._index[0]] if self._index else []), *([line[:RAW]] if line else [])]
        self._index, self.last = None, reject.reason
        return _Rejected(reject.reason, reject.detail, b"\n".join(lines).decode(errors="backslashreplace"))

    def _page(self, document: Any) -> Page:
        """The page of a document. Raises Reject."""
        if not isinstance(document, dict):
            raise Reject("wrong_type", f"the line holds {type(document).__name__}, not an object")
        namespace = _number(document, "namespace")
        if namespace != 0:
            raise Reject("other_namespace", f"{namespace}")
        source = _text(document, "source_text") or ""
        if REDIRECT.match(source):
            raise Reject("redirect")
        number, revision = self._page_id(document), _number(document, "version")
        title = _required(document, "title").strip()
        if not title:
            raise Reject("empty_title")
        qid = _text(document, "wikibase_item")
        if qid and not QID.fullmatch(qid):
            raise Reject("wrong_type", f"wikibase_item is no item: {qid[:100]!r}")
        opening = _text(document, "opening_text") or ""
        text = _text(document, "text") or "" if opening else _required(document, "text")
        summary = self._summary(opening, source) or self._summary(text, source)
        if not summary:
            raise Reject("no_summary")
        if "\0" in title + summary:
            raise Reject("nul_byte", "an escaped one in title or text")
        if not self._seen.add(number):
            raise Reject("duplicate", f"page {number}")
        self.languages.update([_text(document, "language") or self.lang])
        return Page(number, revision, title, qid or None, summary, self.lang)

    def _summary(self, text: str, wikitext: str) -> str:
        text = text.strip()
        return first_paragraph(text if "\n" in text else first_of_joined(text, wikitext), self._longest)

    def _page_id(self, document: Mapping[str, Any]) -> int:
        """The page's number in the index line, or else in the document. Raises Reject if neither has one."""
        number = self._index[1] if self._index else None
        if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 20:
            number = int(number)
        return _number({"page_id": document.get("page_id") if number is None else number}, "page_id")


def _parsed(line: bytes) -> Any:
    """The JSON value of a line. Raises Reject if it has none."""
    import orjson

    if len(line) > MAX_LINE:
        raise Reject("oversized_row", f"longer than {MAX_LINE} bytes")
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _broken(line, error) from error


def _broken(line: bytes, error: ValueError) -> Reject:
    """The reject of a line that is not JSON."""
    try:
        line.decode()
    except UnicodeDecodeError as wrong:
        return Reject("invalid_utf8", f"byte {wrong.start} of the line: {wrong.reason}")
    if b"\0" in line:
        return Reject("nul_byte", f"{line.count(0)} NUL bytes")
    reason = "invalid_utf8" if "surrogate" in f"{error}" else "broken_record"
    return Reject(reason, f"{error}")


def _number(document: Mapping[str, Any], field: str) -> int:
    """A non-negative number. Raises Reject if it is missing or something else."""
    value = document.get(field)
    if value is None:
        raise Reject("missing_field", field)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < MOST:
        raise Reject("wrong_type", f"{field} is no number from 0 on: {value!r:.100}")
    return value


def _required(document: Mapping[str, Any], field: str) -> str:
    value = _text(document, field)
    if value is None:
        raise Reject("missing_field", field)
    return value


def _text(document: Mapping[str, Any], field: str) -> str | None:
    """A text, None where it is missing. Raises Reject if it is something else."""
    value = document.get(field)
    if value is not None and not isinstance(value, str):
        raise Reject("wrong_type", f"{field} is {type(value).__name__}, not text")
    return value


class _Numbers:
    """A set of page numbers as bits, one for each number up to the largest: 10 MB for the English Wikipedia."""

    def __init__(self) -> None:
        self._bits = bytearray()

    def add(self, number: int) -> bool:
        """Add a number; return whether it is new."""
        place, bit = number >> 3, 1 << (number & 7)
        if place >= len(self._bits):
            self._bits.extend(bytes(place + 1 - len(self._bits)))
        new = not self._bits[place] & bit
        self._bits[place] |= bit
        return new


def _check(raw: str, reader: _Reader, counts: Counter[str], first: FirstRejects, *, at_end: bool) -> None:
    """Raise UserError if the file is not the dump of this Wikipedia."""
    kept, rows = counts[""], counts.total()
    if not kept and (at_end or rows >= HOPELESS):
        reasons = ", ".join(f"{count} {reason}" for reason, count in counts.most_common() if reason)
        raise UserError(
            f"{raw} has no article in its {'first ' * (not at_end)}{rows} rows (rejected: {reasons or 'none'}). "
            f"{first.written()}Name the CirrusSearch dump of a Wikipedia's articles, such as "
            "enwiki-DATE-cirrussearch-content.json.gz; the one called general holds all other pages."
        )
    if kept >= SAMPLE or at_end:
        code, count = reader.languages.most_common(1)[0]
        expected = "en" if reader.lang == "simple" else reader.lang
        if count * 2 > kept and "-" not in expected and code.split("-")[0] != expected:
            raise UserError(
                f"{raw} is in the language {code}, not {reader.lang}: {count} of its first {kept} articles say so. "
                "Name the dump of the other Wikipedia."
            )


def _said(corpus: str, counts: Counter[str]) -> str:
    rejected = counts.total() - counts[""]
    return f"{corpus}: {counts.total()} rows = {counts['']} articles + {rejected} rejects"
