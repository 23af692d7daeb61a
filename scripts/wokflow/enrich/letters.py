"""Normal forms of text in which what looks alike has the same characters, with their places in the text kept."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from wokflow.frame.writing import UNSEEN

# Marks that writers may leave out: vowels, doubling and lengthening of Arabic, points of Hebrew; stress in Cyrillic.
OPTIONAL = (  # inside of a character class
    "\u0640\u064b-\u0652\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
)
# Letters of Hindi with a dot below, which writers may leave out, too (फ़िल्म and फिल्म). It tells some words apart
# (inflection.HOMOGRAPHS), so that they stay here, each as one character, and word_forms.fold takes the dot off.
DOT_BELOW = "\u093c"
DOTTED = {letter + DOT_BELOW: chr(0x958 + at) for at, letter in enumerate("कखगजडढफय")}
_BELOW = re.compile(f"(.?){DOT_BELOW}")
LOANS = frozenset(DOTTED.values()) - {
    "\u095c",
    "\u095d",
}  # ड़ and ढ़ are Hindi's own: without the dot they are slips
# Nasals before consonants of Hindi that a dot above may stand for: गणतन्त्र and गणतंत्र.
NASAL = (
    "(?:ङ्(?=[क-घ\u0958-\u095a])|ञ्(?=[च-झ\u095b])|ण्(?=[ट-ढ\u095c\u095d])|न्(?=[क-घच-झट-ढत-धशस\u0958-\u095d])|"
    "म्(?=[प-भ\u095e]))"
)
DOT_ABOVE = "\u0902"
STRESS = "(?<=[\u0400-\u052f])[\u0300\u0301]"
# Hyphens (dashes are none), quotes within Hebrew words, Ethiopic spaces; letters and digits as wide as Chinese ones.
ALIKE = {
    **dict.fromkeys([0x2010, 0x2011, 0x5BE], "-"),
    0x5F3: "'",
    0x5F4: '"',
    0x1361: " ",
    **{0xFEE0 + code: chr(code) for code in range(0x30, 0x7B) if chr(code).isalnum()},
}
HALF_SPACE = "(?<=[\u0620-\u06d3])\u200c(?=[\u0620-\u06d3])"  # between the parts of Persian words
NARROW = "\uff66-\uff9d"  # katakana
SPACE = r"[\s\x1c-\x1f\x85]"
ODD = re.compile(
    f"[{''.join(map(chr, ALIKE))}{OPTIONAL}{NARROW}{DOT_BELOW}\u0300\u0301\u0958-\u095f]|{NASAL}"
)


class Places(NamedTuple):
    """Where each character of a normalized text begins and ends in the original text."""

    starts: Sequence[int]
    ends: Sequence[int]


def composed(text: str) -> str:
    """The text in form NFC, without invisible characters."""
    return unicodedata.normalize("NFC", text.translate(UNSEEN))


def placed(text: str) -> tuple[str, Places | None]:
    """The normal form of a text in which names are looked for, and its places; None if it is the text itself.

    It is composed, without optional marks, and has one form of signs that have several; a run of white space is one
    space, or a line break if it has one.
    """
    if text.isprintable() and "  " not in text and (text.isascii() or _is_plain(text)):
        return text, None
    text = _half_space().sub(" ", text.translate(ALIKE))
    seen = text.translate(UNSEEN)
    at = [place for place, character in enumerate(text) if ord(character) not in UNSEEN]
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _letters().finditer(seen):
        start, stop = match.span()
        piece = DOT_ABOVE if match.lastgroup else _plain(match.group())
        if not piece:
            continue
        if piece.isspace() and pieces and pieces[-1].isspace():  # a mark that stood between them is gone
            pieces[-1] = max(piece, pieces[-1], key="\n".__eq__)
            ends[-1] = at[stop - 1] + 1
            continue
        pieces.append(piece)
        if piece == match.group():
            starts += at[start:stop]
            ends += [place + 1 for place in at[start:stop]]
        else:
            starts += [at[start]] * len(piece)
            ends += [at[stop - 1] + 1] * len(piece)
    return "".join(pieces), Places(starts, ends)


def plain(text: str) -> str:
    """The text of `placed`."""
    return placed(text)[0]


def _plain(piece: str) -> str:
    if piece.isspace():
        return " " if piece.splitlines() == [piece] else "\n"
    form: Literal["NFC", "NFKC"] = "NFKC" if "\uff66" <= piece[0] <= "\uff9d" else "NFC"
    plain: str = _optional().sub("", unicodedata.normalize(form, piece))
    plain = _BELOW.sub(lambda match: DOTTED.get(match[0], match[1]), plain)
    # A mark that is gone may have stood between a letter and another mark.
    return plain if len(plain) < 2 or plain == piece else _plain(plain)


def _is_plain(text: str) -> bool:
    """Whether a printable text, which has no UNSEEN and no other spaces than blanks, stays as it is."""
    return not ODD.search(text) and unicodedata.is_normalized("NFC", text)


@cache
def _half_space() -> Any:
    import regex

    return regex.compile(HALF_SPACE)


@cache
def _optional() -> Any:
    import regex

    return regex.compile(rf"[{OPTIONAL}]|{STRESS}")


@cache
def _letters() -> Any:
    """A compiled pattern of white space, of NASAL, and of letters with all their marks, each composed by itself."""
    import regex

    return regex.compile(rf"{SPACE}+|(?P<nasal>{NASAL})|\X")
