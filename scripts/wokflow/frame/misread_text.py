"""Finds words of UTF-8 that were read in another encoding and saved so (CrÃ¨me, é½è±†, Cr猫me), and what they say.

Tables that people hand in may hold a few words only, so each word is judged alone: its bytes in the other encoding
must all be UTF-8, which words hardly ever are by chance, and the result must be written as languages write words.
"""

import json
import re
import string
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any
from unicodedata import category, name

from wokflow.frame.job import UserError, log_warning
from wokflow.frame.writing import FREQUENT, expected, is_natural

# By Python's name and by that of iconv, the likelier ones first.
ONE_BYTE = {
    "cp1252": "WINDOWS-1252",
    "mac_roman": "MACINTOSH",
    "cp1250": "WINDOWS-1250",
    "cp1251": "WINDOWS-1251",
    "cp437": "CP437",
    "cp850": "CP850",
    "cp1254": "WINDOWS-1254",
}
TWO_BYTES = {"gb18030": "GB18030", "cp950": "BIG5", "cp932": "CP932", "cp949": "CP949"}
LAYERS = 3  # how often a word may have been read wrongly
# Share of expected characters before; letters of other languages that are enough; rows of copied texts that are.
RARE, SEVERAL, MANY, ROWS = 1 / 3, 2, 3, 3
_WORD = re.compile("[^\x00-\x20\ufffd]+")
_ACCENT, _BEFORE = re.compile(r"[a-z][ß-ÿ]|[ß-ÿ][a-z]|[0-9]°"), re.compile("[^\x00-\x7f][a-z]")
_INSIDE = re.compile("[a-z][^\x00-\x7f]+[a-z]")
# Quotation marks that are a letter of UTF-8 with what is beside them: »Äpfel«, «éclair», „APĂ”.
_OPENING, _CLOSING = re.compile(r"(?<!\w)[«»]+"), dict.fromkeys(map(ord, "«»“”‘’‹›"))
_LATIN = "À-ÖØ-öø-ſƠơƯưȘ-țẠ-ỹ"  # of Europe and Vietnam
# Letters of Esperanto and Maltese alone are met by chance: ċ in Ewe's gbeƒãe.
_USUAL = re.compile(f"(?![ĈĉĊċĜĝĠġĤĥĴĵŜŝŬŭĔĕĬĭŎŏ])[{_LATIN}]")
_RARE, _KANA = re.compile("[Ѡ-ҏҒ-ԯ]"), re.compile("[ぁ-ヺ]")
# Letters in daily use. Those that take three bytes of UTF-8 are hardly ever met by chance.
_DAILY = re.compile(f"[{_LATIN}]+|[Ά-ώ]+|[Ѐ-џҐґ]+|[א-ת]+|[ء-ي]+|[\u0900-\u1dff\u3041-\u30ff\uac00-\ud7a3]+")
_QUOTE = "â€"  # most signs of punctuation beyond ASCII begin so
# Latin-1 and Windows-1252 differ in 80 to 9F alone, where programs take the one for the other, or drop the byte.
_SLOPPY = {bytes((byte,)).decode("cp1252", errors="ignore"): byte for byte in range(0x80, 0xA0)}
_WESTERN = {chr(byte): byte for byte in range(256)} | {sign: byte for sign, byte in _SLOPPY.items() if sign}


def refuse_misread(
    path: str | Path,
    rows: Iterable[tuple[str, Mapping[str, Any]]],
    *,
    copied: bool | Collection[str] = False,
) -> None:
    """Raise UserError, with place and column, for the first word that was read wrongly in rows of a file.

    A row is given by its place, such as line 3, and its cells by column. `copied`: all texts, or those of these
    columns, come from corpora and models, whose faults nobody must correct here. They are refused if most rows beyond
    ASCII, and ROWS at least, hold such words; fewer are logged.
    """
    beyond, found = 0, []
    for place, row in rows:
        texts = {name: str(cell) for name, cell in row.items() if cell is not None}
        if all(map(str.isascii, texts.values())):
            continue
        beyond += 1
        wrong = [name for name, text in texts.items() if misread(text)]
        own = [name for name in wrong if not (copied is True or (copied and name in copied))]
        for column in (own or wrong)[:1]:
            where = f"{path}, {place}" + (f", column {column}" if column else "")
            found.append(f"{where}: {_told(texts[column])}")
        if own:
            raise UserError(found[-1])
    if len(found) >= ROWS and len(found) * 2 > beyond:
        raise UserError(found[0])
    for each in found[:ROWS]:
        log_warning(each)


def refuse_misread_json(path: str | Path, content: Any, *, copied: bool = False) -> None:
    """The same for the entries of a list or an object in JSON."""
    entries: Iterable[tuple[object, Any]] = content.items() if isinstance(content, dict) else ()
    if isinstance(content, list):
        entries = enumerate(content, 1)
    texts = ((f"entry {name}", f"{name} {json.dumps(entry, ensure_ascii=False)}") for name, entry in entries)
    refuse_misread(path, ((place, {"": text}) for place, text in texts), copied=copied)


def _told(text: str) -> str:
    word, said, named = misread(text) or ("", "", "")
    lost = " (what stood at � is lost)" if "\ufffd" in said else ""
    word, said = word.strip(string.punctuation), said.strip(string.punctuation)
    return (
        f"{word!r} is UTF-8 that was read as {named} and saved so. Probably {said!r} is meant{lost}. Correct it, or "
        "take the file from before that and open it as Unicode (UTF-8)."
    )


def misread(text: str) -> tuple[str, str, str] | None:
    """The first word of a text that was read wrongly, what it says, and the encoding it was read in; else None.

    Characters that are lost are U+FFFD in what it says.
    """
    if text.isascii():
        return None
    for word in _WORD.findall(text):
        if not word.isascii() and (meant := _meant(word)):
            return word, *meant
    return None


def _meant(word: str) -> tuple[str, str] | None:
    """What a word says, and the encoding that it was read in; None for one that was read rightly."""
    bare = _OPENING.sub("", word)
    inner = bare.rstrip(string.punctuation + "".join(map(chr, _CLOSING)))
    if is_natural(bare := inner + bare[len(inner) :].translate(_CLOSING)):
        word = bare
    if word.isascii() or expected(word) == 1:
        return None
    eastern = max(word) >= "\u3000"
    for codec, named in (TWO_BYTES if eastern else ONE_BYTE).items():
        said, deep = word, 0
        while deep < LAYERS and (undone := _undone(said, codec)):
            said, deep = undone, deep + 1
        if deep and _is_likely(word, said, several=eastern):
            lost = eastern and deep == 1 and len(said.encode()) < len(_bytes(word, codec) or b"")
            return said + "\ufffd" * lost, named
    return None if eastern else _left(word)


def _undone(word: str, codec: str) -> str | None:
    """The word's bytes in an encoding as UTF-8; None if they are not, or all ASCII."""
    if word.isascii() or (codec == "cp950" and _KANA.search(word)) or not (data := _bytes(word, codec)):
        return None
    if codec in TWO_BYTES and data[-1] > 0x7F:  # a byte is lost where they are odd
        data = data[: len(data) - _cut(data)]
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _cut(data: bytes) -> int:
    """The number of bytes at the end that begin a character of UTF-8 which is not whole."""
    for size in (1, 2):
        if size <= len(data) and data[-size] >= (0xC0, 0xE0)[size - 1]:
            return size
    return 0


def _bytes(word: str, codec: str) -> bytes | None:
    if codec == "cp1252":
        western = [_WESTERN.get(character, -1) for character in word]
        return bytes(western) if min(western) >= 0 else None
    try:
        return word.encode(codec)
    except UnicodeEncodeError:
        return None


def _is_likely(word: str, said: str, *, several: bool) -> bool:
    """Whether `said` is rather meant than `word`. `several`: two bytes were read as one character.

    A single letter that is not among those of recipes must have letters behind it: CAFÉ™ and É» are UTF-8 by chance,
    as are СІТІ and 飘飘然, which would be letters that are hardly used.
    """
    if said.isascii() or not is_natural(said):
        return False
    beyond = [character for character in said if not character.isascii()]
    letters = sum(category(character)[0] in "LM" for character in beyond)
    if category(beyond[0])[0] == "M" or len({name(character, "").split(" ")[0] for character in beyond}) > 1:
        letters = 0  # signs of several scripts, or one without a letter before it
    better = expected(said) > max(expected(word), 1 / 2)
    if several:
        chinese = sum(character in FREQUENT for character in beyond)
        latin = letters == len(beyond) and max(beyond) < "\u0250" and _INSIDE.search(word) is not None
        known = better and (chinese >= SEVERAL or (not chinese and _ACCENT.search(said) is not None))
        daily = letters >= MANY and len({*beyond}) > 1 and _DAILY.fullmatch("".join(beyond)) is not None
        return expected(word) <= RARE and (latin or known or daily)
    one_latin = len({*beyond}) == 1 and beyond[0] < "\u0250"  # Čłon, Čłonka
    if letters < SEVERAL or one_latin:
        usual = _USUAL.match(beyond[0]) is not None and _BEFORE.search(said) is not None
    else:
        usual = len(_RARE.findall(said)) * 2 < letters
    return better or (letters == len(beyond) and usual)


def _left(word: str) -> tuple[str, str] | None:
    """Chinese of which bytes were lost as it was read as Latin letters, with symbols that no word has in it."""
    if is_natural(word):
        return None
    for codec, named in ONE_BYTE.items():
        said = (_bytes(word, codec) or b"").decode(errors="replace")
        kept = [character for character in said if not character.isascii() and character != "\ufffd"]
        frequent = sum(character in FREQUENT for character in kept)
        if _QUOTE in word or (frequent and frequent * 2 >= len(kept)):
            return re.sub("\ufffd+", "\ufffd", said), named
    return None
