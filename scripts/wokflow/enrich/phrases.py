"""Fixed phrases, whose words are no mentions of items: for the sake of."""

import re
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from wokflow.enrich.lists import read_table
from wokflow.enrich.word_forms import fold
from wokflow.frame.job import UserError

WORD = r"[^\s.,;:!?]{1,64}"  # what * stands for; bounded, since a match is tried at each place of a text


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
        """The phrases of a language in a table (lang, phrase), where * stands for a word.

        Raises UserError for an empty cell: an empty phrase would be found in place of all others.
        """
        folded = set()
        for line, of, phrase in read_table(path, "lang", "phrase"):
            if not of or not phrase:
                raise UserError(f"{path}, line {line}: both lang and phrase must be filled.")
            if of == lang:
                folded.add(fold(phrase, lang))
        return cls([re.escape(phrase).replace(r"\*", WORD) for phrase in sorted(folded)])

    def without(self, folded: str, spans: Iterable[Span]) -> Iterable[Span]:
        """The spans of a folded text that do not lie inside one of the phrases."""
        taken = [match.span() for match in self._pattern.finditer(folded)] if self._pattern else []
        if not taken:
            return spans
        return [
            span for span in spans if not any(start <= span.start and span.end <= end for start, end in taken)
        ]
