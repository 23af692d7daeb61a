"""Sentences of a text, for models that rewrite one after the other."""

import re
from itertools import pairwise

_END = re.compile(r"(?:[。！？!?\n]|\.(?=[”’」』）)\"']*+(?:\s|$)))[。！？!?.\n]*+[”’」』）)\"']*+\s*+")


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with its end and the blanks behind it; together they are the text.

    Blanks at the beginning belong to the first sentence. A blank text has none.
    """
    cuts = sorted({0, *(match.end() for match in _END.finditer(text)), len(text)})
    pieces: list[str] = []
    for start, end in pairwise(cuts):
        if pieces and not (pieces[-1].strip() and text[start:end].strip()):
            pieces[-1] += text[start:end]
        else:
            pieces.append(text[start:end])
    return [one for one in pieces if one.strip()]


def first_sentence(text: str) -> str:
    """The first sentence, without blanks around it; all of the text if it has no end."""
    return next(iter(sentences(text)), "").strip()
