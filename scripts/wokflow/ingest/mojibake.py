"""Text that was read in a wrong encoding and saved so: Ã© for é, ç³– for 糖. What it was, and how to undo it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache

import ftfy.bad_codecs  # noqa: F401  # Python knows sloppy encodings then
from ftfy.badness import BADNESS_RE

FEW, SHARE = 3, 20  # rows of such text that count only if they are more than one of so many
EXCERPT = 20  # characters that a message quotes
# How text may have been read, as Python and iconv call it; what it was.
READ_AS = {
    "latin-1": "ISO-8859-1",
    "sloppy-windows-1252": "WINDOWS-1252",
    "sloppy-windows-1250": "WINDOWS-1250",
    "sloppy-windows-1251": "WINDOWS-1251",
    "mac_roman": "MACINTOSH",
    "gb18030": "GB18030",
}
WAS = {"utf-8": "UTF-8", "gb18030": "GB18030"}


def misread(rows: Iterable[Sequence[str]]) -> str | None:
    """What is wrong with a source, and what to do, if most rows that have more than ASCII hold such text.

    A row is its texts. Where text only now and then looks like it, or in few rows, that is a matter of these rows.
    """
    count = beyond = 0
    wrong: list[list[str]] = []
    for row in rows:
        count += 1
        texts = [text for text in row if not text.isascii()]
        beyond += bool(texts)
        if found := [text for text in texts if mojibake(text)]:
            wrong.append(found)
    if len(wrong) * 2 <= beyond or (len(wrong) < FEW and len(wrong) * SHARE < count):
        return None
    words = [_word(text) for row in wrong for text in row]
    word, cause, undo = next(filter(None, map(_undone, words)), (words[0], "", " write it anew as UTF-8"))
    return (
        f"holds text that was read in a wrong encoding, and saved so: {word[:EXCERPT]!r}{cause}. "
        f"Fetch the file again, or{undo}"
    )


def _word(text: str) -> str:
    """The first word that looks so; it is read alone, since bytes may be lost elsewhere."""
    at = mojibake(text)[0][0]
    return text[text.rfind(" ", 0, at) + 1 :].split(" ", 1)[0]


def _undone(word: str) -> tuple[str, str, str] | None:
    """The word, what was meant and how it was read, and the command that undoes it; None where that is not known."""
    for was, named in WAS.items():
        for codec, read_as in READ_AS.items():
            if codec == was:
                continue
            with suppress(UnicodeError):
                meant = word.encode(codec).decode(was)
                if not _is_text(meant, was):
                    continue
                undo = f" undo that: iconv -f UTF-8 -t {read_as} OLD"
                if named != "UTF-8":
                    undo += f" | iconv -f {named} -t UTF-8"
                return word, f" is {meant[:EXCERPT]!r} in {named}, read as {read_as}", f"{undo} > NEW"
    return None


def _is_text(meant: str, was: str) -> bool:
    """Whether what comes out can be meant: nothing is lost, and GB18030 gives common characters without letters."""
    common = was != "gb18030" or all(
        not character.isalpha() if character.isascii() else character.encode(was) < b"\xd8"
        for character in meant
    )
    return common and "\ufffd" not in meant and not re.search(r"[\x00-\x1f\x7f-\x9f]", meant)


def mojibake(text: str) -> list[tuple[int, int]]:
    """The places of UTF-8 that was decoded as Latin-1, Windows-125x or Mac Roman (ftfy's patterns), or as GBK."""
    latin = (match.span() for match in BADNESS_RE.finditer(text))
    lost = (match.span() for match in re.finditer("锟斤拷", text))
    return sorted({*latin, *lost, *_read_as_gbk(text)})


def _read_as_gbk(text: str) -> Iterator[tuple[int, int]]:
    for match in re.finditer(gbk_pattern(), text):
        data = match.group().encode("gb18030")
        meant = data[: len(data) // 3 * 3].decode("utf-8", errors="replace")
        if "\ufffd" not in meant:
            yield match.span()


@cache
def gbk_pattern() -> str:
    """A pattern of Chinese in UTF-8 that was decoded as GBK: six bytes, which are two characters, became three.

    The first byte of a Chinese character in UTF-8 is E4 to E9, the others are 80 to BF. Two of them become three
    characters of GBK, each of a set of its own; ordinary text hardly has five in this order.
    """
    head, tail = range(0xE4, 0xEA), range(0x80, 0xC0)

    def characters(first: range, second: range) -> str:
        pairs = (bytes((one, two)).decode("gbk", errors="ignore") for one in first for two in second)
        return "[" + "".join(sorted(pair for pair in pairs if len(pair) == 1 and pair.isalpha())) + "]"

    one, two, three = characters(head, tail), characters(tail, head), characters(tail, tail)
    return one + two + three + one + two
