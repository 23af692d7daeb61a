"""Finds out how text was decoded wrongly before it was saved, and undoes that by a round trip.

Text is encoded in an encoding that it may have been read in, and decoded in one that it may have been written in. It
was decoded wrongly if hardly any of its characters beyond ASCII are expected ones, but most of the result's are. Text
in UTF-8 is recognised even if the reading lost most of its bytes, by the characters that are left whole.
"""

import itertools
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import ftfy.bad_codecs  # noqa: F401  # Python knows sloppy encodings then

from wokflow.frame.writing import BEYOND, expected, natural, pattern

# Encodings by Python's name, and by that of iconv; the likelier ones first.
WAS = {
    "utf-8": "UTF-8",
    "gb18030": "GB18030",
    "cp950": "BIG5",
    "cp1252": "WINDOWS-1252",
    "mac_roman": "MACINTOSH",
    "cp437": "CP437",
    "cp850": "CP850",
}
READ_AS = {
    "latin-1": "ISO-8859-1",
    "sloppy-windows-1252": "WINDOWS-1252",
    "gbk": "GB18030",
    "cp950": "BIG5",
    "mac_roman": "MACINTOSH",
    "sloppy-windows-1250": "WINDOWS-1250",
    "sloppy-windows-1251": "WINDOWS-1251",
    "iso8859-15": "ISO-8859-15",
    "cp437": "CP437",
    "cp850": "CP850",
    "cp932": "CP932",
    "cp949": "CP949",
    "euc_jp": "EUC-JP",
    "cp866": "CP866",
    "koi8_r": "KOI8-R",
    "sloppy-windows-1253": "WINDOWS-1253",
    "sloppy-windows-1254": "WINDOWS-1254",
    "sloppy-windows-1255": "WINDOWS-1255",
    "sloppy-windows-1256": "WINDOWS-1256",
    "sloppy-windows-1257": "WINDOWS-1257",
    "sloppy-windows-1258": "WINDOWS-1258",
    "cp874": "CP874",
}
STRICT = {name: f"cp{name.removeprefix('sloppy-windows-')}" for name in READ_AS if name.startswith("sloppy-")}
# iconv does not write the five bytes that Windows-1252 leaves open, which other programs read as control characters.
PYTHON = (
    'python -c "import ftfy.bad_codecs, sys; '
    "sys.stdout.buffer.write(sys.stdin.buffer.read().decode().encode('{}'))\""
)
# Languages of which all characters are expected.
LANGUAGES = {"ca", "da", "de", "en", "es", "fi", "fr", "it", "nb", "nl", "no", "pt", "sv", "zh"}
LAYERS = 3  # how often text may have been read wrongly
SAMPLE, LONGEST = 300, 120  # rows that are looked at, and characters of each
LEAST = 3  # rows that show what is not UTF-8
MOST, FEW = 0.5, 1 / 3  # shares of expected characters after and before
LEFT = (
    1 / 33
)  # share of a text's characters that must be left whole, for a lossy reading of UTF-8 to be recognised


@dataclass(frozen=True)
class Reading:
    """Text that was in `was`, and was read as `read`; both are encodings as Python calls them."""

    was: str
    read: str

    def undone(self, text: str) -> str:
        """The text as it was; characters that cannot be undone become U+FFFD, or question marks."""
        return text.encode(self.read, "replace").decode(self.was, "replace")

    def share(self, text: str) -> float:
        """The share of expected characters in the text as it was; what was lost before does not count."""
        kept = text.replace("\ufffd", "")
        undone = self.undone(kept)
        return expected(undone, undone.count("?") - kept.count("?"))

    def left(self, text: str) -> tuple[int, int]:
        """How many expected characters, and how many beyond ASCII, stand whole in what is left of the text."""
        kept = text.replace("\ufffd", "\n").encode(self.read, "ignore").decode(self.was, "ignore")
        return len(pattern().findall(kept)), len(BEYOND.findall(kept))

    def command(self, rows: Sequence[str]) -> str | None:
        """The command that undoes the reading in a pipe, for files that hold such rows; None if characters of them
        are lost, or would be.
        """
        if any("\ufffd" in row for row in rows):
            return None
        for codec in dict.fromkeys((STRICT.get(self.read, self.read), self.read)):
            with suppress(UnicodeError):
                for row in rows:
                    row.encode(codec).decode(self.was)
                undo = (
                    f"iconv -f UTF-8 -t {READ_AS[self.read]}" if codec not in STRICT else PYTHON.format(codec)
                )
                return undo if self.was == "utf-8" else f"{undo} | iconv -f {WAS[self.was]} -t UTF-8"
        return None

    def __str__(self) -> str:
        return f"in {WAS[self.was]}, read as {READ_AS[self.read]}"


def chain(rows: Sequence[str], known: bool, layers: int = LAYERS) -> tuple[Reading, ...]:
    """The wrong readings that must be undone, the last one first; empty unless most rows were decoded wrongly.

    Rows are texts with characters beyond ASCII; `known`: all are in LANGUAGES. Bytes are hardly ever UTF-8 by chance,
    so for UTF-8 the result need only have more expected characters than the text has. Other encodings are tried for
    LANGUAGES alone: Polish in Windows-1250 makes words of Western letters in other encodings, too.
    """
    rows = [row[:LONGEST] for row in rows[:: max(1, len(rows) // SAMPLE)]]
    rows = [row for row in rows if not row.replace("\ufffd", "").isascii()]
    standing = [(row, expected(row)) for row in rows]
    wrong = [(row, share) for row, share in standing if share <= FEW]
    best: tuple[Reading, ...] = ()
    most = 0.0
    for read, was in itertools.product(READ_AS, WAS):
        reading = Reading(was, read)
        if was == "utf-8":
            shares = [now for row, share in standing if (now := reading.share(row)) > share]
        elif known and len(wrong) * 2 > len(rows) and WAS[was] != READ_AS[read]:
            shares = [reading.share(row) for row, _ in wrong]
        else:
            continue
        good = [share for share in shares if share > MOST]
        enough = was == "utf-8" or (len(good) >= LEAST and _is_likelier(reading, rows))
        if len(good) * 2 > len(rows) and sum(good) > most and enough:
            best, most = (reading,), sum(good)
    if best or layers == 1:
        return best
    for read in READ_AS:
        reading = Reading("utf-8", read)
        undone = [text for row in rows if "\ufffd" not in (text := reading.undone(row))]
        if len(undone) * 2 > len(rows) and (inner := chain(undone, known, layers - 1)):
            return reading, *inner
    return ()


def lossy(rows: Sequence[str]) -> tuple[Reading, ...]:
    """The reading of UTF-8 that lost many bytes of most rows, if what is left of them shows it; else none.

    Of text that was read rightly, hardly one of 20 characters that its bytes make as UTF-8 is expected.
    """
    rows = [row[:LONGEST] for row in rows[:: max(1, len(rows) // SAMPLE)]]
    wrong = [row for row in rows if expected(row) <= FEW]
    if len(wrong) * 2 <= len(rows):
        return ()
    text = "\n".join(wrong)
    readings = [Reading("utf-8", read) for read in READ_AS]
    good, beyond, best = max(
        ((*reading.left(text), reading) for reading in readings), key=lambda each: each[0]
    )
    enough = good >= max(LEAST, LEFT * len(BEYOND.findall(text)))
    return (best,) if enough and good > FEW * beyond else ()


def _is_likelier(reading: Reading, rows: Sequence[str]) -> bool:
    """Whether more words look like those of a language once the reading is undone.

    As many are enough if most characters beyond ASCII are not Latin letters; Latin letters of one language become
    those of another by chance.
    """
    text = "\n".join(rows)
    after, before = natural(reading.undone(text)), natural(text)
    beyond = BEYOND.findall(text)
    latin = sum(unicodedata.name(character, "").startswith("LATIN") for character in beyond)
    return after > before or (after == before and latin * 2 <= len(beyond))
