"""Where the words of a marked item stand in their utterance."""

import re
from collections.abc import Sequence

TYPED = str.maketrans("‘’“”", "''\"\"")  # quotation marks that spreadsheet programs change
Span = tuple[int, int]


def typed(words: str) -> str:
    """Words with the quotation marks and blanks that every program leaves alone."""
    return " ".join(words.translate(TYPED).split())


def item_span(text: str, item: str, near: str, taken: Sequence[Span], *, in_order: bool) -> Span | str:
    """Where the item stands in the utterance: at `near` if it is given, otherwise at an occurrence not in `taken`.

    `near` counts UTF-16 units, as browsers do; where the item does not stand there, the nearest occurrence counts.
    Without it, occurrences in the item's letter case come first, or the first of the text if `in_order`. Parts of
    words count only where there are no whole ones. The reason of a reject if there is none, or none is left. `item`
    is as `typed` gives it.
    """
    plain = text.translate(TYPED)
    words = r"\s+".join(map(re.escape, item.split()))
    if not words:
        return "no_item"
    begin = _characters(text, int(near)) if near.isdecimal() else None
    if begin is not None:
        begin += len(plain[begin:]) - len(plain[begin:].lstrip())  # a mark may begin with blanks
        if there := re.compile(words, re.IGNORECASE).match(plain, begin):
            return there.span()
    for pattern in (rf"(?<!\w){words}(?!\w)", words):
        found = [*re.finditer(pattern, plain, re.IGNORECASE)]
        if not found:
            continue
        if begin is not None:
            return min((each.span() for each in found), key=lambda span: abs(span[0] - begin))
        if not in_order:
            found.sort(key=lambda each: " ".join(each[0].split()) != item)
        return next((each.span() for each in found if each.span() not in taken), "repeated")
    return "no_item"


def _characters(text: str, units: int) -> int:
    """The number of characters in the first `units` UTF-16 units of a text."""
    return len(text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore"))
