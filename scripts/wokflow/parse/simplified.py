"""Simplified characters, one for one, so that offsets stay."""

import unicodedata
from functools import lru_cache


def simplified(text: str) -> str:
    """Traditional to simplified characters, full-width letters and digits to half-width; the length stays."""
    return text if text.isascii() else text.translate(_table())


@lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    from opencc import OpenCC

    convert = OpenCC("t2s").convert
    table = {}
    for code in [*range(0x4E00, 0xA000), *range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF5B)]:
        character = chr(code)
        plain = convert(unicodedata.normalize("NFKC", character))
        if plain != character and len(plain) == 1:
            table[code] = plain
    return table
