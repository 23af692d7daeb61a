"""Reads choices between A, B and C from answers of models; an ambiguous answer gives none."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from wokflow.judge.reading import Rated, any_of, plain, refusal, words

_LETTERS = str.maketrans("ＡＢＣＤａｂｃｄ", "ABCDabcd")
_FORM = re.compile(r'< ?"A" or "B" or "C" ?>')  # as the prompt prints it
_SIDE = any_of(words("side"))
# Between a label and its letter: marks and words, in the label's line or, if that ends there, in the next three.
_GAP = (
    rf"(?:[^\S\n]|{_SIDE})*+(?:[:=>-]|{any_of(words('is'))})[^\w\n]*+(?:\n[^\w\n]*+){{0,3}}"
    rf"(?:{any_of([*words('side'), 'the'])}[^\w\n]*+)*+"
)
# I prefer translation B, at the beginning of a sentence or clause
_CHOOSE = (
    r"(?:^[^\w\n]*+|[.!;,。！；，][^\w\n?？]*+)(?:(?:so|thus|therefore|hence|overall|and|but|then)[,\s]++)?(?:I|we)"
    rf"(?:[^\S\n]+(?:would|do|strongly|slightly|clearly)|['’]d)*[^\S\n]+{any_of(words('choose'))}"
    rf"(?:[^\S\n]|[\"'“‘(]|{any_of([*words('side'), 'the'])})*+"
)
_LABEL = re.compile(
    rf"(?:(?<![^\W\d_]){any_of(words('name', 'preferred'))}[^\w\n:=>-]*+{_GAP})|{_CHOOSE}",
    re.IGNORECASE | re.MULTILINE,
)
_LETTER = re.compile(r"(?P<letter>[A-Za-z])(?![A-Za-z0-9_])[\"'”’」>)\]}]*+")
_MORE = re.compile(  # a comma may also begin the reason: 首选：B，A太直
    rf"[^\S\n]*+(?:,(?!\W*[ABC][^\W\d_])|[/&+|<=≈、]|{any_of([*words('and'), *words('or')])})"
    rf"[^\w\n]*+(?:{_SIDE}[^\w\n]*+)?[ABC](?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_CHANGED = re.compile(  # A → B, A -> no, B; A (or B); "A"; if forced: B
    rf"[^\w\n→=(-]*+(?:(?:→|[-=]>)[^\S\n]*+(?:no|rather|actually)?|\((?:or|{any_of(words('or'))}))[^\w\n]*+(?:{_SIDE}[^\w\n]*+)?"
    r"(?-i:[ABC])[^\w\n]*+$|[^\n:]*(?:forced|pressed)[^\w\n]*+(?-i:[ABC])(?!\w)",
    re.IGNORECASE | re.MULTILINE,
)
_BOTH = re.compile(  # I prefer B for accuracy and A for fluency
    rf"[^\n.!?。]*?(?:and|but)[^\S\n]+(?:{_SIDE}[^\S\n]+)?(?-i:[ABC])[^\S\n]+(?:for|in|if|when|where)(?!\w)",
    re.IGNORECASE,
)
_NOT = re.compile(
    rf"(?<![^\W\d_]){any_of(words('not'))}[^\w\n.,:;!?。、]*+(?:(?:the|my)[^\w\n]++)?\Z"
    r"|which[^\w\n]+(?:is|was)[^\w\n]+(?:the[^\w\n]+)?\Z",
    re.IGNORECASE,
)
_ADVERBS = (
    r"(?:(?:an?|the|lot|much|far|bit|clearly|slightly|somewhat|definitely|by|one|translation)[^\w\n]++)*+"
)
_WORSE = re.compile(
    rf"[^\w\n]*+(?:{any_of(words('is'))}|as)[^\w\n]*+{_ADVERBS}{any_of(words('worse'))}", re.IGNORECASE
)
_GOES_ON = re.compile(  # follows a letter that is a choice, and no article
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


class _Choice(NamedTuple):
    """A letter or, if others stand beside it, SEVERAL; its quote; where the label begins and the letter ends."""

    letter: str
    quote: str
    begin: int
    end: int


def read_choice(answer: str, values: Sequence[str], *, cut: bool = False) -> Rated:
    """The letter after a label such as "Preferred:" (resources/judge/words.tsv) or, without label, alone in a line.

    `cut`: the answer ended at the limit of tokens. Two different letters are no choice, nor is an A that begins a
    sentence, nor the "least preferred". Words such as "both" are no choice either: ties have a letter of their own.
    """
    text = _FORM.sub(lambda form: " " * len(form[0]), plain(answer.translate(_LETTERS)))
    labels = list(_LABEL.finditer(text))
    opposite = [label for label in labels if _NOT.search(text[max(label.start() - 40, 0) : label.start()])]
    choices = [one for label in labels if label not in opposite and (one := _behind(text, label))]
    if not choices and not opposite:
        choices = [
            _Choice(line["letter"].upper(), line[0].strip(), line.start(), line.end())
            for line in _ALONE.finditer(text)
        ]
    letters = {one.letter for one in choices}
    if len(letters) > 1 or SEVERAL in letters:
        return Rated(None, reason="several", detail="; ".join(one.quote for one in choices)[:200])
    if letters and not (cut and not text[choices[-1].end :].strip()):
        letter = choices[0].letter
        if letter not in values:
            return Rated(None, reason="off_scale", detail=choices[0].quote)
        return Rated(letter, _rationale(answer, choices[0]), bool(_EXACT.fullmatch(answer.strip())))
    if cut:
        return Rated(None, reason="cut")
    line = refusal(text, answer)
    if line is not None:
        return Rated(None, reason="refused", detail=line)
    if labels:
        return Rated(None, reason="no_rating", detail=" ".join(answer[labels[-1].start() :].split())[:200])
    return Rated(None, reason="missing")


def _behind(text: str, label: re.Match[str]) -> _Choice | None:
    """The letter after a label; None if there is none, or it is said to be the worse one. An A before the rest of a
    sentence is an article.
    """
    match = _LETTER.match(text, label.end())
    if not match:
        return None
    quote = " ".join(text[label.end() : match.end() + 100].partition("\n")[0].split())
    place = label.start(), match.end()
    if _MORE.match(text, match.end()) or _CHANGED.match(text, match.end()) or _BOTH.match(text, match.end()):
        return _Choice(SEVERAL, quote, *place)
    if _WORSE.match(text, match.end()):
        return None
    capital = match["letter"].isupper()
    is_choice = _GOES_ON.match(text, match.end()) if capital else _REST.match(text, match.end())
    return _Choice(match["letter"].upper(), quote, *place) if is_choice else None


def _rationale(answer: str, chosen: _Choice) -> str:
    """The comparison before the choice or, if nothing stands there, after it; in one line."""
    comparison = answer[: chosen.begin]
    if not comparison.strip(' *_`#|"{},[]-\n'):
        comparison = answer[chosen.end :]
        comparison = comparison.partition("\n")[2] or comparison
    match = _COMPARISON.match(comparison)
    return " ".join(comparison[match.end() if match else 0 :].split()).strip(' *_`#|"{},[]-')
