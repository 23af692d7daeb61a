"""Recognise a source with few recipes or none: another corpus's file, another encoding, another form.

A guess counts only if the corpus's reader accepts most rows of the file's beginning after the file is converted so.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import polars as pl

from wokflow.frame.text_files import advice, encoding_of
from wokflow.ingest.mojibake import misread
from wokflow.ingest.raw_records import Reader, is_utf8, lines, text_chunks
from wokflow.ingest.stream import Truncated

HEAD = 1 << 20  # bytes of a source that are examined
QUOTED = 120  # bytes of a line that a message quotes
# Recipes whose columns look swapped that are worth a warning, and those that are enough to refuse the file; how much
# longer entries are in the wrong column.
SEVERAL, ENOUGH, TWICE = 3, 20, 2
_AMOUNT_FIRST = re.compile(r"(?:\d{1,9}(?:[./]\d{1,9})?|[¼½¾⅓⅔])\s{0,9}[^\W\d]")
_AMOUNT_LAST = re.compile(r"\d\s{0,3}(?:克|毫升|千克|斤|两|g|ml)$")
STOPS = tuple(".!?。！？；;")  # at the end of a sentence
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
TRIED = ("GB18030", "UTF-16")  # named only if the corpus's reader takes the file once it is converted
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Undo = Callable[[bytes], bytes]


def recognised(path: str, corpus: str, readers: Mapping[str, Reader]) -> str | None:
    """What the file at `path` is instead of the file of `corpus`, and what to do; None if unknown."""
    head = head_of(path)
    if not head.removeprefix(BYTE_ORDER_MARK).strip():
        return None if _is_damaged(path) else "is empty. Fetch the file again."
    reader = readers[corpus]
    if _fits(reader, head):
        return None
    if (not is_utf8(head) or b"\0" in head) and encoding_of(head) not in (None, *TRIED):
        return f"is not UTF-8. {advice(head)}"
    for undo, kind in _GUESSES:
        with suppress(ValueError):
            if _fits(reader, undo(head)):
                return kind
    for other, another in readers.items():
        if other != corpus and _fits(another, head):
            return f"is the file that {other} publishes. Are the paths in `sources` swapped?"
    if head.startswith(UTF16_MARKS):
        return _UTF16
    rows = head.removeprefix(BYTE_ORDER_MARK).partition(b"\n")[2]
    if reader.is_header(_first_line(head)) and not rows.strip():
        return "holds a header and no rows. Fetch the file again."
    return None


def read_wrongly(path: str, reader: Reader, say: Callable[[str], None]) -> str | None:
    """What is wrong with the texts of a source, and what to do: mojibake, or ingredients in the place of steps.

    Steps are sentences, and longer than ingredients, which have quantities. Where only the lengths speak for swapped
    columns (cocktails: "Shake."), or few recipes do, `say` gets a warning. Recipes with one ingredient do not count,
    as all may stand on one line.
    """
    data = _without_header(reader, head_of(path))
    if not data.strip():
        return None
    records = reader.read(lines(data))
    texts = records.filter(pl.col("reason").is_null()).select("title", "ingredients", "steps")
    rows = list(texts.iter_rows())
    if wrong := misread([title, *ingredients, *steps] for title, ingredients, steps in rows):
        return wrong
    both = [(ingredients, steps) for _, ingredients, steps in rows if len(ingredients) > 1 and steps]
    longer = [row for row in both if _length(row[0]) > TWICE * _length(row[1])]
    swapped = [row for row in longer if _share(_is_sentence, row[0]) and _share(_is_quantity, row[1])]
    if len(longer) < SEVERAL or len(longer) * 2 <= len(both):
        return None
    if len(swapped) >= ENOUGH and len(swapped) * 4 >= len(longer):
        return _swapped(longer, len(both))
    say(f"warning: {path} perhaps {_swapped(longer, len(both))}.")
    return None


def _is_quantity(text: str) -> bool:
    text = text.strip()
    return bool(_AMOUNT_FIRST.match(text) or _AMOUNT_LAST.search(text[-9:])) or text.endswith(
        ("适量", "少许")
    )


def _is_sentence(text: str) -> bool:
    return text.rstrip().endswith(STOPS) or "，" in text


def _share(is_one: Callable[[str], bool], texts: Sequence[str]) -> bool:
    """Whether half of the texts or more are of a kind."""
    return sum(map(is_one, texts)) * 2 >= len(texts)


def _swapped(swapped: Sequence[tuple[Sequence[str], Sequence[str]]], among: int) -> str:
    """Says that ingredients and steps stand in each other's place, with an example."""
    ingredients, steps = (repr(each[0][:QUOTED]) for each in swapped[0])
    return (
        f"has steps in the place of ingredients: in {len(swapped)} of its first {among} recipes, ingredients are "
        f"like {ingredients}, and steps like {steps}. Were the columns swapped? Then swap their names"
    )


def _length(texts: Sequence[str]) -> float:
    return sum(map(len, texts)) / len(texts)


def _is_damaged(path: str) -> bool:
    try:
        for _ in text_chunks(path):
            pass
    except Truncated:
        return True
    return False


def head_of(path: str) -> bytes:
    """The first HEAD bytes of a source's content, decompressed, cut after a line if there are more.

    Within a line, text in UTF-8 is cut between two characters.
    """
    head = b""
    with suppress(Truncated):
        for chunk, _ in text_chunks(path):
            head += chunk
            if len(head) > HEAD:
                end = head.rfind(b"\n", 0, HEAD) + 1
                between = (at for at in range(HEAD, HEAD - 4, -1) if is_utf8(head[:at]))
                return head[: end or next(between, HEAD)]
    return head


def beginning(path: str) -> str:
    """The first two lines of a source, as a message quotes them."""
    lines = head_of(path).removeprefix(BYTE_ORDER_MARK).splitlines()[:2]
    return ", ".join(repr(line[:QUOTED].decode(errors="backslashreplace")) for line in lines)


def _first_line(data: bytes) -> str:
    line = data.removeprefix(BYTE_ORDER_MARK).partition(b"\n")[0]
    return line.decode(errors="replace").removesuffix("\r")


def _fits(reader: Reader, data: bytes) -> bool:
    """Whether the reader takes more than half of the rows."""
    data = _without_header(reader, data)
    if not data.strip():
        return False
    reasons = reader.read(lines(data))["reason"]
    return reasons.null_count() * 2 > len(reasons)


def _without_header(reader: Reader, data: bytes) -> bytes:
    data = data.removeprefix(BYTE_ORDER_MARK)
    return data.partition(b"\n")[2] if reader.is_header(_first_line(data)) else data


def _from_utf16(data: bytes) -> bytes:
    """UTF-16 to UTF-8. Without a byte order mark, the likelier byte order is taken. A cut character is left out."""
    encodings = ("utf-16",) if data.startswith(UTF16_MARKS) else ("utf-16-le", "utf-16-be")
    texts = [data[: len(data) // 2 * 2].decode(encoding, "replace") for encoding in encodings]
    return max(texts, key=lambda text: sum(map(text.count, ' ",'))).encode()


def _from_gb18030(data: bytes) -> bytes:
    return data.decode("gb18030", "replace").encode()


def _from_values(data: bytes) -> bytes:
    """A line for each of the JSON values that follow one another, or are in a list, over any number of lines.

    Raises ValueError where these are less than half of the data.
    """
    text = data.decode()
    decoder, between = json.JSONDecoder(), re.compile(r"[\s,]*")
    at = len(text) - len(re.sub(r"\A\s*\[?\s*", "", text))
    values = []
    with suppress(ValueError, RecursionError):
        while at < len(text):
            value, at = decoder.raw_decode(text, at)
            values.append(value)
            gap = between.match(text, at)
            at = gap.end() if gap else at
    if at * 2 < len(text):
        raise ValueError("most of it is no JSON")
    return "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values).encode()


_UTF16 = "is UTF-16, not UTF-8. Save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW"
_GUESSES: tuple[tuple[Undo, str], ...] = (
    (
        _from_values,
        "is a JSON array, or has records over several lines; each line must be one record, as in the published file. "
        "Convert it: jq -c 'if type == \"array\" then .[] else . end' OLD > NEW",
    ),
    (_from_utf16, _UTF16),
    (
        _from_gb18030,
        "is GB18030 (or GBK), not UTF-8. Save it as UTF-8, or convert it: iconv -f GB18030 -t UTF-8 OLD > NEW",
    ),
)
