"""Fixed phrases, whose words are no items: for the sake of."""

import re
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from wokflow.enrich.lists import read_table
from wokflow.enrich.words import fold

WORD = r"[^\s.,;:!?]{1,64}"  # what * stands for; with a bound, as each place of a text may begin one


class _Span(Protocol):
    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


Span = TypeVar("Span", bound=_Span)


class Phrases:
    """The fixed phrases of a language."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._pattern = re.compile(rf"\b(?:{'|'.join(patterns)})\b") if patterns else None

    @classmethod
    def read(cls, path: str, lang: str) -> "Phrases":
        """Those of a table (lang, phrase), where * stands for a word."""
        rows = read_table(path, "lang", "phrase")
        folded = sorted(fold(phrase, lang) for of, phrase in rows if of == lang)
        return cls([re.escape(phrase).replace(r"\*", WORD) for phrase in folded])

    def without(self, folded: str, spans: Iterable[Span]) -> Iterable[Span]:
        """The spans of a folded text that do not stand in one of the phrases."""
        taken = [found.span() for found in self._pattern.finditer(folded)] if self._pattern else []
        if not taken:
            return spans
        return [
            one for one in spans if not any(start <= one.start and one.end <= end for start, end in taken)
        ]
