"""Choices between A, B and C in answers of models; what leaves a doubt is none."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from wokflow.judge.reading import Rated, any_of, plain, refusal, words

_LETTERS = str.maketrans("ＡＢＣＤａｂｃｄ", "ABCDabcd")
_FORM = re.compile(r'< ?"A" or "B" or "C" ?>')  # as the prompt prints it
_SIDE = any_of(words("side"))
# Behind a label: marks and words before the letter, in its line or, if there is nothing else, in one of the next.
_GAP = (
    rf"(?:[^\S\n]|{_SIDE})*+(?:[:=>-]|{any_of(words('is'))})[^\w\n]*+(?:\n[^\w\n]*+){{0,3}}"
    rf"(?:{any_of([*words('side'), 'the'])}[^\w\n]*+)*+"
)
_LABEL = re.compile(rf"(?<![^\W\d_]){any_of(words('name', 'preferred'))}[^\w\n:=>-]*+{_GAP}", re.IGNORECASE)
_LETTER = re.compile(r"(?P<letter>[A-Za-z])(?![A-Za-z0-9_])[\"'”’」>)\]}]*+")
_MORE = re.compile(  # a comma may also begin the reason: 首选：B，A太直
    rf"[^\S\n]*+(?:,(?!\W*[ABC][^\W\d_])|[/&+|<=≈、]|{any_of([*words('and'), *words('or')])})"
    rf"[^\w\n]*+(?:{_SIDE}[^\w\n]*+)?[ABC](?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_NOT = re.compile(
    rf"(?<![^\W\d_]){any_of(words('not'))}[^\w\n.,:;!?。、]*+(?:(?:the|my)[^\w\n]++)?\Z", re.IGNORECASE
)
_GOES_ON = re.compile(  # behind a letter that is no article
    rf"[^\S\n]*+(?:[^\w\s]|\n|\Z|[^\x00-\x7f]|{any_of([*words('link'), *words('is'), *words('than')])})",
    re.IGNORECASE,
)
_REST = re.compile(r"[^\w\n]*+(?:\n|\Z)")
_ALONE = re.compile(
    rf"^[^\w\n]*+(?:{_SIDE}[^\w\n]*+)?(?P<letter>[ABC])[^\w\n]*+$", re.MULTILINE | re.IGNORECASE
)
_COMPARISON = re.compile(rf"\W*+{any_of(words('name', 'comparison'))}\W*+", re.IGNORECASE)
_EXACT = re.compile(r'Comparison: [^\n]+\n+Preferred: "?[ABC]"?')
SEVERAL = "several"


class _Chosen(NamedTuple):
    """A letter or, where others stand beside it, SEVERAL; the words there, where its label begins, where it ends."""

    letter: str
    said: str
    begin: int
    end: int


def read_choice(answer: str, values: Sequence[str], *, cut: bool = False) -> Rated:
    """The letter behind "Preferred:" or a word like it (resources/judge/words.tsv) or, if none is, alone in a line.

    `cut`: the answer ended at the limit of tokens. Two letters that differ are none, nor is an A that begins a
    sentence, nor what is "least preferred". Ties have a letter of their own: words such as "both" are none.
    """
    text = _FORM.sub(lambda form: " " * len(form[0]), plain(answer.translate(_LETTERS)))
    labels = list(_LABEL.finditer(text))
    opposite = [label for label in labels if _NOT.search(text[max(label.start() - 40, 0) : label.start()])]
    told = [one for label in labels if label not in opposite and (one := _behind(text, label))]
    if not told and not opposite:
        told = [
            _Chosen(line["letter"].upper(), line[0].strip(), line.start(), line.end())
            for line in _ALONE.finditer(text)
        ]
    letters = {one.letter for one in told}
    if len(letters) > 1 or SEVERAL in letters:
        return Rated(None, reason="several", detail="; ".join(one.said for one in told)[:200])
    if letters and not (cut and not text[told[-1].end :].strip()):
        letter = told[0].letter
        if letter not in values:
            return Rated(None, reason="off_scale", detail=told[0].said)
        return Rated(letter, _rationale(answer, told[0]), bool(_EXACT.fullmatch(answer.strip())))
    if cut:
        return Rated(None, reason="cut")
    line = refusal(text, answer)
    if line is not None:
        return Rated(None, reason="refused", detail=line)
    if labels:
        return Rated(None, reason="no_rating", detail=" ".join(answer[labels[-1].start() :].split())[:200])
    return Rated(None, reason="missing")


def _behind(text: str, label: re.Match[str]) -> _Chosen | None:
    """The letter behind a label; None if there is none. An A or a that goes on as a sentence is an article."""
    match = _LETTER.match(text, label.end())
    if not match:
        return None
    said = " ".join(text[label.end() : match.end() + 100].partition("\n")[0].split())
    place = label.start(), match.end()
    if _MORE.match(text, match.end()):
        return _Chosen(SEVERAL, said, *place)
    capital = match["letter"].isupper()
    chosen = _GOES_ON.match(text, match.end()) if capital else _REST.match(text, match.end())
    return _Chosen(match["letter"].upper(), said, *place) if chosen else None


def _rationale(answer: str, chosen: _Chosen) -> str:
    """The comparison before the choice or, if nothing stands there, behind it; in one line."""
    said = answer[: chosen.begin]
    if not said.strip(' *_`#|"{},[]-\n'):
        said = answer[chosen.end :]
        said = said.partition("\n")[2] or said
    match = _COMPARISON.match(said)
    return " ".join(said[match.end() if match else 0 :].split()).strip(' *_`#|"{},[]-')
