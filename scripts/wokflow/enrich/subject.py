"""The words of a text around a mention, which tell items that share a name from each other."""

from collections.abc import Iterable, Iterator, Mapping

from wokflow.enrich.word_forms import context, fold, placed_context, word_pattern
from wokflow.frame.languages import SPACELESS


class Subject:
    """The numbers of a text's words (see word_forms.context), without those of a mention."""

    def __init__(self, text: str, lang: str) -> None:
        self._text = text
        self._lang = lang
        self._folded = fold(text, lang)
        self._places: dict[int, list[tuple[int, int]]] | None = None

    def about(self, wanted: Mapping[int, Iterable[int]], start: int, end: int) -> Iterator[int]:
        """The items in `wanted` whose numbers are among those of the text without its part from start to end."""
        if self._places is None:
            self._places = placed(placed_context(self._text, self._lang))
        if not self._splits(start, end):
            return outside(self._places, wanted, start, end)
        numbers = wanted.keys() & set(context(f"{self._text[:start]} {self._text[end:]}", self._lang))
        return (item for number in numbers for item in wanted[number])

    def _splits(self, start: int, end: int) -> bool:
        """Whether a mention splits a word into parts whose numbers are not among the whole word's."""
        if not (self._joined(start) or self._joined(end)):
            return False
        for match in word_pattern().finditer(self._folded):
            begin, stop = match.span()
            parts = [self._folded[begin:start]] if begin < start < stop else []
            if begin < end < stop:
                parts.append(self._folded[end:stop])
            if parts and not self._pairs(match.group(), *parts):
                return True
        return False

    def _joined(self, at: int) -> bool:
        """Whether a word goes on across a place."""
        return 0 < at < len(self._folded) and bool(word_pattern().fullmatch(self._folded, at - 1, at + 1))

    def _pairs(self, *words: str) -> bool:
        """Whether words have their numbers by pairs of characters."""
        return self._lang in SPACELESS and not any(word.isascii() for word in words)


def placed(numbers: Iterable[tuple[int, int, int]]) -> dict[int, list[tuple[int, int]]]:
    """The places of each number, from what placed_context gives."""
    places: dict[int, list[tuple[int, int]]] = {}
    for number, start, end in numbers:
        places.setdefault(number, []).append((start, end))
    return places


def outside(
    places: Mapping[int, list[tuple[int, int]]], wanted: Mapping[int, Iterable[int]], start: int, end: int
) -> Iterator[int]:
    """The items in `wanted` whose numbers occur before `start` or after `end`."""
    for number in places.keys() & wanted.keys():
        if any(stop <= start or end <= begin for begin, stop in places[number]):
            yield from wanted[number]
