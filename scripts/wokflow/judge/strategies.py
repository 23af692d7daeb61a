"""Reads the name of a strategy from the answer of a model; an ambiguous answer gives none."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from wokflow.judge.reading import Rated, any_of, plain, refusal, words

_LABEL = re.compile(
    r"(?<!\w)(?:strategy|answer)\b[^\n.:=]{0,80}?(?:[:=]|\bis\b|\bwould be\b|\bused\b)\s*", re.IGNORECASE
)
_LEAD = re.compile(r"\W*(?:\d[.)]\W*)?")  # numbers and marks before a name that begins an answer
_NOT = re.compile(r"(?:\b(?:not|isn't|than|nor)|n't)\W{1,5}(?:an?\W{1,5})?$", re.IGNORECASE)
_BESIDE = re.compile(  # between two names, of which neither is then the one
    rf"[^\w\n.:()]{{0,3}}(?:\(?{any_of([*words('or'), *words('and')])}[^\w\n]{{0,3}}(?:an? )?)?",
    re.IGNORECASE,
)


def read_name(answer: str, values: Sequence[str], *, cut: bool = False) -> Rated:
    """The value at the beginning of an answer, behind the word "strategy", or the only one in the answer.

    Other spellings count, too (resources/judge/words.tsv). A name behind "not" or "than" does not count, and two
    names side by side give none. `cut`: the answer ended at the limit of tokens; a whole name at its end counts.
    """
    text = plain(answer)
    mentions = [
        (values[int((match.lastgroup or "v0")[1:])], match.start(), match.end())
        for match in _names(tuple(values)).finditer(text)
        if not _NOT.search(text[max(0, match.start() - 20) : match.start()])
    ]
    if not mentions:
        line = refusal(text, answer)
        if line is not None:
            return Rated(None, reason="refused", detail=line)
        return Rated(None, reason="cut" if cut else "missing")
    opening = _LEAD.match(text)
    at = {opening.end() if opening else 0, *(label.end() for label in _LABEL.finditer(text))}
    told = [each for each in mentions if each[1] in at or text[: each[1]].strip(" \"'([") == ""]
    pairs = [(one, other) for one, other in pairwise(mentions) if one in told]
    beside = [other for one, other in pairs if _BESIDE.fullmatch(text, one[2], other[1])]
    chosen = {each[0] for each in [*told, *beside] or mentions}
    if len(chosen) > 1:
        return Rated(None, reason="several", detail=", ".join(sorted(chosen)))
    value, begin, end = (told or mentions)[0]
    rest = (answer[:begin] + answer[end:]) if told else answer
    return Rated(value, " ".join(rest.split()).strip(" *_`#:.-—,\"'()"), answer.strip() == value)


@cache
def _names(values: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for all spellings of the values, each in a group of its own."""
    groups = [f"(?P<v{place}>{any_of({value, *words('name', value)})})" for place, value in enumerate(values)]
    return re.compile(rf"(?<![^\W\d_])(?:{'|'.join(groups)})", re.IGNORECASE)
