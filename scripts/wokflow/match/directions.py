"""The directions in which recipes are paired."""

import re

from wokflow.frame.job import UserError

DIRECTIONS = {  # the source and the target corpus of each
    "zh-en": ("xiachufang", "recipenlg"),
    "en-zh": ("recipenlg", "xiachufang"),
}

_DASH = re.compile(
    r"[_\u2010-\u2015\u2212\uff0d]"
)  # a program of text processing may have made it of a hyphen


def direction_of(where: str, text: str) -> str | None:
    """The direction that a cell names, in any letter case and with any dash; None: it is empty.

    Raises UserError, with the place, for other text.
    """
    name = _DASH.sub("-", "".join(text.split())).casefold()
    if name not in ("", *DIRECTIONS):
        raise UserError(f"{where}: {text!r} is not a direction: write zh-en, en-zh, or nothing.")
    return name or None
