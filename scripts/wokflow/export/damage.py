"""Finds text with damaged encoding: replacement characters, wrong encodings, leftover markup."""

import html
import re

from wokflow.export.cells import Finder, Search
from wokflow.ingest.mojibake import gbk_pattern, mojibake

# Every mojibake of Latin scripts has one of these. Characters that Chinese and English texts often have are not among
# them (° · × ½).
_SUSPECT = r"[\x{80}-\x{9F}\x{A0}-\x{AF}\x{B1}-\x{4FF}√≈‚\x{2500}-\x{259F}]"
_ENTITY = (
    r"&(?:#[0-9]{2,7}|#[xX][0-9A-Fa-f]{2,6}|[A-Za-z][A-Za-z0-9]{1,30});|&(?:nbsp|amp|quot|lt|gt)(?![A-Za-z])"
)
_TAG = r"</?(?:br|p|div|span|b|i|u|em|strong|a|li|ul|ol|img|font|h[1-6]|t[drh]|table)(?:\s[^<>]*)?/?>"
_ESCAPE = r"\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}"
MARKUP = rf"{_ENTITY}|(?i:{_TAG})|{_ESCAPE}"
CONTROL = r"[\x{0}-\x{8}\x{B}\x{C}\x{E}-\x{1F}\x{7F}-\x{9F}]"

ADVICE = {
    "replacement_characters": (
        "In a source: decode it with its own encoding, or drop the rows, since the bytes are lost. "
        "In outputs of models, which may stop inside a character: accept them in export.release.accept."
    ),
    "control_characters": "Turn ingest.recipes.symbols on, or clean the source.",
    "private_characters": "Turn ingest.recipes.symbols on, or clean the source.",
    "mojibake": "Decode the source with its own encoding (ftfy shows what was meant), and run again from ingest.",
    "markup": "Decode entities and remove tags in the source, and run again from ingest.",
}


def searches() -> dict[str, Search]:
    """How each kind of damage is searched for, by gate.

    A column of strings cannot hold lone surrogates, since polars and Arrow refuse them; they may be there as escape
    sequences, which gate `markup` finds.
    """
    private = r"[\x{E000}-\x{F8FF}\x{F0000}-\x{FFFFD}\x{100000}-\x{10FFFD}]"
    by_gate = {
        "replacement_characters": (r"\x{FFFD}", _any(r"\x{FFFD}")),
        "control_characters": (CONTROL, _any(CONTROL)),
        "private_characters": (private, _any(private)),
        "mojibake": (f"{_SUSPECT}|锟斤拷|{gbk_pattern()}", mojibake),
        "markup": (r"[&<\\]", markup),
    }
    return {gate: Search(*each, ADVICE[gate]) for gate, each in by_gate.items()}


def _any(pattern: str) -> Finder:
    """A function that finds a pattern, which is written in Rust's syntax."""
    compiled = re.compile(re.sub(r"\\x\{(\w+)\}", lambda sign: rf"\U{int(sign[1], 16):08X}", pattern))
    return lambda text: [match.span() for match in compiled.finditer(text)]


def markup(text: str) -> list[tuple[int, int]]:
    """The places of valid HTML entities, of HTML tags, and of escape sequences of JSON and Python."""
    places = []
    for match in re.finditer(MARKUP, text):
        if not match.group().startswith("&") or html.unescape(match.group()) != match.group():
            places.append(match.span())
    return places
